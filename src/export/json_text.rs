//! A writer of JSON text, which holds no value in memory.

use std::io::Write;

use crate::error::Result;

/// A writer of JSON text.
///
/// The methods write exactly one value each. Inside an object, every value follows a
/// [`field`](Self::field).
pub(crate) struct JsonText<'o> {
    out: &'o mut dyn Write,
    /// Whether a comma comes before the next item or field.
    needs_comma: bool,
}

impl<'o> JsonText<'o> {
    /// Makes a writer of one value.
    pub(crate) fn new(out: &'o mut dyn Write) -> Self {
        Self { out, needs_comma: false }
    }

    /// Writes an object, whose fields `fill` writes.
    pub(crate) fn object(&mut self, fill: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.enclosed(*b"{}", fill)
    }

    /// Writes a list, whose items `fill` writes.
    pub(crate) fn list(&mut self, fill: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.enclosed(*b"[]", fill)
    }

    /// Writes a list of one item for each of `items`.
    pub(crate) fn each<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T) -> Result<()>,
    ) -> Result<()> {
        self.list(|json| items.into_iter().try_for_each(|item| write(json, item)))
    }

    /// Writes the name of a field. The value follows.
    pub(crate) fn field(&mut self, name: &str) -> Result<&mut Self> {
        self.string(name)?;
        self.out.write_all(b":")?;
        self.needs_comma = false;
        Ok(self)
    }

    /// Writes a string. Characters that can change the direction or the colour of text in a terminal
    /// are escaped.
    pub(crate) fn string(&mut self, text: &str) -> Result<()> {
        self.comma()?;
        self.out.write_all(b"\"")?;
        let mut rest = text;
        while let Some((at, special)) = rest.char_indices().find(|(_, character)| is_escaped(*character)) {
            self.out.write_all(rest.get(..at).unwrap_or_default().as_bytes())?;
            self.escape(special)?;
            rest = rest.get(at.saturating_add(special.len_utf8())..).unwrap_or_default();
        }
        self.out.write_all(rest.as_bytes())?;
        Ok(self.out.write_all(b"\"")?)
    }

    /// Writes an integer.
    pub(crate) fn integer(&mut self, number: impl Into<i128>) -> Result<()> {
        self.comma()?;
        Ok(write!(self.out, "{}", number.into())?)
    }

    /// Writes a length or an index.
    pub(crate) fn index(&mut self, number: usize) -> Result<()> {
        self.comma()?;
        Ok(write!(self.out, "{number}")?)
    }

    /// Writes a number with the shortest text that reads back to the same `f64`, or `null` for a
    /// number that is not finite.
    pub(crate) fn number(&mut self, number: f64) -> Result<()> {
        self.comma()?;
        let magnitude = number.abs();
        Ok(if !number.is_finite() {
            self.out.write_all(b"null")?;
        } else if magnitude > 0.0 && !(1e-5..1e17).contains(&magnitude) {
            write!(self.out, "{number:e}")?;
        } else {
            write!(self.out, "{number}")?;
        })
    }

    /// Writes a number that a reader rounds to the same `f32`, also if it reads it as an `f64`.
    pub(crate) fn float(&mut self, number: f32) -> Result<()> {
        self.number(number.into())
    }

    /// Writes a list of floats.
    pub(crate) fn floats(&mut self, numbers: &[f32]) -> Result<()> {
        self.each(numbers, |json, number| json.float(*number))
    }

    /// Writes `true` or `false`.
    pub(crate) fn boolean(&mut self, value: bool) -> Result<()> {
        self.comma()?;
        Ok(self.out.write_all(if value { b"true" } else { b"false" })?)
    }

    fn enclosed(&mut self, [start, end]: [u8; 2], fill: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.comma()?;
        self.out.write_all(&[start])?;
        self.needs_comma = false;
        fill(self)?;
        self.needs_comma = true;
        Ok(self.out.write_all(&[end])?)
    }

    fn comma(&mut self) -> Result<()> {
        if self.needs_comma {
            self.out.write_all(b",")?;
        }
        self.needs_comma = true;
        Ok(())
    }

    fn escape(&mut self, character: char) -> Result<()> {
        match character {
            '"' | '\\' => write!(self.out, "\\{character}")?,
            _ => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    write!(self.out, "\\u{unit:04x}")?;
                }
            }
        }
        Ok(())
    }
}

/// Returns whether a character is escaped in a string: quotes, backslashes, control characters, and
/// characters that change the direction of text.
const fn is_escaped(character: char) -> bool {
    matches!(
        character,
        '"' | '\\' | '\0'..='\x1f' | '\x7f'..='\u{9f}' | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(&mut JsonText<'_>) -> Result<()>) -> String {
        let mut out = Vec::new();
        write(&mut JsonText::new(&mut out)).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn writes_every_kind_of_value() {
        let found = text(|json| {
            json.object(|json| {
                json.field("list")?.each([1, -2], |json, item| json.integer(item))?;
                json.field("empty")?.list(|_| Ok(()))?;
                json.field("name")?.string("a\"b\\c\n\u{202e}\u{1f600}")?;
                json.field("floats")?.floats(&[0.1, -0.0, 1e30, f32::NAN, 1e-30])?;
                json.field("is")?.boolean(true)?;
                json.field("index")?.index(7)
            })
        });
        let expected = r#"{"list":[1,-2],"empty":[],"name":"a\"b\\c\u000a\u202e😀","floats":[0.10000000149011612,-0,1.0000000150474662e30,null,1.0000000031710769e-30],"is":true,"index":7}"#;
        assert_eq!(found, expected);
    }

    #[test]
    fn numbers_read_back() {
        for number in [0.1_f32, 1.0, -1.5e-7, f32::MAX, f32::MIN_POSITIVE, 123_456_790.0, 1e-45] {
            let read: f64 = text(|json| json.float(number)).parse().unwrap();
            assert_eq!(read.to_bits(), f64::from(number).to_bits());
        }
    }
}
