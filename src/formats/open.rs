//! Opening a mesh of any format by its path.

use std::ffi::OsStr;
use std::path::Path;

use super::detect::{Format, foreign_error};
use super::model::Model;
use crate::error::Result;
use crate::formats::unreal::companions;
use crate::io::{self, FileBytes};
use crate::parse::OpenOptions;

/// The number of bytes at the start of a file by which its format is recognised.
const HEAD: u64 = 4096;

/// Opens the mesh at `path`, of any format, and copies its files to memory.
///
/// The path of one file of an Unreal mesh opens the whole mesh: its data file, its aniv file and
/// its script. All other formats are detected by the content of the file.
/// [`OpenOptions::open_by`] opens a mesh from memory maps instead.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::{Geometry, Surface};
/// for path in ["data/unigine/cube_ms13.mesh", "data/unreal/box_d.3d"] {
///     let mesh = meshpeek::open(path)?;
///     for surface in Surface::all(&mesh)? {
///         println!("{}: {} triangles", surface.name()?, surface.corners()?.triangle_count());
///     }
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Returns the errors of [`read`](crate::read) and [`Model::open_with`]. For an Unreal mesh,
/// returns [`ErrorKind::Missing`](crate::ErrorKind::Missing) if one of its two binary files does
/// not exist, and [`ErrorKind::Choice`](crate::ErrorKind::Choice) if a script imports several
/// meshes. The error contains the path of the file.
pub fn open(path: impl AsRef<Path>) -> Result<Model<FileBytes>> {
    OpenOptions::default().open(path)
}

impl OpenOptions {
    /// Opens the mesh at `path`, like [`open`](crate::open), with these options.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// let options = meshpeek::OpenOptions::default().with_strict(true);
    /// let mesh = options.open("data/secondlife/arm.llmesh")?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`open`](crate::open).
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Model<FileBytes>> {
        self.open_by(path, |path| io::read(path).map(FileBytes::from))
    }

    /// Opens the mesh at `path`, like [`open`](Self::open), from bytes that `load` returns.
    ///
    /// `load` receives the path of each file of the mesh. It can map the file, read it, or take it
    /// from an archive.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::OpenOptions;
    /// let mut paths = Vec::new();
    /// let mesh = OpenOptions::default().open_by("data/unreal/guard_d.3d", |path| {
    ///     paths.push(path.to_owned());
    ///     meshpeek::read(path)
    /// })?;
    /// assert_eq!(mesh.file().source_count(), paths.len()); // polygons, vertices and a script
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of `load` and of [`open`](Self::open).
    pub fn open_by<D: AsRef<[u8]> + Send + Sync>(
        &self,
        path: impl AsRef<Path>,
        mut load: impl FnMut(&Path) -> Result<D>,
    ) -> Result<Model<D>> {
        let path = path.as_ref();
        if is_unreal(path)? {
            let pair = companions::find(path).map_err(|error| error.at_path(path))?;
            return pair.open_with(self, load).map(Model::from);
        }
        let open = |data: D| match foreign_error(path, data.as_ref()) {
            Some(error) => Err(error),
            None => Model::open_with(data, self),
        };
        load(path).and_then(open).map_err(|error| error.at_path(path))
    }
}

/// Returns whether a path refers to an Unreal mesh: a file with such a name whose content is not
/// recognised as another format, or the common stem of such files.
fn is_unreal(path: &Path) -> Result<bool> {
    let extension = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
    match extension.as_deref() {
        Some("uc") => Ok(true),
        Some("3d") => Ok(!io::read_start(path, HEAD).is_ok_and(|head| Format::recognises(&head))),
        _ if path.exists() => Ok(false),
        _ => match companions::find(path) {
            Ok(_) => Ok(true),
            // If one file of a mesh exists, the error names the missing file. If none exists, the
            // path is not the stem of a mesh.
            Err(error) if error.path() == Some(path) => Ok(false),
            Err(error) => Err(error),
        },
    }
}
