//! Lines of text: findings, errors, notes, and paths that are safe to show on a terminal.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anstyle::{AnsiColor, Style};
use meshpeek::{Finding, Name, Severity};

/// Prints an error line.
pub fn complain(error: &dyn std::fmt::Display) {
    let style = paint(Severity::Error);
    // If standard error is closed, the exit code still reports the error.
    let _ = writeln!(anstream::stderr(), "{style}error{style:#}: {error}");
}

/// Returns the colour of a severity.
pub fn paint(severity: Severity) -> Style {
    let color = match severity {
        Severity::Info => AnsiColor::Cyan,
        Severity::Warning => AnsiColor::Yellow,
        Severity::Error => AnsiColor::Red,
    };
    color.on_default().bold()
}

/// Prints findings below a file's name.
pub fn print_findings(out: &mut dyn Write, findings: &[Finding], files: &[PathBuf]) -> io::Result<()> {
    for finding in findings {
        let Finding { rule, severity, field, offset, text, .. } = finding;
        let style = paint(*severity);
        let file = file_of(finding, files).and_then(Path::file_name).map(Path::new);
        let file = file.map_or_else(String::new, |file| format!("{}: ", shown(file)));
        writeln!(out, "  {style}{severity:<7}{style:#} {rule}  {file}{field} at byte {offset}: {text}")?;
    }
    Ok(())
}

/// Returns the file that a finding is about, if the mesh has several.
fn file_of<'f>(finding: &Finding, files: &'f [PathBuf]) -> Option<&'f Path> {
    files.get(usize::from(finding.source)).map(PathBuf::as_path)
}

/// Returns the text that follows a script's path to name one of its meshes.
pub fn mesh_suffix(mesh: Option<&str>) -> String {
    mesh.map_or_else(String::new, |mesh| format!(" mesh {}", Name::new(mesh.as_bytes())))
}

/// Returns a path without control characters, which a terminal would obey.
pub fn shown(path: &Path) -> String {
    Name::new(path.as_os_str().as_encoded_bytes()).to_string()
}
