//! JSON text, written piece by piece without a document in memory. A small file may describe a list
//! that is a thousand times larger in memory.

use std::io::{self, Write};
use std::marker::PhantomData;
use std::ops::Range;

use super::block::BlockWriter;
use crate::error::{Error, is_text_control};
use crate::math::as_u64;

/// A line feed, and the indentation of the greatest depth that is written in one step.
const NEW_LINE: &[u8] = b"\n                        ";
/// The text of one step of indentation.
const INDENT: &[u8] = b"  ";

/// What a [`JsonText`] is used for.
pub(crate) trait JsonUse {
    /// The error of the functions that write.
    type Error: From<io::Error>;
    /// Whether the text is one line in blocks of about 64 KiB, in which a whole float has no `.0`,
    /// and every escaped control character is `\u` with four digits.
    const IS_EXPORT: bool;
}

/// The export of a mesh.
pub(crate) struct JsonExport;

impl JsonUse for JsonExport {
    type Error = Error;
    const IS_EXPORT: bool = true;
}

/// A writer of one JSON value. The text has the same bytes on every machine.
///
/// The methods that write a value also write the comma, the line feed and the indentation before
/// it. An export is written to a block, so the caller calls [`finish`](Self::finish) at the end.
///
/// ```text
/// let mut json = JsonText::export(out);
/// json.object(|json| {
///     json.key("name").string("cube")?;
///     json.key("sizes").each([1.0, 2.5], JsonText::float)
/// })?;
/// json.finish()
/// ```
pub(crate) struct JsonText<'o, U: JsonUse = JsonExport> {
    block: BlockWriter<'o>,
    /// The number of lists and objects that are open.
    pub(crate) depth: usize,
    /// Whether the next value or key follows another one, so that it needs a comma.
    pub(crate) needs_comma: bool,
    /// Whether the next value follows its key.
    has_key: bool,
    /// The depths at which each item has a line of its own.
    pub(crate) lines: Range<usize>,
    /// Whether the lines are indented.
    is_indented: bool,
    /// The first error of the library in a value.
    #[cfg(feature = "cli")]
    pub(crate) fault: Option<Error>,
    used_for: PhantomData<U>,
}

impl<'o> JsonText<'o, JsonExport> {
    pub(crate) fn export(out: &'o mut dyn Write) -> Self {
        Self::new(BlockWriter::new(out), 0..0, false)
    }
}

impl<'o, U: JsonUse> JsonText<'o, U> {
    pub(crate) const fn new(block: BlockWriter<'o>, lines: Range<usize>, is_indented: bool) -> Self {
        Self {
            block,
            depth: 0,
            needs_comma: false,
            has_key: false,
            lines,
            is_indented,
            #[cfg(feature = "cli")]
            fault: None,
            used_for: PhantomData,
        }
    }

    /// Continues an object or a list that another writer left open at `depth`, and that has items
    /// if `has_items` is true.
    #[cfg(feature = "cli")]
    pub(crate) fn resumed(self, depth: usize, has_items: bool) -> Self {
        Self { depth, needs_comma: has_items, ..self }
    }

    /// Writes the rest of the text.
    pub(crate) fn finish(&mut self) -> Result<(), U::Error> {
        Ok(self.block.finish()?)
    }

    /// Writes the rest of the text, and returns the output for text between the tokens.
    #[cfg(feature = "cli")]
    pub(crate) fn raw(&mut self) -> Result<&mut dyn Write, U::Error> {
        self.finish()?;
        Ok(self.block.out())
    }

    /// Writes an object, whose fields `fill` writes.
    pub(crate) fn object(&mut self, fill: impl FnOnce(&mut Self) -> Result<(), U::Error>) -> Result<(), U::Error> {
        self.open(b"{")?;
        fill(self)?;
        self.close(b"}")
    }

    /// Writes a list, whose items `fill` writes.
    pub(crate) fn list(&mut self, fill: impl FnOnce(&mut Self) -> Result<(), U::Error>) -> Result<(), U::Error> {
        self.open(b"[")?;
        fill(self)?;
        self.close(b"]")
    }

