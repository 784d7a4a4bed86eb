//! Triangles as corners: an index into the positions and one into the attributes.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use crate::array::Array;
use crate::error::{ErrorKind, Result};
use crate::model::attributes::{Indices, with_width};
use crate::model::geometry::Geometry;

/// A corner of a triangle. Also a vertex of a [`Welded`](crate::model::weld::Welded) surface; plain old data, ready for a GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct Corner {
    /// Number of its position and weights.
    pub position: u32,
    /// Number of its frame, UVs and colour.
    pub attribute: u32,
}

/// Both index streams of a surface, corner by corner, three to a triangle; counter-clockwise seen from outside.
///
/// The streams are of one length; those of a whole surface make whole triangles. The indices are not checked: `get` on the array
/// they index does that.
#[derive(Clone, Copy, Debug)]
pub struct Corners<'a> {
    positions: Indices<'a>,
    attributes: Indices<'a>,
}

impl<'a> Corners<'a> {
    pub(super) fn new(
        geometry: &dyn Geometry,
        surface: usize,
        positions: Indices<'a>,
        attributes: Indices<'a>,
    ) -> Result<Self> {
        let (expected, found) = (positions.len(), attributes.len());
        let wrong = |name, expected: String, found: String| {
            let kind = ErrorKind::Value { expected: expected.into(), found: found.into() };
            Err(geometry.fault(surface, name, 0, kind))
        };
        if expected != found {
            let expected = format!("{expected} indices, one per corner");
            return wrong("attribute_indices.count", expected, found.to_string());
        }
        if !expected.is_multiple_of(3) {
            return wrong("indices.count", String::from("whole triangles"), format!("{expected} corners"));
        }
        Ok(Self { positions, attributes })
    }

    /// Returns the number of triangles.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.len() / 3
    }

    /// Returns the corners of triangle `triangle`.
    #[inline]
    #[must_use]
    pub fn triangle(&self, triangle: usize) -> Option<[Corner; 3]> {
        let first = triangle.checked_mul(3)?;
        Some([self.get(first)?, self.get(first.checked_add(1)?)?, self.get(first.checked_add(2)?)?])
    }
}

impl Array for Corners<'_> {
    type Item = Corner;

    #[inline]
    fn len(&self) -> usize {
        self.positions.len()
    }

    #[inline]
    fn get(&self, index: usize) -> Option<Corner> {
        Some(Corner { position: self.positions.get(index)?, attribute: self.attributes.get(index)? })
    }

    fn slice(&self, range: Range<usize>) -> Option<Self> {
        let (positions, attributes) = (self.positions.slice(range.clone())?, self.attributes.slice(range)?);
        Some(Self { positions, attributes })
    }

    fn prefetch(&self) {
        self.positions.prefetch();
        self.attributes.prefetch();
    }

    /// The widths are matched before the loop, not in it.
    #[inline]
    fn fold<B, F: FnMut(B, Corner) -> B>(&self, first: B, mut fold: F) -> B {
        with_width!(self.positions, positions => with_width!(self.attributes, attributes => {
            let corners = positions.iter().zip(attributes.iter());
            corners.fold(first, |folded, (position, attribute)| fold(folded, Corner { position, attribute }))
        }))
    }
}
