//! A block of eight triangles that are decoded from the arrays of the file, stored in the layout of
//! SIMD vectors: lane *i* of each vector belongs to triangle *i*.

use crate::array::{Bounds, Packed};
use crate::bvh::coordinates::MAX_COORDINATE;
use crate::decode::Decode;
use crate::math::{fast_max, fast_min};

/// The number of triangles in a block, which a kernel tests in parallel in `f32`.
pub(crate) const LANES: usize = 8;
/// The number of triangles that a kernel tests in parallel in `f64`.
pub(crate) const QUAD: usize = 4;

/// A vertex index that is out of range in every array of positions. The index `INVALID_VERTEX`
/// marks lanes that contain no triangle.
pub(crate) const INVALID_VERTEX: u32 = u32::MAX;

/// The positions of the corners of eight triangles: for each corner and each axis, one vector with
/// the coordinate of every triangle.
///
/// If a lane contains no triangle, its coordinates are NaN.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct TriangleBlock {
    pub(crate) corners: [[[f32; LANES]; 3]; 3],
}

/// The vertex indices of eight triangles, three indices per triangle.
pub(crate) type CornerIndices = [[u32; 3]; LANES];

impl TriangleBlock {
    /// Returns the positions of the corners of the triangle in lane `lane`, without checking their
    /// coordinates. The returned coordinates may be NaN, infinite or beyond ±2^60.
    #[inline(always)]
    pub(crate) fn triangle(&self, lane: usize) -> [[f32; 3]; 3] {
        let mut triangle = [[0.0; 3]; 3];
        for (part, lanes) in triangle.as_flattened_mut().iter_mut().zip(self.corners.as_flattened()) {
            *part = lanes.get(lane).copied().unwrap_or(f32::NAN);
        }
        triangle
    }

    /// Returns the bounding box of all triangles of the block whose coordinates are finite and not
    /// beyond ±2^60.
    #[inline(always)]
    pub(crate) fn bounds(&self) -> Bounds {
        let boxes = self.boxes();
        let fold = |lanes: [f32; LANES], with: fn(f32, f32) -> f32, first: f32| lanes.into_iter().fold(first, with);
        let [min, max] = boxes;
        Bounds {
            min: min.map(|lanes| fold(lanes, f32::min, f32::INFINITY)),
            max: max.map(|lanes| fold(lanes, f32::max, f32::NEG_INFINITY)),
        }
    }

    /// Returns the bounding boxes of all eight triangles of the block: the least coordinates, then
    /// the greatest coordinates, with one lane per triangle.
    ///
    /// If a coordinate of a triangle is not finite or beyond ±2^60, the least coordinates of its
    /// bounding box are positive infinity and the greatest are negative infinity.
    #[inline(always)]
    pub(crate) fn boxes(&self) -> [[[f32; LANES]; 3]; 2] {
        let [a, b, c] = &self.corners;
        let mut sound = [true; LANES];
        for axis in self.corners.iter().flatten() {
            for (sound, value) in sound.iter_mut().zip(axis) {
                *sound &= value.abs() <= MAX_COORDINATE;
            }
        }
        let mut boxes = [[[f32::INFINITY; LANES]; 3], [[f32::NEG_INFINITY; LANES]; 3]];
        let [min, max] = &mut boxes;
        for ((((min, max), a), b), c) in min.iter_mut().zip(max).zip(a).zip(b).zip(c) {
            let lanes = min.iter_mut().zip(max).zip(a.iter().zip(b).zip(c)).zip(&sound);
            for (((min, max), ((a, b), c)), sound) in lanes {
                *min = if *sound { fast_min(fast_min(*a, *b), *c) } else { f32::INFINITY };
                *max = if *sound { fast_max(fast_max(*a, *b), *c) } else { f32::NEG_INFINITY };
            }
        }
        boxes
    }

    /// Returns the [bounding box](Self::boxes) of each triangle of the block. It is empty if a
    /// coordinate of the triangle is not finite or beyond ±2^60.
    #[inline(always)]
    pub(crate) fn bounds_of_each(&self) -> [Bounds; LANES] {
        let [min, max] = self.boxes();
        let mut all = [Bounds::EMPTY; LANES];
        for (axis, (least, greatest)) in min.iter().zip(&max).enumerate() {
            for ((bounds, least), greatest) in all.iter_mut().zip(least).zip(greatest) {
                if let (Some(min), Some(max)) = (bounds.min.get_mut(axis), bounds.max.get_mut(axis)) {
                    (*min, *max) = (*least, *greatest);
                }
            }
        }
        all
    }
}

/// Decodes the vertex indices of eight consecutive triangles into `numbers`, or of fewer at the end
/// of the array. `start` is the position of the first vertex index in the array.
#[inline(always)]
pub(crate) fn decode_run<D: Decode<Value = u32>>(array: &Packed<'_, D>, start: usize, numbers: &mut CornerIndices) {
    let decode = array.decoder();
    let raw = array.raw().get(start..).unwrap_or_default();
    if let Some(raw) = raw.first_chunk::<{ 3 * LANES }>() {
        // This loop has a constant number of rounds.
        for (place, raw) in numbers.as_flattened_mut().iter_mut().zip(raw) {
            *place = decode.decode(raw);
        }
        return;
    }
    *numbers = [[INVALID_VERTEX; 3]; LANES];
    for (place, corners) in numbers.iter_mut().zip(raw.as_chunks::<3>().0) {
        *place = corners.each_ref().map(|corner| decode.decode(corner));
    }
}

/// Decodes the vertex indices of up to eight triangles, given as separate triangle indices, into
/// `numbers`.
#[inline(always)]
pub(crate) fn decode_each<D: Decode<Value = u32>>(
    array: &Packed<'_, D>,
    triangles: impl Iterator<Item = u32>,
    numbers: &mut CornerIndices,
) {
    let (decode, raw) = (array.decoder(), array.raw().as_chunks::<3>().0);
    *numbers = [[INVALID_VERTEX; 3]; LANES];
    for (place, triangle) in numbers.iter_mut().zip(triangles) {
        if let Some(corners) = usize::try_from(triangle).ok().and_then(|triangle| raw.get(triangle)) {
            *place = corners.each_ref().map(|corner| decode.decode(corner));
        }
    }
}

/// Calls `get` for the position of each vertex index in `numbers`, and stores the positions in the
/// lanes of a block of eight triangles.
#[inline(always)]
pub(crate) fn gather_positions(numbers: &CornerIndices, get: impl Fn(usize) -> Option<[f32; 3]>) -> TriangleBlock {
    let mut block = TriangleBlock { corners: [[[f32::NAN; LANES]; 3]; 3] };
    for (lane, corners) in numbers.iter().enumerate() {
        for (axes, number) in block.corners.iter_mut().zip(corners) {
            let point = usize::try_from(*number).ok().and_then(&get).unwrap_or([f32::NAN; 3]);
            for (axis, part) in axes.iter_mut().zip(point) {
                if let Some(place) = axis.get_mut(lane) {
                    *place = part;
                }
            }
        }
    }
    block
}
