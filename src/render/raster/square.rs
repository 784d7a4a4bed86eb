//! Draws the triangles that are in a square of two by two pixels, whose samples are known.

use super::block::{Squares, lane_of};
use super::visibility::{EMPTY, SAMPLES, VisibilityBuffer};
use crate::math::as_index;

/// The number that rounds a depth to an integer, which is then in the lower 23 bits of the float.
pub(super) const ROUND_DEPTH: f32 = 8_388_608.0;

/// Two pixels of a row of a square.
type PixelPair<T> = [T; 2 * SAMPLES];

/// The positions of the samples of two pixels, each relative to the left top corner of its pixel.
const PAIR_OFFSETS: [PixelPair<f32>; 2] =
    [[6.0, 14.0, 2.0, 10.0, 6.0, 14.0, 2.0, 10.0], [2.0, 6.0, 10.0, 14.0, 2.0, 6.0, 10.0, 14.0]];
/// The bits of the samples of two pixels.
const PAIR_BITS: PixelPair<i32> = [1, 2, 4, 8, 16, 32, 64, 128];

/// Draws a small triangle, whose samples are known.
#[inline(always)]
pub(super) fn fill_square(buffer: &mut VisibilityBuffer, row_pixels: i32, squares: &Squares, lane: usize, number: u32) {
    let ([zx, zy], [left, right]) = (lane_of(&squares.slope, lane), lane_of(&squares.columns, lane));
    let (rows, range) = (lane_of(&squares.rows, lane), lane_of(&squares.range, lane));
    let [mut pixel, mut covered] = lane_of(&squares.samples, lane);
    let offsets = zip_pair(PAIR_OFFSETS[0], PAIR_OFFSETS[1], |x, y| zx * x + zy * y);
    for row in rows {
        let (left, right) = (row + left, row + right);
        let starts = [left, left, left, left, right, right, right, right];
        let keys = zip_pair(starts, offsets, |start, offset| key(start + offset, range, number));
        let keys = zip_pair(keys, PAIR_BITS, |key, bit| if covered & bit == 0 { EMPTY } else { key });
        let first = as_index(pixel.cast_unsigned()).wrapping_mul(SAMPLES);
        let samples = buffer.samples.as_flattened_mut().get_mut(first..);
        let Some(pair) = samples.and_then(|rest| rest.first_chunk_mut()) else { return };
        *pair = zip_pair(*pair, keys, |old: i64, new| old.min(new));
        (covered, pixel) = (covered >> (2 * SAMPLES), pixel.wrapping_add(row_pixels));
    }
}

/// Computes one number for each sample of two pixels from two numbers.
#[inline(always)]
fn zip_pair<A: Copy, B: Copy, C: Copy + Default>(
    one: PixelPair<A>,
    other: PixelPair<B>,
    with: impl Fn(A, B) -> C,
) -> PixelPair<C> {
    let mut out = [C::default(); 2 * SAMPLES];
    for ((out, one), other) in out.iter_mut().zip(one).zip(other) {
        *out = with(one, other);
    }
    out
}

/// Returns the number of a sample: the depth, which is limited to that of the corners, and the
/// number of the triangle.
#[inline(always)]
fn key(z: f32, [min, max]: [f32; 2], number: u32) -> i64 {
    let z = if z > min { z } else { min };
    let z = if z < max { z } else { max };
    (i64::from((z + ROUND_DEPTH).to_bits()) << 32) | i64::from(number)
}
