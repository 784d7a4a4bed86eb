//! Reads the triangles of a surface from the index array and the position array of the file, eight
//! triangles at a time.

use std::ops::Range;

use crate::array::{Array, Bounds};
use crate::bvh::coordinates::{TriangleCorners, include_point, is_valid_triangle};
use crate::bvh::lanes;
use crate::bvh::lanes::{CornerIndices, INVALID_VERTEX, LANES, TriangleBlock};
use crate::decode::divisor::BY_65535;
use crate::error::debug::short_debug;
use crate::error::{Cause, Error, Result};
use crate::math::as_index;
use crate::model::{IndexEncoding, Indices, PositionEncoding, Positions, Surface};

/// The maximum number of triangles of a surface that queries support.
const MAX_TRIANGLES: u32 = 1 << 31;
/// The maximum number of vertices for each triangle of a surface whose whole array of positions is
/// read to build its tree.
///
/// If a surface has more vertices for each triangle, only the positions of its triangles are read.
/// Many sections of a file may share one array of positions, and each section may have few
/// triangles.
const MAX_VERTICES_PER_TRIANGLE: usize = 12;

/// The triangles of a surface, in the form that queries read.
///
/// The arrays of positions and of vertex indices are borrowed from the file. A triangle is decoded
/// only when a query reads it.
///
/// A triangle is valid if its three vertex indices are in range, and all its coordinates are finite
/// and not beyond ±2^60. All queries ignore a triangle with an index that is out of range, or with
/// a coordinate that is not finite or beyond ±2^60.
#[derive(Clone, Copy)]
pub struct Triangles<'a> {
    points: VertexPositions<'a>,
    indices: Indices<'a>,
    count: u32,
}

