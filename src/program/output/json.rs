//! Creates and prints the JSON output of all commands, according to version 1 of its schema.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::model::PropertySink;
use crate::text::block::BlockWriter;
use crate::text::json_text::{JsonText, JsonUse};
use crate::{Bounds, Finding};
use serde_json::{Map, Value, json};

use super::progress;

/// The version of the schema of the JSON output.
pub const SCHEMA: u32 = 1;

/// Returns a JSON document: an object with the version of the schema, followed by the given fields.
pub fn document(fields: &Value) -> Value {
    extend(json!({ "schema": SCHEMA }), fields)
}

/// Returns a JSON object with an additional field.
pub fn with(mut object: Value, name: &str, value: impl Into<Option<Value>>) -> Value {
    if let (Some(fields), Some(value)) = (object.as_object_mut(), value.into()) {
        fields.insert(name.to_owned(), value);
    }
    object
}

/// Returns a JSON object with all fields of the object `more` added.
pub fn extend(mut object: Value, more: &Value) -> Value {
    if let (Some(fields), Some(more)) = (object.as_object_mut(), more.as_object()) {
        fields.extend(more.clone());
    }
    object
}

/// The output of the program. Each token is written at once, so that the program can write to the
/// output between two of them.
pub struct ProgramJson;

impl JsonUse for ProgramJson {
    type Error = io::Error;
    const IS_EXPORT: bool = false;
}

/// A writer of the JSON output of a command.
///
/// If an error of the library occurs in the middle of a list, the list ends there, and the field
/// `fault` has the error. The output is therefore always valid JSON.
pub type JsonWriter<'o> = JsonText<'o, ProgramJson>;

impl<'o> JsonText<'o, ProgramJson> {
    /// Creates a writer that writes every item on a line of its own.
    pub fn indented(out: &'o mut dyn Write) -> Self {
        Self::new(BlockWriter::of_tokens(out), 1..usize::MAX, true)
    }

    /// Creates a writer that writes the fields of the document and the items of their lists on
    /// lines of their own, and each item without blanks.
    pub fn rows(out: &'o mut dyn Write) -> Self {
        Self::new(BlockWriter::of_tokens(out), 1..3, true)
    }

    /// Creates a writer that writes the whole value on one line, without blanks.
    pub fn compact(out: &'o mut dyn Write) -> Self {
        Self::new(BlockWriter::of_tokens(out), 0..0, false)
    }

    /// Records an error of the library. If an error is already recorded, the first error is kept.
    pub fn fail(&mut self, fault: crate::Error) {
        self.fault.get_or_insert(fault);
    }

    /// Writes a value.
    pub fn value(&mut self, value: &Value) -> io::Result<()> {
        match value {
            Value::Null => self.null(),
            Value::Bool(value) => self.boolean(*value),
            Value::Number(number) => self.number(number),
            Value::String(text) => self.string(text),
            Value::Array(items) => self.each(items, Self::value),
            Value::Object(_) => self.object(|out| out.fields(value)),
        }
    }

    /// Writes a list of values. Each item is written before the next item is made.
    pub fn values(&mut self, items: impl IntoIterator<Item = Value>) -> io::Result<()> {
        self.each(items, |out, item| out.value(&item))
    }

    /// Writes a field of an object.
    pub fn field(&mut self, name: &str, value: impl Into<Value>) -> io::Result<()> {
        self.key(name).value(&value.into())
    }

    /// Writes all fields of `object`, which is a JSON object.
    pub fn fields(&mut self, object: &Value) -> io::Result<()> {
        let mut fields = object.as_object().into_iter().flatten();
        fields.try_for_each(|(name, value)| self.key(name).value(value))
    }

    /// Starts a document with the version of the schema.
    pub fn start(&mut self) -> io::Result<()> {
        self.open(b"{")?;
        self.field("schema", SCHEMA)
    }

    /// Ends a document, and writes a line feed.
    pub fn end(&mut self) -> io::Result<()> {
        self.close(b"}")?;
        let out = self.raw()?;
        writeln!(out)?;
        out.flush()
    }

    /// Starts a list in a field, whose items and whose end are on lines of their own.
    pub fn open_lines(&mut self, name: &str) -> io::Result<()> {
        let depth = self.depth.saturating_add(1);
        self.lines = depth..depth.saturating_add(1);
        self.key(name).open(b"[")
    }

    /// Ends a list of [`open_lines`](Self::open_lines), which may be empty.
    pub fn close_lines(&mut self) -> io::Result<()> {
        self.needs_comma = true;
        self.close(b"]")
    }

