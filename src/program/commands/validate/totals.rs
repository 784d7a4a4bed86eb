//! Counts the checked files and their findings.

use std::fmt;

use crate::{Finding, Severity};
use serde_json::{Value, json};

use super::check::FileFindings;
use crate::program::output::{counted, thousands};

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
pub fn counts(findings: &[Finding]) -> [u64; 3] {
    [Severity::Error, Severity::Warning, Severity::Info].map(|severity| {
        let found = findings.iter().filter(|finding| finding.severity == severity).count();
        u64::try_from(found).unwrap_or(u64::MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_use_the_singular_and_the_plural() {
        let totals = FindingTotals { files: 2, sound: 1, errors: 1, infos: 2, unreadable: 1, ..Default::default() };
        let text = "2 files: 1 sound, 0 with warnings or errors, 1 unreadable; 1 error, 0 warnings, 2 infos";
        assert_eq!(totals.to_string(), text);
        let totals = FindingTotals { passed_by: 1, ..totals };
        assert_eq!(totals.to_string(), format!("{text}; 1 other file passed by"));
    }
}
