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
