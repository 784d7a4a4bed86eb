//! What a command does not open: files of other programs in folders, and meshes without files.

use std::io;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::bytes::Data;
use super::passed_by::PassedBy;
use super::paths::InputPaths;
use crate::Error;
use crate::formats::mesh_files::MissingMesh;
use crate::program::args::Global;
use crate::program::output::{note, shown};

/// What is not opened.
#[derive(Default)]
pub struct NotOpened {
    /// The meshes that scripts import although the files of these meshes do not exist.
    pub missing: Vec<MissingMesh<Data>>,
    /// The files in folders that are no meshes.
    pub passed_by: PassedBy,
    /// The first of the folders, if they contain files but no mesh.
    pub(super) without_mesh: Option<PathBuf>,
    /// Whether hidden files and folders were searched, too.
    searched_hidden: bool,
}

impl NotOpened {
    /// Notes whether anything was opened.
    pub(super) fn set_opened(&mut self, is_any: bool, inputs: &InputPaths) {
        let folder = inputs.folders.first().filter(|_| !is_any && self.passed_by.all() > 0);
        self.without_mesh = folder.cloned();
        self.searched_hidden = inputs.searched_hidden;
    }

    /// Prints a note about the files in folders that are passed by, unless a note says that there
    /// is no mesh.
    pub fn note_passed_by(&self, global: &Global) {
        if self.without_mesh.is_none() && !global.json && self.passed_by.total() > 0 {
            note(&self.passed_by.line(global.verbose), global);
        }
    }

    /// Prints a note about folders that contain files but no mesh.
    pub(super) fn note_no_mesh(&self, global: &Global) {
        if let Some(folder) = self.without_mesh.as_ref().filter(|_| !global.json) {
            note(
                &format!("{}: no meshes; passed by {}{}", shown(folder), self.passed_by.all_text(), self.hint()),
                global,
            );
        }
    }

    /// Returns what to try if a folder has no mesh.
    const fn hint(&self) -> &'static str {
        if self.searched_hidden { "" } else { "; --hidden also searches hidden files and folders" }
    }

    /// Returns the error about folders that contain files but no mesh.
    pub fn no_mesh(&self) -> Option<Error> {
        let folder = self.without_mesh.as_ref()?;
        let text = format!("no mesh in this folder, but {}{}", self.passed_by.all_text(), self.hint());
        Some(Error::from(io::Error::new(io::ErrorKind::NotFound, text)).at_path(folder))
    }
}

/// Returns the description of a mesh without files as a JSON object.
pub fn missing_json(missing: &MissingMesh<Data>) -> Value {
    let (path, mesh) = (missing.path.to_string_lossy(), crate::Name::new(&missing.mesh).to_string_lossy());
    json!({ "path": path, "mesh": mesh, "message": missing.why.to_string() })
}

/// Prints notes about ignore files that are not used, and about meshes that scripts import although
/// their files do not exist.
pub(super) fn note_omissions(inputs: &InputPaths, omitted: &NotOpened, global: &Global) {
    inputs.note_unused(global);
    for MissingMesh { path, mesh, why, .. } in omitted.missing.iter().filter(|_| !global.json) {
        let mesh = crate::Name::new(mesh);
        note(&format!("{}: mesh {mesh} is left out: {}", shown(path), why.message()), global);
    }
}
