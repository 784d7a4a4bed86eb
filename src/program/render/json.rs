//! Creates and prints the JSON output of all commands, according to version 1 of its schema.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::model::PropertySink;
use crate::{Bounds, Finding};
use serde_json::{Map, Value, json};

use super::json_writer::JsonWriter;
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

/// Prints a JSON value and a line feed.
pub fn print_json(value: &Value) -> io::Result<()> {
    progress::end();
    let mut out = io::BufWriter::new(io::stdout().lock());
    JsonWriter::indented(&mut out).value(value)?;
    writeln!(out)?;
    out.flush()
}

/// Starts a JSON document with a list of entries, one for each file. The caller writes each entry
/// as soon as it is known.
pub fn start_entries(out: &mut JsonWriter<'_>) -> io::Result<()> {
    out.open(b"{")?;
    out.field("schema", SCHEMA)?;
    out.start_field("files")?;
    out.open(b"[")
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

/// A receiver of properties that makes a JSON object of them.
#[derive(Debug, Default)]
pub struct JsonFields {
    /// The objects and lists that are open, each with its name in the one around it.
    open: Vec<(Option<String>, Value)>,
    fields: Map<String, Value>,
    fault: Option<crate::Error>,
}

impl JsonFields {
    /// Returns the object, or the first error in the file.
    pub fn finish(self) -> crate::Result<Value> {
        self.fault.map_or(Ok(Value::Object(self.fields)), Err)
    }

    fn add(&mut self, name: Option<&str>, value: Value) {
        let name = name.unwrap_or_default();
        match self.open.last_mut() {
            Some((_, Value::Array(items))) => items.push(value),
            Some((_, Value::Object(fields))) => drop(fields.insert(name.to_owned(), value)),
            _ => drop(self.fields.insert(name.to_owned(), value)),
        }
    }
}

impl PropertySink for JsonFields {
    fn value(&mut self, name: Option<&str>, value: crate::parse::Value) -> io::Result<()> {
        self.add(name, value.into());
        Ok(())
    }

    fn open(&mut self, name: Option<&str>, is_list: bool) -> io::Result<()> {
        let empty = if is_list { Value::Array(Vec::new()) } else { Value::Object(Map::new()) };
        self.open.push((name.map(str::to_owned), empty));
        Ok(())
    }

    fn close(&mut self, _: bool) -> io::Result<()> {
        if let Some((name, value)) = self.open.pop() {
            self.add(name.as_deref(), value);
        }
        Ok(())
    }

    fn fail(&mut self, error: crate::Error) {
        self.fault.get_or_insert(error);
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
