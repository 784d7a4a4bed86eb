//! The triangles of a surface, eight at a time, out of the file's own arrays.

use std::ops::Range;

use crate::array::{Array, Bounds};
use crate::bvh::coordinates::{TriangleCorners, include_point, is_valid_triangle};
use crate::bvh::fetch;
use crate::bvh::lanes::{CornerIndices, LANES, TriangleBlock};
use crate::decode::divisor::BY_65535;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Indices, Positions, Surface};

/// The most triangles of a surface.
const MAX_TRIANGLES: u32 = 1 << 31;
/// What no vertex has as its number.
const INVALID_VERTEX: u32 = u32::MAX;

/// The triangles of a surface: positions and the indices into them, borrowed and undecoded.
///
/// A triangle counts where its three indices are in range and its coordinates finite, none beyond ±2^60; others are not
/// there for any query.
#[derive(Clone, Copy, Debug)]
pub struct Triangles<'a> {
    points: VertexPositions<'a>,
    indices: Indices<'a>,
    count: u32,
}

/// Where the corners are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum VertexPositions<'a> {
    /// In a file.
    File(Positions<'a>),
    /// Where a pose has put them.
    Computed(&'a [[f32; 3]]),
}

impl<'a> Triangles<'a> {
    /// Takes positions and the indices of corners, three to a triangle; what is left over is no triangle, and no more than
    /// 2^31 triangles are seen.
    #[must_use]
    pub fn from_arrays(positions: Positions<'a>, indices: Indices<'a>) -> Self {
        let count = u32::try_from(indices.len() / 3).unwrap_or(u32::MAX).min(MAX_TRIANGLES);
        Self { points: VertexPositions::File(positions), indices, count }
    }

    /// Locates the triangles of a surface, in its base shape.
    ///
    /// # Errors
    ///
    /// What locating the arrays fails with; [`ErrorKind::Value`] where there are more than 2^31 triangles.
    pub fn new(surface: &Surface<'a>) -> Result<Self> {
        Self::locate(surface, VertexPositions::File(surface.positions()?))
    }

    /// Locates them with the positions of another shape of the same surface: a vertex frame, a morph target.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn with_positions(surface: &Surface<'a>, positions: Positions<'a>) -> Result<Self> {
        Self::locate(surface, VertexPositions::File(positions))
    }

    /// Locates them with positions that were computed: skinned, or blended.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn from_points(surface: &Surface<'a>, positions: &'a [[f32; 3]]) -> Result<Self> {
        Self::locate(surface, VertexPositions::Computed(positions))
    }

    fn locate(surface: &Surface<'a>, points: VertexPositions<'a>) -> Result<Self> {
        let indices = surface.indices()?;
        let count = u32::try_from(indices.len() / 3).ok().filter(|count| *count <= MAX_TRIANGLES);
        let count = count.ok_or_else(|| -> Error {
            let found = format!("{} triangles", indices.len() / 3);
            let kind = ErrorKind::Value { expected: "at most 2^31 triangles".into(), found: found.into() };
            surface.fault("indices.count", kind)
        })?;
        Ok(Self { points, indices, count })
    }

    /// Returns how many there are, those that do not count included.
    #[must_use]
    pub const fn len(&self) -> u32 {
        self.count
    }

    /// Tells whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the indices of a triangle's corners; `None` where there is none.
    #[inline]
    #[must_use]
    pub fn corners(&self, triangle: u32) -> Option<[u32; 3]> {
        let first = usize::try_from(triangle).ok()?.checked_mul(3)?;
        Some([
            self.indices.get(first)?,
            self.indices.get(first.checked_add(1)?)?,
            self.indices.get(first.checked_add(2)?)?,
        ])
    }

    /// Returns the corners of a triangle, in scene units; `None` where it does not count.
    #[inline]
    #[must_use]
    pub fn get(&self, triangle: u32) -> Option<TriangleCorners> {
        let [first, second, third] = self.corners(triangle)?.map(|corner| self.point(corner));
        Some([first?, second?, third?]).filter(is_valid_triangle)
    }

    /// Returns the position of a vertex.
    #[inline]
    #[must_use]
    pub fn point(&self, vertex: u32) -> Option<[f32; 3]> {
        let vertex = usize::try_from(vertex).ok()?;
        match self.points {
            VertexPositions::File(positions) => positions.get(vertex),
            VertexPositions::Computed(points) => points.get(vertex).copied(),
        }
    }

    /// Returns how many vertices there are.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        match self.points {
            VertexPositions::File(positions) => positions.len(),
            VertexPositions::Computed(points) => points.len(),
        }
    }

    /// Returns the box around all positions, whether a triangle uses them or not, in one pass over them.
    pub(crate) fn bounds_of_points(&self) -> Bounds {
        match self.points {
            VertexPositions::File(positions) => positions.bounds(),
            VertexPositions::Computed(points) => {
                points.iter().fold(Bounds::EMPTY, |bounds, point| include_point(bounds, *point))
            }
        }
    }

    /// Returns the box around the triangles of a range that count; empty where none does.
    pub(crate) fn bounds(&self, range: Range<u32>) -> Bounds {
        let mut bounds = Bounds::EMPTY;
        let mut first = range.start;
        while first < range.end {
            let last = range.end.min(first.saturating_add(8));
            bounds = bounds.union(&self.block::<false>(&self.corner_indices(first..last)).bounds());
            first = last;
        }
        bounds
    }

    /// Tells the system that all of it is about to be read: the indices in order, the positions as they say.
    pub(crate) fn prefetch(&self) {
        crate::io::prefetch(self.indices.as_bytes());
        if let VertexPositions::File(positions) = self.points {
            crate::io::prefetch(positions.as_bytes());
        }
    }

    /// Returns where the corners are.
    #[inline]
    #[cfg_attr(not(all(target_arch = "x86_64", not(miri))), allow(dead_code, reason = "kernels for AVX2 use it"))]
    pub(crate) const fn points(&self) -> &VertexPositions<'a> {
        &self.points
    }

    /// Visits the bytes of a triangle's indices, and those of each corner's position, where they are in a file.
    pub(crate) fn each_slice_of(&self, triangle: u32, visit: &mut dyn FnMut(&'a [u8])) {
        let Some(first) = usize::try_from(triangle).ok().and_then(|triangle| triangle.checked_mul(3)) else { return };
        if let Some(part) = first.checked_add(3).and_then(|end| self.indices.slice(first..end)) {
            visit(part.as_bytes());
        }
        let VertexPositions::File(positions) = self.points else { return };
        for corner in self.corners(triangle).into_iter().flatten() {
            let corner = usize::try_from(corner).unwrap_or(usize::MAX);
            if let Some(part) = corner.checked_add(1).and_then(|end| positions.slice(corner..end)) {
                visit(part.as_bytes());
            }
        }
    }

    /// Returns the indices of up to eight triangles that stand together.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
    pub(crate) fn corner_indices(&self, range: Range<u32>) -> CornerIndices {
        let mut numbers = [[INVALID_VERTEX; 3]; LANES];
        let [start, end] =
            [range.start, range.end].map(|at| usize::try_from(at).unwrap_or(usize::MAX).saturating_mul(3));
        match &self.indices {
            Indices::U8(array) => fetch::run(array, start..end, &mut numbers),
            Indices::U16(array) => fetch::run(array, start..end, &mut numbers),
            Indices::U32(array) => fetch::run(array, start..end, &mut numbers),
            Indices::Polygon(_) | Indices::Endian(_) | Indices::Consecutive(_) => {
                for (place, triangle) in numbers.iter_mut().zip(range) {
                    *place = self.corners(triangle).unwrap_or([INVALID_VERTEX; 3]);
                }
            }
        }
        numbers
    }

    /// Returns the indices of up to eight triangles that do not stand together.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
    pub(crate) fn corner_indices_of(&self, triangles: impl Iterator<Item = u32>) -> CornerIndices {
        let mut numbers = [[INVALID_VERTEX; 3]; LANES];
        match &self.indices {
            Indices::U8(array) => fetch::each(array, triangles, &mut numbers),
            Indices::U16(array) => fetch::each(array, triangles, &mut numbers),
            Indices::U32(array) => fetch::each(array, triangles, &mut numbers),
            Indices::Polygon(_) | Indices::Endian(_) | Indices::Consecutive(_) => {
                for (place, triangle) in numbers.iter_mut().zip(triangles) {
                    *place = self.corners(triangle).unwrap_or([INVALID_VERTEX; 3]);
                }
            }
        }
        numbers
    }

    /// Decodes the positions of eight triangles.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
    pub(crate) fn block<const FUSED: bool>(&self, numbers: &CornerIndices) -> TriangleBlock {
        match &self.points {
            VertexPositions::Computed(points) => fetch::positions(numbers, |at| points.get(at).copied()),
            VertexPositions::File(Positions::F32(array)) => fetch::positions(numbers, |at| array.get(at)),
            VertexPositions::File(Positions::Packed32(array)) => fetch::positions(numbers, |at| array.get(at)),
            VertexPositions::File(Positions::Packed64(array)) => fetch::positions(numbers, |at| array.get(at)),
            VertexPositions::File(Positions::Strided(array)) => fetch::positions(numbers, |at| array.get(at)),
            VertexPositions::File(Positions::MinMax16(array)) => {
                // The division of all lanes together: one for each vertex would take longer than the rest.
                let raw = array.raw();
                let mut block =
                    fetch::positions(numbers, |at| raw.get(at).map(|codes| codes.map(|code| f32::from(code.get()))));
                let (min, max) = (array.decoder().min(), array.decoder().max());
                for corner in &mut block.corners {
                    for ((axis, min), max) in corner.iter_mut().zip(min).zip(max) {
                        for code in axis {
                            *code = BY_65535.divide::<FUSED>(*code) * (max - min) + min;
                        }
                    }
                }
                block
            }
        }
    }

    /// Asks for the indices of a triangle, which are about to be read.
    #[inline]
    pub(crate) fn prefetch_indices(&self, triangle: u32) {
        let first = usize::try_from(triangle).unwrap_or(usize::MAX).saturating_mul(3);
        let bytes = match &self.indices {
            Indices::U8(array) => array.raw().get(first..).map(zerocopy::IntoBytes::as_bytes),
            Indices::U16(array) => array.raw().get(first..).map(zerocopy::IntoBytes::as_bytes),
            Indices::U32(array) => array.raw().get(first..).map(zerocopy::IntoBytes::as_bytes),
            Indices::Polygon(_) | Indices::Endian(_) | Indices::Consecutive(_) => None,
        };
        crate::simd::prefetch_lines(bytes.unwrap_or_default(), 2);
    }

    /// Asks for the positions of eight triangles, which are about to be read.
    #[inline]
    pub(crate) fn prefetch_positions(&self, numbers: &CornerIndices) {
        fn each<T>(array: &[T], numbers: &CornerIndices) {
            for corner in numbers.iter().flatten() {
                crate::simd::prefetch_item(array, *corner);
            }
        }
        match &self.points {
            VertexPositions::Computed(points) => each(points, numbers),
            VertexPositions::File(Positions::F32(array)) => each(array.raw(), numbers),
            VertexPositions::File(Positions::Packed32(array)) => each(array.raw(), numbers),
            VertexPositions::File(Positions::Packed64(array)) => each(array.raw(), numbers),
            VertexPositions::File(Positions::MinMax16(array)) => each(array.raw(), numbers),
            VertexPositions::File(Positions::Strided(_)) => {}
        }
    }
}
