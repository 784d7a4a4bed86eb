//! The paths of the output files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::args::ConvertArgs;
use super::facts::stem;
use super::job::ConvertJob;
use crate::export::ExportFormat;
use crate::program::args::STDIN;
use crate::program::input::asset::InputAsset;
use crate::program::outcome::UsageError;
use crate::program::render::text::shown;

/// Chooses the path of the output of each mesh.
pub struct OutputNames {
    /// The path on the command line.
    output: PathBuf,
    is_folder: bool,
    format: ExportFormat,
    /// The folders on the command line, whose structure the output repeats.
    folders: Vec<PathBuf>,
    /// The paths that were chosen, in lower case.
    chosen: BTreeSet<String>,
}

impl OutputNames {
    pub fn new(args: &ConvertArgs, format: ExportFormat) -> Self {
        let folders = args.files.files.iter().filter(|path| path.is_dir()).cloned().collect();
        let is_folder = args.writes_to_folder();
        Self { output: args.output.clone(), is_folder, format, folders, chosen: BTreeSet::new() }
    }

    /// Returns the conversion of a mesh. `number` counts the meshes from 1.
    pub fn job(&mut self, path: &Path, asset: InputAsset, number: usize) -> anyhow::Result<ConvertJob> {
        let output = self.output(path, &asset, number)?;
        Ok(ConvertJob { path: path.to_owned(), asset, output, is_in_folder: self.is_folder })
    }

    /// Returns the path of the output of a mesh.
    ///
    /// If two meshes of a folder differ in their extension only, the second keeps its extension.
    fn output(&mut self, path: &Path, asset: &InputAsset, number: usize) -> anyhow::Result<PathBuf> {
        if !self.is_folder {
            if number > 1 {
                let text = format!(
                    "{}: a second mesh for one output; give a folder as OUT, or choose one with --mesh",
                    shown(path)
                );
                return Err(UsageError(text).into());
            }
            return Ok(self.output.clone());
        }
        let folder = self.output.join(self.inner_folder(path));
        let stem = stem(path, asset);
        let extension = self.format.extension();
        let mut output = folder.join(format!("{stem}.{extension}"));
        if !self.choose(&output) {
            let own = path.file_name().unwrap_or_default().to_string_lossy();
            output = folder.join(format!("{own}.{extension}"));
            if path == Path::new(STDIN) || !self.choose(&output) {
                let text = format!("{}: another mesh has the same output, {}", shown(path), shown(&output));
                return Err(UsageError(text).into());
            }
        }
        Ok(output)
    }

    fn choose(&mut self, output: &Path) -> bool {
        self.chosen.insert(output.to_string_lossy().to_lowercase())
    }

    /// Returns the folder of a mesh, relative to the folder on the command line that contains it.
    fn inner_folder(&self, path: &Path) -> PathBuf {
        let parent = path.parent().unwrap_or(Path::new(""));
        let inner = self.folders.iter().find_map(|folder| parent.strip_prefix(folder).ok());
        inner.unwrap_or(Path::new("")).to_owned()
    }
}
