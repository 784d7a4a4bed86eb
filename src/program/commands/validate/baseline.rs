//! Reads and writes baselines, which are files of known findings.
//!
//! A finding is known by its file, mesh, rule and field. Its offset and text may differ, because
//! they change when other parts of the file change.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::io::open_stream;
use crate::math::as_u64;
use crate::{Error, Finding, Name};
use serde_json::{Value, json};

use super::paths::slashed;
use crate::program::output::{JsonWriter, SCHEMA, counted, shown};

/// The greatest size of a baseline in bytes.
const MAX_BASELINE: u64 = 64 << 20;

/// Known findings, sorted by file, mesh, rule and field.
#[derive(Debug, Default)]
pub struct Baseline {
    files: BTreeMap<FileKey, KnownFile>,
}

/// The path of a file with forward slashes, and the name of the mesh.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct FileKey {
    path: String,
    mesh: Option<String>,
}

/// The known findings about one file.
#[derive(Debug, Default)]
pub struct KnownFile {
    /// Whether the whole file was checked.
    pub is_checked: bool,
    findings: BTreeMap<FindingKey, KnownCount>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct FindingKey {
    rule: String,
    region: String,
}

/// The number of known findings with the same key, and of those that were found again.
#[derive(Debug, Default)]
struct KnownCount {
    known: u64,
    found: u64,
}

impl KnownFile {
    /// Returns whether a finding is known. Each known finding is returned as known once.
    pub fn take(&mut self, finding: &Finding) -> bool {
        let key = FindingKey { rule: finding.rule.to_owned(), region: finding.field.to_string() };
        let count = self.findings.get_mut(&key).filter(|count| count.found < count.known);
        let Some(count) = count else { return false };
        count.found = count.found.saturating_add(1);
        true
    }

    fn absent(&self) -> u64 {
        self.findings.values().map(|count| count.known.saturating_sub(count.found)).fold(0, u64::saturating_add)
    }
}

impl Baseline {
    /// Reads a baseline. A pipe without a writer is empty, and is not waited for.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let located = |error: io::Error| Error::from(error).at_path(path);
        let mut text = String::new();
        let file = open_stream(path)?;
        let size = file.take(MAX_BASELINE.saturating_add(1)).read_to_string(&mut text).map_err(located)?;
        if as_u64(size) > MAX_BASELINE {
            let found = "a larger file".to_owned();
            return Err(BaselineError::new(path, "file", format!("at most {MAX_BASELINE} bytes"), found).into());
        }
        Ok(Self::parse(&text).map_err(|error| error.at(path))?)
    }

    fn parse(text: &str) -> Result<Self, BaselineError> {
        let document: Value = serde_json::from_str(text).map_err(|error| BaselineError::syntax(&error))?;
        let schema = document.get("schema");
        if schema.and_then(Value::as_u64) != Some(SCHEMA.into()) {
            return Err(BaselineError::value("schema", &SCHEMA.to_string(), schema));
        }
        let findings = document.get("findings");
        let Some(items) = findings.and_then(Value::as_array) else {
            return Err(BaselineError::value("findings", "a list", findings));
        };
        let mut baseline = Self::default();
        for (number, item) in items.iter().enumerate() {
            baseline.parse_item(item).map_err(|error| error.in_item(number))?;
        }
        Ok(baseline)
    }

    fn parse_item(&mut self, item: &Value) -> Result<(), BaselineError> {
        let text = |name: &str| {
            let value = item.get(name);
            value.and_then(Value::as_str).map(str::to_owned).ok_or_else(|| BaselineError::value(name, "a text", value))
        };
        let mesh = item.get("mesh").map(|_| text("mesh")).transpose()?;
        let (file, key) =
            (FileKey { path: text("path")?, mesh }, FindingKey { rule: text("rule")?, region: text("region")? });
        let count = item.get("count");
        let known = count.and_then(Value::as_u64).filter(|count| *count > 0);
        let known = known.ok_or_else(|| BaselineError::value("count", "a whole number above 0", count))?;
        self.add_key(file, key, known);
        Ok(())
    }

    fn add_key(&mut self, file: FileKey, key: FindingKey, known: u64) {
        let count = self.files.entry(file).or_default().findings.entry(key).or_default();
        count.known = count.known.saturating_add(known);
    }

