//! `validate`: findings by rule.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anstyle::Style;
use clap::Args;
use meshpeek::{Finding, Rule, Severity, ezmesh, secondlife, unigine, unreal};
use serde_json::{Value, json};

use crate::expand::has_extension;
use crate::opened::Opened;
use crate::output::{self, Outcome, shown};
use crate::{Global, input};

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
        let mut scripts = BTreeSet::new();
        let (outcome, absent) = input::each(&self.files, global, |path, opened| {
            let mesh = opened.as_ref().ok().and_then(Opened::mesh_name);
            let looked = look(path, opened, global, &mut scripts);
            if global.json {
                entries.push(output::of_mesh(entry(path, &looked), mesh));
            } else {
                print(&mut anstream::stdout().lock(), path, mesh.as_deref(), &looked, global)?;
            }
            Ok(looked.fault.map_or_else(|| output::judge(&looked.found), |fault| output::failed(&fault)))
        })?;
        if global.json {
            let mut document = json!({ "files": entries });
            if !absent.is_empty() {
                document = output::with(document, "unresolved", absent.iter().map(output::absent).collect());
            }
            output::print_json(&output::document(document))?;
        }
        Ok(outcome)
    }
}

/// What is found in a file.
struct Findings {
    found: Vec<Finding>,
    /// What kept the rest of the file from being read.
    fault: Option<meshpeek::Error>,
    /// The files that the findings are about, where there are several.
    files: Vec<PathBuf>,
}

/// Looks at a mesh, and at its script unless another mesh of it came before.
fn look(path: &Path, opened: meshpeek::Result<Opened>, global: &Global, scripts: &mut BTreeSet<PathBuf>) -> Findings {
    let mut found = Vec::new();
    let opened = match opened {
        Ok(opened) => opened,
        Err(error) => return look_at_unopened(path, error, global),
    };
    let script = opened.pair.as_ref().and_then(|pair| pair.script.clone());
    let fresh = script.is_none_or(|script| scripts.insert(script));
    let done = opened.findings(true, fresh, &mut |finding| found.push(finding)).and_then(|()| opened.check());
    let fault = done.err().map(|error| opened.locate_error(error, path));
    Findings { found, fault, files: opened.files() }
}

/// Tells of what did not open; a script that imports no mesh is looked at by itself, and is no fault.
fn look_at_unopened(path: &Path, error: meshpeek::Error, global: &Global) -> Findings {
    let mut found: Vec<Finding> = meshpeek::finding(&error).into_iter().collect();
    let is_script = has_extension(path, "uc");
    let script = is_script.then(|| input::open_script(path, global).ok()).flatten();
    let Some(script) = script else { return Findings { found, fault: Some(error), files: Vec::new() } };
    script.validate(&mut |finding| found.push(finding));
    let fault = script.imports().next().is_some().then_some(error);
    Findings { found, fault, files: Vec::new() }
}

fn entry(path: &Path, Findings { found, fault, files }: &Findings) -> Value {
    let fault = fault.as_ref();
    let entry =
        fault.map_or_else(|| json!({ "path": path.to_string_lossy() }), |fault| output::unreadable(path, fault));
    output::with(entry, "findings", output::findings(found, files))
}

fn print(
    out: &mut dyn Write,
    path: &Path,
    mesh: Option<&str>,
    Findings { found, fault, files }: &Findings,
    global: &Global,
) -> io::Result<()> {
    let least = if global.quiet { Severity::Warning } else { Severity::Info };
    let told: Vec<Finding> = found.iter().filter(|finding| finding.severity >= least).cloned().collect();
    let bold = Style::new().bold();
    let path = format!("{}{}", shown(path), output::mesh_shown(mesh));
    if !told.is_empty() {
        writeln!(out, "{bold}{path}{bold:#}: {}", tally(found))?;
        output::print_findings(out, &told, files)?;
    } else if fault.is_none() && !global.quiet {
        writeln!(out, "{bold}{path}{bold:#}: sound")?;
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
    let formats = [
        ("unigine", unigine::RULES),
        ("unreal", unreal::RULES),
        ("secondlife", secondlife::RULES),
        ("ezmesh", ezmesh::RULES),
    ];
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
