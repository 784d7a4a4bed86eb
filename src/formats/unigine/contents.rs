//! Implements the format-independent traits [`Contents`] and [`Asset`]. A file of the engine is one
//! asset. The names of its surfaces tell its levels of detail.

use super::animation::Animation;
use super::file::Mesh;
use super::geometry::MeshLevel;
use crate::error::{Result, expect_only};
use crate::model::animation::Animations;
use crate::model::contents::bytes_of;
use crate::model::{Asset, Contents, FormatVersion, Geometry, LevelStorage, MaybeOwned, Metadata, MetadataValue};
use crate::parse::Name;

impl<D: AsRef<[u8]> + Send + Sync> Contents for Mesh<D> {
    fn file_bytes(&self) -> u64 {
        bytes_of(self)
    }

    fn asset(&self, asset: usize) -> Result<MaybeOwned<'_, dyn Asset + '_>> {
        expect_only(self.format(), "asset", asset)?;
        Ok(MaybeOwned::Borrowed(self))
    }

    fn level_storage(&self) -> LevelStorage {
        LevelStorage::Shared
    }

    fn metadata_is_derived(&self) -> bool {
        true
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
    fn level_count(&self) -> Result<usize> {
        Ok(self.reader().levels()?.len())
    }

    /// Returns the level in the names of its surfaces, such as `lod 1`.
    fn level_name(&self, level: usize) -> Result<Option<Name<'_>>> {
        self.reader().expect_level(level)?;
        Ok(self.reader().levels()?.name(level))
    }

    fn level_number(&self, level: usize) -> Result<Option<u32>> {
        self.reader().expect_level(level)?;
        Ok(self.reader().levels()?.number(level))
    }

    fn named_level(&self, surface: usize) -> Result<Option<u32>> {
        self.reader().named_level(surface)
    }

    /// Returns a level of detail: all surfaces of the file. Only those of the level are drawn.
    fn level(&self, level: usize) -> Result<MaybeOwned<'_, dyn Geometry + '_>> {
        Ok(match level {
            0 => MaybeOwned::Borrowed(self),
            _ => MaybeOwned::Owned(Box::new(MeshLevel::new(self.reader(), level)?)),
        })
    }

    fn animations(&self) -> &dyn Animations {
        self
    }
}

impl<D: AsRef<[u8]> + Send + Sync> Contents for Animation<D> {
    fn file_bytes(&self) -> u64 {
        bytes_of(self)
    }

    fn asset(&self, asset: usize) -> Result<MaybeOwned<'_, dyn Asset + '_>> {
        expect_only(self.format(), "asset", asset)?;
        Ok(MaybeOwned::Borrowed(self))
    }
}

impl<D: AsRef<[u8]> + Send + Sync> Asset for Animation<D> {
    fn level(&self, level: usize) -> Result<MaybeOwned<'_, dyn Geometry + '_>> {
        expect_only(self.format(), "level", level)?;
        Ok(MaybeOwned::Borrowed(self))
    }

    fn animations(&self) -> &dyn Animations {
        self
    }
}
