//! Validates one file.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::{Finding, Region};

use super::own_rules::{DeniedCondition, unreadable};
use crate::program::args::Global;
use crate::program::formats::names::has_extension;
use crate::program::input::asset::InputAsset;
use crate::program::input::open::open_script;

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

/// Validates the files of one command, one after another.
pub struct FileCheck<'g> {
    pub global: &'g Global,
    /// The conditions that no mesh may meet.
    pub denied: &'g [DeniedCondition],
    /// Whether the length of each finding is computed.
    pub has_lengths: bool,
    /// The scripts that were validated. If several meshes share a script, it is validated only
    /// together with the first of them.
    pub scripts: BTreeSet<PathBuf>,
}

impl FileCheck<'_> {
    /// Validates a mesh, and collects the findings that `keeps` accepts.
    pub fn run(
        &mut self,
        path: &Path,
        asset: crate::Result<InputAsset>,
        mut keeps: impl FnMut(&Finding) -> bool,
    ) -> FileFindings {
        let mut found = Vec::new();
        let mut sink = |finding| found.extend(Some(finding).filter(&mut keeps));
        let asset = match asset {
            Ok(asset) => asset,
            Err(error) => {
                let fault = self.run_unopened(path, error, &mut sink);
                let other = fault.as_ref().and_then(|fault| Some((fault.path()?, fault.source_index())));
                let other = other.filter(|(other, _)| *other != path);
                let files =
                    other.map_or_else(Vec::new, |(other, source)| vec![other.to_owned(); source.saturating_add(1)]);
                fault.as_ref().and_then(unreadable).into_iter().for_each(&mut sink);
                return FileFindings { found, fault, files, ..FileFindings::default() };
            }
        };
        let script = asset.pair.as_ref().and_then(|pair| pair.script.clone());
        let fresh = script.is_none_or(|script| self.scripts.insert(script));
        let mut denied = self.denied.iter();
        let mut done = asset.findings(true, fresh, &mut sink);
        if done.is_ok() {
            done = denied.try_for_each(|denied| denied.check(path, &asset, &mut sink));
        }
        let done = done.and_then(|()| asset.check());
        let fault = done.err().map(|error| asset.locate_error(error, path));
        fault.as_ref().and_then(unreadable).into_iter().for_each(&mut sink);
        let lengths = if self.has_lengths { lengths(&asset, &found) } else { Vec::new() };
        FileFindings { found, lengths, fault, files: asset.files(), is_excused: false }
    }

    /// Reports the findings about a file that could not be opened as a mesh, and returns the error.
    /// If the file is an Unreal script that imports no mesh, the script is validated, and no error
    /// is returned. A script is validated once, even if several of its meshes cannot be opened.
    fn run_unopened(
        &mut self,
        path: &Path,
        error: crate::Error,
        sink: &mut dyn FnMut(Finding),
    ) -> Option<crate::Error> {
        crate::finding(&error).into_iter().for_each(&mut *sink);
        let is_script = has_extension(path, "uc");
        let script = is_script.then(|| open_script(path, self.global).ok()).flatten();
        let Some(script) = script else { return Some(error) };
        if self.scripts.insert(path.to_owned()) {
            script.validate(sink);
        }
        let fault = script.imports().next().is_some().then_some(error);
        script.data().check().err().or(fault)
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
