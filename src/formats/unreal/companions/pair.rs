//! The files of one mesh, found and ready to be opened.

use std::path::{Path, PathBuf};

use super::pair_file::PairFile;
use crate::error::{Error, Result};
use crate::formats::unreal::file::Mesh;
use crate::formats::unreal::layout::{ANIV, DATA, SCRIPT};
use crate::formats::unreal::script::Script;

/// The files of one mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The file of the polygons.
    pub data: PathBuf,
    /// The file of the frames.
    pub aniv: PathBuf,
    /// The script that says more about the mesh.
    pub script: Option<PathBuf>,
    /// The mesh's name in the script.
    pub mesh: Option<Vec<u8>>,
    /// Which file was named; `None` where only a stem was.
    pub named: Option<PairFile>,
}

impl Pair {
    /// Opens the pair and reads its script: with [`read`](crate::io::read) into memory, or with a closure that maps.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// let pair = meshpeek::unreal::find("data/unreal/guard")?;
    /// let guard = pair.open(|path| meshpeek::read(path))?;
    /// assert_eq!(guard.script().and_then(|script| script.sequence(1)).map(|walk| walk.frames), Some(6));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// What `open` says, and what keeps the files from being a mesh, with the path of the file that it is about.
    pub fn open<D: AsRef<[u8]>>(&self, mut open: impl FnMut(&Path) -> Result<D>) -> Result<Mesh<D>> {
        let (data, aniv) = (open(&self.data)?, open(&self.aniv)?);
        let mesh = Mesh::open(data, aniv).map_err(|error| self.locate_error(error))?;
        let (Some(script), Some(name)) = (&self.script, &self.mesh) else { return Ok(mesh) };
        let script = Script::open(open(script)?).and_then(|script| mesh.with_script(script, name));
        script.map_err(|error| self.locate_error(error))
    }

    /// Returns the file of a source of the mesh: 0 is the data file, 1 the aniv file, 2 the script.
    #[must_use]
    pub fn source(&self, source: u8) -> Option<&Path> {
        match source {
            0 => Some(&self.data),
            1 => Some(&self.aniv),
            2 => self.script.as_deref(),
            _ => None,
        }
    }

    /// Says which file of the pair an error is about.
    #[must_use]
    pub fn locate_error(&self, error: Error) -> Error {
        let source = match error.format() {
            DATA => 0,
            ANIV => 1,
            SCRIPT => 2,
            _ => return error,
        };
        match self.source(source) {
            Some(path) => error.at_path(path),
            None => error,
        }
    }
}
