//! Prints a report as SARIF 2.1.0, the format of static analysis results.

use std::io;
use std::path::Path;

use crate::{Finding, Rule, Severity};
use serde_json::{Map, Value, json};

use super::filter::all_rules;
use super::output::{CheckedFile, FindingsOutput, ReportEnd};
use super::paths::uri;
use crate::program::render::json_writer::JsonWriter;

const SARIF_SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Prints a SARIF log of one run. Results are printed one by one.
pub struct SarifOutput<'o> {
    out: JsonWriter<'o>,
    /// The notifications about files that could not be read, which follow the results.
    notifications: Vec<Value>,
}

impl<'o> SarifOutput<'o> {
    /// Starts the log with the description of the program and its rules.
    pub fn start(mut out: JsonWriter<'o>) -> io::Result<Self> {
        out.open(b"{")?;
        out.field("$schema", SARIF_SCHEMA)?;
        out.field("version", "2.1.0")?;
        out.start_field("runs")?;
        out.open(b"[")?;
        out.start_item()?;
        out.open(b"{")?;
        out.field_object("tool", |out| {
            out.field_object("driver", |out| {
                out.field("name", "meshpeek")?;
                out.field("version", env!("CARGO_PKG_VERSION"))?;
                out.field_items("rules", all_rules().map(|(format, rule)| rule_object(format, rule)))
            })
        })?;
        out.start_field("results")?;
        out.open(b"[")?;
        Ok(Self { out, notifications: Vec::new() })
    }
}

impl FindingsOutput for SarifOutput<'_> {
    fn file(&mut self, file: &CheckedFile<'_>) -> io::Result<()> {
        for (number, finding) in file.findings.found.iter().enumerate() {
            let length = file.findings.lengths.get(number).copied().flatten();
            self.out.item(&result(file, finding, length))?;
        }
        if let Some(fault) = file.findings.fault.as_ref().filter(|_| !file.findings.is_excused) {
            let path = fault.path().unwrap_or(file.path);
            self.notifications.push(notification("error", path, &fault.to_string()));
        }
        Ok(())
    }

    fn finish(&mut self, end: &ReportEnd) -> io::Result<()> {
        let successful = self.notifications.is_empty();
        let missing = end.missing.iter().map(|mesh| notification("note", &mesh.path, &mesh.why.to_string()));
        let notifications: Vec<Value> = self.notifications.drain(..).chain(missing).collect();
        let mut properties = json!({ "totals": end.totals.json() });
        if let (Some(baseline), Some(properties)) = (&end.baseline, properties.as_object_mut()) {
            properties.insert("baseline".into(), baseline.json());
        }
        self.out.close(b"]")?;
        self.out.field(
            "invocations",
            json!([{ "executionSuccessful": successful, "toolExecutionNotifications": notifications }]),
        )?;
        self.out.field("properties", properties)?;
        [b"}", b"]", b"}"].into_iter().try_for_each(|bracket| self.out.close(bracket))
    }
}

fn rule_object(format: &str, rule: &Rule) -> Value {
    let Rule { id, severity, text, why, mend, .. } = rule;
    json!({
        "id": id,
        "shortDescription": { "text": text },
        "fullDescription": { "text": why },
        "help": { "text": format!("{why} {mend}") },
        "defaultConfiguration": { "level": sarif_level(*severity) },
        "properties": { "tags": [format] },
    })
}

fn result(file: &CheckedFile<'_>, finding: &Finding, length: Option<u64>) -> Value {
    let Finding { rule, severity, field, offset, source, text, .. } = finding;
    let path = file.findings.files.get(usize::from(*source)).map_or(file.path, |path| path.as_path());
    let mut region = json!({ "byteOffset": offset });
    if let (Some(length), Some(region)) = (length, region.as_object_mut()) {
        region.insert("byteLength".into(), length.into());
    }
    let mut result = Map::new();
    result.insert("ruleId".into(), (*rule).into());
    if let Some(index) = all_rules().position(|(_, known)| known.id == *rule) {
        result.insert("ruleIndex".into(), index.into());
    }
    result.insert("level".into(), sarif_level(*severity).into());
    result.insert("message".into(), json!({ "text": format!("{field} at byte {offset}: {text}") }));
    result.insert(
        "locations".into(),
        json!([{
            "physicalLocation": { "artifactLocation": { "uri": uri(path) }, "region": region },
            "logicalLocations": [{ "fullyQualifiedName": field.to_string() }],
        }]),
    );
    if let Some(mesh) = file.mesh {
        result.insert("properties".into(), json!({ "mesh": mesh }));
    }
    result.into()
}

fn notification(level: &str, path: &Path, message: &str) -> Value {
    json!({
        "level": level,
        "message": { "text": message },
        "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(path) } } }],
    })
}

const fn sarif_level(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}
