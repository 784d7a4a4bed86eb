//! One frame: the positions of every vertex at one moment.

use zerocopy::FromBytes;
use zerocopy::little_endian::{I16, U32};

use super::header::PairHeader;
use super::layout::Variant;
use crate::array::{Array, Bounds, Packed};
use crate::decode::{Packed32, Packed64};
use crate::model::Positions;

/// The positions of every vertex at one moment, borrowed from the file.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    bytes: &'a [u8],
    shape: PairHeader,
}

impl<'a> Frame<'a> {
    pub(super) const fn new(bytes: &'a [u8], shape: PairHeader) -> Self {
        Self { bytes, shape }
    }

    /// Returns the positions of the mesh's vertices, in stored units: whole numbers of which a
    /// [`Placement`](super::Placement) makes lengths. As many as the mesh has vertices, except in a frame that the file's
    /// end cuts.
    #[must_use]
    pub fn positions(&self) -> Positions<'a> {
        let length = usize::try_from(self.shape.vertex_bytes()).unwrap_or(usize::MAX);
        positions(self.bytes.get(..length).unwrap_or(self.bytes), self.shape.variant)
    }

    /// Returns the positions of all that the bytes hold.
    pub(super) fn all_positions(&self) -> Positions<'a> {
        positions(self.bytes, self.shape.variant)
    }

    /// Returns the least and the greatest corner that a prototype's frame stores behind its vertices; `None` for the
    /// other variants.
    #[must_use]
    pub fn stored_bounds(&self) -> Option<Bounds> {
        let start = usize::try_from(self.shape.vertex_bytes()).ok()?;
        let extra = positions(self.bytes.get(start..)?, self.shape.variant);
        Some(Bounds { min: extra.get(0)?, max: extra.get(1)? }).filter(|_| self.shape.variant == Variant::Prototype)
    }

    /// Returns the box around the positions, in stored units: computed in one pass that stores nothing.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        self.positions().bounds()
    }

    /// Returns the bytes of the frame, straight from the file.
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }
}

/// Views whole vertices; what is left of a vertex that is cut belongs to none.
fn positions(bytes: &[u8], variant: Variant) -> Positions<'_> {
    match variant {
        Variant::Classic | Variant::Prototype => Positions::Packed32(Packed::new(whole::<U32>(bytes), Packed32)),
        Variant::DeusEx => Positions::Packed64(Packed::new(whole::<[I16; 4]>(bytes), Packed64)),
    }
}

fn whole<T: crate::parse::Record>(bytes: &[u8]) -> &[T] {
    let count = bytes.len().checked_div(size_of::<T>()).unwrap_or_default();
    <[T]>::ref_from_prefix_with_elems(bytes, count).map_or(&[], |(records, _)| records)
}
