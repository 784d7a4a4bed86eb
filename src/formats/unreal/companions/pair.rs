//! [`Pair`]: the paths of the files of one mesh, and a method that opens these files as a mesh.

use std::fs;
use std::path::{Path, PathBuf};

use zerocopy::FromBytes;

use super::file_names::PairFile;
use crate::error::{Error, Result};
use crate::formats::unreal::file::Mesh;
use crate::formats::unreal::layout::{ANIV, DATA, RawAnivHeader, RawDataHeader, RawPolygon, SCRIPT, Variant};
use crate::formats::unreal::script::Script;
use crate::io;
use crate::math::as_u64;
use crate::parse::OpenOptions;

/// The number of bytes without a field that a file may have at its end. The most in a real file are
/// 48.
const MAX_REST: u64 = 64;

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

/// Returns whether two files are the data file and the aniv file of one mesh: the sizes of both
/// files are those that their headers declare, and the frames have the vertices of the data file.
/// The last frame may be cut.
pub(super) fn headers_agree(data: &Path, aniv: &Path) -> bool {
    let Some((data, data_size)) = header::<RawDataHeader>(data) else { return false };
    let Some((aniv, aniv_size)) = header::<RawAnivHeader>(aniv) else { return false };
    let [polygons, vertices] = [data.polygons, data.vertices].map(|count| u64::from(count.get()));
    let [frames, frame_size] = [aniv.frames, aniv.frame_size].map(|count| u64::from(count.get()));
    let all = [Variant::Classic, Variant::DeusEx, Variant::Prototype];
    let fits = all.iter().any(|variant| variant.frame_size(data.vertices.get().into()) == frame_size);
    let rest = |size: u64, header: usize, items: u64, item: u64| {
        size.checked_sub(as_u64(header))?.checked_sub(items.saturating_mul(item))
    };
    let data_rest = rest(data_size, size_of::<RawDataHeader>(), polygons, as_u64(size_of::<RawPolygon>()));
    let aniv_rest = rest(aniv_size, size_of::<RawAnivHeader>(), frames.saturating_sub(1), frame_size);
    fits && polygons > 0
        && vertices > 0
        && frames > 0
        && data_rest.is_some_and(|rest| rest <= MAX_REST)
        && aniv_rest.is_some_and(|rest| rest > 0 && rest <= frame_size.saturating_add(MAX_REST))
}

/// Reads the header of a file, and returns it with the size of the file.
fn header<T: FromBytes>(path: &Path) -> Option<(T, u64)> {
    let size = fs::metadata(path).ok()?.len();
    let bytes = io::read_start(path, as_u64(size_of::<T>())).ok()?;
    T::read_from_prefix(&bytes).ok().map(|(header, _)| (header, size))
}
