//! Implements the format-independent traits [`Contents`] and [`Asset`]. A file of the engine is one
//! asset with one level of detail.

use super::animation::Animation;
use super::file::Mesh;
use crate::error::Result;
use crate::model::animation::Animations;
use crate::model::contents::{bytes_of, expect_only};
use crate::model::{Asset, Contents, FormatVersion, Geometry, Handle, Metadata, MetadataValue};

impl<D: AsRef<[u8]> + Send + Sync> Contents for Mesh<D> {
    fn file_bytes(&self) -> u64 {
        bytes_of(self)
    }

    fn asset(&self, asset: usize) -> Result<Handle<'_, dyn Asset + '_>> {
        expect_only(self.format(), "asset", asset)?;
        Ok(Handle::Borrowed(self))
    }

    /// Visits the target number of triangles in a leaf of a spatial tree, and the engine's estimate
    /// of the memory that the mesh takes, in bytes.
    fn metadata(&self, visit: &mut dyn FnMut(Metadata<'_>)) -> Result<()> {
        let leaf = self.leaf_triangles().map(|count| ("leaf_triangles", MetadataValue::Integer(count.into())));
        let memory = self.memory_estimate().map(|bytes| ("memory", MetadataValue::Integer(bytes)));
        for (key, value) in leaf.into_iter().chain(memory) {
            visit(Metadata::new(key, value));
        }
        Ok(())
    }
}

impl<D: AsRef<[u8]> + Send + Sync> Asset for Mesh<D> {
    fn level(&self, level: usize) -> Result<Handle<'_, dyn Geometry + '_>> {
        expect_only(self.format(), "level", level)?;
        Ok(Handle::Borrowed(self))
    }

    fn animations(&self) -> &dyn Animations {
        self
    }
}

impl<D: AsRef<[u8]> + Send + Sync> Contents for Animation<D> {
    fn file_bytes(&self) -> u64 {
        bytes_of(self)
    }

    fn asset(&self, asset: usize) -> Result<Handle<'_, dyn Asset + '_>> {
        expect_only(self.format(), "asset", asset)?;
        Ok(Handle::Borrowed(self))
    }
}

impl<D: AsRef<[u8]> + Send + Sync> Asset for Animation<D> {
    fn level(&self, level: usize) -> Result<Handle<'_, dyn Geometry + '_>> {
        expect_only(self.format(), "level", level)?;
        Ok(Handle::Borrowed(self))
    }

    fn animations(&self) -> &dyn Animations {
        self
    }
}
