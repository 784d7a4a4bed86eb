//! `validate`: tests the rules of the format and prints the findings.

// Rule: this file sorts and maps by copies only.

mod args;
mod baseline;
mod check;
mod explain;
mod filter;
mod junit;
mod output;
mod own_rules;
mod paths;
mod sarif;
mod totals;

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Mutex;

use crate::Finding;
use crate::program::args::Global;
use crate::program::atomic_write::{PendingOutput, check_target};
use crate::program::describe::rows::SelectedFiles;
use crate::program::formats::check_extension;
use crate::program::input::{NotOpened, watch};
use crate::program::outcome::Outcome;
use crate::program::output::{JsonWriter, counted, note, report, shown, suspended};

pub use args::ValidateArgs;
use args::{BaselineArgs, FindingsFormat};
use baseline::{Baseline, BaselineEffect};
use check::{CheckedMesh, FileCheck, FileFindings};
use filter::FindingFilter;
pub use filter::all_rules;
use junit::JunitOutput;
use output::{CheckedFile, FindingsOutput, GithubOutput, NamesOutput, ReportEnd, TextOutput};
use own_rules::{DeniedCondition, UNREADABLE, has_unreadable};
pub use paths::uri;
use sarif::SarifOutput;
use totals::FindingTotals;

impl ValidateArgs {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        let (format, filter) = (self.format(global)?, self.filter()?);
        let global = &Global { json: format == FindingsFormat::Json, ..global.clone() };
        if self.rules {
            explain::print_rules(&filter, global)?;
        } else if self.explain.is_empty() {
            // An error is printed here, because only this function knows the value of `--format`.
            let denied = self.deny.iter().map(|value| DeniedCondition::parse(value)).collect::<Result<Vec<_>, _>>();
            let denied = match denied {
                Ok(denied) => denied,
                Err(error) => return Ok(report(&error.into(), global)),
            };
            let run = || self.check(format, (&filter, &denied), global);
            let done = if self.watch.watch { watch((&self.files, &self.walk), global, run) } else { run() };
            return Ok(done.unwrap_or_else(|error| report(&error, global)));
        } else {
            explain::print_explanations(&self.explain, global)?;
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
        let files = SelectedFiles::new(&self.files, &self.walk, self.condition.condition.as_deref())?;
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
