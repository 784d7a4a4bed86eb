//! Writes commands: [`Line`] encodes one command as a line of a script.

use super::command::Command;
use super::line::{Argument, Quote};
use crate::error::debug::{short_debug, text};
use crate::error::{Cause, Error, Field, Result, show_bytes};
use crate::formats::unreal::layout::SCRIPT;

/// A command to write as one line of a script. The methods of [`Line`] that add an argument return
/// an error if the argument would be read back with another value.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::unreal::script::Line;
/// let line = Line::new("TEXTURE", "IMPORT").name("NAME", "fur")?.file("FILE", r"MODELS\cat fur.pcx")?;
/// assert_eq!(line.as_bytes(), br#"#exec TEXTURE IMPORT NAME=fur FILE="MODELS\cat fur.pcx""#);
/// assert!(Line::new("MESH", "ORIGIN").name("MESH", "cat X=9").is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Line(Vec<u8>);

short_debug!(Line: |line| { bytes: text(&line.0) });

impl Line {
    /// Makes a line with the two words of a command, such as `MESH` and `IMPORT`, and without
    /// arguments.
    #[must_use]
    pub fn new(first: &'static str, second: &'static str) -> Self {
        Self(format!("#exec {first} {second}").into())
    }

    /// Encodes an existing command as a line, with all its arguments in the same order. The
    /// function `instead` receives each key in upper case and returns a new value for this key, or
    /// `None` to keep the value.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`] if a value contains quotes or control characters, because
    /// scripts have no escapes for these characters.
    ///
    /// [`ErrorKind::Refused`]: crate::ErrorKind::Refused
    pub fn of(command: &Command<'_>, instead: impl Fn(&[u8]) -> Option<Vec<u8>>) -> Result<Self> {
        let mut line = b"#exec".to_vec();
        for word in command.words() {
            line.extend([b" ", word.as_bytes()].concat());
        }
        for Argument { key, value, quote, .. } in command.arguments() {
            let Some(value) = value else {
                line.extend([b" ", key.as_bytes()].concat());
                continue;
            };
            let value = instead(&key.as_bytes().to_ascii_uppercase()).unwrap_or_else(|| value.as_bytes().to_vec());
            if !is_text(&value) {
                return Err(refused("value", "text without quotes and control characters", &value));
            }
            let mark: &[u8] = if quote == Quote::Bare && is_bare(&value) { b"" } else { b"\"" };
            line.extend([b" ", key.as_bytes(), b"=", mark, &value, mark].concat());
        }
        Ok(Self(line))
    }

    /// Adds an argument whose value is a name: text without blanks, `=`, quotes, control characters
    /// and comments.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`] if the name is empty or contains a blank, `=`, a quote, a
    /// control character, `//` or `/*`.
    ///
    /// [`ErrorKind::Refused`]: crate::ErrorKind::Refused
    pub fn name(self, key: &'static str, name: impl AsRef<[u8]>) -> Result<Self> {
        let name = name.as_ref();
        if name.is_empty() || !is_text(name) || !is_bare(name) {
            return Err(refused(key, "a name without blanks, `=`, quotes, control characters and comments", name));
        }
        Ok(self.bare(key, name))
    }

    /// Adds an argument whose value is any text without quotes and control characters, such as a
    /// path. The text is written in quotes if it is empty or contains a space, `=`, `//` or `/*`.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`] if the text has quotes or control characters.
    ///
    /// [`ErrorKind::Refused`]: crate::ErrorKind::Refused
    pub fn file(mut self, key: &'static str, text: impl AsRef<[u8]>) -> Result<Self> {
        let text = text.as_ref();
        if !is_text(text) {
            return Err(refused(key, "text without quotes and control characters", text));
        }
        if !text.is_empty() && is_bare(text) {
            return Ok(self.bare(key, text));
        }
        self.0.extend([b" ", key.as_bytes(), b"=\"", text, b"\""].concat());
        Ok(self)
    }

