//! `validate`: tests the rules of the format and prints the findings.

// Rule: this file sorts and maps by copies only.

mod args;
mod baseline;
mod check;
mod junit;
mod output;
mod own_rules;
mod paths;
mod sarif;

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Mutex;

use serde_json::{Value, json};

use crate::program::args::Global;
use crate::program::atomic_write::{PendingOutput, check_target};
use crate::program::describe::rows::SelectedFiles;
use crate::program::formats::check_extension;
use crate::program::input::{NotOpened, watch};
use crate::program::outcome::Outcome;
use crate::program::output::JsonWriter;
use crate::program::output::json::document;
use crate::program::output::progress::suspended;
use crate::program::output::report;
use crate::program::output::text::{counted, paint, shown};
use crate::program::output::{note, print_json};
use crate::{Finding, Rule};

use args::{BaselineArgs, FindingFilter, FindingsFormat};
pub use args::{ValidateArgs, all_rules};
use baseline::{Baseline, BaselineEffect};
use check::{CheckedMesh, FileCheck, FileFindings};
use junit::JunitOutput;
use output::{CheckedFile, FindingTotals, FindingsOutput, GithubOutput, NamesOutput, ReportEnd, TextOutput};
use own_rules::{DeniedCondition, UNREADABLE, has_unreadable};
pub use paths::uri;
use sarif::SarifOutput;

/// The greatest number of columns of an explanation.
const WIDTH: usize = 96;

impl ValidateArgs {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        let (format, filter) = (self.format(global)?, self.filter()?);
        let global = &Global { json: format == FindingsFormat::Json, ..global.clone() };
        if self.rules {
            print_rules(&filter, global)?;
        } else if self.explain.is_empty() {
            // An error is printed here, because only this function knows the value of `--format`.
            let denied = self.deny.iter().map(|value| DeniedCondition::parse(value)).collect::<Result<Vec<_>, _>>();
            let denied = match denied {
                Ok(denied) => denied,
                Err(error) => return Ok(report(&error.into(), global)),
            };
            let run = || self.check(format, (&filter, &denied), global);
            let done = if self.watch.watch { watch((&self.files.files, &self.files.walk), global, run) } else { run() };
            return Ok(done.unwrap_or_else(|error| report(&error, global)));
        } else {
            print_explanations(&self.explain, global)?;
        }
        Ok(Outcome::Fine)
    }

    /// Checks all files and prints the report.
    fn check(
        &self,
        format: FindingsFormat,
        (filter, denied): (&FindingFilter, &[DeniedCondition]),
        global: &Global,
    ) -> anyhow::Result<Outcome> {
        let files = SelectedFiles::of(&self.files)?;
        let mut run = ValidationRun::start(&self.baseline, filter, global)?;
        let mut stdout = io::BufWriter::new(io::stdout().lock());
        let mut output = self.output(format, &mut stdout, global)?;
        let has_lengths = format == FindingsFormat::Sarif;
        let check = FileCheck { global, denied, has_lengths, scripts: Mutex::default() };
        let mut outcome = Outcome::Fine;
        let omitted = files.each_in_parallel(
            global,
            |path, asset| vec![check.run(path, asset)],
            |checked| checked.findings.found.len(),
            |checked| {
                for mut checked in checked {
                    run.add(&mut checked);
                    let CheckedMesh { path, mesh, findings, .. } = &checked;
                    suspended(|| output.file(&CheckedFile { path, mesh: mesh.as_deref(), findings }))?;
                    outcome = outcome.max(run.outcome(findings));
                }
                Ok(())
            },
        )?;
        if global.verbose {
            omitted.note_passed_by(global);
        }
        let NotOpened { missing, passed_by, .. } = omitted;
        run.totals.passed_by = passed_by.total();
        output.finish(&ReportEnd { totals: run.totals, baseline: run.effect(&self.baseline), missing })?;
        drop(output);
        if matches!(format, FindingsFormat::Json | FindingsFormat::Sarif) {
            writeln!(stdout)?;
        }
        stdout.flush()?;
        drop(stdout);
        run.write_baseline(&self.baseline)?;
        Ok(outcome)
    }

    fn output<'o>(
        &self,
        format: FindingsFormat,
        out: &'o mut dyn Write,
        global: &'o Global,
    ) -> io::Result<Box<dyn FindingsOutput + 'o>> {
        Ok(match format {
            FindingsFormat::Text if self.files_with_findings => {
                Box::new(NamesOutput { out, global, has_nul: self.null, last: PathBuf::new() })
            }
            FindingsFormat::Text => Box::new(TextOutput { global, is_one_file: self.is_one_file() }),
            FindingsFormat::Json => {
                let mut out = JsonWriter::indented(out);
                out.start_entries()?;
                Box::new(out)
            }
            FindingsFormat::Sarif => Box::new(SarifOutput::start(JsonWriter::indented(out))?),
            FindingsFormat::Junit => Box::new(JunitOutput::new(out, global)),
            FindingsFormat::Github => Box::new(GithubOutput { out, global }),
        })
    }
}

