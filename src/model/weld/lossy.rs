//! Welding a damaged surface: leaving out triangles with an index that is out of range.

use std::fmt;

use zerocopy::little_endian::U32;

use crate::array::{Array, Packed};
use crate::decode::Index;
use crate::error::Result;
use crate::error::debug::{items, short_debug};
use crate::math::as_index;
use crate::model::attributes::{IndexEncoding, Indices};
use crate::model::corners::{Corner, Corners, IndexStream};
use crate::model::surface::{Counts, Surface};
use crate::model::weld::reserve::{push, reserve};

/// A report of the parts of a damaged surface that welding left out.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Omitted {
    /// The indices of the triangles that were left out, in ascending order. The triangles of the
    /// surface are counted from 0, in file order.
    pub triangles: Vec<u32>,
    /// The invalid index because of which the first of these triangles was left out. `None` if no
    /// triangle was left out.
    pub first: Option<InvalidIndex>,
    /// The numbers of indices in the two index streams that belong to no triangle: first in the
    /// stream for positions, then in the stream for attributes.
    ///
    /// A surface has one triangle for every three position indices. If the number of position
    /// indices is not a multiple of three, the last one or two indices belong to no triangle.
    /// Attribute indices without a position index also belong to no triangle.
    pub unused_indices: [usize; 2],
}

short_debug!(Omitted: |omitted| { triangles: items(&omitted.triangles), first: &omitted.first });

/// An index of a triangle corner that is out of range or missing.
///
/// The [`Display`](fmt::Display) implementation describes the invalid index for a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidIndex {
    /// The index of the triangle in the surface, counted from 0 in file order.
    pub triangle: u32,
    /// The corner of the triangle: 0, 1 or 2.
    pub corner: u32,
    /// The index stream that contains the invalid index.
    pub stream: IndexStream,
    /// The index that was found, or `None` if the index stream ends before this corner.
    pub index: Option<u32>,
    /// The number of items that can be referred to. An index is valid if it is less than `count`.
    pub count: u32,
}

impl Omitted {
    /// Converts the index of a triangle of the welded surface to the index of the same triangle in
    /// the surface of the file.
    ///
    /// The result is also meaningful for [`Hit::triangle`](crate::query::Hit::triangle), because
    /// queries count all triangles of the surface. The method takes time in proportion to the
    /// logarithm of the number of triangles that were left out.
    #[must_use]
    pub fn source_triangle(&self, welded: u32) -> u32 {
        // Finds the number of omitted triangles that precede the triangle in the file. Before the
        // omitted triangle `triangles[k]`, the file has `triangles[k] - k` triangles that are kept.
        let (mut low, mut high) = (0, self.triangles.len());
        while low < high {
            let middle = low.midpoint(high);
            let kept = self.triangles.get(middle).map_or(0, |omitted| as_index(*omitted).saturating_sub(middle));
            if kept <= as_index(welded) { low = middle.saturating_add(1) } else { high = middle }
        }
        welded.saturating_add(u32::try_from(low).unwrap_or(u32::MAX))
    }

    fn add(&mut self, surface: &Surface<'_>, invalid: InvalidIndex) -> Result<()> {
        self.first.get_or_insert(invalid);
        push(surface, &mut self.triangles, invalid.triangle)
    }
}

impl fmt::Display for InvalidIndex {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expected = match self.stream {
            IndexStream::Positions => "a position index",
            IndexStream::Attributes => "an attribute index",
        };
        write!(out, "expected {expected} below {}, found ", self.count)?;
        match self.index {
            Some(index) => write!(out, "{index}")?,
            None => out.write_str("none")?,
        }
        write!(out, " at corner {} of triangle {}", self.corner, self.triangle)
    }
}

/// Copies of the indices of the valid triangles.
///
/// The bytes of a mapped file may change. Hence an index is read once, and copied if it is valid.
pub(super) struct ValidTriangles {
    positions: Vec<U32>,
    attributes: Vec<U32>,
}

impl ValidTriangles {
    pub(super) fn corners(&self) -> Corners<'_> {
        let [positions, attributes] = [&self.positions, &self.attributes]
            .map(|copies| Indices(IndexEncoding::U32(Packed::new(copies, Index::new()))));
        Corners::of_copies(positions, attributes)
    }

    fn extend(&mut self, corners: [Corner; 3]) {
        self.positions.extend(corners.map(|corner| U32::new(corner.position)));
        self.attributes.extend(corners.map(|corner| U32::new(corner.attribute)));
    }
}

/// Copies the indices of all triangles whose indices are in range.
pub(super) fn valid_triangles(surface: &Surface<'_>) -> Result<(ValidTriangles, Omitted)> {
    let streams =
        Streams { positions: surface.indices()?, attributes: surface.attribute_indices()?, counts: surface.counts()? };
    let lengths = [streams.positions.len(), streams.attributes.len()];
    let corners = lengths[0].saturating_sub(lengths[0] % 3);
    let unused_indices = lengths.map(|length| length.saturating_sub(corners));
    let mut omitted = Omitted { unused_indices, ..Omitted::default() };
    let mut kept = ValidTriangles { positions: reserve(surface, corners)?, attributes: reserve(surface, corners)? };
    for triangle in 0..corners / 3 {
        match streams.triangle(triangle) {
            Ok(corners) => kept.extend(corners),
            Err(invalid) => omitted.add(surface, invalid)?,
        }
    }
    Ok((kept, omitted))
}

/// The two index streams of a surface, which may have different lengths.
struct Streams<'a> {
    positions: Indices<'a>,
    attributes: Indices<'a>,
    counts: Counts,
}

impl Streams<'_> {
    fn triangle(&self, triangle: usize) -> Result<[Corner; 3], InvalidIndex> {
        Ok([self.corner(triangle, 0)?, self.corner(triangle, 1)?, self.corner(triangle, 2)?])
    }

    fn corner(&self, triangle: usize, corner: u32) -> Result<Corner, InvalidIndex> {
        let at = triangle.saturating_mul(3).saturating_add(as_index(corner));
        let valid = |stream, indices: &Indices<'_>, count| {
            let index = indices.get(at);
            let triangle = u32::try_from(triangle).unwrap_or(u32::MAX);
            let invalid = InvalidIndex { triangle, corner, stream, index, count };
            index.filter(|index| *index < count).ok_or(invalid)
        };
        Ok(Corner {
            position: valid(IndexStream::Positions, &self.positions, self.counts.vertices)?,
            attribute: valid(IndexStream::Attributes, &self.attributes, self.counts.attribute_vertices)?,
        })
    }
}
