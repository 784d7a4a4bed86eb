//! Prints a report as SARIF 2.1.0, the format of static analysis results.

use std::io;
use std::path::Path;

use crate::{Finding, Rule};
use serde_json::{Value, json};

use super::args::all_rules;
use super::baseline::BaselineEffect;
use super::output::{CheckedFile, FindingsOutput, ReportEnd, level};
use super::paths::uri;
use crate::program::output::JsonWriter;
use crate::program::output::json::{extend, with};

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
        out.key("runs").open(b"[")?;
        out.open(b"{")?;
        out.key("tool").object(|out| {
            out.key("driver").object(|out| {
                out.field("name", "meshpeek")?;
                out.field("version", env!("CARGO_PKG_VERSION"))?;
                out.key("rules").values(all_rules().map(|(format, rule)| rule_object(format, rule)))
            })
        })?;
        out.key("results").open(b"[")?;
        Ok(Self { out, notifications: Vec::new() })
    }
}

impl FindingsOutput for SarifOutput<'_> {
    fn file(&mut self, file: &CheckedFile<'_>) -> io::Result<()> {
        for (number, finding) in file.findings.found.iter().enumerate() {
            let length = file.findings.lengths.get(number).copied().flatten();
            self.out.value(&result(file, finding, length))?;
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
        let totals = json!({ "totals": end.totals.json() });
        let properties = with(totals, "baseline", end.baseline.as_ref().map(BaselineEffect::json));
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
        "defaultConfiguration": { "level": level(*severity, "note") },
        "properties": { "tags": [format] },
    })
}

fn result(file: &CheckedFile<'_>, finding: &Finding, length: Option<u64>) -> Value {
    let Finding { rule, severity, field, offset, source, text, .. } = finding;
    let path = file.findings.files.get(usize::from(*source)).map_or(file.path, |path| path.as_path());
    let region = with(json!({ "byteOffset": offset }), "byteLength", length.map(Value::from));
    let index = all_rules().position(|(_, known)| known.id == *rule);
    let result = with(json!({ "ruleId": rule }), "ruleIndex", index.map(Value::from));
    let place = json!({
        "level": level(*severity, "note"),
        "message": { "text": format!("{field} at byte {offset}: {text}") },
        "locations": [{
            "physicalLocation": { "artifactLocation": { "uri": uri(path) }, "region": region },
            "logicalLocations": [{ "fullyQualifiedName": field.to_string() }],
        }],
    });
    with(extend(result, &place), "properties", file.mesh.map(|mesh| json!({ "mesh": mesh })))
}

fn notification(level: &str, path: &Path, message: &str) -> Value {
    json!({
        "level": level,
        "message": { "text": message },
        "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(path) } } }],
    })
}
