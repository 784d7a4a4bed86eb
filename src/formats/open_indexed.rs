//! Opening a mesh together with its sidecar, which is written if it does not exist.

use std::fmt;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use super::model::{FormatFile, Model};
use super::sidecar_place::{SidecarPlace, SidecarState};
use crate::error::Result;
use crate::io::{self, FileBytes};
use crate::parse::OpenOptions;
use crate::query::{Scene, SceneTrees};
use crate::sidecar::{Key, Sidecar, SidecarCache};

/// Opens the mesh at `path`, of any format, and uses its [sidecar](crate::guide::sidecars). If
/// there is no valid sidecar, one is built and written to the cache folder of the user.
///
/// The first call for a file takes the time of `meshpeek index`: it builds the trees of all large
/// surfaces. Later calls find them, until the file changes. The results of the mesh and of its
/// scenes are the same as without a sidecar. A sidecar that cannot be read or written is therefore
/// not an error: [`IndexedModel::state`] tells whether a sidecar is used, and why not.
///
/// The mesh and the sidecar are copied to memory, as [`open`](crate::open) does.
/// [`OpenOptions::open_indexed_by`] opens both from memory maps, and
/// [`OpenOptions::open_indexed_in`] uses another folder than the cache folder of the user.
///
/// ```no_run
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::query::Ray;
///
/// let city = meshpeek::open_indexed("city.mesh")?;
/// let scene = city.scene()?; // builds no tree of a large surface
/// println!("{:?}", scene.ray(&Ray::toward([0.0, 0.0, 9.0], [0.0, 0.0, 0.0])));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Returns the errors of [`open`](crate::open).
pub fn open_indexed(path: impl AsRef<Path>) -> Result<IndexedModel> {
    OpenOptions::default().open_indexed(path)
}

/// A mesh that was opened with its sidecar: the result of [`open_indexed`](crate::open_indexed).
///
/// A struct that contains a mesh and its trees has the fields [`model`](Self::model) and
/// [`scene_trees`](Self::scene_trees) of it.
///
/// ```no_run
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::Model;
/// use meshpeek::io::FileBytes;
/// use meshpeek::query::SceneTrees;
///
/// struct Level {
///     model: Model<FileBytes>,
///     trees: SceneTrees,
/// }
///
/// let indexed = meshpeek::open_indexed("city.mesh")?;
/// let trees = indexed.scene_trees()?;
/// let level = Level { model: indexed.model, trees };
/// let scene = level.trees.scene(level.model.geometry()?)?;
/// # let _ = scene;
/// # Ok(())
/// # }
/// ```
#[non_exhaustive]
pub struct IndexedModel<D = FileBytes> {
    /// The mesh, to which the sidecar is attached. Surfaces, weights and frames are found through
    /// the sidecar.
    pub model: Model<D>,
    /// The sidecar, or `None` if the mesh is used without one.
    pub sidecar: Option<Arc<Sidecar>>,
    /// Whether the sidecar was found or written, or why there is none.
    pub state: SidecarState,
}

impl<D: AsRef<[u8]>> fmt::Debug for IndexedModel<D> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, sidecar, state } = self;
        let mut shown = out.debug_struct("IndexedModel");
        shown.field("model", model).field("sidecar", sidecar).field("state", state).finish()
    }
}

impl<D: AsRef<[u8]> + Send + Sync> IndexedModel<D> {
    /// Makes a scene of all surfaces. Trees that the sidecar has are not built. The sidecar has a
    /// tree for each surface with 1,024 triangles or more.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Model::geometry`] and [`Scene::new`].
    pub fn scene(&self) -> Result<Scene<'_>> {
        let geometry = self.model.geometry()?;
        self.sidecar.as_ref().map_or_else(|| Scene::new(geometry), |sidecar| Scene::indexed(geometry, sidecar))
    }

    /// Makes the trees of all surfaces, like [`scene`](Self::scene), for a struct that contains
    /// them together with the mesh.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Model::geometry`] and [`SceneTrees::new`].
    pub fn scene_trees(&self) -> Result<SceneTrees> {
        let geometry = self.model.geometry()?;
        self.sidecar
            .as_ref()
            .map_or_else(|| SceneTrees::new(geometry), |sidecar| SceneTrees::indexed(geometry, sidecar))
    }
}

