//! Prints a report as JUnit XML, which Jenkins, GitLab and other services read.

use std::io::{self, Write};
use std::path::Path;

use crate::{Finding, Severity};

use super::output::{CheckedFile, FindingsOutput, ReportEnd};
use super::own_rules::{UNREADABLE, has_unreadable};
use super::paths::slashed;
use crate::program::args::Global;
use crate::program::output::{HeldOutput, counted, xml_text};

/// Prints a suite with a test case for each file. The cases are held back, because the suite starts
/// with their numbers.
pub struct JunitOutput<'o> {
    out: &'o mut dyn Write,
    global: &'o Global,
    cases: HeldOutput,
    tests: u64,
    failures: u64,
    errors: u64,
}

impl<'o> JunitOutput<'o> {
    pub fn new(out: &'o mut dyn Write, global: &'o Global) -> Self {
        Self { out, global, cases: HeldOutput::start(), tests: 0, failures: 0, errors: 0 }
    }
}

impl FindingsOutput for JunitOutput<'_> {
    fn file(&mut self, file: &CheckedFile<'_>) -> io::Result<()> {
        let found = &file.findings.found;
        let path = slashed(file.path);
        let (folder, name) = path.rsplit_once('/').unwrap_or((".", &path));
        let mesh = file.mesh.map_or_else(String::new, |mesh| format!(" mesh {mesh}"));
        let name = format!("{name}{mesh}");
        let [folder, name, path] = [folder, &name, &path].map(xml_text);
        write!(self.cases, "    <testcase classname=\"{folder}\" name=\"{name}\" file=\"{path}\"")?;
        self.tests = self.tests.saturating_add(1);
        let fault = file.findings.fault.as_ref().filter(|_| !file.findings.is_excused);
        let (severe, remarks): (Vec<_>, Vec<_>) = found.iter().partition(|one| one.severity > Severity::Info);
        let is_silent = severe.is_empty() && fault.is_none() && (remarks.is_empty() || self.global.quiet);
        if is_silent {
            return writeln!(self.cases, "/>");
        }
        writeln!(self.cases, ">")?;
        let mut lines: Vec<String> = severe.iter().map(|finding| line(finding, file)).collect();
        if let Some(fault) = fault {
            self.errors = self.errors.saturating_add(1);
            let message = fault.to_string();
            if !has_unreadable(file.findings) {
                lines.push(message.clone());
            }
            element(&mut self.cases, "error", &message, UNREADABLE.id, &lines)?;
        } else if let Some(first) = severe.first() {
            self.failures = self.failures.saturating_add(1);
            let message = match severe.len() {
                1 => lines.concat(),
                count => counted(count, "finding"),
            };
            element(&mut self.cases, "failure", &message, first.rule, &lines)?;
        }
        if !remarks.is_empty() && !self.global.quiet {
            let lines: Vec<String> = remarks.iter().map(|finding| xml_text(&line(finding, file))).collect();
            writeln!(self.cases, "      <system-out>{}</system-out>", lines.join("\n"))?;
        }
        writeln!(self.cases, "    </testcase>")
    }

    fn finish(&mut self, end: &ReportEnd) -> io::Result<()> {
        let Self { tests, failures, errors, .. } = self;
        let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"");
        writeln!(self.out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        writeln!(self.out, "<testsuites name=\"meshpeek validate\" {counts}>")?;
        writeln!(self.out, "  <testsuite name=\"meshpeek validate\" {counts}>")?;
        self.cases.print(self.out)?;
        writeln!(self.out, "  </testsuite>\n</testsuites>")?;
        end.note_baseline(self.global);
        Ok(())
    }
}

/// Writes an element with a message, the id of a rule, and one line for each finding.
fn element(out: &mut dyn Write, name: &str, message: &str, rule: &str, lines: &[String]) -> io::Result<()> {
    let lines: Vec<String> = lines.iter().map(|line| xml_text(line)).collect();
    let (message, lines) = (xml_text(message), lines.join("\n"));
    writeln!(out, "      <{name} message=\"{message}\" type=\"{rule}\">{lines}</{name}>")
}

/// Returns a finding as one line.
fn line(finding: &Finding, file: &CheckedFile<'_>) -> String {
    let other = file.findings.files.get(usize::from(finding.source)).filter(|other| other.as_path() != file.path);
    let other = other.and_then(|other| other.file_name()).map(Path::new);
    let other = other.map_or_else(String::new, |other| format!("{}: ", slashed(other)));
    format!("{other}{finding}")
}
