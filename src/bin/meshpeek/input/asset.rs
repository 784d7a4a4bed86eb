//! An open model and the files that it was read from.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use meshpeek::sidecar::{Key, Sidecar};
use meshpeek::unreal::companions::Pair;
use meshpeek::{Error, Finding, Model};

use super::bytes::Data;
use crate::args::Global;
use crate::formats::facts::FormatFacts;
use crate::formats::facts_of;
use crate::render::note::note;
use crate::render::text::shown;

/// An open model, the files that it was read from, and which of them the user named.
#[derive(Debug)]
pub struct InputAsset {
    pub model: Model<Data>,
    /// The number of the named file among the model's sources.
    pub source: usize,
    /// The files of a mesh that has several.
    pub pair: Option<Pair>,
    /// The identity of the named file before it was opened, if it is a regular one.
    pub key: Option<Key>,
    /// The sidecar that the model was opened with.
    pub sidecar: Option<Arc<Sidecar>>,
}

impl InputAsset {
    /// Returns the facts that only the format has.
    pub fn facts(&self) -> &dyn FormatFacts {
        facts_of(&self.model)
    }

    /// Returns the bytes of the named file.
    pub fn bytes(&self) -> &[u8] {
        self.source_bytes(self.source)
    }

    /// Returns the bytes of a source, by its number.
    pub fn source_bytes(&self, source: usize) -> &[u8] {
        self.model.file().source(source).map_or(&[], AsRef::as_ref)
    }

    /// Returns the name that a script gives the mesh.
    pub fn mesh_name(&self) -> Option<String> {
        let name = self.pair.as_ref()?.mesh.as_deref()?;
        Some(meshpeek::Name::new(name).to_string_lossy())
    }

    /// Returns the size of all files of the mesh, without a script.
    pub fn size(&self) -> u64 {
        let sizes = (0..2).filter_map(|source| self.model.file().source(source)).map(|data| data.as_ref().len());
        sizes.map(|size| u64::try_from(size).unwrap_or(u64::MAX)).fold(0, u64::saturating_add)
    }

    /// Returns the files of the sources, of a mesh that has several.
    pub fn files(&self) -> Vec<PathBuf> {
        let Some(pair) = &self.pair else { return Vec::new() };
        (0..3).filter_map(|source| pair.source(source)).map(Path::to_owned).collect()
    }

    /// Checks that the files are still those that were opened, so that what was read from them may be printed.
    pub fn check(&self) -> meshpeek::Result<()> {
        let file = self.model.file();
        for (source, number) in (0..file.source_count()).zip(0..) {
            let Some(data) = file.source(source) else { break };
            let path = self.pair.as_ref().and_then(|pair| pair.source(number));
            data.check().map_err(|error| path.map_or(error.clone(), |path| error.at_path(path)))?;
        }
        Ok(())
    }

    /// Reports the findings of the structure, or with `values` also those of every value; with `script` also those of
    /// the script, which several meshes may share.
    pub fn findings(&self, values: bool, script: bool, report: &mut dyn FnMut(Finding)) -> meshpeek::Result<()> {
        if !script && let Some(done) = self.facts().mesh_findings(values, report) {
            return done;
        }
        if values { self.model.file().validate(report) } else { self.model.file().validate_structure(report) }
    }

    /// Adds to an error the file that it is about: of several, the one whose bytes it names; otherwise the named one.
    pub fn locate_error(&self, error: Error, named: &Path) -> Error {
        match &self.pair {
            Some(pair) => pair.locate_error(error).at_path(named),
            None => error.at_path(named),
        }
    }

    /// Does the same if the error is one of the library's.
    pub fn locate_any_error(&self, error: anyhow::Error, named: &Path) -> anyhow::Error {
        match error.downcast::<Error>() {
            Ok(error) => self.locate_error(error, named).into(),
            Err(other) => other,
        }
    }

    /// Prints a note that there are several assets, if none was chosen.
    pub fn note_other_assets(&self, chosen: Option<usize>, path: &Path, global: &Global) {
        let count = self.facts().asset_count();
        if count > 1 && chosen.is_none() {
            note(&format!("{}: asset 0 of {count}; --asset chooses", shown(path)), global);
        }
    }
}
