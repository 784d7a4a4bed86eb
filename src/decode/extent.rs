//! The box around positions, straight from the bytes of a file.
//!
//! A plain loop with one minimum and one maximum per coordinate waits for each comparison before it starts the next.
//! Here eight vertices are compared at a time with 24 independent minima and maxima each, which fit in the registers
//! of any 64-bit x86 and are folded at the end.

use zerocopy::little_endian::F32;

/// Vertices compared at a time.
const LANES: usize = 8;

/// Returns the smallest and the largest value of each coordinate. NaNs are passed over; `None` where a coordinate has
/// no number at all.
#[must_use]
pub fn extent(positions: &[[F32; 3]]) -> Option<[[f32; 3]; 2]> {
    crate::source::prefetch(zerocopy::IntoBytes::as_bytes(positions));
    let (chunks, rest) = positions.as_chunks::<LANES>();
    let mut low = [[f32::INFINITY; 3]; LANES];
    let mut high = [[f32::NEG_INFINITY; 3]; LANES];
    for chunk in chunks {
        for ((low, high), raw) in low.iter_mut().zip(&mut high).zip(chunk) {
            widen(low, high, raw);
        }
    }
    let [mut least, mut most] = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
    for raw in rest {
        widen(&mut least, &mut most, raw);
    }
    for lane in &low {
        fold(&mut least, lane, |value, least| value < least);
    }
    for lane in &high {
        fold(&mut most, lane, |value, most| value > most);
    }
    // A coordinate without a number still holds its start values.
    let found = least.iter().zip(&most).all(|(least, most)| least <= most);
    found.then_some([least, most])
}

/// Compares so that a NaN leaves both sides alone, in the one form that is a single instruction each.
#[inline]
fn widen(low: &mut [f32; 3], high: &mut [f32; 3], raw: &[F32; 3]) {
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

    /// The twin that does one thing at a time.
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
        for count in [0, 1, 2, 7, 8, 9, 15, 16, 17, 100, 1000] {
            let plain = make(count, |_| None);
            assert_eq!(extent(&plain), naive(&plain), "{count}");
            let holes = make(count, |seed| (seed % 5 == 0).then_some(f32::NAN));
            assert_eq!(extent(&holes), naive(&holes), "{count}, NaNs");
            let wild = make(count, |seed| (seed % 97 == 1).then_some(f32::INFINITY));
            assert_eq!(extent(&wild), naive(&wild), "{count}, infinities");
            assert_eq!(extent(&make(count, |_| Some(f32::NAN))), None);
            assert_eq!(extent(&make(count, |seed| (seed % 3 == 0).then_some(f32::NAN))), None);
        }
    }
}