    /// Writes a list with one item for each of `items`.
    pub(crate) fn each<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T) -> Result<(), U::Error>,
    ) -> Result<(), U::Error> {
        self.list(|json| items.into_iter().try_for_each(|item| write(json, item)))
    }

    /// Writes a list with one object for each of `items`, whose fields `fill` writes.
    pub(crate) fn objects<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut fill: impl FnMut(&mut Self, T) -> Result<(), U::Error>,
    ) -> Result<(), U::Error> {
        self.each(items, |json, item| json.object(|json| fill(json, item)))
    }

    /// Writes a list of floats.
    pub(crate) fn floats(&mut self, values: &[f32]) -> Result<(), U::Error> {
        self.each(values, |json, value| json.float(*value))
    }

    /// Starts a list or an object. `bracket` is `[` or `{`.
    pub(crate) fn open(&mut self, bracket: &[u8]) -> Result<(), U::Error> {
        self.separate();
        self.block.bytes(bracket);
        self.depth = self.depth.saturating_add(1);
        self.needs_comma = false;
        if U::IS_EXPORT { Ok(()) } else { self.finish() }
    }

    /// Ends the innermost open list or object. `bracket` is `]` or `}`.
    pub(crate) fn close(&mut self, bracket: &[u8]) -> Result<(), U::Error> {
        let has_lines = !U::IS_EXPORT && self.needs_comma && self.lines.contains(&self.depth);
        self.depth = self.depth.saturating_sub(1);
        if has_lines {
            self.new_line();
        }
        self.block.bytes(bracket);
        self.end_value()
    }

    /// Writes the name of a field. The caller then writes one value.
    pub(crate) fn key(&mut self, name: &str) -> &mut Self {
        self.separate();
        self.quoted(name);
        let has_blank = !U::IS_EXPORT && self.is_indented && self.lines.contains(&self.depth);
        self.block.bytes(if has_blank { b": " } else { b":" });
        (self.needs_comma, self.has_key) = (false, true);
        self
    }

    /// Writes a string.
    pub(crate) fn string(&mut self, text: &str) -> Result<(), U::Error> {
        self.separate();
        self.quoted(text);
        self.end_value()
    }

    /// Writes a value with `write`, or `null`.
    pub(crate) fn optional<T>(
        &mut self,
        value: Option<T>,
        write: impl FnOnce(&mut Self, T) -> Result<(), U::Error>,
    ) -> Result<(), U::Error> {
        match value {
            Some(value) => write(self, value),
            None => self.null(),
        }
    }

    /// Writes a number that is not negative.
    pub(crate) fn unsigned(&mut self, value: impl Into<u64>) -> Result<(), U::Error> {
        self.separate();
        self.block.unsigned(value.into());
        self.end_value()
    }

    /// Writes a count or an index.
    pub(crate) fn count(&mut self, value: usize) -> Result<(), U::Error> {
        self.unsigned(as_u64(value))
    }

    /// Writes a whole number.
    pub(crate) fn signed(&mut self, value: i64) -> Result<(), U::Error> {
        self.separate();
        if value < 0 {
            self.block.bytes(b"-");
        }
        self.block.unsigned(value.unsigned_abs());
        self.end_value()
    }

    /// Writes a float as the shortest text that reads back as the same `f32`, or `null` if it is
    /// not finite.
    pub(crate) fn float(&mut self, value: f32) -> Result<(), U::Error> {
        if !value.is_finite() {
            return self.null();
        }
        self.separate();
        if U::IS_EXPORT {
            self.block.float(value);
        } else {
            self.block.display(format_args!("{value:?}"));
        }
        self.end_value()
    }

    /// Writes a float of an export as the shortest text that reads back as the same `f64`, or
    /// `null` if it is not finite.
    pub(crate) fn double(&mut self, value: f64) -> Result<(), U::Error> {
        if !value.is_finite() {
            return self.null();
        }
        self.separate();
        self.block.double(value);
        self.end_value()
    }

    /// Writes a number as its text.
    #[cfg(feature = "cli")]
    pub(crate) fn number(&mut self, value: impl std::fmt::Display) -> Result<(), U::Error> {
        self.separate();
        self.block.display(format_args!("{value}"));
        self.end_value()
    }

    /// Writes a truth value.
    pub(crate) fn boolean(&mut self, value: bool) -> Result<(), U::Error> {
        self.literal(if value { "true" } else { "false" })
    }

    /// Writes `null`.
    pub(crate) fn null(&mut self) -> Result<(), U::Error> {
        self.literal("null")
    }

    /// Writes a value that is JSON already.
    pub(crate) fn literal(&mut self, text: &str) -> Result<(), U::Error> {
        self.separate();
        self.block.text(text);
        self.end_value()
    }

    #[inline]
    fn separate(&mut self) {
        if self.needs_comma {
            self.block.bytes(b",");
        }
        if !U::IS_EXPORT {
            if !self.has_key && self.lines.contains(&self.depth) {
                self.new_line();
            }
            self.has_key = false;
        }
    }

    fn new_line(&mut self) {
        let depth = if self.is_indented { self.depth } else { 0 };
        match NEW_LINE.get(..depth.saturating_mul(INDENT.len()).saturating_add(1)) {
            Some(new_line) => self.block.bytes(new_line),
            None => self.block.bytes(b"\n").bytes(&INDENT.repeat(depth)),
        };
    }

    #[inline]
    fn end_value(&mut self) -> Result<(), U::Error> {
        self.needs_comma = true;
        if U::IS_EXPORT && !self.block.is_full() { Ok(()) } else { self.finish() }
    }

    /// Writes a text in quotes. Control characters, and characters that change the reading
    /// direction or break a line, are escaped, because a terminal would interpret them. The text
    /// output escapes the same characters.
    fn quoted(&mut self, text: &str) {
        self.block.bytes(b"\"");
        let is_special = |byte: u8| !matches!(byte, b' '..=b'~') || byte == b'"' || byte == b'\\';
        let mut rest = text;
        // Without an early end, the compiler tests many bytes at once.
        if text.bytes().fold(false, |found, byte| found | is_special(byte)) {
            let is_escaped = |letter: char| matches!(letter, '"' | '\\') || is_text_control(letter);
            while let Some((at, special)) = rest.char_indices().find(|(_, letter)| is_escaped(*letter)) {
                let (plain, tail) = rest.split_at_checked(at).unwrap_or((rest, ""));
                self.block.text(plain);
                match special {
                    '"' => self.block.bytes(b"\\\""),
                    '\\' => self.block.bytes(b"\\\\"),
                    '\u{8}' if !U::IS_EXPORT => self.block.bytes(b"\\b"),
                    '\u{c}' if !U::IS_EXPORT => self.block.bytes(b"\\f"),
                    '\n' if !U::IS_EXPORT => self.block.bytes(b"\\n"),
                    '\r' if !U::IS_EXPORT => self.block.bytes(b"\\r"),
                    '\t' if !U::IS_EXPORT => self.block.bytes(b"\\t"),
                    _ => self.block.display(format_args!("\\u{:04x}", u32::from(special))),
                };
                rest = tail.get(special.len_utf8()..).unwrap_or_default();
            }
        }
        self.block.text(rest).bytes(b"\"");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(&mut JsonText<'_, JsonExport>) -> Result<(), Error>) -> String {
        let mut out = Vec::new();
        let mut json = JsonText::export(&mut out);
        write(&mut json).and_then(|()| json.finish()).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn writes_every_kind_of_value() {
        let found = text(|json| {
            json.object(|json| {
                json.key("a").list(|json| {
                    json.float(0.1)?;
                    json.float(f32::NAN)?;
                    json.double(1e300)?;
                    json.double(f64::INFINITY)?;
                    json.list(|_| Ok(()))?;
                    json.object(|_| Ok(()))?;
                    json.signed(-7)
                })?;
                json.key("b").object(|json| json.key("c").optional(None, JsonText::string))?;
                json.key("d").boolean(true)?;
                json.key("e").floats(&[1.0, -0.5])?;
                json.key("f").count(12)
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
