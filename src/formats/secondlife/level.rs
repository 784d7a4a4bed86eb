//! A level of detail: the submeshes of a block.

use super::asset_block::AssetBlock;
use super::asset_part::AssetPart;
use super::llsd::{LlsdArray, LlsdValue};
use super::surface::Submesh;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;

/// A level of detail, or the triangles to collide with: an array of submeshes, one to a material.
#[derive(Clone, Copy, Debug)]
pub struct Level<'a> {
    block: AssetBlock<'a>,
    array: LlsdArray<'a>,
}

impl<'a> AssetBlock<'a> {
    /// Looks at it as geometry: an array of submeshes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where it is no array.
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

    /// Returns the block that it is.
    #[must_use]
    pub const fn block(&self) -> AssetBlock<'a> {
        self.block
    }

    /// Returns which block it is.
    #[must_use]
    pub fn part(&self) -> AssetPart {
        self.block.part()
    }

    /// Returns the number of submeshes, those without geometry included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.array.len()
    }

    /// Tells whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.array.is_empty()
    }

    /// Locates submesh `index`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`] where there is none, [`ErrorKind::Value`] where it is no map.
    pub fn submesh(&self, index: usize) -> Result<Submesh<'a>> {
        let number = as_u64(index);
        let field = Field::new("").in_list(self.part().key(), number);
        let Some(at) = self.block.list(0).get(index) else {
            let kind = ErrorKind::NoSuch { count: as_u64(self.len()), index: number };
            return Err(Error::without_offset(super::layout::FORMAT, field, kind));
        };
        let at = usize::try_from(*at).unwrap_or(usize::MAX);
        match self.block.item_at(at) {
            Some(LlsdValue::Map(map)) => Ok(Submesh::new(self.block, index, at, map)),
            other => {
                let found = other.map_or("nothing", |value| value.kind());
                Err(self.block.wrong(field, at, "a submesh, a map", found))
            }
        }
    }

    /// Goes through the submeshes in file order.
    #[must_use]
    pub fn submeshes(&self) -> impl ExactSizeIterator<Item = Result<Submesh<'a>>> + use<'a> {
        let level = *self;
        (0..level.len()).map(move |index| level.submesh(index))
    }
}
