//! Formats text for the terminal: findings, errors, notes, and paths with escaped control
//! characters.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::progress::suspended;
use super::units::thousands;
use crate::error::numbered_noun;
use crate::program::args::Global;
use crate::{Finding, Name, Severity};
use anstyle::{AnsiColor, Style};

/// Prints an error on standard error, as one line that starts with `error:`.
pub fn complain(error: &dyn std::fmt::Display) {
    let style = paint(Severity::Error);
    // If writing the error message fails, the failure is ignored, because the exit code still
    // reports the original error.
    let _ = suspended(|| writeln!(anstream::stderr(), "{style}error{style:#}: {error}"));
}

/// Prints a note on standard error, unless the option `--quiet` was given.
pub fn note(text: &str, global: &Global) {
    if !global.quiet {
        // If writing the note fails, the failure is ignored, because a note is not part of the
        // result of the command.
        let _ = suspended(|| writeln!(anstream::stderr(), "{text}"));
    }
}

/// Returns the terminal colour for printing a severity.
pub fn paint(severity: Severity) -> Style {
    let color = match severity {
        Severity::Info => AnsiColor::Cyan,
        Severity::Warning => AnsiColor::Yellow,
        Severity::Error => AnsiColor::Red,
    };
    color.on_default().bold()
}

/// Prints findings, indented below the name of the file.
pub fn print_findings(out: &mut dyn Write, findings: &[Finding], files: &[PathBuf]) -> io::Result<()> {
    findings.iter().try_for_each(|finding| writeln!(out, "{}", finding_line(finding, files)))
}

/// Returns the line about a finding, indented below the name of the file.
pub fn finding_line(finding: &Finding, files: &[PathBuf]) -> String {
    let Finding { rule, severity, field, offset, text, .. } = finding;
    let style = paint(*severity);
    // A mesh that is a single file has no list of files.
    let file = files.get(usize::from(finding.source)).and_then(|file| file.file_name()).map(Path::new);
    let file = file.map_or_else(String::new, |file| format!("{}: ", shown(file)));
    format!("  {style}{severity:<7}{style:#} {rule}  {file}{field} at byte {offset}: {text}")
}

/// Returns the text that is appended to the path of a script, to identify one mesh of the script.
pub fn mesh_suffix(mesh: Option<&str>) -> String {
    mesh.map_or_else(String::new, |mesh| format!(" mesh {}", Name::new(mesh.as_bytes())))
}

/// Returns a number with commas between groups of three digits.
pub fn count(number: impl TryInto<u64>) -> String {
    thousands(number.try_into().unwrap_or(u64::MAX))
}

/// Returns a number with a noun, in the plural if the number is not 1.
pub fn counted(number: impl TryInto<u64>, noun: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{} {}", thousands(number), numbered_noun(number, noun))
}

/// Returns a path as text. Control characters in the path are escaped, because a terminal would
/// interpret them as commands.
pub fn shown(path: &Path) -> String {
    Name::new(path.as_os_str().as_encoded_bytes()).to_string()
}

/// Returns the number of characters on a line of the terminal, or 80 if standard output is not a
/// terminal.
pub fn terminal_width() -> usize {
    terminal_size::terminal_size_of(io::stdout()).map_or(80, |(width, _)| width.0.into())
}
