//! The totals of a report, and its simple forms: text, names of files, workflow commands, and the
//! JSON document.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::{Finding, Severity};
use anstyle::Style;
use serde_json::{Value, json};

use super::baseline::BaselineEffect;
use super::check::FileFindings;
use super::own_rules::{UNREADABLE, has_unreadable};
use super::paths::slashed;
use crate::formats::mesh_files::MissingMesh;
use crate::program::args::Global;
use crate::program::input::bytes::Data;
use crate::program::input::not_opened::missing_json;
use crate::program::output::JsonWriter;
use crate::program::output::json::{findings, unreadable};
use crate::program::output::note;
use crate::program::output::text::{complain, counted, mesh_suffix, print_findings, shown};
use crate::program::output::units::thousands;

/// The numbers of checked files and of reported findings.
///
/// A mesh of several files counts as one file. Each file is sound, or has warnings or errors, or
/// cannot be read.
#[derive(Clone, Copy, Debug, Default)]
pub struct FindingTotals {
    pub files: u64,
    /// The number of files without findings above severity info.
    pub sound: u64,
    pub with_findings: u64,
    pub unreadable: u64,
    pub errors: u64,
    pub warnings: u64,
    pub infos: u64,
    /// The number of files in folders that are no meshes.
    pub passed_by: u64,
}

impl FindingTotals {
    /// Counts a file and its findings.
    pub fn add(&mut self, file: &FileFindings) {
        let [errors, warnings, infos] = counts(&file.found);
        let kind = match file.fault {
            Some(_) => &mut self.unreadable,
            None if errors > 0 || warnings > 0 => &mut self.with_findings,
            None => &mut self.sound,
        };
        *kind = kind.saturating_add(1);
        self.files = self.files.saturating_add(1);
        self.errors = self.errors.saturating_add(errors);
        self.warnings = self.warnings.saturating_add(warnings);
        self.infos = self.infos.saturating_add(infos);
    }

    /// Returns the totals as a JSON object.
    pub fn json(&self) -> Value {
        let Self { files, sound, with_findings, unreadable, errors, warnings, infos, passed_by } = self;
        json!({
            "files": files, "sound": sound, "with_findings": with_findings, "unreadable": unreadable,
            "errors": errors, "warnings": warnings, "infos": infos, "passed_by": passed_by,
        })
    }
}

impl fmt::Display for FindingTotals {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { files, sound, with_findings, unreadable, errors, warnings, infos, passed_by } = *self;
        let [sound, with_findings, unreadable] = [sound, with_findings, unreadable].map(thousands);
        let (files, errors) = (counted(files, "file"), counted(errors, "error"));
        let (warnings, infos) = (counted(warnings, "warning"), counted(infos, "info"));
        write!(out, "{files}: {sound} sound, {with_findings} with warnings or errors, {unreadable} unreadable; ")?;
        write!(out, "{errors}, {warnings}, {infos}")?;
        if passed_by > 0 { write!(out, "; {} passed by", counted(passed_by, "other file")) } else { Ok(()) }
    }
}

/// Returns the numbers of errors, warnings and infos among findings.
fn counts(findings: &[Finding]) -> [u64; 3] {
    [Severity::Error, Severity::Warning, Severity::Info].map(|severity| {
        let found = findings.iter().filter(|finding| finding.severity == severity).count();
        u64::try_from(found).unwrap_or(u64::MAX)
    })
}

/// A checked file, with its findings.
pub struct CheckedFile<'f> {
    pub path: &'f Path,
    /// The name that a script gives to the mesh.
    pub mesh: Option<&'f str>,
    pub findings: &'f FileFindings,
}

/// The end of a report.
pub struct ReportEnd {
    pub totals: FindingTotals,
    pub baseline: Option<BaselineEffect>,
    /// The meshes that scripts import although their files do not exist.
    pub missing: Vec<MissingMesh<Data>>,
}

impl ReportEnd {
    /// Prints the effect of the baseline on standard error.
    pub fn note_baseline(&self, global: &Global) {
        if let Some(baseline) = &self.baseline {
            note(&baseline.to_string(), global);
        }
    }
}