    /// Adds the findings about a file.
    pub fn add(&mut self, path: &Path, mesh: Option<&str>, findings: &[Finding]) {
        let file = file_key(path, mesh);
        for finding in findings {
            let key = FindingKey { rule: finding.rule.to_owned(), region: finding.field.to_string() };
            self.add_key(file.clone(), key, 1);
        }
    }

    /// Returns the known findings about a file, or `None` if there are none.
    pub fn file(&mut self, path: &Path, mesh: Option<&str>) -> Option<&mut KnownFile> {
        self.files.get_mut(&file_key(path, mesh))
    }

    /// Returns the number of known findings that do not occur any more, in files that were checked
    /// or that do not exist.
    pub fn absent(&self) -> u64 {
        let is_gone = |file: &FileKey| matches!(Path::new(&file.path).try_exists(), Ok(false));
        let files = self.files.iter().filter(|(file, known)| known.is_checked || is_gone(file));
        files.map(|(_, known)| known.absent()).fold(0, u64::saturating_add)
    }

    /// Returns the number of known findings.
    pub fn len(&self) -> u64 {
        self.files.values().flat_map(|file| file.findings.values()).map(|count| count.known).sum()
    }

    /// Returns the content of the file: JSON with one line for each known finding.
    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        let mut json = JsonWriter::rows(&mut out);
        json.start()?;
        let files = self.files.iter();
        let all = files.flat_map(|(file, known)| known.findings.iter().map(move |(key, count)| (file, key, count)));
        json.key("findings").objects(all, |json, (file, key, count)| {
            json.key("path").string(&file.path)?;
            file.mesh.as_deref().map_or(Ok(()), |mesh| json.key("mesh").string(mesh))?;
            json.key("rule").string(&key.rule)?;
            json.key("region").string(&key.region)?;
            json.key("count").unsigned(count.known)
        })?;
        json.end()?;
        Ok(out)
    }
}

fn file_key(path: &Path, mesh: Option<&str>) -> FileKey {
    FileKey { path: slashed(path), mesh: mesh.map(str::to_owned) }
}

/// The effect of a baseline on a report.
#[derive(Debug)]
pub struct BaselineEffect {
    pub path: PathBuf,
    /// The number of findings that are not reported because they are known.
    pub suppressed: u64,
    /// The number of known findings that do not occur any more.
    pub absent: u64,
}

impl BaselineEffect {
    /// Returns the effect as a JSON object.
    pub fn json(&self) -> Value {
        json!({ "path": self.path.to_string_lossy(), "suppressed": self.suppressed, "absent": self.absent })
    }
}

impl fmt::Display for BaselineEffect {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suppressed = counted(self.suppressed, "finding");
        let absent = counted(self.absent, "known finding");
        write!(out, "baseline {}: {suppressed} suppressed, {absent} no longer found", shown(&self.path))
    }
}

/// The error of a baseline that is not valid, with the field, the expected and the found value.
#[derive(Debug, thiserror::Error)]
#[error(
    "{}: baseline: {field}: expected {expected}, found {found}; --write-baseline with --force writes it again", shown(.path)
)]
pub struct BaselineError {
    path: PathBuf,
    field: String,
    expected: String,
    found: String,
}

impl BaselineError {
    pub fn new(path: &Path, field: &str, expected: String, found: String) -> Self {
        Self { path: path.to_owned(), field: field.to_owned(), expected, found }
    }

    /// Returns the error for a field whose value is missing or has the wrong type.
    pub fn value(field: &str, expected: &str, found: Option<&Value>) -> Self {
        let found = found.map_or_else(|| "nothing".to_owned(), |value| brief(&value.to_string()));
        Self::new(Path::new(""), field, expected.to_owned(), found)
    }

    /// Returns the error for a file that is not JSON.
    pub fn syntax(error: &serde_json::Error) -> Self {
        Self::new(Path::new(""), &format!("line {}", error.line()), "JSON".to_owned(), brief(&error.to_string()))
    }

    /// Adds the path of the baseline.
    pub fn at(self, path: &Path) -> Self {
        Self { path: path.to_owned(), ..self }
    }

    /// Adds the number of the item in the list of findings.
    pub fn in_item(self, number: usize) -> Self {
        Self { field: format!("findings[{number}].{}", self.field), ..self }
    }
}

/// Returns at most 64 characters of a text, without control characters.
fn brief(text: &str) -> String {
    let start: String = text.chars().take(64).collect();
    let more = if start.len() < text.len() { ".." } else { "" };
    format!("{}{more}", Name::new(start.as_bytes()))
}
