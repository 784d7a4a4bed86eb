//! The files of a mesh that the benchmark measures, and the generator of such meshes.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::formats::SampleKind;
use crate::formats::mesh_files::{FilesOpener, MeshFiles as Pair};
use crate::program::args::Global;
use crate::program::output::text::shown;
use crate::{Model, OpenOptions, Result};

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
        FilesOpener::new(&options, None, global.uv_divisor == "256").open(&pair, load).map(Model::from)
    }
}

/// Writes a generated mesh of about `size` bytes to one or two files in `folder`.
pub fn generate(kind: &SampleKind, size: u64, folder: &Path) -> anyhow::Result<MeshFiles> {
    let mut paths = Vec::new();
    let written = (kind.write)(size, &mut |extension| {
        paths.push(folder.join(format!("{}.{extension}", kind.id)));
        let path = paths.last().map_or(folder, |path| path);
        Ok(Box::new(BufWriter::new(File::create(path)?)))
    });
    let context = || format!("{}: cannot be written", shown(paths.last().map_or(folder, |path| path)));
    written.with_context(context)?;
    let mut paths = paths.into_iter();
    Ok(MeshFiles { data: paths.next().unwrap_or_default(), aniv: paths.next() })
}
