//! Writes JSON piece by piece. A list is never held in memory as a whole, because a small file may
//! describe a list that is a thousand times larger in memory.

use std::io::{self, Write};

use serde_json::Value;

use crate::model::PropertySink;

/// A line feed, and the indentation of the greatest depth that is written in one step.
const NEW_LINE: &[u8] = b"\n                        ";
/// The size in bytes of a string that is written in one step together with its quotes and what is
/// around them, if no character of it is escaped.
const SHORT_STRING: usize = 64;
/// The text of one step of indentation.
const INDENT: &[u8] = b"  ";

/// A writer of one JSON value.
///
/// If an error of the library occurs in the middle of a list, the list ends there, and
/// [`take_fault`](Self::take_fault) returns the error. The output is therefore always valid JSON.
pub struct JsonWriter<'o> {
    out: &'o mut dyn Write,
    is_indented: bool,
    /// The number of lists and objects that are open.
    pub depth: usize,
    /// Whether the innermost open list or object already has an item.
    has_items: bool,
    fault: Option<crate::Error>,
}

impl<'o> JsonWriter<'o> {
    /// Creates a writer that writes every item on a line of its own.
    pub fn indented(out: &'o mut dyn Write) -> Self {
        Self { out, is_indented: true, depth: 0, has_items: false, fault: None }
    }

    /// Creates a writer that writes the whole value on one line, without blanks.
    pub fn compact(out: &'o mut dyn Write) -> Self {
        Self { is_indented: false, ..Self::indented(out) }
    }

    /// Creates a writer that adds fields to an object that another writer left open at `depth`. The
    /// object already has a field.
    pub fn resumed(out: &'o mut dyn Write, depth: usize) -> Self {
        Self { depth, has_items: true, ..Self::indented(out) }
    }

    /// Records an error of the library. If an error is already recorded, the first error is kept.
    pub fn fail(&mut self, fault: crate::Error) {
        self.fault.get_or_insert(fault);
    }

    /// Returns the recorded error of the library, and forgets it.
    pub const fn take_fault(&mut self) -> Option<crate::Error> {
        self.fault.take()
    }

    /// Writes a value, such as the item of a list, after [`start_item`](Self::start_item) or
    /// [`start_field`](Self::start_field).
    pub fn value(&mut self, value: &Value) -> io::Result<()> {
        match value {
            Value::Null => self.out.write_all(b"null"),
            Value::Bool(value) => self.out.write_all(if *value { b"true" } else { b"false" }),
            Value::Number(number) => Ok(serde_json::to_writer(&mut *self.out, number)?),
            Value::String(text) => write_string(self.out, "", text, ""),
            Value::Array(items) => self.list(|out| items.iter().try_for_each(|item| out.item(item))),
            Value::Object(_) => self.object(|out| out.fields(value)),
        }
    }

    /// Writes an object, whose fields `fill` writes.
    pub fn object(&mut self, fill: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        self.open(b"{")?;
        fill(self)?;
        self.close(b"}")
    }

    /// Writes a list, whose items `fill` writes.
    pub fn list(&mut self, fill: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        self.open(b"[")?;
        fill(self)?;
        self.close(b"]")
    }

    /// Starts a list or an object. `bracket` is `[` or `{`.
    pub fn open(&mut self, bracket: &[u8]) -> io::Result<()> {
        self.out.write_all(bracket)?;
        self.depth = self.depth.saturating_add(1);
        self.has_items = false;
        Ok(())
    }

    /// Ends the innermost open list or object. `bracket` is `]` or `}`.
    pub fn close(&mut self, bracket: &[u8]) -> io::Result<()> {
        self.depth = self.depth.saturating_sub(1);
        if self.has_items {
            self.new_line()?;
        }
        // The closed list or object is an item of the list or object around it.
        self.has_items = true;
        self.out.write_all(bracket)
    }

    /// Starts the next item of a list. The caller then writes its value.
    pub fn start_item(&mut self) -> io::Result<()> {
        if self.has_items {
            self.out.write_all(b",")?;
        }
        self.has_items = true;
        self.new_line()
    }

