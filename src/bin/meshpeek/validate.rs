//! `validate`: findings by rule.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anstyle::Style;
use clap::Args;
use meshpeek::{Finding, Rule, Severity, unigine, unreal};
use serde_json::{Value, json};

use crate::Global;
use crate::input::{self, Opened};
use crate::output::{self, Outcome, shown};

const HELP: &str = "\
Looks at every value. A finding names its rule, its place in the file, and the offset of the first byte to blame; \
where many items breach a rule, one finding counts them. Rule ids are stable: `validate --rules` lists them.

Findings of severity info are worth knowing and found in sound files, too; they leave the exit code at 0.

Examples:
  meshpeek validate model.mesh
  meshpeek validate assets --quiet      only warnings and errors
  meshpeek validate --rules";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Validate {
    /// Files, folders (searched for meshes), globs, or - for standard input
    #[arg(required_unless_present = "rules", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// List the rules and end
    #[arg(long)]
    rules: bool,
}

impl Validate {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        if self.rules {
            print_rules(global)?;
            return Ok(Outcome::Fine);
        }
        let mut entries = Vec::new();
        let outcome = input::each(&self.files, global, |path, opened| {
            let mesh = opened.as_ref().ok().and_then(Opened::mesh_name);
            let (findings, fault) = match &opened {
                Ok(opened) => look(opened, path),
                Err(error) => (meshpeek::finding(error).into_iter().collect(), Some(error.clone())),
            };
            if global.json {
                entries.push(output::of_mesh(entry(path, &findings, fault.as_ref()), mesh));
            } else {
                print(&mut anstream::stdout().lock(), path, &findings, fault.as_ref(), global)?;
            }
            Ok(fault.map_or_else(|| output::judge(&findings), |fault| output::failed(&fault)))
        })?;
        if global.json {
            output::print_json(&output::document(json!({ "files": entries })))?;
        }
        Ok(outcome)
    }
}

/// Returns the findings, and the fault that kept the rest of the file from being read.
fn look(opened: &Opened, path: &Path) -> (Vec<Finding>, Option<meshpeek::Error>) {
    let mut findings = Vec::new();
    let done = opened.model.validate(&mut |finding| findings.push(finding)).and_then(|()| opened.check());
    (findings, done.err().map(|error| opened.blame(error, path)))
}

fn entry(path: &Path, findings: &[Finding], fault: Option<&meshpeek::Error>) -> Value {
    let entry =
        fault.map_or_else(|| json!({ "path": path.to_string_lossy() }), |fault| output::unreadable(path, fault));
    output::with(entry, "findings", findings.iter().map(output::finding).collect())
}

fn print(
    out: &mut dyn Write,
    path: &Path,
    findings: &[Finding],
    fault: Option<&meshpeek::Error>,
    global: &Global,
) -> io::Result<()> {
    let least = if global.quiet { Severity::Warning } else { Severity::Info };
    let told: Vec<Finding> = findings.iter().filter(|finding| finding.severity >= least).cloned().collect();
    let bold = Style::new().bold();
    if !told.is_empty() {
        writeln!(out, "{bold}{}{bold:#}: {}", shown(path), tally(findings))?;
        output::print_findings(out, &told)?;
    } else if fault.is_none() && !global.quiet {
        writeln!(out, "{bold}{}{bold:#}: sound", shown(path))?;
    }
    if let Some(fault) = fault {
        output::complain(fault);
    }
    Ok(())
}

fn tally(findings: &[Finding]) -> String {
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let counts = [Severity::Error, Severity::Warning, Severity::Info].map(|severity| (severity, count(severity)));
    let told = counts.iter().filter(|(_, count)| *count > 0).map(|(severity, count)| format!("{count} {severity}"));
    told.collect::<Vec<_>>().join(", ")
}

fn print_rules(global: &Global) -> io::Result<()> {
    let formats = [("unigine", unigine::RULES), ("unreal", unreal::RULES)];
    let rules = formats.iter().flat_map(|(format, rules)| rules.iter().map(move |rule| (format, rule)));
    if global.json {
        let rules = rules.map(|(format, Rule { id, severity, text })| {
            json!({ "rule": id, "severity": severity.to_string(), "text": text, "format": format })
        });
        return output::print_json(&output::document(json!({ "rules": rules.collect::<Value>() })));
    }
    let mut out = anstream::stdout().lock();
    for (_, Rule { id, severity, text }) in rules {
        let style = output::paint(*severity);
        writeln!(out, "{id}  {style}{severity:<7}{style:#}  {text}")?;
    }
    Ok(())
}
