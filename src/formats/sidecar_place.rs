//! Finding the sidecar of a mesh that is opened, and writing it if it does not exist.

use std::fmt;
use std::fs::File;
use std::io::{BufWriter, ErrorKind as IoErrorKind, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::model::Model;
use crate::error::{Cause, Error, Field, Result};
use crate::io::{self, AtomicFile, FileBytes, OpenFolder};
use crate::math::as_u64;
use crate::model::Geometry;
use crate::query;
use crate::sidecar::{Builder, Found, Key, Kind, Sidecar, SidecarCache, Trust};

/// The longest time between two changes of a file that get the same time. Most systems count the
/// time of files in steps of 1 to 10 milliseconds.
const TIME_STEP: Duration = Duration::from_millis(20);
/// The number of bytes by which an untrusted sidecar may exceed twice the size of its mesh file.
const MAX_UNTRUSTED_EXCESS: u64 = 1 << 20;

/// Where the sidecar of a model comes from, or why it has none:
/// [`OpenOptions::open_indexed`](crate::OpenOptions::open_indexed) returns it.
///
/// ```no_run
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::SidecarState;
/// use meshpeek::SidecarCache;
///
/// let (city, state) = meshpeek::OpenOptions::default().open_indexed("city.mesh", &SidecarCache::of_user())?;
/// if let SidecarState::Failed(error) = &state {
///     eprintln!("slower without a sidecar: {error}");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SidecarState {
    /// The sidecar at this path already existed.
    Found(PathBuf),
    /// The sidecar was built, and written to this path.
    Written(PathBuf),
    /// The mesh needs no sidecar: all its data is found directly, and each surface has less than
    /// 1,024 triangles.
    NotNeeded,
    /// The mesh cannot have a sidecar, because a sidecar belongs to one whole file. An Unreal mesh
    /// consists of several files. [`OpenOptions::with_asset`](crate::OpenOptions::with_asset) and
    /// [`OpenOptions::with_partial`](crate::OpenOptions::with_partial) select a part of a Second Life file.
    NotPossible,
    /// There is no valid sidecar, and none could be built or written. The error has the path of the
    /// folder, of the sidecar or of the mesh file that caused it. If the folder cannot be used, the
    /// mesh is not searched for data that needs a sidecar.
    Failed(Error),
}

impl SidecarState {
    /// Returns the path of the sidecar in use.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Found(path) | Self::Written(path) => Some(path),
            _ => None,
        }
    }

    /// Returns why the sidecar could not be built or written.
    #[must_use]
    pub const fn error(&self) -> Option<&Error> {
        match self {
            Self::Failed(error) => Some(error),
            _ => None,
        }
    }
}

/// How the bytes of a mesh and of its sidecar are loaded.
#[allow(clippy::missing_errors_doc, reason = "the errors are those of the implementations")]
pub trait MeshSources {
    /// The type of the value that owns the bytes of a sidecar.
    type Sidecar: AsRef<[u8]> + Send + Sync + 'static;

    /// Loads a file of the mesh.
    fn load(&self, path: &Path) -> Result<FileBytes>;

    /// Loads a trusted sidecar.
    fn load_sidecar(&self, file: File) -> Result<Self::Sidecar>;

    /// Returns whether a sidecar is used. Otherwise it is replaced.
    fn is_usable(&self, sidecar: &Sidecar) -> bool;
}

/// The places of the sidecar of one mesh file, and how its bytes are loaded.
pub(super) struct SidecarPlace<'a, S> {
    /// The path of the mesh file.
    pub(super) path: &'a Path,
    pub(super) cache: &'a SidecarCache,
    pub(super) sources: &'a S,
}

