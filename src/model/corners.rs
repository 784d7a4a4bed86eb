//! Corners of triangles: each corner has an index into the positions and an index into the
//! attributes.

use std::iter::FusedIterator;
use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use crate::array::Array;
use crate::array::iter::{impl_into_iter, split};
use crate::error::{Cause, Result};
use crate::io::PrefetchList;
use crate::math::as_index;
use crate::model::attributes::{Indices, Positions, with_width};
use crate::model::surface::Surface;

/// A corner of a triangle: the index of its position and the index of its other attributes.
///
/// A `Corner` is also the vertex type of a [`Welded`](crate::model::weld::Welded) surface. The type
/// is plain old data, so a GPU can read it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Corner {
    /// Index into the positions and the weights of the surface.
    pub position: u32,
    /// Index into the tangent frames, the UVs and the colours of the surface.
    pub attribute: u32,
}

impl Corner {
    /// Returns the index of the corner in one of the two index streams.
    #[inline]
    pub(crate) const fn index(self, stream: IndexStream) -> u32 {
        match stream {
            IndexStream::Positions => self.position,
            IndexStream::Attributes => self.attribute,
        }
    }
}

/// One of the two index streams of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IndexStream {
    /// The stream of the indices of positions and weights.
    Positions,
    /// The stream of the indices of tangent frames, normals, UVs and colours.
    Attributes,
}

/// The two index streams of a surface, for positions and for attributes. Each stream has three
/// entries per triangle, one per corner.
///
/// [`Space::winding`](crate::model::Space) is the order of the corners of a triangle. The two index
/// streams have the same length, which is a multiple of three for every surface. `Corners` does not
/// check whether the indices are in range: the method `get` of the indexed array returns `None` for
/// an index that is out of range.
#[derive(Clone, Copy, Debug)]
pub struct Corners<'a> {
    positions: Indices<'a>,
    attributes: Indices<'a>,
}

impl<'a> Corners<'a> {
    pub(super) fn new(surface: &Surface<'_>, positions: Indices<'a>, attributes: Indices<'a>) -> Result<Self> {
        let (expected, found) = (positions.len(), attributes.len());
        let wrong = |name, expected: String, found: String| {
            let kind = Cause::value(expected, found);
            Err(surface.fault(name, kind))
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

    /// Makes corners of two index streams that have the same length, a multiple of three.
    pub(super) const fn of_copies(positions: Indices<'a>, attributes: Indices<'a>) -> Self {
        Self { positions, attributes }
    }

    /// Returns the index stream of positions.
    pub(crate) const fn positions(&self) -> Indices<'a> {
        self.positions
    }

    /// Returns the index stream of attributes.
    pub(crate) const fn attributes(&self) -> Indices<'a> {
        self.attributes
    }

    /// Returns whether each corner has the same index in both index streams.
    ///
    /// If the two index streams are the same array of the file, no index is read. Otherwise the
    /// indices are compared up to the first chunk of 8 KiB with a difference.
    pub(crate) fn has_equal_streams(&self) -> bool {
        if self.positions.is_same_array(&self.attributes) {
            return true;
        }
        let (mut positions, mut attributes) = (self.positions.chunks(), self.attributes.chunks());
        while let Some(part) = positions.next() {
            if attributes.next().is_none_or(|other| *other != *part) {
                return false;
            }
        }
        true
    }

    /// Returns the number of triangles in the two index streams, at most 4,294,967,295.
    #[must_use]
    pub fn triangle_count(&self) -> u32 {
        u32::try_from(self.len() / 3).unwrap_or(u32::MAX)
    }

    /// Returns the three corners of triangle `triangle`, or `None` if the number is out of range.
    /// The triangles are numbered from 0 in file order, as in [`Hit`](crate::query::Hit).
    #[inline]
    #[must_use]
    pub fn triangle(&self, triangle: u32) -> Option<[Corner; 3]> {
        let first = as_index(triangle).checked_mul(3)?;
        Some([self.get(first)?, self.get(first.checked_add(1)?)?, self.get(first.checked_add(2)?)?])
    }

    /// Returns an iterator over the corners of each triangle, in file order.
    /// [`SpaceConversion::triangle`] puts them into the order of other conventions.
    ///
    /// [`SpaceConversion::triangle`]: super::SpaceConversion::triangle
    #[must_use]
    pub fn triangles(&self) -> impl ExactSizeIterator<Item = [Corner; 3]> + Clone + use<'a> {
        let corners = *self;
        // The number of triangles does not exceed the length of the index streams.
        (0..self.triangle_count()).map(move |triangle| corners.triangle(triangle).unwrap_or_default())
    }
}

impl<'a> Array for Corners<'a> {
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

    fn list_item<'b>(&self, index: usize, list: &mut PrefetchList<'b>)
    where
        Self: 'b,
    {
        self.positions.list_item(index, list);
        self.attributes.list_item(index, list);
    }

    #[inline]
    fn prefetch_to_cache(&self, index: usize) {
        self.positions.prefetch_to_cache(index);
        self.attributes.prefetch_to_cache(index);
    }

    /// Splits the corners into `count` consecutive parts of whole triangles. The numbers of
    /// triangles of the parts differ by at most 1.
    fn parts(
        &self,
        count: usize,
    ) -> impl ExactSizeIterator<Item = Self> + DoubleEndedIterator + FusedIterator + Clone + use<'a> {
        split(*self, count, 3)
    }

    /// Matches the encodings of both index streams once before the loop, and not for each corner.
    #[inline]
    fn fold<B, F: FnMut(B, Corner) -> B>(&self, first: B, mut fold: F) -> B {
        with_width!(self.positions, positions => with_width!(self.attributes, attributes => {
            let corners = positions.decoded().zip(attributes.decoded());
            corners.fold(first, |folded, (position, attribute)| fold(folded, Corner { position, attribute }))
        }))
    }

    #[inline]
    fn rfold<B, F: FnMut(B, Corner) -> B>(&self, last: B, mut fold: F) -> B {
        with_width!(self.positions, positions => with_width!(self.attributes, attributes => {
            let corners = positions.decoded().zip(attributes.decoded());
            corners.rfold(last, |folded, (position, attribute)| fold(folded, Corner { position, attribute }))
        }))
    }
}

impl_into_iter!(['a] Corners<'a>);

/// Returns the positions of the corners of all triangles. A triangle with an index that is out of
/// range is left out, because it is not drawn.
pub(crate) fn corner_positions<'p>(
    positions: &'p Positions<'_>,
    indices: &'p Indices<'_>,
) -> impl Iterator<Item = [f32; 3]> + 'p {
    let corner = |number: usize| positions.get(as_index(indices.get(number)?));
    let triangle = move |first: usize| {
        let [second, third] = [1, 2].map(|more| first.saturating_add(more));
        Some([corner(first)?, corner(second)?, corner(third)?])
    };
    (0..indices.len()).step_by(3).filter_map(triangle).flatten()
}