short_debug!(Triangles<'_>: |triangles| { vertices: triangles.vertex_count(), triangles: triangles.count });

/// The positions of the vertices, borrowed from the file or from memory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum VertexPositions<'a> {
    /// Positions that are stored in a file.
    File(Positions<'a>),
    /// Positions in memory that were computed, for example by skinning a pose.
    Computed(&'a [[f32; 3]]),
}

impl<'a> Triangles<'a> {
    /// Combines an array of positions and an array of vertex indices to triangles. Each triangle
    /// has three consecutive indices.
    ///
    /// If the number of indices is not a multiple of three, the last one or two indices are
    /// ignored. Only the first 2^31 triangles are used, and the triangles after them are ignored.
    #[must_use]
    pub fn from_arrays(positions: Positions<'a>, indices: Indices<'a>) -> Self {
        let count = u32::try_from(indices.len() / 3).unwrap_or(u32::MAX).min(MAX_TRIANGLES);
        Self { points: VertexPositions::File(positions), indices, count }
    }

    /// Locates the triangles of a surface in its base shape (without a pose, morph target or other
    /// vertex frame).
    ///
    /// # Errors
    ///
    /// Returns an error if the arrays of the surface cannot be located. Returns
    /// [`ErrorKind::Value`](crate::ErrorKind::Value) if the surface has more than 2^31 triangles.
    pub fn new(surface: &Surface<'a>) -> Result<Self> {
        Self::locate(surface, VertexPositions::File(surface.positions()?))
    }

    /// Locates the triangles of a surface, but takes the vertex positions from the given array of
    /// the file.
    ///
    /// The array can contain the positions of a vertex frame or a morph target of the same surface.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`new`](Self::new).
    pub fn with_positions(surface: &Surface<'a>, positions: Positions<'a>) -> Result<Self> {
        Self::locate(surface, VertexPositions::File(positions))
    }

    /// Locates the triangles of a surface, but takes the vertex positions from memory.
    ///
    /// The vertex positions were computed by the caller, for example by skinning or by blending
    /// morph targets.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`new`](Self::new).
    pub fn from_points(surface: &Surface<'a>, positions: &'a [[f32; 3]]) -> Result<Self> {
        Self::locate(surface, VertexPositions::Computed(positions))
    }

    fn locate(surface: &Surface<'a>, points: VertexPositions<'a>) -> Result<Self> {
        let indices = surface.indices()?;
        let count = u32::try_from(indices.len() / 3).ok().filter(|count| *count <= MAX_TRIANGLES);
        let count = count.ok_or_else(|| -> Error {
            let found = format!("{} triangles", indices.len() / 3);
            let kind = Cause::value("at most 2^31 triangles", found);
            surface.fault("indices.count", kind)
        })?;
        Ok(Self { points, indices, count })
    }

    /// Returns the number of triangles, including triangles that queries ignore because an index is
    /// out of range or a coordinate is not finite.
    #[must_use]
    pub const fn len(&self) -> u32 {
        self.count
    }

    /// Returns whether the surface has no triangles.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the three vertex indices of a triangle, or `None` if `triangle` is out of range.
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

    /// Returns the positions of the three corners of a triangle, in scene units, or `None` if the
    /// triangle cannot be used.
    ///
    /// A triangle cannot be used if `triangle` or one of its vertex indices is out of range, or if
    /// a coordinate is not finite or beyond ±2^60.
    #[inline]
    #[must_use]
    pub fn get(&self, triangle: u32) -> Option<TriangleCorners> {
        let [first, second, third] = self.corners(triangle)?.map(|corner| self.point(corner));
        Some([first?, second?, third?]).filter(is_valid_triangle)
    }

    /// Returns the position of a vertex, in scene units, or `None` if `vertex` is out of range.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn point(&self, vertex: u32) -> Option<[f32; 3]> {
        let vertex = usize::try_from(vertex).ok()?;
        match self.points {
            VertexPositions::File(positions) => positions.get(vertex),
            VertexPositions::Computed(points) => points.get(vertex).copied(),
        }
    }

    /// Returns the number of vertices, which is the length of the array of positions.
    #[doc(hidden)]
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        match self.points {
            VertexPositions::File(positions) => positions.len(),
            VertexPositions::Computed(points) => points.len(),
        }
    }

    /// Returns the bounding box of all positions, including positions that no triangle uses.
    /// `bounds_of_points` reads the array of positions once.
    pub(crate) fn bounds_of_points(&self) -> Bounds {
        match self.points {
            VertexPositions::File(positions) => positions.bounds(),
            VertexPositions::Computed(points) => {
                points.iter().fold(Bounds::EMPTY, |bounds, point| include_point(bounds, *point))
            }
        }
    }

    /// Returns the bounding box of the [valid](Triangles) triangles in a range of triangle indices,
    /// or an empty bounding box if no triangle of the range is valid.
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

    /// Returns whether the number of vertices is at most 12 times the number of triangles. Reading
    /// all positions then takes about as long as reading all triangles.
    pub(crate) fn uses_most_points(&self) -> bool {
        self.vertex_count() / MAX_VERTICES_PER_TRIANGLE <= as_index(self.count)
    }

    /// Advises the operating system that the arrays of indices and positions will soon be read. For
    /// positions, it gives this advice only if the triangles [use most of
    /// them](Self::uses_most_points).
    ///
    /// After a call of `prefetch`, the program reads the index array in file order, and the
    /// positions in the order in which the vertex indices refer to them.
    pub(crate) fn prefetch(&self) {
        let arrays = if self.uses_most_points() { 2 } else { 1 };
        self.stored_bytes().take(arrays).for_each(crate::io::prefetch);
    }

    /// Returns the bytes of the file that contain the indices and the positions.
    pub(crate) fn stored_bytes(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let positions = match self.points {
            VertexPositions::File(positions) => positions.as_bytes(),
            VertexPositions::Computed(_) => &[],
        };
        [self.indices.as_bytes(), positions].into_iter()
    }

    /// Returns the positions of the vertices, in the file or in memory.
    #[inline]
    #[cfg_attr(not(all(target_arch = "x86_64", not(miri))), allow(dead_code, reason = "kernels for AVX2 use it"))]
    pub(crate) const fn points(&self) -> &VertexPositions<'a> {
        &self.points
    }

    /// Calls `visit` with each byte slice of the file that stores a triangle: first its three
    /// indices, then the position of each corner.
    ///
    /// Computed positions are not in the file, so their bytes are not passed to `visit`.
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

    /// Decodes the vertex indices of up to eight consecutive triangles, given as a range of
    /// triangle indices. The lanes after the last triangle have an index that is out of range.
    #[inline(always)]
    pub(crate) fn corner_indices(&self, range: Range<u32>) -> CornerIndices {
        let mut numbers = [[INVALID_VERTEX; 3]; LANES];
        self.corner_indices_from(range.start, &mut numbers);
        numbers.iter_mut().skip(range.len()).for_each(|corners| *corners = [INVALID_VERTEX; 3]);
        numbers
    }

    /// Decodes the vertex indices of eight consecutive triangles, starting with the triangle
    /// `first`.
    #[inline(always)]
    pub(crate) fn corner_indices_from(&self, first: u32, numbers: &mut CornerIndices) {
        let start = usize::try_from(first).unwrap_or(usize::MAX).saturating_mul(3);
        match &self.indices {
            Indices(IndexEncoding::U8(array)) => lanes::decode_run(array, start, numbers),
            Indices(IndexEncoding::U16(array)) => lanes::decode_run(array, start, numbers),
            Indices(IndexEncoding::U32(array)) => lanes::decode_run(array, start, numbers),
            Indices(IndexEncoding::Polygon(_) | IndexEncoding::Endian(_) | IndexEncoding::Consecutive(_)) => {
                for (place, triangle) in numbers.iter_mut().zip(first..) {
                    *place = self.corners(triangle).unwrap_or([INVALID_VERTEX; 3]);
                }
            }
        }
    }

    /// Decodes the vertex indices of up to eight triangles, given as separate triangle indices.
    #[inline(always)]
    pub(crate) fn corner_indices_of(&self, triangles: impl Iterator<Item = u32>, numbers: &mut CornerIndices) {
        match &self.indices {
            Indices(IndexEncoding::U8(array)) => lanes::decode_each(array, triangles, numbers),
            Indices(IndexEncoding::U16(array)) => lanes::decode_each(array, triangles, numbers),
            Indices(IndexEncoding::U32(array)) => lanes::decode_each(array, triangles, numbers),
            Indices(IndexEncoding::Polygon(_) | IndexEncoding::Endian(_) | IndexEncoding::Consecutive(_)) => {
                *numbers = [[INVALID_VERTEX; 3]; LANES];
                for (place, triangle) in numbers.iter_mut().zip(triangles) {
                    *place = self.corners(triangle).unwrap_or([INVALID_VERTEX; 3]);
                }
            }
        }
    }

    /// Decodes the positions of the corners of eight triangles.
    #[inline(always)]
    pub(crate) fn block<const FUSED: bool>(&self, numbers: &CornerIndices) -> TriangleBlock {
        match &self.points {
            VertexPositions::Computed(points) => lanes::gather_positions(numbers, |at| points.get(at).copied()),
            VertexPositions::File(Positions(PositionEncoding::F32(array))) => {
                lanes::gather_positions(numbers, |at| array.get(at))
            }
            VertexPositions::File(Positions(PositionEncoding::Packed32(array))) => {
                lanes::gather_positions(numbers, |at| array.get(at))
            }
            VertexPositions::File(Positions(PositionEncoding::Packed64(array))) => {
                lanes::gather_positions(numbers, |at| array.get(at))
            }
            VertexPositions::File(Positions(PositionEncoding::Strided(array))) => {
                lanes::gather_positions(numbers, |at| array.get(at))
            }
            VertexPositions::File(Positions(PositionEncoding::MinMax16(array))) => {
                // The 16-bit coordinates of all eight lanes are divided by 65535 in one vector
                // operation, because separate divisions for each vertex would take longer than all
                // other operations of `block`.
                let raw = array.raw();
                let mut block = lanes::gather_positions(numbers, |at| {
                    raw.get(at).map(|codes| codes.map(|code| f32::from(code.get())))
                });
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

    /// Prefetches the vertex indices of a triangle to the processor cache, because they will be
    /// read soon.
    #[inline]
    pub(crate) fn prefetch_indices(&self, triangle: u32) {
        let first = as_index(triangle).wrapping_mul(3);
        match &self.indices {
            Indices(IndexEncoding::U8(array)) => crate::simd::prefetch_items(array.raw(), first, 1),
            Indices(IndexEncoding::U16(array)) => crate::simd::prefetch_items(array.raw(), first, 2),
            Indices(IndexEncoding::U32(array)) => crate::simd::prefetch_items(array.raw(), first, 2),
            Indices(IndexEncoding::Polygon(_) | IndexEncoding::Endian(_) | IndexEncoding::Consecutive(_)) => {}
        }
    }

    /// Prefetches the positions of the corners of eight triangles to the processor cache, because
    /// they will be read soon.
    #[inline]
    pub(crate) fn prefetch_positions(&self, numbers: &CornerIndices) {
        fn each<T>(array: &[T], numbers: &CornerIndices) {
            for corner in numbers.iter().flatten() {
                crate::simd::prefetch_item(array, *corner);
            }
        }
        match &self.points {
            VertexPositions::Computed(points) => each(points, numbers),
            VertexPositions::File(Positions(PositionEncoding::F32(array))) => each(array.raw(), numbers),
            VertexPositions::File(Positions(PositionEncoding::Packed32(array))) => each(array.raw(), numbers),
            VertexPositions::File(Positions(PositionEncoding::Packed64(array))) => each(array.raw(), numbers),
            VertexPositions::File(Positions(PositionEncoding::MinMax16(array))) => each(array.raw(), numbers),
            VertexPositions::File(Positions(PositionEncoding::Strided(_))) => {}
        }
    }
}
