//! JSON text, written piece by piece without a document in memory.

use std::io::Write;

use super::block::BlockWriter;
use crate::error::{Result, is_text_control};
use crate::math::as_u64;

/// A writer of JSON text, without blanks. The text has the same bytes on every machine.
///
/// The methods that write a value also write the comma before it. Every value is written to a
/// block, so the caller calls [`finish`](Self::finish) at the end.
///
/// ```text
/// let mut json = JsonText::new(out);
/// json.object(|json| {
///     json.field("name").string("cube")?;
///     json.field("sizes").list(|json| [1.0, 2.5].into_iter().try_for_each(|size| json.float(size)))
/// })?;
/// json.finish()
/// ```
pub(crate) struct JsonText<'o> {
    block: BlockWriter<'o>,
    /// Whether the next value or field follows another one, so that it needs a comma.
    needs_comma: bool,
}

impl<'o> JsonText<'o> {
    pub(crate) fn new(out: &'o mut dyn Write) -> Self {
        Self { block: BlockWriter::new(out), needs_comma: false }
    }

    /// Writes the rest of the text.
    pub(crate) fn finish(&mut self) -> Result<()> {
        self.block.finish()
    }

    /// Writes an object, whose fields `fill` writes.
    pub(crate) fn object(&mut self, fill: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.nested(b"{", fill, b"}")
    }

    /// Writes a list, whose items `fill` writes.
    pub(crate) fn list(&mut self, fill: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.nested(b"[", fill, b"]")
    }

    fn nested(&mut self, open: &[u8], fill: impl FnOnce(&mut Self) -> Result<()>, close: &[u8]) -> Result<()> {
        self.separate();
        self.block.bytes(open);
        self.needs_comma = false;
        fill(self)?;
        self.block.bytes(close);
        self.end_value()
    }

    /// Writes the name of a field. The caller then writes one value.
    pub(crate) fn field(&mut self, name: &str) -> &mut Self {
        self.separate();
        self.quoted(name);
        self.block.bytes(b":");
        self.needs_comma = false;
        self
    }

    /// Writes a string.
    pub(crate) fn string(&mut self, text: &str) -> Result<()> {
        self.separate();
        self.quoted(text);
        self.end_value()
    }

    /// Writes a string, or `null`.
    pub(crate) fn optional_string(&mut self, text: Option<&str>) -> Result<()> {
        self.optional(text, Self::string)
    }

    /// Writes a value with `write`, or `null`.
    pub(crate) fn optional<T>(
        &mut self,
        value: Option<T>,
        write: impl FnOnce(&mut Self, T) -> Result<()>,
    ) -> Result<()> {
        match value {
            Some(value) => write(self, value),
            None => self.null(),
        }
    }

    /// Writes a number that is not negative.
    pub(crate) fn unsigned(&mut self, value: u64) -> Result<()> {
        self.separate();
        self.block.unsigned(value);
        self.end_value()
    }

    /// Writes a count or an index.
    pub(crate) fn count(&mut self, value: usize) -> Result<()> {
        self.unsigned(as_u64(value))
    }

    /// Writes a whole number.
    pub(crate) fn signed(&mut self, value: i64) -> Result<()> {
        self.separate();
        if value < 0 {
            self.block.bytes(b"-");
        }
        self.block.unsigned(value.unsigned_abs());
        self.end_value()
    }

    /// Writes a float as the shortest text that reads back as the same `f32`, or `null` if it is
    /// not finite.
    pub(crate) fn float(&mut self, value: f32) -> Result<()> {
        if !value.is_finite() {
            return self.null();
        }
        self.separate();
        self.block.float(value);
        self.end_value()
    }

    /// Writes a float as the shortest text that reads back as the same `f64`, or `null` if it is
    /// not finite.
    pub(crate) fn double(&mut self, value: f64) -> Result<()> {
        if !value.is_finite() {
            return self.null();
        }
        self.separate();
        self.block.double(value);
        self.end_value()
    }

    /// Writes a list with one item for each of `items`.
    pub(crate) fn each<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T) -> Result<()>,
    ) -> Result<()> {
        self.list(|json| items.into_iter().try_for_each(|item| write(json, item)))
    }

    /// Writes a list of floats.
    pub(crate) fn floats(&mut self, values: &[f32]) -> Result<()> {
        self.list(|json| values.iter().try_for_each(|value| json.float(*value)))
    }

    /// Writes a truth value.
    pub(crate) fn boolean(&mut self, value: bool) -> Result<()> {
        self.literal(if value { "true" } else { "false" })
    }

    /// Writes `null`.
    pub(crate) fn null(&mut self) -> Result<()> {
        self.literal("null")
    }

    fn literal(&mut self, text: &str) -> Result<()> {
        self.separate();
        self.block.text(text);
        self.end_value()
    }

    #[inline]
    fn separate(&mut self) {
        if self.needs_comma {
            self.block.bytes(b",");
        }
    }

    #[inline]
    fn end_value(&mut self) -> Result<()> {
        self.needs_comma = true;
        self.block.end_record()
    }

    /// Writes a text in quotes. Control characters, and characters that change the reading
    /// direction or break a line, are written as `\u` with four digits.
    fn quoted(&mut self, text: &str) {
        self.block.bytes(b"\"");
        let mut rest = text;
        while let Some((at, special)) = rest.char_indices().find(|(_, letter)| is_escaped(*letter)) {
            let (plain, tail) = rest.split_at_checked(at).unwrap_or((rest, ""));
            self.block.text(plain);
            match special {
                '"' => self.block.bytes(b"\\\""),
                '\\' => self.block.bytes(b"\\\\"),
                _ => self.block.text(&format!("\\u{:04x}", u32::from(special))),
            };
            rest = tail.get(special.len_utf8()..).unwrap_or_default();
        }
        self.block.text(rest).bytes(b"\"");
    }
}

/// Returns whether a character is written with a backslash.
fn is_escaped(letter: char) -> bool {
    matches!(letter, '"' | '\\') || is_text_control(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(&mut JsonText<'_>) -> Result<()>) -> String {
        let mut out = Vec::new();
        let mut json = JsonText::new(&mut out);
        write(&mut json).and_then(|()| json.finish()).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn writes_every_kind_of_value() {
        let found = text(|json| {
            json.object(|json| {
                json.field("a").list(|json| {
                    json.float(0.1)?;
                    json.float(f32::NAN)?;
                    json.double(1e300)?;
                    json.double(f64::INFINITY)?;
                    json.list(|_| Ok(()))?;
                    json.object(|_| Ok(()))?;
                    json.signed(-7)
                })?;
                json.field("b").object(|json| json.field("c").optional_string(None))?;
                json.field("d").boolean(true)?;
                json.field("e").floats(&[1.0, -0.5])?;
                json.field("f").count(12)
            })
        });
        let expected = r#"{"a":[0.1,null,1e300,null,[],{},-7],"b":{"c":null},"d":true,"e":[1,-0.5],"f":12}"#;
        assert_eq!(found, expected);
    }

    #[test]
    fn escapes_what_is_unsafe() {
        for (given, expected) in [
            ("plain é", "\"plain é\""),
            ("a\"b\\c", r#""a\"b\\c""#),
            ("\0\n\u{7f}\u{9f}", r#""\u0000\u000a\u007f\u009f""#),
            ("\u{202e}x\u{2028}", r#""\u202ex\u2028""#),
            ("\u{61c}\u{200e}\u{2066}", r#""\u061c\u200e\u2066""#),
            ("", "\"\""),
        ] {
            assert_eq!(text(|json| json.string(given)), expected);
        }
    }
}
