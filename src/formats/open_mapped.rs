//! Opening a mesh from memory maps of its files, with the sidecar that it has.
#![allow(unsafe_code, reason = "mapping a file is unsafe")]

use std::fs::File;
use std::path::Path;
#[cfg(feature = "query")]
use std::path::PathBuf;
use std::sync::Arc;

use super::model::Model;
use crate::error::{Cause, Error, Field, Result};
use crate::io::{self, FileBytes, Map};
use crate::math::as_u64;
use crate::parse::OpenOptions;
use crate::sidecar::{Found, Key, Sidecar, SidecarCache, Trust};

/// Maps the files of the mesh at `path`, of any format, and opens it. Nothing is copied: an array
/// of the file is read when the program reads its items.
///
/// All files of an Unreal mesh are mapped, as [`open`](crate::open) opens them. If the file has a
/// [sidecar](crate::guide::program#sidecars) in the cache folder of the user or next to it, it is used: the
/// offsets and trees in it make random access and queries fast. A sidecar that does not match the
/// file is ignored, and none is written.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::Array;
/// // SAFETY: no process changes the sample while it is mapped.
/// let model = unsafe { meshpeek::open_mapped("data/unreal/guard_d.3d")? };
/// let positions = model.surface(0)?.positions()?; // reads no vertex
/// println!("{:?}", positions.get(7)); // reads one vertex
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Returns the errors of [`Map::open`](crate::Map::open) and [`open`](crate::open).
///
/// # Safety
///
/// No process, including this one, may shorten or change the files of the mesh or its sidecar while
/// they are mapped: while the model exists, or a clone of one of its [sources](Model::source), its
/// [sidecar](Model::sidecar), or query trees that were made from it. A process may replace a file by
/// a rename, or delete it.
///
/// If a file changes nevertheless, methods return wrong values or errors, and never read out of
/// bounds. Reading a page that a shortened file no longer has ends the process; with the
/// [guard](crate::io::guard) installed, it reads as zeros.
pub unsafe fn open_mapped(path: impl AsRef<Path>) -> Result<Model> {
    // SAFETY: The caller guarantees that the files do not change.
    unsafe { OpenOptions::default().open_mapped(path) }
}

impl OpenOptions {
    /// Opens the mesh at `path` from memory maps, like [`open_mapped`](crate::open_mapped), with
    /// these options.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`open_mapped`](crate::open_mapped).
    ///
    /// # Safety
    ///
    /// The requirement is that of [`open_mapped`](crate::open_mapped).
    pub unsafe fn open_mapped(&self, path: impl AsRef<Path>) -> Result<Model> {
        // SAFETY: The caller guarantees that the files do not change.
        let sources = unsafe { Mapped::new() };
        self.open_with_existing_sidecar(path.as_ref(), &SidecarCache::of_user(), &sources)
    }

    /// Opens the mesh at `path` and its sidecar, like [`open_indexed`](Self::open_indexed), from
    /// memory maps. An untrusted sidecar is copied, because another user can change it.
    ///
    /// A page of the sidecar is first tested when it is read, so a damaged page is ignored, and no
    /// new sidecar is written for it.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`open_mapped`](crate::open_mapped).
    ///
    /// # Safety
    ///
    /// The requirement is that of [`open_mapped`](crate::open_mapped).
    #[cfg(feature = "query")]
    pub unsafe fn open_mapped_indexed(
        &self,
        path: impl AsRef<Path>,
        cache: &SidecarCache,
    ) -> Result<(Model, SidecarState)> {
        // SAFETY: The caller guarantees that the files do not change.
        let sources = unsafe { Mapped::new() };
        self.open_or_write_sidecar(path.as_ref(), cache, &sources)
    }

    /// Opens a mesh, and its sidecar if there is one that can be used.
    fn open_with_existing_sidecar<S: MeshSources>(
        &self,
        path: &Path,
        cache: &SidecarCache,
        sources: &S,
    ) -> Result<Model> {
        let (model, key) = self.open_with_key(path, sources)?;
        let Some(key) = key else { return Ok(model) };
        let found = key.and_then(|key| SidecarPlace { path, cache, sources }.find_only(&key));
        Ok(match found {
            Ok(Some(found)) => model.with_sidecar(Arc::new(found.sidecar)),
            // A sidecar only saves time.
            Ok(None) | Err(_) => model,
        })
    }

    /// Opens a mesh. Also returns the key of its file, or `None` if the mesh cannot have a sidecar,
    /// because it is not all that one file contains.
    pub(super) fn open_with_key<S: MeshSources>(
        &self,
        path: &Path,
        sources: &S,
    ) -> Result<(Model, Option<Result<Key>>)> {
        // If the file changes after this moment, it has another key.
        let key = Key::of_path(path);
        let (mut files, mut size) = (0_usize, 0);
        let model = self.open_by(path, |path| {
            let data = sources.load(path)?;
            (files, size) = (files.saturating_add(1), as_u64(data.as_ref().len()));
            Ok(data)
        })?;
        let same = |key: Key| if key.size() == size { Ok(key) } else { Err(changed()) };
        let is_whole = files == 1 && !model.is_part();
        Ok((model, is_whole.then(|| key.and_then(same))))
    }
}

/// Maps the files.
struct Mapped(());

impl Mapped {
    /// # Safety
    ///
    /// No process may shorten or change the files that are loaded while their maps exist.
    const unsafe fn new() -> Self {
        Self(())
    }
}

impl MeshSources for Mapped {
    type Sidecar = Map;

    fn load(&self, path: &Path) -> Result<FileBytes> {
        // SAFETY: The caller of `new` guarantees that the files do not change.
        unsafe { Map::open(path) }.map(|map| FileBytes::Map(Arc::new(map)))
    }

    fn load_sidecar(&self, file: File) -> Result<Map> {
        // SAFETY: The caller of `new` guarantees that the files do not change.
        unsafe { Map::from_file(file) }
    }

    fn is_usable(&self, _: &Sidecar) -> bool {
        true
    }
}

/// The number of bytes by which an untrusted sidecar may exceed twice the size of its mesh file.
const MAX_UNTRUSTED_EXCESS: u64 = 1 << 20;

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
    pub(super) fn find_only(&self, key: &Key) -> Result<Option<Found>> {
        self.expect_unchanged(key)?;
        self.find(key)
    }

    /// Finds a sidecar that can be used. Returns an error if a trusted sidecar cannot be loaded,
    /// because a new one could not be loaded either.
    pub(super) fn find(&self, key: &Key) -> Result<Option<Found>> {
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

    /// Returns an error if the file at the path has another key than before it was opened.
    pub(super) fn expect_unchanged(&self, key: &Key) -> Result<()> {
        if Key::of_path(self.path)? == *key { Ok(()) } else { Err(changed()) }
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

pub(super) fn changed() -> Error {
    Error::without_offset("file", Field::new("file"), Cause::Changed)
}

/// Where the sidecar of a model comes from, or why it has none:
/// [`OpenOptions::open_indexed`](crate::OpenOptions::open_indexed) returns it.
///
/// ```no_run
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::{SidecarCache, SidecarState};
///
/// let (city, state) = meshpeek::OpenOptions::default().open_indexed("city.mesh", &SidecarCache::of_user())?;
/// if let SidecarState::Failed(error) = &state {
///     eprintln!("slower without a sidecar: {error}");
/// }
/// # Ok(())
/// # }
/// ```
#[cfg(feature = "query")]
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

#[cfg(feature = "query")]
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