/// Lists the rules whose findings are reported.
fn print_rules(filter: &FindingFilter, global: &Global) -> io::Result<()> {
    let rules = all_rules().filter(|(_, rule)| filter.keeps_rule(rule));
    if global.json {
        return print_json_rules(rules);
    }
    let mut out = anstream::stdout().lock();
    for (_, Rule { id, severity, text, .. }) in rules {
        let style = paint(*severity);
        writeln!(out, "{id}  {style}{severity:<7}{style:#}  {text}")?;
    }
    Ok(())
}

/// Explains the rules whose ids start with one of the given texts.
fn print_explanations(prefixes: &[String], global: &Global) -> io::Result<()> {
    let rules = all_rules().filter(|(_, rule)| prefixes.iter().any(|prefix| rule.id.starts_with(&**prefix)));
    if global.json {
        return print_json_rules(rules);
    }
    let mut out = anstream::stdout().lock();
    for (number, (format, rule)) in rules.enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        print_explanation(&mut out, format, rule)?;
    }
    Ok(())
}

fn print_explanation(out: &mut dyn Write, format: &str, rule: &Rule) -> io::Result<()> {
    let Rule { id, severity, text, why, mend, .. } = rule;
    let style = paint(*severity);
    writeln!(out, "{id}  {style}{severity}{style:#}  {format}")?;
    for (title, text) in [("rule", text), ("why", why), ("mend", mend)] {
        for (number, line) in wrapped(text, WIDTH.saturating_sub(8)).iter().enumerate() {
            writeln!(out, "  {:<6}{line}", if number == 0 { title } else { "" })?;
        }
    }
    Ok(())
}

/// Divides a text at blanks into lines of at most `width` bytes, unless a word is longer.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.len().saturating_add(word.len()) < width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn print_json_rules<'r>(rules: impl Iterator<Item = (&'r str, &'r Rule)>) -> io::Result<()> {
    let rules = rules.map(|(format, Rule { id, severity, text, why, mend, .. })| {
        json!({ "rule": id, "severity": severity.to_string(), "text": text, "format": format, "why": why, "mend": mend })
    });
    print_json(&document(&json!({ "rules": rules.collect::<Value>() })))
}

/// The validation of all files of one command.
struct ValidationRun<'g> {
    global: &'g Global,
    filter: &'g FindingFilter,
    /// The scripts whose findings were reported, with the first mesh of each.
    scripts: BTreeSet<PathBuf>,
    totals: FindingTotals,
    /// The baseline that was read.
    known: Option<Baseline>,
    /// The number of findings that are not reported because they are known.
    suppressed: u64,
    /// The baseline to write.
    new: Option<Baseline>,
}

