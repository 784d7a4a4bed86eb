//! Validates one file.

// Rule: this file sorts and maps by copies only.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};

use crate::{Finding, Region};

use super::own_rules::{DeniedCondition, unreadable};
use crate::program::args::Global;
use crate::program::formats::has_extension;
use crate::program::input::{InputAsset, open_script};

/// The findings about one mesh, or about one file that is not a mesh.
#[derive(Default)]
pub struct FileFindings {
    pub found: Vec<Finding>,
    /// For each finding, the number of bytes from its offset to the end of its field. The list is
    /// empty unless lengths were requested.
    pub lengths: Vec<Option<u64>>,
    /// The error that stopped the validation before the end of the file. `None` means that the
    /// whole file was checked.
    pub fault: Option<crate::Error>,
    /// Whether the error is no failure, because the baseline or the command line allows it.
    pub is_excused: bool,
    /// The paths of the files that the findings refer to, if the mesh consists of several files.
    pub files: Vec<PathBuf>,
}

/// Validates the files of one command.
pub struct FileCheck<'g> {
    pub global: &'g Global,
    /// The conditions that no mesh may meet.
    pub denied: &'g [DeniedCondition],
    /// Whether the length of each finding is computed.
    pub has_lengths: bool,
    /// The scripts on the command line that a thread has validated. One thread checks all meshes of
    /// such a script, and only the first of them holds the findings about it.
    pub scripts: Mutex<HashSet<(ThreadId, PathBuf)>>,
}

/// A file that was checked, with all findings about it.
pub struct CheckedMesh {
    pub path: PathBuf,
    /// The name that a script gives to the mesh.
    pub mesh: Option<String>,
    /// The script of the mesh. Several meshes may share it.
    pub script: Option<PathBuf>,
    pub findings: FileFindings,
    /// The findings about the script, by their index.
    pub of_script: Range<usize>,
}

impl FileCheck<'_> {
    /// Validates a mesh.
    pub fn run(&self, path: &Path, asset: crate::Result<InputAsset>) -> CheckedMesh {
        let mesh = asset.as_ref().ok().and_then(InputAsset::mesh_name);
        let mut checked = CheckedMesh {
            path: path.to_owned(),
            mesh,
            script: None,
            findings: FileFindings::default(),
            of_script: 0..0,
        };
        match asset {
            Ok(asset) => self.run_opened(&asset, &mut checked),
            Err(error) => self.run_unopened(error, &mut checked),
        }
        let findings = &mut checked.findings;
        findings.found.extend(findings.fault.as_ref().and_then(unreadable));
        if self.has_lengths {
            findings.lengths.resize(findings.found.len(), None);
        }
        checked
    }

    /// Returns whether this thread did not validate the script before.
    fn is_new(&self, script: &Path) -> bool {
        let mut scripts = self.scripts.lock().unwrap_or_else(PoisonError::into_inner);
        scripts.insert((thread::current().id(), script.to_owned()))
    }

    fn run_opened(&self, asset: &InputAsset, checked: &mut CheckedMesh) {
        let mut of_script = Vec::new();
        let found = &mut checked.findings.found;
        let with_script = asset.named_script().is_none_or(|script| self.is_new(script));
        let mut done = asset.findings(true, with_script, &mut |finding| {
            if finding.source < 2 { found.push(finding) } else { of_script.push(finding) }
        });
        if done.is_ok() {
            let mut denied = self.denied.iter();
            done = denied.try_for_each(|denied| denied.check(&checked.path, asset, &mut |finding| found.push(finding)));
        }
        checked.of_script = found.len()..found.len().saturating_add(of_script.len());
        found.append(&mut of_script);
        let done = done.and_then(|()| asset.check());
        checked.findings.fault = done.err().map(|error| asset.locate_error(error, &checked.path));
        checked.findings.lengths = if self.has_lengths { lengths(asset, found) } else { Vec::new() };
        checked.findings.files = asset.files();
        checked.script = asset.pair.as_ref().and_then(|pair| pair.script.clone());
    }

    /// Collects the findings about a file that could not be opened as a mesh, and the error. If the
    /// file is an Unreal script that imports no mesh, the script is validated, and there is no
    /// error.
    fn run_unopened(&self, error: crate::Error, checked: &mut CheckedMesh) {
        let CheckedMesh { path, findings, .. } = checked;
        findings.found.extend(crate::finding(&error));
        let is_script = has_extension(path, "uc");
        let script = is_script.then(|| open_script(path, self.global).ok()).flatten();
        findings.fault = match script {
            None => Some(error),
            Some(script) => {
                let first = findings.found.len();
                if self.is_new(path) {
                    script.validate(&mut |finding| findings.found.push(finding));
                }
                (checked.script, checked.of_script) = (Some(path.clone()), first..findings.found.len());
                let fault = script.imports().next().is_some().then_some(error);
                script.data().check().err().or(fault)
            }
        };
        let other = findings.fault.as_ref().and_then(|fault| Some((fault.path()?, fault.source_index())));
        let other = other.filter(|(other, _)| *other != path);
        findings.files =
            other.map_or_else(Vec::new, |(other, source)| vec![other.to_owned(); source.saturating_add(1)]);
    }
}

/// Returns, for each finding about a named byte range of a file, the number of bytes from the
/// offset of the finding to the end of the range.
fn lengths(asset: &InputAsset, found: &[Finding]) -> Vec<Option<u64>> {
    let mut lengths = vec![None; found.len()];
    // Regions and sorted findings are in the order of the file, so one pass over both is enough.
    let mut order: Vec<(u8, u64, usize)> =
        found.iter().enumerate().map(|(number, finding)| (finding.source, finding.offset, number)).collect();
    order.sort_unstable();
    for source in 0..3 {
        let mut left = order.iter().filter(|(of, ..)| *of == source).peekable();
        if left.peek().is_none() {
            continue;
        }
        let mut visit = |Region { field, start, end, .. }: Region| {
            while let Some((_, offset, number)) = left.next_if(|(_, offset, _)| *offset < end) {
                let is_same = *offset >= start && found.get(*number).is_some_and(|finding| finding.field == field);
                if let Some(length) = lengths.get_mut(*number).filter(|_| is_same) {
                    *length = Some(end.saturating_sub(*offset));
                }
            }
        };
        // A damaged file has no names for the ranges after the damage, whose lengths stay unknown.
        let _ = asset.model.file().regions(usize::from(source), &mut visit);
    }
    lengths
}