impl<S: MeshSources> SidecarPlace<'_, S> {
    /// Finds the sidecar of a mesh.
    pub(super) fn find_only<D: AsRef<[u8]> + Send + Sync>(&self, model: &Model<D>, key: &Key) -> Result<Option<Found>> {
        let size = model.source(0).map_or(0, |data| as_u64(data.as_ref().len()));
        if size != key.size() {
            return Err(changed());
        }
        self.expect_unchanged(key)?;
        self.find(key)
    }

    /// Finds the sidecar of a mesh, or writes it.
    pub(super) fn find_or_write<D: AsRef<[u8]> + Send + Sync>(
        &self,
        model: &Model<D>,
        key: &Key,
    ) -> Result<(SidecarState, Option<Arc<Sidecar>>)> {
        if let Some(found) = self.find_only(model, key)? {
            return Ok((SidecarState::Found(found.path), Some(Arc::new(found.sidecar))));
        }
        if !self.write(model, key)? {
            return Ok((SidecarState::NotNeeded, None));
        }
        // Another process may have replaced the file, and then also the sidecar.
        let found = self.find(key)?.ok_or_else(changed)?;
        Ok((SidecarState::Written(found.path), Some(Arc::new(found.sidecar))))
    }

    /// Finds a sidecar that can be used. Returns an error if a trusted sidecar cannot be loaded,
    /// because a new one could not be loaded either.
    fn find(&self, key: &Key) -> Result<Option<Found>> {
        let limit = key.size().saturating_mul(2).saturating_add(MAX_UNTRUSTED_EXCESS);
        let mut failed = None;
        let found = self.cache.find(self.path, key, |file, trust| match trust {
            Trust::Trusted => {
                let loaded = self.sources.load_sidecar(file).map(SidecarBytes::Loaded);
                loaded.inspect_err(|error| failed = Some(error.clone()))
            }
            Trust::Untrusted => io::read_up_to(file, 0, limit).map(SidecarBytes::Copied),
        });
        match (found.filter(|found| self.sources.is_usable(&found.sidecar)), failed) {
            (None, Some(error)) => Err(error),
            (found, _) => Ok(found),
        }
    }

    /// Writes the sidecar to the cache folder. Returns `false` if the mesh needs no sidecar.
    fn write<D: AsRef<[u8]> + Send + Sync>(&self, model: &Model<D>, key: &Key) -> Result<bool> {
        let place = self.cache.path(self.path).ok_or_else(no_folder)?;
        // If the folder cannot be used, nothing is built. If it does not exist, it is created once
        // it is needed.
        let existing = match create(&place) {
            Err(error) if is_missing(&error) => None,
            file => Some(file?),
        };
        let Some(content) = model.sidecar_content()? else { return Ok(false) };
        let file = existing.map_or_else(|| create_with_folder(&place), Ok)?;
        self.write_to(file, content, key).map_err(|error| at_output(error, &place)).map(|()| true)
    }

    fn write_to(&self, mut file: AtomicFile, mut content: SidecarContent<'_>, key: &Key) -> Result<()> {
        let mut out = BufWriter::new(&mut file);
        content.write_to(key, &mut out)?;
        out.flush().map_err(io_error)?;
        drop(out);
        file.complete().map_err(io_error)?;
        wait_for_other_time(key);
        self.expect_unchanged(key)?;
        // The folder is not synchronised: a sidecar that a power failure removes is written again.
        file.rename(true).map_err(io_error)
    }

    /// Returns an error if the file at the path has another key than before it was opened.
    fn expect_unchanged(&self, key: &Key) -> Result<()> {
        if Key::of_path(self.path)? == *key { Ok(()) } else { Err(changed()) }
    }
}

/// The content of the sidecar of a mesh, before it is written. [`Model::sidecar_content`] collects
/// it.
///
/// [`OpenOptions::open_indexed`](crate::OpenOptions::open_indexed),
/// [`open_mapped_indexed`](crate::OpenOptions::open_mapped_indexed) and the verb `index` of the
/// program write sidecars.
pub struct SidecarContent<'m> {
    builder: Builder,
    geometry: &'m dyn Geometry,
}

impl<D: AsRef<[u8]> + Send + Sync> Model<D> {
    /// Collects the content of the sidecar of the model. Returns `None` if the model needs no
    /// sidecar, because all its data is found directly and no surface has the 1,024 triangles that
    /// make a stored tree worthwhile.
    ///
    /// The call walks all data that is not found directly, such as the weights of a UNIGINE mesh up
    /// to ms13. A model that consists of several files has no sidecar, because a sidecar
    /// belongs to one file.
    ///
    /// # Errors
    ///
    /// Returns the first error in the structure, with its field and offset,
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory), or the error of a surface whose
    /// triangles cannot be counted.
    pub fn sidecar_content(&self) -> Result<Option<SidecarContent<'_>>> {
        if self.file().source_count() > 1 {
            return Ok(None);
        }
        let mut builder = Builder::default();
        self.format_file().index(&mut builder)?;
        let geometry = self.geometry();
        let is_needless = builder.is_empty() && query::worth_storing(geometry)?.is_empty();
        Ok((!is_needless).then_some(SidecarContent { builder, geometry }))
    }
}

