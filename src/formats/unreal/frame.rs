//! One animation frame: the positions of all vertices at one point in time.

use zerocopy::FromBytes;
use zerocopy::little_endian::{I16, U32};

use super::header::PairHeader;
use super::layout::{ANIV, Variant};
use crate::array::{Array, Bounds, Packed};
use crate::decode::{Packed32, Packed64};
use crate::error::debug::short_debug;
use crate::model::{PositionEncoding, Positions};

/// One animation frame: the positions of all vertices at one point in time, borrowed from the bytes
/// of the aniv file.
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    bytes: &'a [u8],
    shape: PairHeader,
}

short_debug!(Frame<'_>: |frame| { format: ANIV, version: frame.shape.variant.name(), vertices: frame.shape.vertices, bytes: frame.bytes.len() });

impl<'a> Frame<'a> {
    pub(super) const fn new(bytes: &'a [u8], shape: PairHeader) -> Self {
        Self { bytes, shape }
    }

    /// Returns the positions of all vertices in this animation frame, in the units of the file.
    ///
    /// The coordinates of a position are the integers in the aniv file, as floats without scaling.
    /// A [`Placement`](super::Placement) converts positions to the units of the game or of the
    /// mesh's author. The returned array has one position per vertex of the mesh, or fewer if the
    /// aniv file ends within the frame.
    #[must_use]
    pub fn positions(&self) -> Positions<'a> {
        let length = usize::try_from(self.shape.vertex_bytes()).unwrap_or(usize::MAX);
        positions(self.bytes.get(..length).unwrap_or(self.bytes), self.shape.variant)
    }

    /// Returns all positions that the bytes of the frame contain, including the two corners of the
    /// bounding box that a prototype frame stores.
    pub(super) fn all_positions(&self) -> Positions<'a> {
        positions(self.bytes, self.shape.variant)
    }

    /// Returns the bounding box that a frame of the prototype format stores after its vertices, as
    /// two corners: the minimum and the maximum. Returns `None` for the classic and Deus Ex
    /// formats, or if the aniv file ends before the end of the bounding box.
    #[must_use]
    pub fn stored_bounds(&self) -> Option<Bounds> {
        let start = usize::try_from(self.shape.vertex_bytes()).ok()?;
        let extra = positions(self.bytes.get(start..)?, self.shape.variant);
        Some(Bounds { min: extra.get(0)?, max: extra.get(1)? }).filter(|_| self.shape.variant == Variant::Prototype)
    }

    /// Returns the bounding box of the positions in this animation frame, in the units of the file,
    /// without conversion. The bounding box is not cached: each call computes it in one pass over
    /// the vertices.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        self.positions().bounds()
    }

    /// Returns the bytes of the frame from the aniv file, without conversion.
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }
}

/// Returns a view of the complete vertices in `bytes`. The bytes of an incomplete vertex at the end
/// of `bytes` are ignored.
fn positions(bytes: &[u8], variant: Variant) -> Positions<'_> {
    match variant {
        Variant::Classic | Variant::Prototype => {
            Positions(PositionEncoding::Packed32(Packed::new(whole::<U32>(bytes), Packed32)))
        }
        Variant::DeusEx => Positions(PositionEncoding::Packed64(Packed::new(whole::<[I16; 4]>(bytes), Packed64))),
    }
}

fn whole<T: crate::parse::Record>(bytes: &[u8]) -> &[T] {
    let count = bytes.len().checked_div(size_of::<T>()).unwrap_or_default();
    <[T]>::ref_from_prefix_with_elems(bytes, count).map_or(&[], |(records, _)| records)
}
