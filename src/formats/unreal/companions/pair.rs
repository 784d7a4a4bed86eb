//! [`Pair`]: the paths of the files of one mesh, and a method that opens these files as a mesh.

use std::path::{Path, PathBuf};

use super::pair_file::PairFile;
use crate::error::{Error, Result};
use crate::formats::unreal::file::Mesh;
use crate::formats::unreal::layout::{ANIV, DATA, SCRIPT};
use crate::formats::unreal::script::Script;
use crate::parse::OpenOptions;

/// The paths of the files of one mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The path of the data file, which holds the polygons.
    pub data: PathBuf,
    /// The path of the aniv file, which holds the animation frames.
    pub aniv: PathBuf,
    /// The path of the script that imports the mesh, or `None` if no script was found for the mesh.
    pub script: Option<PathBuf>,
    /// The name of the mesh in the script, or `None` if no script was found for the mesh.
    pub mesh: Option<Vec<u8>>,
    /// The role of the file at the path that the caller passed to
    /// [`Finder::find`](super::Finder::find), or `None` if the caller passed a path without an
    /// ending such as `_d.3d` (a stem).
    pub named: Option<PairFile>,
}

impl Pair {
    /// Opens the data file and the aniv file as a mesh, and reads the script of the mesh.
    ///
    /// The function `open` receives the path of each file and returns the bytes of the file. The
    /// function [`read`](crate::io::read) reads a file into memory; a closure can memory-map the
    /// file instead.
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
    /// Returns the errors of the function `open`, of [`Mesh::open`], of [`Script::open`] and of
    /// [`Mesh::with_script`]. An error about a file contains the path of that file.
    #[cfg(feature = "internals")]
    pub fn open<D: AsRef<[u8]>>(&self, open: impl FnMut(&Path) -> Result<D>) -> Result<Mesh<D>> {
        self.open_with(&OpenOptions::default(), open)
    }

    /// Opens the files of the mesh, like [`open`](Self::open), with the given options.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`open`](Self::open).
    pub fn open_with<D: AsRef<[u8]>>(
        &self,
        options: &OpenOptions,
        mut open: impl FnMut(&Path) -> Result<D>,
    ) -> Result<Mesh<D>> {
        let mut open = |path: &Path| open(path).map_err(|error| error.at_path(path));
        let (data, aniv) = (open(&self.data)?, open(&self.aniv)?);
        let mesh = Mesh::open_with(data, aniv, options).map_err(|error| self.locate_error(error))?;
        let (Some(script), Some(name)) = (&self.script, &self.mesh) else { return Ok(mesh) };
        let script = Script::open_with(open(script)?, &options.limits);
        script.and_then(|script| mesh.with_script(script, name)).map_err(|error| self.locate_error(error))
    }

    /// Returns the path of a file of the mesh by its index: 0 is the data file, 1 is the aniv file,
    /// and 2 is the script. Returns `None` if the mesh has no file with the index `source`.
    #[must_use]
    pub fn source(&self, source: u8) -> Option<&Path> {
        match source {
            0 => Some(&self.data),
            1 => Some(&self.aniv),
            2 => self.script.as_deref(),
            _ => None,
        }
    }

    /// Returns the index of the file at the path that the caller passed to
    /// [`Finder::find`](super::Finder::find).
    #[cfg(any(feature = "cli", feature = "internals"))]
    #[must_use]
    pub const fn named_source(&self) -> usize {
        match self.named {
            Some(PairFile::Data) | None => 0,
            Some(PairFile::Aniv) => 1,
            Some(PairFile::Script) => 2,
        }
    }

    /// Adds the path of the file to an error about the data file, the aniv file or the script.
    /// Returns the error unchanged if it is about a file of another format, or about a script
    /// although the mesh has no script.
    #[must_use]
    pub fn locate_error(&self, error: Error) -> Error {
        let formats = (0..).zip([DATA.name(), ANIV.name(), SCRIPT]);
        let source = formats.into_iter().find(|(_, format)| *format == error.format());
        match source.and_then(|(source, _)| self.source(source)) {
            Some(path) => error.at_path(path),
            None => error,
        }
    }
}