/// Prints a report in one form. Each file is printed as soon as it is checked.
pub trait FindingsOutput {
    /// Prints the findings about a file.
    fn file(&mut self, file: &CheckedFile<'_>) -> io::Result<()>;

    /// Prints the end of the report, after all files.
    fn finish(&mut self, end: &ReportEnd) -> io::Result<()>;
}

/// Prints a JSON document with one entry for each file, in a list that was started.
impl FindingsOutput for JsonWriter<'_> {
    fn file(&mut self, file: &CheckedFile<'_>) -> io::Result<()> {
        let CheckedFile { path, mesh, findings: file } = file;
        self.object(|out| {
            match &file.fault {
                Some(fault) => out.fields(&unreadable(path, fault))?,
                None => out.field("path", path.to_string_lossy())?,
            }
            out.key("findings").values(findings(&file.found, &file.files))?;
            mesh.map_or(Ok(()), |mesh| out.field("mesh", mesh))
        })
    }

    fn finish(&mut self, end: &ReportEnd) -> io::Result<()> {
        self.close(b"]")?;
        if !end.missing.is_empty() {
            self.key("unresolved").values(end.missing.iter().map(missing_json))?;
        }
        self.field("totals", end.totals.json())?;
        if let Some(baseline) = &end.baseline {
            self.field("baseline", baseline.json())?;
        }
        self.close(b"}")
    }
}

/// Prints the findings as text for a person.
pub struct TextOutput<'g> {
    pub global: &'g Global,
    /// Whether the command line names one file, and neither a folder nor a pattern.
    pub is_one_file: bool,
}

impl FindingsOutput for TextOutput<'_> {
    fn file(&mut self, file: &CheckedFile<'_>) -> io::Result<()> {
        let CheckedFile { path, mesh, findings: FileFindings { found, files, .. } } = file;
        let out = &mut anstream::stdout().lock();
        let least = if self.global.quiet { Severity::Warning } else { Severity::Info };
        // A file that cannot be read has an error line.
        let is_listed = |finding: &&Finding| finding.severity >= least && finding.rule != UNREADABLE.id;
        let listed: Vec<Finding> = found.iter().filter(is_listed).cloned().collect();
        let bold = Style::new().bold();
        let path = format!("{}{}", shown(path), mesh_suffix(*mesh));
        if !listed.is_empty() {
            writeln!(out, "{bold}{path}{bold:#}: {}", tally(found))?;
            print_findings(out, &listed, files)?;
        } else if file.findings.fault.is_none() && (self.is_one_file || self.global.verbose) && !self.global.quiet {
            writeln!(out, "{bold}{path}{bold:#}: no findings")?;
        }
        complain_of_fault(file.findings);
        Ok(())
    }

    fn finish(&mut self, end: &ReportEnd) -> io::Result<()> {
        if self.global.quiet {
            return Ok(());
        }
        let mut out = anstream::stdout().lock();
        let files = end.totals.files;
        if files > 1 || files > 0 && !self.is_one_file {
            writeln!(out, "{}", end.totals)?;
        }
        end.baseline.as_ref().map_or(Ok(()), |baseline| writeln!(out, "{baseline}"))
    }
}

/// Prints the error because of which a file cannot be read, unless it is allowed.
fn complain_of_fault(findings: &FileFindings) {
    let Some(fault) = findings.fault.as_ref().filter(|_| !findings.is_excused) else { return };
    let rule = if has_unreadable(findings) { format!(" (rule {})", UNREADABLE.id) } else { String::new() };
    complain(&format!("{fault}{rule}"));
}

/// Returns the numbers of findings of each severity that occurs, such as `1 error, 2 infos`.
fn tally(findings: &[Finding]) -> String {
    let names = [Severity::Error, Severity::Warning, Severity::Info].into_iter().zip(counts(findings));
    let counts = names.filter(|(_, count)| *count > 0).map(|(severity, number)| counted(number, &severity.to_string()));
    counts.collect::<Vec<_>>().join(", ")
}

/// Prints the names of the files that have warnings or errors, or that cannot be read.
pub struct NamesOutput<'o> {
    pub out: &'o mut dyn Write,
    pub global: &'o Global,
    /// Whether a name ends with a NUL and is not escaped.
    pub has_nul: bool,
    /// The last printed name. Several meshes may be in one file, which is printed once.
    pub last: PathBuf,
}