impl SidecarContent<'_> {
    /// Builds the trees of the large surfaces, and writes the sidecar of the file with the identity
    /// `key`. Call it once, because it adds the records of the trees.
    ///
    /// # Errors
    ///
    /// Returns the errors of building the trees, and of `out`.
    pub fn write_to<W: Write + Seek>(&mut self, key: &Key, out: &mut W) -> Result<()> {
        query::write_sidecar(&mut self.builder, self.geometry, key, out)
    }

    /// Returns the number of records of the given kind. [`write_to`](Self::write_to) adds the
    /// records of trees.
    pub(crate) fn count(&self, kind: Kind) -> u64 {
        self.builder.count(kind)
    }
}

impl fmt::Debug for SidecarContent<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = out.debug_struct("SidecarContent");
        for kind in Kind::ALL {
            shown.field(kind.name(), &self.count(kind));
        }
        shown.finish_non_exhaustive()
    }
}

/// The bytes of a sidecar.
enum SidecarBytes<S> {
    /// The bytes of a trusted sidecar, which the caller loaded.
    Loaded(S),
    /// A copy of an untrusted sidecar.
    Copied(Vec<u8>),
}

impl<S: AsRef<[u8]>> AsRef<[u8]> for SidecarBytes<S> {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Loaded(bytes) => bytes.as_ref(),
            Self::Copied(bytes) => bytes,
        }
    }
}

/// Creates the temporary file of a sidecar in its folder, which must belong to the current user.
fn create(place: &Path) -> Result<AtomicFile> {
    let (Some(folder), Some(name)) = (place.parent(), place.file_name()) else { return Err(no_folder()) };
    let folder = OpenFolder::open_own(folder).map_err(|error| io_error(error).at_path(folder))?;
    AtomicFile::create(folder, name, Some(0o600)).map_err(|error| io_error(error).at_path(place))
}

/// Creates the folder of a sidecar, and the temporary file in it.
fn create_with_folder(place: &Path) -> Result<AtomicFile> {
    let folder = place.parent().ok_or_else(no_folder)?;
    OpenFolder::create(folder).map_err(|error| io_error(error).at_path(folder))?;
    create(place)
}

/// Returns whether an error says that a folder does not exist.
fn is_missing(error: &Error) -> bool {
    matches!(error.cause(), Cause::Io(cause) if cause.kind() == IoErrorKind::NotFound)
}

/// Waits until a change of the file would give it another time. Otherwise, a second change at the
/// time of the first one could leave the key of the file as it is.
fn wait_for_other_time(key: &Key) {
    if let Some(rest) = key.age().and_then(|age| TIME_STEP.checked_sub(age)) {
        std::thread::sleep(rest);
    }
}

fn no_folder() -> Error {
    io_error(std::io::Error::new(IoErrorKind::NotFound, "no cache folder of the user is known"))
}

fn changed() -> Error {
    Error::without_offset("file", Field::new("file"), Cause::Changed)
}

fn io_error(error: std::io::Error) -> Error {
    Error::without_offset("sidecar", Field::new("sidecar"), Cause::from(error))
}

/// Adds the path of the sidecar to an error that was caused by writing it, and not by the content
/// of the mesh file.
fn at_output(error: Error, place: &Path) -> Error {
    if matches!(error.cause(), Cause::Io(_)) { error.at_path(place) } else { error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_just_written_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mesh");
        std::fs::write(&path, b"mesh").unwrap();
        let key = Key::of_path(&path).unwrap();
        wait_for_other_time(&key);
        assert!(key.age().unwrap() >= TIME_STEP);
        // A time in the future is no reason to wait for it.
        let later = std::time::SystemTime::now() + Duration::from_secs(1000);
        File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
        let start = std::time::Instant::now();
        wait_for_other_time(&Key::of_path(&path).unwrap());
        assert!(start.elapsed() < Duration::from_secs(100));
    }
}
