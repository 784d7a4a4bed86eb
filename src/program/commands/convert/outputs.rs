//! The paths of the output files.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::args::ConvertArgs;
use super::job::ConvertJob;
use crate::export::ExportFormat;
use crate::program::args::STDIN;
use crate::program::formats::is_mesh_file;
use crate::program::input::InputAsset;
use crate::program::outcome::usage;
use crate::program::output::shown;

/// Chooses the path of the output of each mesh.
pub struct OutputNames {
    /// The path on the command line.
    output: PathBuf,
    is_folder: bool,
    format: ExportFormat,
    /// The folders on the command line, whose structure the output repeats.
    folders: Vec<PathBuf>,
    /// The files and folders on the command line, without links.
    inputs: Vec<PathBuf>,
    chosen: ChosenPaths,
}

/// The paths of all output files, in lower case. Clones share the list.
#[derive(Clone, Default)]
pub struct ChosenPaths(Arc<Mutex<BTreeSet<String>>>);

impl ChosenPaths {
    /// Adds a path. Returns `false` if another output file has it.
    pub fn take(&self, path: &Path) -> bool {
        let mut paths = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        paths.insert(path.to_string_lossy().to_lowercase())
    }
}

impl OutputNames {
    pub fn new(args: &ConvertArgs, format: ExportFormat) -> Self {
        let folders = args.files.files.iter().filter(|path| path.is_dir()).cloned().collect();
        let is_folder = args.writes_to_folder();
        let inputs = args.files.files.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
        Self { output: args.output.clone(), is_folder, format, folders, inputs, chosen: ChosenPaths::default() }
    }

    /// Makes the output a folder, because a script has several meshes. Returns `false` if it is one
    /// already, or if its path is not that of a new folder.
    pub fn become_folder(&mut self) -> bool {
        let output = &self.output;
        let is_new = !self.is_folder && output != Path::new(STDIN) && output.extension().is_none() && !output.exists();
        self.is_folder |= is_new;
        is_new
    }

    /// Returns the conversion of a mesh. `number` counts the meshes from 1.
    pub fn job(&self, path: &Path, asset: InputAsset, number: usize) -> anyhow::Result<ConvertJob> {
        let output = self.output(path, &asset, number)?;
        if self.is_folder && self.is_other_input(&output, path) {
            usage!(
                "{}: the output {} is another mesh of the input; choose another folder",
                shown(path),
                shown(&output)
            );
        }
        let chosen = if self.is_folder { self.chosen.clone() } else { ChosenPaths::default() };
        Ok(ConvertJob { path: path.to_owned(), asset, output, is_in_folder: self.is_folder, chosen })
    }

    /// Returns the path of the output of a mesh.
    ///
    /// If two meshes of a folder differ in their extension only, the second keeps its extension.
    fn output(&self, path: &Path, asset: &InputAsset, number: usize) -> anyhow::Result<PathBuf> {
        if !self.is_folder {
            if number > 1 {
                usage!(
                    "{}: a second mesh for one output; give a folder as OUT, or choose one with --mesh",
                    shown(path)
                );
            }
            return Ok(self.output.clone());
        }
        let folder = self.output.join(self.inner_folder(path));
        let stem = asset.stem(path);
        let extension = self.format.extension();
        let mut output = folder.join(format!("{stem}.{extension}"));
        if !self.chosen.take(&output) {
            let own = path.file_name().unwrap_or_default().to_string_lossy();
            output = folder.join(format!("{own}.{extension}"));
            if path == Path::new(STDIN) || !self.chosen.take(&output) {
                usage!("{}: another mesh has the same output, {}", shown(path), shown(&output));
            }
        }
        Ok(output)
    }

    /// Returns whether an output would replace a mesh that may be an input, other than `path`.
    fn is_other_input(&self, output: &Path, path: &Path) -> bool {
        let Ok(existing) = fs::canonicalize(output) else { return false };
        is_mesh_file(&existing)
            && fs::canonicalize(path).ok().as_ref() != Some(&existing)
            && self.inputs.iter().any(|input| existing.starts_with(input))
    }

    /// Returns the folder of a mesh, relative to the folder on the command line that contains it.
    fn inner_folder(&self, path: &Path) -> PathBuf {
        let parent = path.parent().unwrap_or(Path::new(""));
        let inner = self.folders.iter().find_map(|folder| parent.strip_prefix(folder).ok());
        inner.unwrap_or(Path::new("")).to_owned()
    }
}
