//! Opening a mesh of any format by its path.

use std::ffi::OsStr;
use std::path::Path;

use super::detect::{Format, foreign_instead};
use super::foreign::ANY_XML;
use super::model::Model;
#[cfg(feature = "cli")]
use super::{secondlife, unreal};
use crate::error::{Cause, Error, Result};
use crate::formats::unreal::companions;
use crate::io::{self, FileBytes};
#[cfg(feature = "cli")]
use crate::model::Properties;
use crate::parse::OpenOptions;

/// The number of bytes at the start of a file by which its format is recognised.
const HEAD: u64 = 4096;

/// Copies the files of the mesh at `path`, of any format, to memory, and opens it. The function is
/// safe. [`open_mapped`](crate::open_mapped) maps the files instead, and copies nothing.
///
/// The path of one file of an Unreal mesh opens the whole mesh: its data file, its aniv file and
/// its script. All other formats are detected by the content of the file.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// for path in ["data/unigine/cube_ms13.mesh", "data/unreal/box_d.3d"] {
///     let mesh = meshpeek::open(path)?;
///     for surface in mesh.surfaces()? {
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
pub fn open(path: impl AsRef<Path>) -> Result<Model> {
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
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Model> {
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
    /// assert_eq!(mesh.source_count(), paths.len()); // polygons, vertices and a script
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
        load(path).and_then(|data| open_named(data, path, self)).map_err(|error| error.at_path(path))
    }
}

/// Opens the only file of a mesh, of any format.
///
/// If a file has the extension of a format but its content is not recognised, the file is damaged.
/// It is opened as a file of the format that its extension indicates, because the error is then
/// more precise than the error that the format is unknown.
pub(crate) fn open_named<D: AsRef<[u8]> + Send + Sync>(
    data: D,
    path: &Path,
    options: &OpenOptions,
) -> Result<Model<D>> {
    let error = match Format::detect(data.as_ref()) {
        Ok(format) => return Model::open_as(format, data, options),
        Err(error) => error,
    };
    let named = Format::of_name(path).filter(|format| *format != Format::Unigine);
    let is_damaged = |error: &Error| match error.cause() {
        // Any XML may be text of a damaged mesh.
        Cause::Foreign { name, .. } => *name == ANY_XML && named == Some(Format::EzMesh),
        Cause::Unknown { .. } => true,
        _ => false,
    };
    let error = foreign_instead(&error, path, data.as_ref()).unwrap_or(error);
    match named.filter(|_| is_damaged(&error)) {
        Some(format) => Model::open_as(format, data, options),
        None => Err(error),
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

/// Passes the property `properties` of the file at `path`, which could not be opened because of
/// `error`. Passes nothing if nothing of the file can be read.
#[cfg(feature = "cli")]
pub(crate) fn unopened_properties(path: &Path, error: &Error, out: &mut Properties<'_>) -> std::io::Result<()> {
    unreal::script::properties::of_unopened(path, out)?;
    secondlife::unopened_properties(path, error, out)
}
