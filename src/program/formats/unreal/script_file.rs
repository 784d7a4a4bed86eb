//! Reads the scripts of Unreal meshes, and describes meshes that a script imports although their
//! files do not exist.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::formats::unreal::script::properties::pass_meshes;
use crate::formats::unreal::script::{MeshScript, Script, Selected};
use crate::model::Properties;
use crate::program::render::json_writer::JsonWriter;
use crate::{Error, Name};
use serde_json::{Value, json};

/// A script, together with the script commands about each mesh that the script imports.
pub struct ScriptFile<D> {
    pub script: Arc<Script<D>>,
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
    /// The path of the script, as given on the command line.
    pub path: PathBuf,
    /// The name of the mesh in the script.
    pub mesh: Vec<u8>,
    pub why: Error,
    pub script: Arc<ScriptFile<D>>,
}

impl<D: AsRef<[u8]>> MissingMesh<D> {
    /// Returns the description of the mesh as a JSON object.
    pub fn json(&self) -> Value {
        let (path, mesh) = (self.path.to_string_lossy(), Name::new(&self.mesh).to_string_lossy());
        json!({ "path": path, "mesh": mesh, "message": self.why.to_string() })
    }

    /// Writes an item of a list: the description of the mesh, with the commands of the script about
    /// it.
    pub fn write_json(&self, out: &mut JsonWriter<'_>) -> io::Result<()> {
        let file = &self.script;
        out.item_object(|out| {
            out.fields(&self.json())?;
            out.field_object("properties", |out| match file.mesh(&self.mesh) {
                Some(mesh) => out.field_object("script", |out| {
                    pass_meshes(&file.script, std::iter::once(mesh), &mut Properties::new(out))
                }),
                None => out.field("script", Value::Null),
            })
        })
    }
}