impl<'g> ValidationRun<'g> {
    /// Reads the baseline. Returns an error if the baseline to write exists already.
    fn start(args: &BaselineArgs, filter: &'g FindingFilter, global: &'g Global) -> anyhow::Result<Self> {
        let known = args.baseline.as_deref().map(Baseline::read).transpose()?;
        if let Some(path) = &args.write_baseline {
            check_extension(path, &["json"], "validate --write-baseline")?;
            check_target(path, args.force)?;
        }
        let new = args.write_baseline.as_ref().map(|_| Baseline::default());
        let (scripts, totals) = (BTreeSet::new(), FindingTotals::default());
        Ok(Self { global, filter, scripts, totals, known, suppressed: 0, new })
    }

    /// Adds a file, and keeps only the findings to report.
    fn add(&mut self, checked: &mut CheckedMesh) {
        let Self { filter, suppressed, .. } = self;
        let CheckedMesh { path, mesh, script, findings, of_script } = checked;
        let repeats_script = script.take().is_some_and(|script| !self.scripts.insert(script));
        let mut known = self.known.as_mut().and_then(|baseline| baseline.file(path, mesh.as_deref()));
        let mut is_excused = filter.ignores_unreadable;
        let mut number = 0_usize;
        let mut is_kept = |finding: &Finding| {
            let is_repeated = repeats_script && of_script.contains(&number);
            number = number.saturating_add(1);
            if is_repeated {
                return false;
            }
            // A known finding counts as found even if the filter leaves it out.
            let is_known = known.as_mut().is_some_and(|known| known.take(finding));
            let is_kept = filter.keeps(finding);
            is_excused |= is_known && finding.rule == UNREADABLE.id;
            *suppressed = suppressed.saturating_add(u64::from(is_kept && is_known));
            is_kept && !is_known
        };
        let kept: Vec<bool> = findings.found.iter().map(&mut is_kept).collect();
        let (mut of_found, mut of_lengths) = (kept.iter(), kept.iter());
        findings.found.retain(|_| of_found.next() == Some(&true));
        findings.lengths.retain(|_| of_lengths.next() == Some(&true));
        // A wrong command line has no finding, and is never allowed.
        findings.is_excused =
            is_excused && findings.fault.as_ref().is_some_and(|fault| Outcome::of_error(fault) == Outcome::Unreadable);
        if let Some(known) = known.filter(|_| findings.fault.is_none()) {
            known.is_checked = true;
        }
        if let Some(new) = &mut self.new {
            new.add(path, mesh.as_deref(), &findings.found);
        }
        self.totals.add(findings);
    }

    /// Returns the outcome for a file. Findings that are written to a baseline are no failure.
    fn outcome(&self, findings: &FileFindings) -> Outcome {
        match &findings.fault {
            Some(_) if self.new.is_some() && has_unreadable(findings) => Outcome::Fine,
            Some(fault) if !findings.is_excused => Outcome::of_error(fault),
            _ if self.new.is_some() => Outcome::Fine,
            _ => Outcome::of_findings(&findings.found),
        }
    }

    fn effect(&self, args: &BaselineArgs) -> Option<BaselineEffect> {
        let (known, path) = self.known.as_ref().zip(args.baseline.clone())?;
        Some(BaselineEffect { path, suppressed: self.suppressed, absent: known.absent() })
    }

    fn write_baseline(&self, args: &BaselineArgs) -> anyhow::Result<()> {
        let (Some(new), Some(path)) = (&self.new, &args.write_baseline) else { return Ok(()) };
        let bytes = new.to_bytes()?;
        PendingOutput::write(path, args.force, |out| Ok(out.write_whole(&bytes)?))?.finish()?;
        note(&format!("{}: {} written", shown(path), counted(new.len(), "finding")), self.global);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_at_blanks() {
        assert_eq!(wrapped("a bc def ghij", 6), ["a bc", "def", "ghij"]);
        assert_eq!(wrapped("a bc", 5), ["a bc"]);
        assert_eq!(wrapped("longer than", 3), ["longer", "than"]);
    }
}
