//! Reads the vertex indices and the positions of up to eight triangles from the arrays of the file.

use std::ops::Range;

use crate::array::{Array, Packed};
use crate::bvh::lanes::{CornerIndices, LANES, TriangleBlock};
use crate::decode::Decode;

/// Decodes the vertex indices of up to eight consecutive triangles into `numbers`. `range` is the
/// range of the index array that contains the vertex indices of the triangles.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
pub(crate) fn run<D: Decode<Value = u32>>(array: &Packed<'_, D>, range: Range<usize>, numbers: &mut CornerIndices) {
    let decode = array.decoder();
    let end = range.end.min(array.len());
    let raw = array.raw().get(range.start..end).unwrap_or_default().as_chunks().0;
    if let Some(raw) = raw.first_chunk::<LANES>() {
        *numbers = raw.each_ref().map(|corners: &[D::Raw; 3]| corners.each_ref().map(|corner| decode.decode(corner)));
        return;
    }
    for (place, corners) in numbers.iter_mut().zip(raw) {
        *place = corners.each_ref().map(|corner| decode.decode(corner));
    }
}

/// Decodes the vertex indices of up to eight triangles, given as separate triangle indices, into
/// `numbers`.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
pub(crate) fn each<D: Decode<Value = u32>>(
    array: &Packed<'_, D>,
    triangles: impl Iterator<Item = u32>,
    numbers: &mut CornerIndices,
) {
    let (decode, raw) = (array.decoder(), array.raw().as_chunks::<3>().0);
    for (place, triangle) in numbers.iter_mut().zip(triangles) {
        if let Some(corners) = usize::try_from(triangle).ok().and_then(|triangle| raw.get(triangle)) {
            *place = corners.each_ref().map(|corner| decode.decode(corner));
        }
    }
}

/// Calls `get` for the position of each vertex index in `numbers`, and stores the positions in the
/// lanes of a block of eight triangles.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
pub(crate) fn positions(numbers: &CornerIndices, get: impl Fn(usize) -> Option<[f32; 3]>) -> TriangleBlock {
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
