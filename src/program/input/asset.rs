//! An open mesh file, with the paths and bytes of the files that it was read from.

use std::path::{Path, PathBuf};

use crate::formats::mesh_files::MeshFiles;
use crate::sidecar::Key;
use crate::{Error, Field, Finding, Model};

use super::bytes::{Data, MappedFile};
use crate::program::args::{Global, STDIN};
use crate::program::output::{ProgressMeter, is_pipe_closed, note, shown};

/// An open model, with the paths of its files and the index of the file that is named on the
/// command line.
#[derive(Debug)]
pub struct InputAsset {
    pub model: Model<Data>,
    /// The index of the file on the command line in the list of the files of the model.
    pub source: usize,
    /// The paths of the two files and the script of an Unreal mesh. `pair` is `None` for a mesh
    /// that is a single file.
    pub pair: Option<MeshFiles>,
    /// The [`Key`] of the file on the command line: metadata such as size and modification time,
    /// read before the file was opened, which identify the file content. `key` is `None` if the
    /// file on the command line is not a regular file.
    pub key: Option<Key>,
    /// The map of the sidecar, or `None` if the sidecar was copied into memory.
    pub mapped_sidecar: Option<MappedFile>,
    /// The progress of the command on this file, which is shown until the asset is dropped.
    pub(super) _progress: Option<ProgressMeter>,
}

impl InputAsset {
    /// Returns the bytes of the file with index `source` in the list of the files of the model, or
    /// an empty slice if the index is out of range.
    pub fn source_bytes(&self, source: usize) -> &[u8] {
        self.model.file().source(source).map_or(&[], AsRef::as_ref)
    }

    /// Returns the name that the script gives to the mesh, or `None` if the mesh has no script.
    pub fn mesh_name(&self) -> Option<String> {
        let name = self.pair.as_ref()?.mesh.as_deref()?;
        Some(crate::Name::new(name).to_string_lossy())
    }

    /// Returns the name of a mesh: that in its script, or the name of its file without the endings.
    pub fn stem(&self, path: &Path) -> String {
        if let Some(name) =
            self.mesh_name().filter(|name| !name.contains(['/', '\\', ':']) && name != "." && name != "..")
        {
            return name;
        }
        if path == Path::new(STDIN) {
            return "mesh".to_owned();
        }
        let named = self.pair.as_ref().and_then(|pair| pair.source(0)).unwrap_or(path);
        let stem = named.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let lower = stem.to_ascii_lowercase();
        let is_half = self.pair.is_some() && (lower.ends_with("_d") || lower.ends_with("_a"));
        let length = stem.len().saturating_sub(if is_half { 2 } else { 0 });
        stem.get(..length).filter(|stem| !stem.is_empty()).unwrap_or(&stem).to_owned()
    }

    /// Returns the path of the script of an Unreal mesh if the command line names the script, and
    /// not a file of the mesh.
    pub fn named_script(&self) -> Option<&Path> {
        let pair = self.pair.as_ref()?;
        pair.script.as_deref().filter(|_| self.source == 2)
    }

    /// Returns the total size of the files of the mesh in bytes, without the script.
    pub fn size(&self) -> u64 {
        let sizes = (0..2).filter_map(|source| self.model.file().source(source)).map(|data| data.as_ref().len());
        sizes.map(|size| u64::try_from(size).unwrap_or(u64::MAX)).fold(0, u64::saturating_add)
    }

    /// Returns the paths of the two files and the script of an Unreal mesh, or an empty list if the
    /// mesh is a single file.
    pub fn files(&self) -> Vec<PathBuf> {
        let Some(pair) = &self.pair else { return Vec::new() };
        (0..3).filter_map(|source| pair.source(source)).map(Path::to_owned).collect()
    }

    /// Returns an error if a mapped file of the mesh or its mapped sidecar changed after it was
    /// opened. A command calls `check` before it prints values of the files. If it reads values
    /// while it prints, it calls `check` again afterwards.
    pub fn check(&self) -> crate::Result<()> {
        let file = self.model.file();
        for (source, number) in (0..file.source_count()).zip(0..) {
            let Some(data) = file.source(source) else { break };
            let path = self.pair.as_ref().and_then(|pair| pair.source(number));
            data.check().map_err(|error| path.map_or(error.clone(), |path| error.at_path(path)))?;
        }
        self.mapped_sidecar.as_ref().map_or(Ok(()), MappedFile::check)
    }

    /// Releases the memory of all pages of mapped files.
    pub fn release(&self) {
        let file = self.model.file();
        (0..file.source_count()).filter_map(|source| file.source(source)).for_each(Data::release);
    }

    /// Passes the findings about the mesh to `report`.
    ///
    /// If `values` is true, every value in the file is checked. If `values` is false, only the
    /// structure of the file is checked. If `script` is true, the findings about the script of an
    /// Unreal mesh are included. Several Unreal meshes may share one script, whose findings should
    /// be reported once.
    pub fn findings(&self, values: bool, script: bool, report: &mut dyn FnMut(Finding)) -> crate::Result<()> {
        let mut report = |finding: Finding| {
            if script || finding.source < 2 {
                report(finding);
            }
        };
        let file = self.model.file();
        if values { file.validate(&mut report) } else { file.validate_structure(&mut report) }
    }

    /// Returns `error` with the path of the file that caused the error, or with the path `named` if
    /// the error does not refer to a specific file. If a file of the mesh has changed, the error
    /// about this change is returned, because `error` may be a consequence of it.
    pub fn locate_error(&self, error: Error, named: &Path) -> Error {
        let error = self.check().err().unwrap_or(error);
        match &self.pair {
            Some(pair) => pair.locate_error(error).at_path(named),
            None => error.at_path(named),
        }
    }

    /// Adds a path to an error in the same way as [`locate_error`](Self::locate_error), if the
    /// error is an [`Error`] of the library. If a file of the mesh has changed, the error about
    /// this change replaces any error except that the reader of the output has closed the pipe.
    pub fn locate_any_error(&self, error: anyhow::Error, named: &Path) -> anyhow::Error {
        locate(error, |error| self.locate_error(error, named), || self.check().err())
    }

    /// Prints a note if the file contains several assets and the command line does not choose an
    /// asset.
    pub fn note_other_assets(&self, chosen: Option<usize>, path: &Path, global: &Global) {
        let count = self.model.contents().asset_count().unwrap_or_default();
        if count > 1 && chosen.is_none() {
            note(&format!("{}: reading asset 0 of {count}; --asset chooses another", shown(path)), global);
        }
    }
}

/// Returns `error` with a path if it is an [`Error`] of the library.
///
/// If a file has changed, any error may be a consequence of it, such as a difference between the
/// file and its copy, or a failed write of bytes that no longer exist. The error that `changed`
/// returns then replaces `error`, unless the reader of the output has closed the pipe.
pub fn locate(
    error: anyhow::Error,
    located: impl FnOnce(Error) -> Error,
    changed: impl FnOnce() -> Option<Error>,
) -> anyhow::Error {
    if is_pipe_closed(&error) {
        return error;
    }
    if let Some(changed) = changed() {
        return changed.into();
    }
    match error.downcast::<Error>() {
        Ok(error) => located(error).into(),
        Err(other) => other,
    }
}

/// Adds the path of the output file to an error that was caused by writing this file, and not by
/// the content of the input file.
pub fn at_output(error: anyhow::Error, output: &Path) -> anyhow::Error {
    match error.downcast::<Error>() {
        Ok(error) if error.field() == Field::new("output") => error.at_path(output).into(),
        Ok(error) => error.into(),
        Err(other) => other,
    }
}