impl OpenOptions {
    /// Opens the mesh at `path` with its sidecar, like [`open_indexed`](crate::open_indexed), with
    /// these options.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`open`](Self::open).
    pub fn open_indexed(&self, path: impl AsRef<Path>) -> Result<IndexedModel> {
        self.open_indexed_in(path, &SidecarCache::of_user())
    }

    /// Opens the mesh at `path` with its sidecar, like [`open_indexed`](crate::open_indexed), and
    /// uses the folder `cache` instead of the cache folder of the user.
    ///
    /// The folder is created if it does not exist. It must belong to the current user, and no other
    /// user may be able to write to it. Otherwise it is not used, and the state is
    /// [`Failed`](SidecarState::Failed).
    ///
    /// If a page of the sidecar is damaged, a new sidecar is written.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`open`](Self::open).
    pub fn open_indexed_in(&self, path: impl AsRef<Path>, cache: &SidecarCache) -> Result<IndexedModel> {
        let load = |path: &Path| io::read(path).map(FileBytes::from);
        let copy = |file: File| io::read_unchanged(&file, u64::MAX);
        self.open_with_sidecar(path.as_ref(), cache, load, copy, Sidecar::is_intact)
    }

    /// Opens the mesh at `path` with its sidecar, like [`open_indexed_in`](Self::open_indexed_in),
    /// from bytes that `load` and `load_sidecar` return.
    ///
    /// `load` receives the path of each file of the mesh. `load_sidecar` receives a trusted sidecar
    /// as an open file, which it can map with [`Map::from_file`](crate::Map::from_file) or read. An
    /// untrusted sidecar is copied, because another user can change it. A page of the sidecar is
    /// first tested when it is read, so a damaged page is ignored, and no new sidecar is written
    /// for it.
    ///
    /// The bytes must be those of the file at `path`: if their number differs from the size of the
    /// file, or the file changes while it is opened, no sidecar is used.
    ///
    /// # Errors
    ///
    /// Returns the errors of `load` and of [`open`](Self::open). After an error of `load_sidecar`,
    /// the state is [`Failed`](SidecarState::Failed).
    pub fn open_indexed_by<D, S>(
        &self,
        path: impl AsRef<Path>,
        cache: &SidecarCache,
        load: impl FnMut(&Path) -> Result<D>,
        load_sidecar: impl FnMut(File) -> Result<S>,
    ) -> Result<IndexedModel<D>>
    where
        D: AsRef<[u8]> + Send + Sync,
        S: AsRef<[u8]> + Send + Sync + 'static,
    {
        self.open_with_sidecar(path.as_ref(), cache, load, load_sidecar, |_| true)
    }

    /// Opens a mesh and its sidecar. A sidecar for which `is_usable` returns `false` is replaced.
    fn open_with_sidecar<D, S>(
        &self,
        path: &Path,
        cache: &SidecarCache,
        load: impl FnMut(&Path) -> Result<D>,
        load_sidecar: impl FnMut(File) -> Result<S>,
        is_usable: impl Fn(&Sidecar) -> bool,
    ) -> Result<IndexedModel<D>>
    where
        D: AsRef<[u8]> + Send + Sync,
        S: AsRef<[u8]> + Send + Sync + 'static,
    {
        // If the file changes after this moment, it has another key.
        let key = Key::of_path(path);
        let model = self.open_by(path, load)?;
        if !self.is_whole_file(&model) {
            return Ok(IndexedModel { model, sidecar: None, state: SidecarState::NotPossible });
        }
        let mut place = SidecarPlace { path, cache, load: load_sidecar, is_usable };
        let (state, sidecar) = match key.and_then(|key| place.find_or_write(&model, &key)) {
            Ok(found) => found,
            Err(error) => (SidecarState::Failed(error.at_path(path)), None),
        };
        let model = if let Some(sidecar) = &sidecar { model.with_sidecar(sidecar.clone()) } else { model };
        Ok(IndexedModel { model, sidecar, state })
    }

    /// Returns whether a model is all that one file contains.
    fn is_whole_file<D: AsRef<[u8]> + Send + Sync>(&self, model: &Model<D>) -> bool {
        let is_part = matches!(model.format_file(), FormatFile::SecondLife(_)) && (self.partial || self.asset > 0);
        !is_part && model.file().source_count() == 1
    }
}
