//! Finding the sidecar of a mesh that is opened.

use std::fs::File;
use std::path::Path;

use super::model::Model;
use crate::error::{Cause, Error, Field, Result};
use crate::io::{self, FileBytes};
use crate::math::as_u64;
use crate::sidecar::{Found, Key, Sidecar, SidecarCache, Trust};

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
    pub(super) fn find_only<D: AsRef<[u8]> + Send + Sync>(&self, model: &Model<D>, key: &Key) -> Result<Option<Found>> {
        let size = model.source(0).map_or(0, |data| as_u64(data.as_ref().len()));
        if size != key.size() {
            return Err(changed());
        }
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
