//! [`Level`]: a level of detail or the collision triangles, as the submeshes of an inflated block.

use super::asset_block::AssetBlock;
use super::asset_part::AssetPart;
use super::llsd::{LlsdArray, LlsdValue};
use super::surface::Submesh;
use crate::error::{Cause, Error, Field, Result};
use crate::math::as_u64;

/// A level of detail or the collision triangles: an array of submeshes, one per material.
#[derive(Clone, Copy, Debug)]
pub struct Level<'a> {
    block: AssetBlock<'a>,
    array: LlsdArray<'a>,
}

impl<'a> AssetBlock<'a> {
    /// Returns the submeshes of a block that holds a level of detail or collision triangles.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the type of the block is not a level of detail or collision
    /// triangles, or if the LLSD value of the block is not an array.
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn level(&self) -> Result<Level<'a>> {
        Level::new(*self)
    }
}

impl<'a> Level<'a> {
    pub(super) fn new(block: AssetBlock<'a>) -> Result<Self> {
        match block.value() {
            LlsdValue::Array(array) if block.part().is_geometry() => Ok(Self { block, array }),
            other => {
                let expected = "an array of submeshes";
                Err(block.wrong(Field::new(block.part().key()), block.value_at(), expected, other.kind()))
            }
        }
    }

    /// Returns the inflated block that holds the level of detail.
    #[must_use]
    pub const fn block(&self) -> AssetBlock<'a> {
        self.block
    }

    /// Returns the type of the block that holds the level of detail.
    #[must_use]
    pub fn part(&self) -> AssetPart {
        self.block.part()
    }

    /// Returns the number of submeshes in the level of detail, including submeshes without
    /// geometry.
    #[must_use]
    pub fn len(&self) -> usize {
        self.array.len()
    }

    /// Returns whether the level of detail has no submeshes.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.array.is_empty()
    }

    /// Returns the submesh at `index` in the level of detail.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`] if the index is out of range, or [`ErrorKind::Value`] if the
    /// submesh is not an LLSD map.
    ///
    /// [`ErrorKind::NoSuch`]: crate::ErrorKind::NoSuch
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn submesh(&self, index: usize) -> Result<Submesh<'a>> {
        let number = as_u64(index);
        let field = Field::new("").in_list(self.part().key(), number);
        let Some(at) = self.block.list(0).get(index) else {
            let kind = Cause::NoSuch { count: as_u64(self.len()), index: number };
            return Err(Error::without_offset(super::layout::FORMAT, field, kind));
        };
        let at = usize::try_from(*at).unwrap_or(usize::MAX);
        match self.block.item_at(at) {
            Some(LlsdValue::Map(map)) => Ok(Submesh::new(self.block, index, at, map)),
            other => {
                let found = other.map_or("nothing", |value| value.kind());
                Err(self.block.wrong(field, at, "a map as the submesh", found))
            }
        }
    }

    /// Finds all arrays of all submeshes.
    ///
    /// # Errors
    ///
    /// Returns the error of the first array that cannot be read.
    pub fn check(&self) -> Result<()> {
        self.submeshes().try_for_each(|submesh| {
            let submesh = submesh?;
            submesh.positions()?;
            submesh.indices()?;
            submesh.normals()?;
            submesh.uvs()?;
            submesh.weights().map(drop)
        })
    }

    /// Returns an iterator over the submeshes of the level of detail, in file order.
    #[must_use]
    pub fn submeshes(&self) -> impl ExactSizeIterator<Item = Result<Submesh<'a>>> + use<'a> {
        let level = *self;
        (0..level.len()).map(move |index| level.submesh(index))
    }
}
