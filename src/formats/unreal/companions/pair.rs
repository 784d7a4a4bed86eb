//! [`Pair`]: the paths of the files of one mesh, ready to be opened.

use std::path::{Path, PathBuf};

use super::pair_file::PairFile;
use crate::error::{Error, Result};
use crate::formats::unreal::file::Mesh;
use crate::formats::unreal::layout::{ANIV, DATA, SCRIPT};
use crate::formats::unreal::script::Script;

/// The paths of the files of one mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The data file, which holds the polygons.
    pub data: PathBuf,
    /// The aniv file, which holds the animation frames.
    pub aniv: PathBuf,
    /// The script with more data about the mesh, or `None` if no such script was found.
    pub script: Option<PathBuf>,
    /// The name of the mesh in the script, or `None` if the script is `None`.
    pub mesh: Option<Vec<u8>>,
    /// The role of the file whose path the caller gave, or `None` if the caller gave only a stem.
    pub named: Option<PairFile>,
}

impl Pair {
    /// Opens the data file and the aniv file as a mesh, and reads the script of the mesh.
    ///
    /// The function `open` receives the path of each file and returns the bytes of the file. The
    /// function [`read`](crate::io::read) reads a file into memory; a closure can map the file
    /// instead.
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
    /// Returns the errors of the function `open`, and an error if the files are not a valid mesh.
    /// An error about an invalid file contains the path of that file.
    pub fn open<D: AsRef<[u8]>>(&self, mut open: impl FnMut(&Path) -> Result<D>) -> Result<Mesh<D>> {
        let (data, aniv) = (open(&self.data)?, open(&self.aniv)?);
        let mesh = Mesh::open(data, aniv).map_err(|error| self.locate_error(error))?;
        let (Some(script), Some(name)) = (&self.script, &self.mesh) else { return Ok(mesh) };
        let script = Script::open(open(script)?).and_then(|script| mesh.with_script(script, name));
        script.map_err(|error| self.locate_error(error))
    }

    /// Returns the path of a file of the mesh: source 0 is the data file, source 1 is the aniv
    /// file, and source 2 is the script.
    #[must_use]
    pub fn source(&self, source: u8) -> Option<&Path> {
        match source {
            0 => Some(&self.data),
            1 => Some(&self.aniv),
            2 => self.script.as_deref(),
            _ => None,
        }
    }

    /// Adds the path of the file to an error about the data file, the aniv file or the script.
    /// Returns any other error unchanged.
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
