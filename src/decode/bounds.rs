//! The bounding box of positions, computed from the bytes of a file without decoding them to a
//! buffer.
//!
//! A loop that keeps only one minimum and one maximum per coordinate waits for each comparison
//! before it starts the next comparison. The loop in this module compares 48 floats (16 vertices)
//! at a time. The loop keeps 48 minima and 48 maxima, one pair for each index in a chunk of 48
//! floats. After the loop, the 48 minima and the 48 maxima are combined to one bounding box. The
//! loop reads a flat array of floats instead of an array of vertices, because compilers vectorise
//! loops over flat arrays for every processor. On all tested machines, computing the bounding box
//! took no longer than reading the bytes of the positions from memory.

use zerocopy::little_endian::F32;

use crate::simd::kernel;

/// The number of floats that one iteration of the bounding-box loop compares. `LANES` is a multiple
/// of 3 (the floats of a vertex) and of the lane count of every SIMD vector type.
const LANES: usize = 48;

/// Returns the bounding box of the positions: its minimum corner, then its maximum corner.
///
/// Coordinates that are NaN are ignored. Returns `None` if the x, the y or the z coordinate is NaN
/// in all positions, or if the slice is empty.
#[must_use]
pub fn bounds(positions: &[[F32; 3]]) -> Option<[[f32; 3]; 2]> {
    crate::io::prefetch(zerocopy::IntoBytes::as_bytes(positions));
    let [mut least, mut most] = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
    grow(&mut least, &mut most, positions);
    // If all coordinates along an axis are NaN, the minimum and the maximum of this axis still have
    // their initial values, infinity and negative infinity.
    let found = least.iter().zip(&most).all(|(least, most)| least <= most);
    found.then_some([least, most])
}

/// Extends the bounding box with the corners `least` and `most`, if necessary, to contain the given
/// positions.
pub(crate) fn grow(least: &mut [f32; 3], most: &mut [f32; 3], positions: &[[F32; 3]]) {
    let (chunks, rest) = positions.as_flattened().as_chunks::<LANES>();
    let [low, high] = widest(chunks);
    for raw in rest.as_chunks().0 {
        widen(least, most, raw);
    }
    for lane in low.as_chunks().0 {
        fold(least, lane, |value, least| value < least);
    }
    for lane in high.as_chunks().0 {
        fold(most, lane, |value, most| value > most);
    }
}

kernel! {
    /// Returns an array of minima and an array of maxima: element *i* is the smallest (or the
    /// largest) of the elements *i* of all chunks.
    fn widest(chunks: &[[F32; LANES]]) -> [[f32; LANES]; 2] {
        let [mut low, mut high] = [[f32::INFINITY; LANES], [f32::NEG_INFINITY; LANES]];
        let distance = crate::simd::prefetch_distance();
        for chunk in chunks {
            crate::simd::prefetch_ahead(chunk, distance);
            widen(&mut low, &mut high, chunk);
        }
        [low, high]
    }
}

/// Updates the minimum and the maximum of each lane with the floats in `raw`, and ignores NaN.
///
/// Each comparison of two floats is written as an `if` expression, because only an `if` expression
/// compiles to one minimum or maximum instruction.
#[inline(always)]
fn widen<const N: usize>(low: &mut [f32; N], high: &mut [f32; N], raw: &[F32; N]) {
    for ((low, high), raw) in low.iter_mut().zip(high).zip(raw) {
        let value = raw.get();
        *low = if value < *low { value } else { *low };
        *high = if value > *high { value } else { *high };
    }
}

fn fold(into: &mut [f32; 3], lane: &[f32; 3], beats: impl Fn(f32, f32) -> bool) {
    for (into, value) in into.iter_mut().zip(lane) {
        if beats(*value, *into) {
            *into = *value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference implementation of `bounds` that compares one coordinate at a time.
    fn naive(positions: &[[F32; 3]]) -> Option<[[f32; 3]; 2]> {
        let mut found = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
        for position in positions {
            for axis in 0..3 {
                let value = position[axis].get();
                found[0][axis] = found[0][axis].min(value);
                found[1][axis] = found[1][axis].max(value);
            }
        }
        (0..3).all(|axis| found[0][axis] <= found[1][axis]).then_some(found)
    }

    fn make(count: u32, spoil: impl Fn(u32) -> Option<f32>) -> Vec<[F32; 3]> {
        let value = |seed: u32| {
            let bits = seed.wrapping_mul(2_654_435_761);
            F32::new(spoil(seed).unwrap_or_else(|| f32::from(u16::try_from(bits >> 16).unwrap()) - 30_000.0))
        };
        (0..count).map(|vertex| [value(vertex * 3), value(vertex * 3 + 1), value(vertex * 3 + 2)]).collect()
    }

    #[test]
    fn agrees_with_its_naive_twin() {
        for count in [0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 100, if cfg!(miri) { 101 } else { 1000 }] {
            let plain = make(count, |_| None);
            assert_eq!(bounds(&plain), naive(&plain), "{count}");
            let holes = make(count, |seed| (seed % 5 == 0).then_some(f32::NAN));
            assert_eq!(bounds(&holes), naive(&holes), "{count}, NaNs");
            let wild = make(count, |seed| (seed % 97 == 1).then_some(f32::INFINITY));
            assert_eq!(bounds(&wild), naive(&wild), "{count}, infinities");
            assert_eq!(bounds(&make(count, |_| Some(f32::NAN))), None);
            assert_eq!(bounds(&make(count, |seed| (seed % 3 == 0).then_some(f32::NAN))), None);
        }
    }
}
