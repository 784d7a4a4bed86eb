//! The content of the sidecar of a mesh, before it is written.

use std::fmt;
use std::io::{Seek, Write};

use super::model::Model;
use crate::error::Result;
use crate::model::Geometry;
use crate::query;
use crate::sidecar::{Builder, Key, Kind};

/// The content of the sidecar of a mesh. [`Model::sidecar_content`] collects it.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::sidecar::{Key, Sidecar, Trust};
/// use std::io::Cursor;
///
/// let path = "data/unigine/skinned_ms12.mesh";
/// let key = Key::of_path(path)?; // before the file is opened
/// let model = meshpeek::open(path)?;
/// let mut content = model.sidecar_content()?.expect("the mesh has weights to index");
/// let mut out = Cursor::new(Vec::new());
/// content.write_to(&key, &mut out)?;
/// assert!(Sidecar::new(out.into_inner(), &key, Trust::Trusted).is_some());
/// # Ok(())
/// # }
/// ```
pub struct SidecarContent<'m> {
    builder: Builder,
    geometry: &'m dyn Geometry,
}

impl<D: AsRef<[u8]> + Send + Sync> Model<D> {
    /// Collects the content of the sidecar of the model. Returns `None` if the model needs no
    /// sidecar, because all its data is found directly and no surface is
    /// [large enough](query::worth_storing) for a stored tree.
    ///
    /// The call walks all data that is not found directly, such as the weights of a UNIGINE mesh up
    /// to ms13. A model that consists of several files has no sidecar, because the [`Key`] of a
    /// sidecar identifies one file.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`MeshFile::index`](crate::MeshFile::index) and
    /// [`query::worth_storing`].
    pub fn sidecar_content(&self) -> Result<Option<SidecarContent<'_>>> {
        if self.file().source_count() > 1 {
            return Ok(None);
        }
        let mut builder = Builder::default();
        self.file().index(&mut builder)?;
        let geometry = self.geometry()?;
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
    /// Returns the errors of [`query::write_sidecar`].
    pub fn write_to<W: Write + Seek>(&mut self, key: &Key, out: &mut W) -> Result<()> {
        query::write_sidecar(&mut self.builder, self.geometry, key, out)
    }

    /// Returns the number of records of the given kind. [`write_to`](Self::write_to) adds the
    /// records of trees.
    #[must_use]
    pub fn count(&self, kind: Kind) -> u64 {
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
