//! The paths of the files of a mesh that the benchmark measures.

use std::path::{Path, PathBuf};

use crate::{Model, Result};

use crate::program::args::Global;
use crate::program::formats::unreal::pairs::open_mesh;

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
        let load = |path: &Path| load(path).map_err(|error| error.at_path(path));
        let data = load(&self.data)?;
        match &self.aniv {
            Some(aniv) => open_mesh(data, load(aniv)?, global, false).map(Model::from),
            None => Model::open(data).map_err(|error| error.at_path(&self.data)),
        }
    }
}
