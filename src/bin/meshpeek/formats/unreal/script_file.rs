//! Scripts, and meshes that a script imports although their files do not exist.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use meshpeek::unreal::script::{self, MeshScript, Selected};
use meshpeek::{Error, Limits, Name};
use serde_json::{Value, json};

/// A script by itself.
pub type Script<D> = script::Script<D>;

/// Reads a script by itself.
pub fn open_script<D: AsRef<[u8]>>(data: D, limits: &Limits) -> meshpeek::Result<Script<D>> {
    Script::open_with(data, limits)
}

/// A script, and what it says of each mesh.
pub struct ScriptFile<D> {
    pub script: Arc<Script<D>>,
    pub selected: BTreeMap<Vec<u8>, Selected>,
}

impl<D: AsRef<[u8]>> ScriptFile<D> {
    /// Indexes a script by the names of its meshes.
    pub fn new(script: Script<D>) -> Self {
        let all = script.select_all().into_iter();
        let selected = all.map(|one| (one.name().as_bytes().to_ascii_lowercase(), one)).collect();
        Self { script: Arc::new(script), selected }
    }

    /// Returns what the script says of a mesh.
    pub fn mesh(&self, name: &[u8]) -> Option<MeshScript<'_>> {
        self.selected.get(&name.to_ascii_lowercase()).map(|selected| self.script.mesh(selected))
    }
}

/// A mesh that a script imports although its files do not exist.
pub struct MissingMesh<D> {
    /// The script as it was named.
    pub path: PathBuf,
    /// The mesh's name in the script.
    pub mesh: Vec<u8>,
    pub why: Error,
    pub script: Arc<ScriptFile<D>>,
}

impl<D: AsRef<[u8]>> MissingMesh<D> {
    /// Returns the mesh as a JSON object.
    pub fn json(&self) -> Value {
        let (path, mesh) = (self.path.to_string_lossy(), Name::new(&self.mesh).to_string_lossy());
        json!({ "path": path, "mesh": mesh, "message": self.why.to_string() })
    }
}
