//! Opening a mesh from memory maps of its files.
#![allow(unsafe_code, reason = "mapping a file is unsafe")]

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use super::model::{FormatFile, Model};
use super::sidecar_place::{MeshSources, SidecarPlace};
use crate::error::Result;
use crate::io::{FileBytes, Map};
use crate::parse::OpenOptions;
use crate::sidecar::{Key, Sidecar, SidecarCache};

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
    ) -> Result<(Model, super::open_indexed::SidecarState)> {
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
        let found = key.and_then(|key| SidecarPlace { path, cache, sources }.find_only(&model, &key));
        Ok(match found {
            Ok(Some(found)) => model.with_sidecar(Arc::new(found.sidecar)),
            // A sidecar only saves time.
            Ok(None) | Err(_) => model,
        })
    }

    /// Opens a mesh. Also returns the key of its file, or `None` if the mesh cannot have a sidecar.
    pub(super) fn open_with_key<S: MeshSources>(
        &self,
        path: &Path,
        sources: &S,
    ) -> Result<(Model, Option<Result<Key>>)> {
        // If the file changes after this moment, it has another key.
        let key = Key::of_path(path);
        let model = self.open_by(path, |path| sources.load(path))?;
        let is_possible = self.is_whole_file(&model);
        Ok((model, is_possible.then_some(key)))
    }

    /// Returns whether a model is all that one file contains.
    fn is_whole_file<D: AsRef<[u8]> + Send + Sync>(&self, model: &Model<D>) -> bool {
        let is_part = matches!(model.format_file(), FormatFile::SecondLife(_)) && (self.partial || self.asset > 0);
        !is_part && model.source_count() == 1
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
