//! Prints the result of the comparison of two meshes.

use std::io::{self, Write};

use anstyle::Style;
use serde_json::{Value, json};

use super::both::Both;
use super::comparison::{DiffVerdict, MeshComparison};
use super::difference::Difference;
use super::options::DiffOptions;
use super::side::DiffSide;
use super::sink::DiffSink;
use crate::program::args::value_name;
use crate::program::outcome::Outcome;
use crate::program::output::json::number;
use crate::program::output::{JsonWriter, complain_about, error_json, is_pipe_closed, shown};

const BOLD: Style = Style::new().bold();

/// How much text is printed about two meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffDetail {
    /// Nothing.
    Nothing,
    /// One line if the meshes differ.
    Line,
    /// Every difference.
    Full,
    /// Every difference, and nothing about meshes with the same values.
    Differing,
}

/// Compares two meshes, and prints the result as text.
pub fn print_text(
    sides: Both<&DiffSide>,
    options: &DiffOptions,
    detail: DiffDetail,
    out: &mut dyn Write,
) -> anyhow::Result<Outcome> {
    let mut is_headed = false;
    let mut print = |difference: &Difference| {
        if !matches!(detail, DiffDetail::Full | DiffDetail::Differing) {
            return Ok(());
        }
        if !std::mem::replace(&mut is_headed, true) {
            write_heading(sides, out)?;
        }
        writeln!(out, "{}", difference.line())
    };
    let mut comparison = MeshComparison::new(sides, DiffSink::new(options, &mut print));
    let verdict = comparison.run();
    let totals = comparison.sink.totals;
    let verdict = verdict?;
    if detail == DiffDetail::Line && verdict == DiffVerdict::Different {
        let [a, b] = [sides.a, sides.b].map(|side| shown(&side.label));
        writeln!(out, "{a} and {b} differ")?;
    }
    if matches!(detail, DiffDetail::Full | DiffDetail::Differing) {
        for (kind, total) in totals {
            let rest = total.saturating_sub(options.max_listed);
            if rest > 0 {
                writeln!(out, "and {rest} more differences of {} (--verbose lists all)", value_name(&kind))?;
            }
        }
    }
    if detail == DiffDetail::Full {
        write_verdict(&verdict, sides, options, out)?;
    }
    sides.a.check()?;
    sides.b.check()?;
    Ok(outcome(&verdict))
}

fn outcome(verdict: &DiffVerdict) -> Outcome {
    if *verdict == DiffVerdict::Different { Outcome::Differences } else { Outcome::Fine }
}

fn write_heading(sides: Both<&DiffSide>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{BOLD}--- {}{BOLD:#}", sides.a.heading())?;
    writeln!(out, "{BOLD}+++ {}{BOLD:#}", sides.b.heading())
}

/// Writes a line about two meshes without differences.
fn write_verdict(
    verdict: &DiffVerdict,
    sides: Both<&DiffSide>,
    options: &DiffOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let limited = if options.only.is_empty() { "" } else { ", as far as --only compares them" };
    match verdict {
        DiffVerdict::Different => Ok(()),
        DiffVerdict::Identical => writeln!(out, "identical: {} bytes", sides.a.asset.size()),
        DiffVerdict::SameValues(None) if sides.have_same_format() => writeln!(out, "same values and bytes{limited}"),
        DiffVerdict::SameValues(None) => {
            let [a, b] = [sides.a, sides.b].map(|side| format!("{} {}", side.format(), side.version()));
            writeln!(out, "same values{limited}; the formats differ: {a} and {b}")
        }
        DiffVerdict::SameValues(Some(totals)) => {
            let names = totals.names.join(", ");
            let rest = totals.count.saturating_sub(totals.names.len().try_into().unwrap_or(u64::MAX));
            let rest = if rest > 0 { format!(", and {rest} more regions") } else { String::new() };
            match totals.count {
                0 => writeln!(out, "same values{limited}; bytes outside the regions differ"),
                _ => writeln!(out, "same values{limited}; bytes differ in {names}{rest}"),
            }
        }
    }
}

/// Compares two meshes, and writes the fields of the JSON object of the comparison.
///
/// An error of the library ends the list of differences. It is the last field, and is also printed
/// on standard error.
pub fn write_json(sides: Both<&DiffSide>, options: &DiffOptions, out: &mut JsonWriter<'_>) -> anyhow::Result<Outcome> {
    out.field("a", sides.a.json())?;
    out.field("b", sides.b.json())?;
    write_options(options, out)?;
    out.key("differences").open(b"[")?;
    let mut print = |difference: &Difference| out.object(|out| difference.write_json(out));
    let mut comparison = MeshComparison::new(sides, DiffSink::new(options, &mut print));
    let verdict = comparison.run();
    let totals = comparison.sink.totals;
    out.close(b"]")?;
    let totals: serde_json::Map<String, Value> =
        totals.into_iter().map(|(kind, total)| (value_name(&kind), total.into())).collect();
    out.field("totals", totals)?;
    let verdict = verdict.and_then(|verdict| {
        sides.a.check()?;
        sides.b.check()?;
        Ok(verdict)
    });
    let (identical, equal) = match &verdict {
        Ok(verdict) => (Some(*verdict == DiffVerdict::Identical), Some(*verdict != DiffVerdict::Different)),
        Err(_) => (None, None),
    };
    out.field("identical_bytes", identical)?;
    out.field("equal", equal)?;
    let regions = match &verdict {
        Ok(DiffVerdict::SameValues(Some(totals))) => json!({ "count": totals.count, "names": totals.names }),
        _ => Value::Null,
    };
    out.field("differing_regions", regions)?;
    match verdict {
        Ok(verdict) => Ok(outcome(&verdict)),
        Err(error) if is_pipe_closed(&error) => Err(error),
        Err(error) => write_error(&error, out),
    }
}

/// Writes the fields about an error that ended a comparison, prints the error on standard error,
/// and returns its outcome.
pub fn write_error(error: &anyhow::Error, out: &mut JsonWriter<'_>) -> anyhow::Result<Outcome> {
    let path = error.downcast_ref::<crate::Error>().and_then(crate::Error::path);
    out.field("error", error_json(error))?;
    out.field("error_path", path.map(|path| path.to_string_lossy().into_owned()))?;
    Ok(complain_about(error))
}

/// Writes the fields about the options of the comparison.
fn write_options(options: &DiffOptions, out: &mut JsonWriter<'_>) -> io::Result<()> {
    let float = |value: f64| number(crate::math::narrow(value));
    out.field("epsilon", float(options.tolerance.absolute))?;
    out.field("relative", float(options.tolerance.relative))
}
