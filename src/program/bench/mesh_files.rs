//! The paths of the files of a mesh that the benchmark measures.

use std::path::{Path, PathBuf};

use crate::formats::mesh_files::{FilesOpener, MeshFiles as Pair};
use crate::{Model, OpenOptions, Result};

use crate::program::args::Global;

/// The paths of the one or two files of a mesh.
#[derive(Clone, Debug)]
pub struct MeshFiles {
    pub data: PathBuf,
    /// The path of the second file of an Unreal mesh, or `None` for any other mesh.
    pub aniv: Option<PathBuf>,
}

impl MeshFiles {
    /// Returns the paths of the one or two files of the mesh.
    pub fn all(&self) -> impl Iterator<Item = &Path> {
        [Some(&*self.data), self.aniv.as_deref()].into_iter().flatten()
    }

    /// Opens the mesh. The closure `load` reads or maps each file of the mesh.
    pub fn open<D: AsRef<[u8]> + Send + Sync>(
        &self,
        global: &Global,
        load: impl Fn(&Path) -> Result<D>,
    ) -> Result<Model<D>> {
        let Some(aniv) = self.aniv.clone() else {
            return load(&self.data).and_then(Model::open).map_err(|error| error.at_path(&self.data));
        };
        let options = OpenOptions { strict: global.strict, ..OpenOptions::default() };
        let pair = Pair { data: self.data.clone(), aniv, script: None, mesh: None, named: None };
        FilesOpener::new(&options, None, global.unreal.uv_divisor == "256").open(&pair, load).map(Model::from)
    }
}