impl FindingsOutput for NamesOutput<'_> {
    fn file(&mut self, file: &CheckedFile<'_>) -> io::Result<()> {
        let FileFindings { found, fault, is_excused, .. } = file.findings;
        complain_of_fault(file.findings);
        let is_listed = fault.is_some() && !is_excused || found.iter().any(|finding| finding.severity > Severity::Info);
        if !is_listed || self.last == file.path {
            return Ok(());
        }
        file.path.clone_into(&mut self.last);
        if self.has_nul {
            self.out.write_all(file.path.as_os_str().as_encoded_bytes())?;
            return self.out.write_all(b"\0");
        }
        writeln!(self.out, "{}", shown(file.path))
    }

    fn finish(&mut self, end: &ReportEnd) -> io::Result<()> {
        end.note_baseline(self.global);
        Ok(())
    }
}

/// Prints the findings as workflow commands of GitHub Actions.
pub struct GithubOutput<'o> {
    pub out: &'o mut dyn Write,
    pub global: &'o Global,
}

impl FindingsOutput for GithubOutput<'_> {
    fn file(&mut self, file: &CheckedFile<'_>) -> io::Result<()> {
        let FileFindings { found, fault, files, .. } = file.findings;
        let least = if self.global.quiet { Severity::Warning } else { Severity::Info };
        for Finding { rule, severity, field, offset, source, text, .. } in
            found.iter().filter(|finding| finding.severity >= least)
        {
            let path = files.get(usize::from(*source)).map_or(file.path, PathBuf::as_path);
            let text = format!("{field} at byte {offset}: {text}{}", in_mesh(file.mesh));
            self.command(&level(*severity, "notice"), path, rule, &text)?;
        }
        // The filter may leave out the finding about a file that cannot be read.
        let has_none = !file.findings.is_excused && !has_unreadable(file.findings);
        let message = fault.as_ref().filter(|_| has_none).map(ToString::to_string);
        message.map_or(Ok(()), |message| self.command("error", file.path, "unreadable", &message))
    }

    fn finish(&mut self, end: &ReportEnd) -> io::Result<()> {
        if end.totals.files > 1 && !self.global.quiet {
            writeln!(self.out, "{}", end.totals)?;
        }
        end.note_baseline(self.global);
        Ok(())
    }
}

impl GithubOutput<'_> {
    fn command(&mut self, level: &str, path: &Path, title: &str, message: &str) -> io::Result<()> {
        let file = github_property(&printable(&slashed(path)));
        writeln!(self.out, "::{level} file={file},title={}::{}", github_property(title), github_data(message))
    }
}

/// Returns the end of a message about a mesh that a script names.
fn in_mesh(mesh: Option<&str>) -> String {
    mesh.map_or_else(String::new, |mesh| format!(" (mesh {})", crate::Name::new(mesh.as_bytes())))
}

/// Returns the name of a severity in a form of the report, in which `info` is that of an info.
pub fn level(severity: Severity, info: &str) -> String {
    if severity == Severity::Info { info.to_owned() } else { severity.to_string() }
}

/// Replaces the control characters other than line breaks, which a workflow command escapes.
fn printable(path: &str) -> String {
    let is_harmless = |one: char| !one.is_control() || matches!(one, '\r' | '\n');
    path.chars().map(|one| if is_harmless(one) { one } else { char::REPLACEMENT_CHARACTER }).collect()
}

/// Escapes the message of a workflow command.
fn github_data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property of a workflow command.
fn github_property(text: &str) -> String {
    github_data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_cannot_start_another_command() {
        assert_eq!(github_data("100%\r\n::error::x, y"), "100%25%0D%0A::error::x, y");
        assert_eq!(github_property("a,title=b::c%3A\n"), "a%2Ctitle=b%3A%3Ac%253A%0A");
    }

    #[test]
    fn totals_use_the_singular_and_the_plural() {
        let totals = FindingTotals { files: 2, sound: 1, errors: 1, infos: 2, unreadable: 1, ..Default::default() };
        let text = "2 files: 1 sound, 0 with warnings or errors, 1 unreadable; 1 error, 0 warnings, 2 infos";
        assert_eq!(totals.to_string(), text);
        let totals = FindingTotals { passed_by: 1, ..totals };
        assert_eq!(totals.to_string(), format!("{text}; 1 other file passed by"));
    }
}