    /// Starts the next field of an object. The caller then writes its value.
    pub fn start_field(&mut self, name: &str) -> io::Result<()> {
        if self.is_indented {
            self.start_item()?;
            return write_string(self.out, "", name, ": ");
        }
        let comma = if self.has_items { "," } else { "" };
        self.has_items = true;
        write_string(self.out, comma, name, ":")
    }

    /// Writes an item of a list.
    pub fn item(&mut self, value: &Value) -> io::Result<()> {
        self.start_item()?;
        self.value(value)
    }

    /// Writes an item of a list that is an object, whose fields `fill` writes.
    pub fn item_object(&mut self, fill: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        self.start_item()?;
        self.object(fill)
    }

    /// Writes a field of an object.
    pub fn field(&mut self, name: &str, value: impl Into<Value>) -> io::Result<()> {
        self.start_field(name)?;
        self.value(&value.into())
    }

    /// Writes a field whose value is a string, without a copy of the string.
    pub fn field_text(&mut self, name: &str, value: &str) -> io::Result<()> {
        self.start_field(name)?;
        write_string(self.out, "", value, "")
    }

    /// Writes a field whose value is a whole number.
    pub fn field_number(&mut self, name: &str, value: u64) -> io::Result<()> {
        self.start_field(name)?;
        Ok(serde_json::to_writer(&mut *self.out, &value)?)
    }

    /// Writes all fields of `object`, which is a JSON object.
    pub fn fields(&mut self, object: &Value) -> io::Result<()> {
        let fields = object.as_object().into_iter().flatten();
        fields.into_iter().try_for_each(|(name, value)| {
            self.start_field(name)?;
            self.value(value)
        })
    }

    /// Writes a field that is an object, whose fields `fill` writes.
    pub fn field_object(&mut self, name: &str, fill: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        self.start_field(name)?;
        self.object(fill)
    }

    /// Writes a field that is a list, whose items `fill` writes.
    pub fn field_list(&mut self, name: &str, fill: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        self.start_field(name)?;
        self.list(fill)
    }

    /// Writes a field that is a list. Each item is written before the next item is made.
    pub fn field_items(&mut self, name: &str, mut items: impl Iterator<Item = Value>) -> io::Result<()> {
        self.field_list(name, |out| items.try_for_each(|item| out.item(&item)))
    }

    fn new_line(&mut self) -> io::Result<()> {
        if !self.is_indented {
            return Ok(());
        }
        let end = self.depth.saturating_mul(INDENT.len()).saturating_add(1);
        if let Some(new_line) = NEW_LINE.get(..end) {
            return self.out.write_all(new_line);
        }
        self.out.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| self.out.write_all(INDENT))
    }
}

impl PropertySink for JsonWriter<'_> {
    fn value(&mut self, name: Option<&str>, value: crate::parse::Value) -> io::Result<()> {
        match name {
            Some(name) => self.field(name, value),
            None => self.item(&value.into()),
        }
    }

    fn open(&mut self, name: Option<&str>, is_list: bool) -> io::Result<()> {
        match name {
            Some(name) => self.start_field(name)?,
            None => self.start_item()?,
        }
        Self::open(self, if is_list { b"[" } else { b"{" })
    }

    fn close(&mut self, is_list: bool) -> io::Result<()> {
        Self::close(self, if is_list { b"]" } else { b"}" })
    }

    fn fail(&mut self, error: crate::Error) {
        Self::fail(self, error);
    }
}

