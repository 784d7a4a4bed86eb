//! What is printed: results on standard output, complaints on standard error.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anstyle::{AnsiColor, Style};
use meshpeek::{Bounds, ErrorKind, Finding, Name, Severity};
use serde_json::{Map, Value, json};

use crate::Global;
use crate::opened::Absent;

/// The version of the JSON output.
pub const SCHEMA: u32 = 1;

/// How the command ended; the greatest of several counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Nothing to complain about.
    Fine,
    /// Findings of severity warning or error.
    Findings,
    /// The command line is wrong.
    Usage,
    /// A file could not be read or written.
    Unreadable,
    /// Whoever read the output has gone.
    PipeClosed,
}

/// Something asked for that is not there.
#[derive(Debug)]
pub struct Misuse(pub String);

impl std::fmt::Display for Misuse {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for Misuse {}

/// Prints why the command cannot go on, and returns how it ends.
pub fn report(error: &anyhow::Error, global: &Global) -> Outcome {
    let fault = error.downcast_ref::<meshpeek::Error>();
    let cause = match fault.map(meshpeek::Error::kind) {
        Some(ErrorKind::Io(cause)) => Some(&**cause),
        Some(_) => None,
        None => error.downcast_ref::<io::Error>(),
    };
    if cause.is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe) {
        return Outcome::PipeClosed;
    }
    if let Some(fault) = fault.filter(|_| global.json) {
        // Where standard output is closed, standard error and the exit code still tell.
        let _ = print_json(&document(unreadable(fault.path().unwrap_or(Path::new("")), fault)));
    }
    // An error of the library says what caused it.
    let said = if error.is::<meshpeek::Error>() { error.to_string() } else { format!("{error:#}") };
    complain(&said);
    if error.is::<Misuse>() { Outcome::Usage } else { fault.map_or(Outcome::Unreadable, failed) }
}

/// How an error ends a command: what was asked for and is not there is the user's mistake.
pub fn failed(error: &meshpeek::Error) -> Outcome {
    match error.kind() {
        ErrorKind::NoSuch { .. } | ErrorKind::Choice { .. } => Outcome::Usage,
        _ => Outcome::Unreadable,
    }
}

/// Prints an error line.
pub fn complain(error: &dyn std::fmt::Display) {
    let style = paint(Severity::Error);
    // With standard error closed, the exit code still tells.
    let _ = writeln!(anstream::stderr(), "{style}error{style:#}: {error}");
}

/// The colour of a severity.
pub fn paint(severity: Severity) -> Style {
    let color = match severity {
        Severity::Info => AnsiColor::Cyan,
        Severity::Warning => AnsiColor::Yellow,
        Severity::Error => AnsiColor::Red,
    };
    color.on_default().bold()
}

/// How findings end a command.
pub fn judge(findings: &[Finding]) -> Outcome {
    let worst = findings.iter().map(|finding| finding.severity).max();
    if worst.is_some_and(|worst| worst > Severity::Info) { Outcome::Findings } else { Outcome::Fine }
}

/// Prints findings below a file's name.
pub fn print_findings(out: &mut dyn Write, findings: &[Finding], files: &[PathBuf]) -> io::Result<()> {
    for finding in findings {
        let Finding { rule, severity, field, offset, text, .. } = finding;
        let style = paint(*severity);
        let file = file_of(finding, files).and_then(Path::file_name).map(Path::new);
        let file = file.map_or_else(String::new, |file| format!("{}: ", shown(file)));
        writeln!(out, "  {style}{severity:<7}{style:#} {rule}  {file}{field} at byte {offset}: {text}")?;
    }
    Ok(())
}

/// The file that a finding is about, where there are several.
fn file_of<'f>(finding: &Finding, files: &'f [PathBuf]) -> Option<&'f Path> {
    files.get(usize::from(finding.source)).map(PathBuf::as_path)
}

/// A JSON document: the schema's version, then its fields.
pub fn document(fields: Value) -> Value {
    let mut document = Map::new();
    document.insert("schema".into(), SCHEMA.into());
    if let Value::Object(fields) = fields {
        document.extend(fields);
    }
    Value::Object(document)
}

/// Adds a field to an object.
pub fn with(mut object: Value, name: &str, value: Value) -> Value {
    if let Some(fields) = object.as_object_mut() {
        fields.insert(name.to_owned(), value);
    }
    object
}

/// Adds the fields of another object.
pub fn extend(mut object: Value, more: &Value) -> Value {
    if let (Some(fields), Some(more)) = (object.as_object_mut(), more.as_object()) {
        fields.extend(more.clone());
    }
    object
}

/// Shows the name of a mesh behind that of its script.
pub fn mesh_shown(mesh: Option<&str>) -> String {
    mesh.map_or_else(String::new, |mesh| format!(" mesh {}", Name::new(mesh.as_bytes())))
}

/// A mesh of a script whose files are not there.
pub fn absent(absent: &Absent) -> Value {
    json!({ "path": absent.path.to_string_lossy(), "mesh": Name::new(&absent.mesh).to_string_lossy(), "message": absent.why.to_string() })
}

/// Adds the name of the mesh, where a script gave it one.
pub fn of_mesh(object: Value, mesh: Option<String>) -> Value {
    match mesh {
        Some(mesh) => with(object, "mesh", mesh.into()),
        None => object,
    }
}

/// Prints a value and a line's end.
pub fn print_json(value: &Value) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    serde_json::to_writer_pretty(&mut out, value)?;
    writeln!(out)?;
    out.flush()
}

/// Shows a path so that a terminal obeys nothing in it.
pub fn shown(path: &Path) -> String {
    Name::new(path.as_os_str().as_encoded_bytes()).to_string()
}

/// A float as the shortest number that reads back as the same `f32`; `null` for what JSON has no number for.
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

/// A finding as an object; of a mesh in several files, it names the one that it is about.
pub fn finding(finding: &Finding, files: &[PathBuf]) -> Value {
    let Finding { rule, severity, field, offset, text, .. } = finding;
    let object = json!({ "rule": rule, "severity": severity.to_string(), "region": field.to_string(), "offset": offset, "text": text });
    match file_of(finding, files) {
        Some(file) => with(object, "file", file.to_string_lossy().into()),
        None => object,
    }
}

pub fn findings(findings: &[Finding], files: &[PathBuf]) -> Value {
    findings.iter().map(|one| finding(one, files)).collect()
}

/// An error as an object; the message is the whole line that a terminal would show.
pub fn error(error: &meshpeek::Error) -> Value {
    json!({
        "format": error.format(),
        "field": error.field().to_string(),
        "offset": error.offset(),
        "kind": error.kind().id(),
        "message": error.to_string(),
    })
}

/// The entry of a file that could not be read.
pub fn unreadable(path: &Path, fault: &meshpeek::Error) -> Value {
    json!({ "path": path.to_string_lossy(), "error": error(fault) })
}

/// Writes bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