    /// Starts a document with a list of entries, one for each file. The caller writes each entry as
    /// soon as it is known.
    pub fn start_entries(&mut self) -> io::Result<()> {
        self.start()?;
        self.key("files").open(b"[")
    }
}

impl PropertySink for JsonText<'_, ProgramJson> {
    fn value(&mut self, name: Option<&str>, value: crate::parse::Value) -> io::Result<()> {
        if let Some(name) = name {
            self.key(name);
        }
        Self::value(self, &value.into())
    }

    fn open(&mut self, name: Option<&str>, is_list: bool) -> io::Result<()> {
        if let Some(name) = name {
            self.key(name);
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

/// Prints a JSON value and a line feed.
pub fn print_json(value: &Value) -> io::Result<()> {
    progress::end();
    let mut out = io::BufWriter::new(io::stdout().lock());
    JsonWriter::indented(&mut out).value(value)?;
    writeln!(out)?;
    out.flush()
}

/// Prints a JSON document: an object with the version of the schema, followed by the fields that
/// `fill` writes. Returns the result of `fill`.
pub fn print_document<T, E: From<io::Error>>(fill: impl FnOnce(&mut JsonWriter<'_>) -> Result<T, E>) -> Result<T, E> {
    progress::end();
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut json = JsonWriter::indented(&mut out);
    json.start()?;
    let result = fill(&mut json)?;
    json.end()?;
    Ok(result)
}

impl From<crate::parse::Value> for Value {
    /// Converts a value of a file. Text that is not UTF-8 is converted, and a float that is
    /// infinite or NaN becomes `null`.
    fn from(value: crate::parse::Value) -> Self {
        use crate::parse::Value as Stored;
        match value {
            Stored::Missing => Self::Null,
            Stored::Bool(value) => value.into(),
            Stored::Integer(value) => value.into(),
            Stored::Float(value) => number(value),
            Stored::Double(value) => value.into(),
            Stored::Text(text) => crate::Name::new(&text).to_string_lossy().into(),
            Stored::List(items) => items.into_iter().collect(),
            Stored::Record(fields) => {
                Self::Object(fields.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
            }
        }
    }
}

/// Returns a float as the shortest decimal number that parses to the same `f32`, or `null` if the
/// float is infinite or NaN.
pub fn number(value: f32) -> Value {
    format!("{value:?}").parse::<f64>().ok().and_then(serde_json::Number::from_f64).map_or(Value::Null, Value::Number)
}

pub fn numbers(values: &[f32]) -> Value {
    values.iter().copied().map(number).collect()
}

pub fn bounds(bounds: &Bounds) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("min".into(), numbers(&bounds.min));
    object.insert("max".into(), numbers(&bounds.max));
    object
}

/// Returns bounds as a JSON value: `null` if they are empty.
pub fn optional_bounds(value: &Bounds) -> Value {
    if value.is_empty() { Value::Null } else { bounds(value).into() }
}

/// Returns a finding as a JSON object. If the mesh consists of several files, the object contains
/// the path of the file that the finding refers to.
pub fn finding(finding: &Finding, files: &[PathBuf]) -> Value {
    let Finding { rule, severity, field, offset, text, .. } = finding;
    let object = json!({ "rule": rule, "severity": severity.to_string(), "region": field.to_string(), "offset": offset, "text": text });
    with(object, "file", files.get(usize::from(finding.source)).map(|file| file.to_string_lossy().into()))
}

pub fn findings(found: &[Finding], files: &[PathBuf]) -> impl Iterator<Item = Value> {
    found.iter().map(|one| finding(one, files))
}

/// Returns an error as a JSON object. The field `message` contains the same message that is printed
/// on the terminal.
pub fn error(error: &crate::Error) -> Value {
    json!({
        "format": error.format(),
        "field": error.field().to_string(),
        "offset": error.offset(),
        "kind": error.kind().id(),
        "message": error.to_string(),
    })
}

/// Returns the JSON entry of a file that could not be read.
pub fn unreadable(path: &Path, fault: &crate::Error) -> Value {
    json!({ "path": path.to_string_lossy(), "error": error(fault) })
}

/// Returns an error that is not about the content of a file as a JSON object. `kind` is `usage` or
/// `io`.
pub fn other_error(kind: &str, message: &str) -> Value {
    json!({ "format": "", "field": "", "offset": null, "kind": kind, "message": message })
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
        assert!(writer.fault.take().is_some());
        assert_eq!(serde_json::from_slice::<Value>(&out).unwrap(), json!({ "list": [1], "value": null, "last": 5 }));
    }
}
