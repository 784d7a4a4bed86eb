//! The content of the sidecar of a mesh, and writing it to the cache folder.

use std::io::{BufWriter, ErrorKind as IoErrorKind, Seek, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::model::Model;
use super::open_mapped::{MeshSources, SidecarPlace, SidecarState, changed};
use crate::error::{Cause, Error, Field, Result};
use crate::io::{AtomicFile, FileStamp, OpenFolder};
use crate::math::as_u64;
use crate::model::Geometry;
use crate::query;
use crate::sidecar::{Builder, Key, Sidecar};

/// The longest time between two changes of a file that get the same time. Most systems count the
/// time of files in steps of 1 to 10 milliseconds.
const TIME_STEP: Duration = Duration::from_millis(20);

/// The content of the sidecar of a mesh. [`Model::sidecar_content`] collects it.
pub(crate) struct SidecarContent<'m> {
    builder: Builder,
    geometry: &'m dyn Geometry,
}

impl<D: AsRef<[u8]> + Send + Sync> Model<D> {
    /// Writes the sidecar of the model, which belongs to the file with the stamp `mesh`. Take the
    /// stamp before the file is opened. Returns `false`, and writes nothing, if the model needs no
    /// sidecar, consists of several files, or is a part of a file: an asset that is not the first,
    /// or a [partial](crate::OpenOptions::with_partial) file.
    ///
    /// A change within 20 milliseconds of an earlier one can leave the stamp of a file as it is.
    ///
    /// [`OpenOptions::open_indexed`](crate::OpenOptions::open_indexed) and
    /// [`open_mapped_indexed`](crate::OpenOptions::open_mapped_indexed) write sidecars to a cache.
    ///
    /// # Errors
    ///
    /// Returns the first error in the structure, with its field and offset,
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory), the errors of building the trees
    /// of large surfaces, and those of `out`.
    pub fn write_sidecar<W: Write + Seek>(&self, mesh: &FileStamp, out: &mut W) -> Result<bool> {
        let key = Key::from(mesh);
        let size = self.source(0).map_or(0, |data| as_u64(data.as_ref().len()));
        if size != key.size() {
            return Err(changed());
        }
        let Some(mut content) = self.sidecar_content()? else { return Ok(false) };
        content.write_to(&key, out).map(|()| true)
    }

    /// Collects the content of the sidecar of the model. Returns `None` if the model needs no
    /// sidecar, because all its data is found directly and no surface has the 1,024 triangles that
    /// make a stored tree worthwhile.
    ///
    /// The call walks all data that is not found directly, such as the weights of a UNIGINE mesh up
    /// to ms13. A sidecar belongs to one whole file.
    ///
    /// # Errors
    ///
    /// Returns the first error in the structure, with its field and offset,
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory), or the error of a surface whose
    /// triangles cannot be counted.
    pub(crate) fn sidecar_content(&self) -> Result<Option<SidecarContent<'_>>> {
        if self.is_part() || self.file().source_count() > 1 {
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
    pub(crate) fn write_to<W: Write + Seek>(&mut self, key: &Key, out: &mut W) -> Result<()> {
        query::write_sidecar(&mut self.builder, self.geometry, key, out)
    }

    /// Returns the number of records of the given kind. [`write_to`](Self::write_to) adds the
    /// records of trees.
    #[cfg(feature = "cli")]
    pub(crate) fn count(&self, kind: crate::sidecar::Kind) -> u64 {
        self.builder.count(kind)
    }
}

impl<S: MeshSources> SidecarPlace<'_, S> {
    /// Finds the sidecar of a mesh, or writes it.
    pub(super) fn find_or_write<D: AsRef<[u8]> + Send + Sync>(
        &self,
        model: &Model<D>,
        key: &Key,
    ) -> Result<(SidecarState, Option<Arc<Sidecar>>)> {
        if let Some(found) = self.find_only(key)? {
            return Ok((SidecarState::Found(found.path), Some(Arc::new(found.sidecar))));
        }
        if !self.write(model, key)? {
            return Ok((SidecarState::NotNeeded, None));
        }
        // Another process may have replaced the file, and then also the sidecar.
        let found = self.find(key)?.ok_or_else(changed)?;
        Ok((SidecarState::Written(found.path), Some(Arc::new(found.sidecar))))
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
    use std::fs::File;

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
