//! Scripts with the commands about each of their meshes, and meshes that a script imports although
//! their files do not exist.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::error::Error;
use crate::formats::unreal::script::properties::pass_meshes;
use crate::formats::unreal::script::{MeshScript, Script, Selected};
use crate::model::Properties;
use crate::parse::Value;

/// A script, together with the script commands about each mesh that the script imports.
pub struct ScriptFile<D> {
    /// The script.
    pub script: Arc<Script<D>>,
    /// The commands about each mesh, by the name of the mesh in lower case.
    pub selected: BTreeMap<Vec<u8>, Selected>,
}

impl<D: AsRef<[u8]>> ScriptFile<D> {
    /// Groups the commands of a script by the name of the mesh.
    pub fn new(script: Script<D>) -> Self {
        let all = script.select_all().into_iter();
        let selected = all.map(|one| (one.name().as_bytes().to_ascii_lowercase(), one)).collect();
        Self { script: Arc::new(script), selected }
    }

    /// Returns the commands of the script about a mesh, or `None` if the script does not contain a
    /// mesh with this name.
    pub fn mesh(&self, name: &[u8]) -> Option<MeshScript<'_>> {
        self.selected.get(&name.to_ascii_lowercase()).map(|selected| self.script.mesh(selected))
    }
}

/// A mesh that a script imports although the files of the mesh do not exist.
pub struct MissingMesh<D> {
    /// The path of the script, as given by the caller.
    pub path: PathBuf,
    /// The name of the mesh in the script.
    pub mesh: Vec<u8>,
    /// The reason why it is not opened.
    pub why: Error,
    /// The script.
    pub script: Arc<ScriptFile<D>>,
}

impl<D: AsRef<[u8]>> MissingMesh<D> {
    /// Passes the property `script` with the commands of the script about the mesh.
    pub fn properties(&self, out: &mut Properties<'_>) -> io::Result<()> {
        let file = &self.script;
        match file.mesh(&self.mesh) {
            Some(mesh) => out.record("script", |out| pass_meshes(&file.script, std::iter::once(mesh), out)),
            None => out.field("script", Value::Missing),
        }
    }
}