    /// Adds an argument whose value is text in quotes, even if the text has no spaces, `=`, `//` or
    /// `/*`.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`file`](Self::file).
    pub fn quoted(mut self, key: &'static str, text: impl AsRef<[u8]>) -> Result<Self> {
        let text = text.as_ref();
        if !is_text(text) {
            return Err(refused(key, "text without quotes and control characters", text));
        }
        self.0.extend([b" ", key.as_bytes(), b"=\"", text, b"\""].concat());
        Ok(self)
    }

    /// Adds an argument whose value is a number, with the fewest digits that are read back as the
    /// same number.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`](crate::ErrorKind::Refused) if the number is not finite.
    pub fn number(self, key: &'static str, number: f32) -> Result<Self> {
        let mut text = number.to_string();
        if !number.is_finite() {
            return Err(refused(key, "a finite number", text.as_bytes()));
        }
        if number != 0.0 && !text.contains('.') {
            text.push_str(".0");
        }
        Ok(self.bare(key, text.as_bytes()))
    }

    /// Adds an argument whose value is a whole number.
    #[must_use]
    pub fn integer(self, key: &'static str, number: i64) -> Self {
        self.bare(key, number.to_string().as_bytes())
    }

    fn bare(mut self, key: &'static str, text: &[u8]) -> Self {
        self.0.extend([b" ", key.as_bytes(), b"=", text].concat());
        self
    }

    /// Returns the bytes of the line, without a line feed or carriage return at the end.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Returns whether a text can be written between quotes: it contains no quotes and no control
/// characters.
fn is_text(text: &[u8]) -> bool {
    !text.iter().any(|byte| byte.is_ascii_control() || *byte == b'"')
}

/// Returns whether a text can be written without quotes: it contains no spaces, no `=`, and no
/// start of a comment.
fn is_bare(text: &[u8]) -> bool {
    let comment = text.windows(2).any(|pair| matches!(pair, b"//" | b"/*"));
    !comment && !text.iter().any(|byte| matches!(byte, b' ' | b'='))
}

pub(in crate::formats::unreal) fn refused(key: &'static str, expected: &'static str, found: &[u8]) -> Error {
    let found = found.get(..64).unwrap_or(found);
    let kind = Cause::Refused { expected: expected.into(), found: show_bytes(found).into() };
    Error::without_offset(SCRIPT, Field::new(key), kind)
}

#[cfg(test)]
mod tests {
    use super::super::file::Script;
    use super::*;

    #[test]
    fn refuses_what_would_read_as_something_else() {
        let line = || Line::new("MESH", "IMPORT");
        for name in ["", "a b", "a=b", "a\n#exec", "a\"", "a\tb", "a\0", "a//b", "a/*", "a\r"] {
            let error = line().name("MESH", name).unwrap_err();
            assert!(matches!(error.cause(), Cause::Refused { .. }), "{name:?}: {error}");
        }
        for text in ["a\n", "a\"b", "\x7f", "a\0"] {
            assert!(line().file("FILE", text).is_err() && line().quoted("FILE", text).is_err(), "{text:?}");
        }
        assert!(line().number("X", f32::NAN).is_err() && line().number("X", f32::INFINITY).is_err());
    }

    #[test]
    fn quotes_what_must_be_quoted() {
        let spelled = |text: &str| String::from_utf8(Line::new("A", "B").file("F", text).unwrap().0).unwrap();
        assert_eq!(spelled(r"a\b.pcx"), r"#exec A B F=a\b.pcx");
        for text in ["a b", "a=b", "a//b", ""] {
            assert_eq!(spelled(text), format!("#exec A B F=\"{text}\""));
        }
    }

    #[test]
    fn spells_numbers_that_read_the_same() {
        for number in [0.0, -0.0, 1.0, 0.1, -64.0, 1e-40, f32::MAX, f32::MIN_POSITIVE, 0.003_906_25] {
            let line = Line::new("A", "B").number("X", number).unwrap();
            let script = Script::open(line.as_bytes()).unwrap();
            let again = script.command(0).unwrap().number("X").unwrap();
            assert_eq!(again.to_bits(), number.to_bits(), "{number}");
        }
    }
}
