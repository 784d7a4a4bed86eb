//! `validate`: tests the rules of the format and prints the findings.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::{Finding, Rule, Severity};
use anstyle::Style;
use clap::Args;
use serde_json::{Value, json};

use crate::program::args::{Global, WalkArgs};
use crate::program::formats::RULES;
use crate::program::formats::names::has_extension;
use crate::program::formats::unreal::script_file::MissingMesh;
use crate::program::input::asset::InputAsset;
use crate::program::input::open::{Repeated, each, open_script};
use crate::program::outcome::Outcome;
use crate::program::render::json::{document, findings, print_json, start_entries, unreadable};
use crate::program::render::json_writer::JsonWriter;
use crate::program::render::text::{complain, mesh_suffix, paint, print_findings, shown};

const HELP: &str = "\
Checks every value. A finding has the id of its rule, the name of the field, and the offset of the first wrong byte. If many items \
break the same rule, one finding counts them. Rule ids are stable; `validate --rules` lists them.

Findings of severity info are useful to know, but also occur in sound files; they leave the exit code at 0.

Examples:
  meshpeek validate model.mesh
  meshpeek validate assets --quiet      only warnings and errors
  meshpeek validate --rules";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct ValidateArgs {
    /// Files, folders (searched for meshes), glob patterns, or - for standard input
    #[arg(required_unless_present = "rules", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// List all rules with their ids and severities, and exit
    #[arg(long)]
    rules: bool,
}

impl ValidateArgs {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        if self.rules {
            print_rules(global)?;
            return Ok(Outcome::Fine);
        }
        let mut scripts = BTreeSet::new();
        let mut out = io::BufWriter::new(io::stdout().lock());
        let mut json = if global.json { Some(JsonWriter::indented(&mut out)) } else { None };
        if let Some(out) = &mut json {
            start_entries(out)?;
        }
        let (outcome, missing) = each(&self.files, &WalkArgs::default(), global, Repeated::Refused, |path, asset| {
            let mesh = asset.as_ref().ok().and_then(InputAsset::mesh_name);
            let result = validate(path, asset, global, &mut scripts);
            match &mut json {
                Some(out) => write_entry(path, mesh, &result, out)?,
                None => print(&mut anstream::stdout().lock(), path, mesh.as_deref(), &result, global)?,
            }
            Ok(result.fault.as_ref().map_or_else(|| Outcome::of_findings(&result.found), Outcome::of_error))
        })?;
        if let Some(json) = &mut json {
            json.close(b"]")?;
            if !missing.is_empty() {
                json.field_items("unresolved", missing.iter().map(MissingMesh::json))?;
            }
            json.close(b"}")?;
            writeln!(out)?;
            out.flush()?;
        }
        Ok(outcome)
    }
}

/// The findings about one mesh, or about one file that is not a mesh.
struct FileFindings {
    found: Vec<Finding>,
    /// The error that stopped the validation before the end of the file. `None` means that the
    /// whole file was checked.
    fault: Option<crate::Error>,
    /// The paths of the files that the findings refer to, if the mesh consists of several files.
    files: Vec<PathBuf>,
}

/// Validates a mesh. If several meshes share an Unreal script, the script is validated only
/// together with the first of these meshes.
fn validate(
    path: &Path,
    asset: crate::Result<InputAsset>,
    global: &Global,
    scripts: &mut BTreeSet<PathBuf>,
) -> FileFindings {
    let mut found = Vec::new();
    let asset = match asset {
        Ok(asset) => asset,
        Err(error) => return validate_unopened(path, error, global, scripts),
    };
    let script = asset.pair.as_ref().and_then(|pair| pair.script.clone());
    let fresh = script.is_none_or(|script| scripts.insert(script));
    let done = asset.findings(true, fresh, &mut |finding| found.push(finding)).and_then(|()| asset.check());
    let fault = done.err().map(|error| asset.locate_error(error, path));
    FileFindings { found, fault, files: asset.files() }
}

/// Returns the findings about a file that could not be opened as a mesh. If the file is an Unreal
/// script that imports no mesh, the script is validated, and no error is reported for the missing
/// mesh. A script is validated once, even if several of its meshes cannot be opened.
fn validate_unopened(
    path: &Path,
    error: crate::Error,
    global: &Global,
    scripts: &mut BTreeSet<PathBuf>,
) -> FileFindings {
    let mut found: Vec<Finding> = crate::finding(&error).into_iter().collect();
    let is_script = has_extension(path, "uc");
    let script = is_script.then(|| open_script(path, global).ok()).flatten();
    let Some(script) = script else { return FileFindings { found, fault: Some(error), files: Vec::new() } };
    if scripts.insert(path.to_owned()) {
        script.validate(&mut |finding| found.push(finding));
    }
    let fault = script.imports().next().is_some().then_some(error);
    let fault = script.data().check().err().or(fault);
    FileFindings { found, fault, files: Vec::new() }
}

/// Writes the entry of a file in a list of entries.
fn write_entry(
    path: &Path,
    mesh: Option<String>,
    FileFindings { found, fault, files }: &FileFindings,
    out: &mut JsonWriter<'_>,
) -> io::Result<()> {
    out.item_object(|out| {
        match fault {
            Some(fault) => out.fields(&unreadable(path, fault))?,
            None => out.field("path", path.to_string_lossy())?,
        }
        out.field_items("findings", findings(found, files))?;
        mesh.map_or(Ok(()), |mesh| out.field("mesh", mesh))
    })
}

fn print(
    out: &mut dyn Write,
    path: &Path,
    mesh: Option<&str>,
    FileFindings { found, fault, files }: &FileFindings,
    global: &Global,
) -> io::Result<()> {
    let least = if global.quiet { Severity::Warning } else { Severity::Info };
    let shown_findings: Vec<Finding> = found.iter().filter(|finding| finding.severity >= least).cloned().collect();
    let bold = Style::new().bold();
    let path = format!("{}{}", shown(path), mesh_suffix(mesh));
    if !shown_findings.is_empty() {
        writeln!(out, "{bold}{path}{bold:#}: {}", tally(found))?;
        print_findings(out, &shown_findings, files)?;
    } else if fault.is_none() && !global.quiet {
        writeln!(out, "{bold}{path}{bold:#}: no findings")?;
    }
    if let Some(fault) = fault {
        complain(fault);
    }
    Ok(())
}

fn tally(findings: &[Finding]) -> String {
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let counts = [Severity::Error, Severity::Warning, Severity::Info].map(|severity| (severity, count(severity)));
    let counts = counts.iter().filter(|(_, count)| *count > 0).map(|(severity, count)| format!("{count} {severity}"));
    counts.collect::<Vec<_>>().join(", ")
}

fn print_rules(global: &Global) -> io::Result<()> {
    let rules = RULES.iter().flat_map(|(format, rules)| rules.iter().map(move |rule| (format, rule)));
    if global.json {
        let rules = rules.map(|(format, Rule { id, severity, text, .. })| {
            json!({ "rule": id, "severity": severity.to_string(), "text": text, "format": format })
        });
        return print_json(&document(json!({ "rules": rules.collect::<Value>() })));
    }
    let mut out = anstream::stdout().lock();
    for (_, Rule { id, severity, text, .. }) in rules {
        let style = paint(*severity);
        writeln!(out, "{id}  {style}{severity:<7}{style:#}  {text}")?;
    }
    Ok(())
}
