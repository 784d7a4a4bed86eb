//! Opening a mesh together with its sidecar, which is written if there is none.

use std::fs::File;
use std::path::Path;

use super::model::Model;
use super::open_mapped::{MeshSources, SidecarPlace, SidecarState};
use crate::error::Result;
use crate::io::{self, FileBytes};
use crate::parse::OpenOptions;
use crate::sidecar::{Sidecar, SidecarCache};

impl OpenOptions {
    /// Copies the mesh at `path` to memory, like [`open`](crate::open), and uses its
    /// [sidecar](crate::guide::program#sidecars). If there is no valid sidecar in the folder `cache` or next
    /// to the mesh, one is built and written to this folder.
    ///
    /// The first call for a file takes the time of `meshpeek index`: it builds the trees of all
    /// large surfaces. Later calls find them, until the file changes. The results of the model and
    /// of its scenes are the same as without a sidecar. A sidecar that cannot be read or written is
    /// therefore not an error: the returned state tells whether a sidecar is used, and why not.
    ///
    /// The folder is created if it does not exist. It must belong to the current user, and no other
    /// user may be able to write to it. Otherwise it is not used, and the state is
    /// [`Failed`](SidecarState::Failed). If a page of the sidecar is damaged, a new sidecar is
    /// written.
    ///
    /// ```no_run
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::query::Ray;
    /// use meshpeek::SidecarCache;
    ///
    /// let (city, _) = meshpeek::OpenOptions::default().open_indexed("city.mesh", &SidecarCache::of_user())?;
    /// let scene = city.scene()?; // builds no tree of a large surface
    /// println!("{:?}", scene.ray(&Ray::toward([0.0, 0.0, 9.0], [0.0, 0.0, 0.0])));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`open`](crate::open).
    pub fn open_indexed(&self, path: impl AsRef<Path>, cache: &SidecarCache) -> Result<(Model, SidecarState)> {
        self.open_or_write_sidecar(path.as_ref(), cache, &Copied)
    }

    /// Opens a mesh and its sidecar, which is written if there is none.
    #[doc(hidden)]
    pub fn open_or_write_sidecar<S: MeshSources>(
        &self,
        path: &Path,
        cache: &SidecarCache,
        sources: &S,
    ) -> Result<(Model, SidecarState)> {
        let (model, key) = self.open_with_key(path, sources)?;
        let Some(key) = key else { return Ok((model, SidecarState::NotPossible)) };
        let place = SidecarPlace { path, cache, sources };
        Ok(match key.and_then(|key| place.find_or_write(&model, &key)) {
            Ok((state, Some(sidecar))) => (model.with_sidecar(sidecar), state),
            Ok((state, None)) => (model, state),
            Err(error) => (model, SidecarState::Failed(error.at_path(path))),
        })
    }
}

/// Copies the files to memory.
struct Copied;

impl MeshSources for Copied {
    type Sidecar = Vec<u8>;

    fn load(&self, path: &Path) -> Result<FileBytes> {
        io::read(path).map(FileBytes::from)
    }

    fn load_sidecar(&self, file: File) -> Result<Vec<u8>> {
        io::read_unchanged(&file, u64::MAX)
    }

    fn is_usable(&self, sidecar: &Sidecar) -> bool {
        sidecar.is_intact()
    }
}