/// Writes a string in quotes, with `before` and `after` around the quotes.
///
/// Control characters, and characters that change the reading direction or break a line, are
/// escaped, because a terminal would interpret them. These are the characters that the text output
/// escapes, too.
fn write_string(out: &mut dyn Write, before: &str, text: &str, after: &str) -> io::Result<()> {
    let is_special = |byte: u8| !matches!(byte, b' '..=b'~') || byte == b'"' || byte == b'\\';
    // Without an early end, the compiler tests many bytes at once.
    let is_plain = !text.bytes().fold(false, |found, byte| found | is_special(byte));
    if is_plain && text.len() <= SHORT_STRING {
        let mut short = [0; SHORT_STRING + 8];
        let parts = [before, "\"", text, "\"", after];
        let left = parts.iter().try_fold(&mut short[..], |left, part| {
            let (place, left) = left.split_at_mut_checked(part.len())?;
            place.copy_from_slice(part.as_bytes());
            Some(left)
        });
        if let Some(left) = left.map(|left| left.len()) {
            let used = short.len().saturating_sub(left);
            return out.write_all(short.get(..used).unwrap_or_default());
        }
    }
    write!(out, "{before}\"")?;
    let mut plain = 0;
    for (at, char) in text.char_indices().filter(|(_, char)| !is_plain && needs_escape(*char)) {
        out.write_all(text.as_bytes().get(plain..at).unwrap_or_default())?;
        plain = at.saturating_add(char.len_utf8());
        match char {
            '"' => out.write_all(b"\\\"")?,
            '\\' => out.write_all(b"\\\\")?,
            '\u{8}' => out.write_all(b"\\b")?,
            '\u{c}' => out.write_all(b"\\f")?,
            '\n' => out.write_all(b"\\n")?,
            '\r' => out.write_all(b"\\r")?,
            '\t' => out.write_all(b"\\t")?,
            char => write!(out, "\\u{:04x}", u32::from(char))?,
        }
    }
    out.write_all(text.as_bytes().get(plain..).unwrap_or_default())?;
    write!(out, "\"{after}")
}

fn needs_escape(char: char) -> bool {
    matches!(char, '"' | '\\' | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || char.is_control()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::Properties;

    fn written(value: &Value, is_indented: bool) -> String {
        let mut out = Vec::new();
        let mut writer = if is_indented { JsonWriter::indented(&mut out) } else { JsonWriter::compact(&mut out) };
        writer.value(value).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn writes_the_same_bytes_as_serde_json() {
        let value = json!({
            "empty": [{}, [], ""], "nested": { "list": [1, [2.5, -0.0, 1e300], { "a": null }], "last": true },
            "text": "a\"b\\c\u{8}\u{c}\n\r\t\u{1}\u{1f}/é😀", "numbers": [u64::MAX, i64::MIN, 0.1, 0, 9, 10, 1_234_567_890],
        });
        let long = ["a".repeat(61), "a".repeat(62), "a".repeat(63), "a".repeat(200)];
        for value in [value, json!([]), json!({}), json!("x"), json!(null), json!(long)] {
            assert_eq!(written(&value, true), serde_json::to_string_pretty(&value).unwrap());
            assert_eq!(written(&value, false), serde_json::to_string(&value).unwrap());
        }
    }

    #[test]
    fn escapes_what_controls_a_terminal_in_keys_and_values() {
        let odd = "\u{7f}\u{80}\u{9b}\u{9f}\u{a0}\u{61c}\u{200e}\u{200f}\u{2028}\u{202e}\u{2066}\u{2069}\u{206a}";
        let text = written(&json!({ odd: [odd] }), false);
        let escaped = r"\u007f\u0080\u009b\u009f".to_owned()
            + "\u{a0}"
            + r"\u061c\u200e\u200f\u2028\u202e\u2066\u2069"
            + "\u{206a}";
        assert_eq!(text, format!("{{\"{escaped}\":[\"{escaped}\"]}}"));
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), json!({ odd: [odd] }));
    }

    #[test]
    fn a_fault_ends_its_list_and_the_output_stays_valid() {
        let fault = || crate::Error::custom(crate::ErrorKind::Changed, "expected an unchanged file");
        let mut out = Vec::new();
        let mut writer = JsonWriter::indented(&mut out);
        writer
            .object(|out| {
                let mut properties = Properties::new(out);
                properties.results("list", [Ok(1.into()), Err(fault()), Ok(3.into())])?;
                properties.field_or_fault("value", Err::<u32, _>(fault()))?;
                properties.field("last", 5)
            })
            .unwrap();
        assert!(writer.take_fault().is_some() && writer.take_fault().is_none());
        assert_eq!(serde_json::from_slice::<Value>(&out).unwrap(), json!({ "list": [1], "value": null, "last": 5 }));
    }
}
