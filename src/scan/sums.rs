//! Sums of the components of an array, as they are stored.
//!
//! Integers are summed exactly: in lanes that are as narrow as the rounds are short, because that is how most fit in a vector.
//! The seven-byte form has no lane that fits, so its bytes are summed by their place among seven, and put together at the end:
//! a sum of 16-bit numbers is the sum of their lower bytes and 256 times that of their upper ones.

use zerocopy::IntoBytes;
use zerocopy::little_endian::{F32, I16};

use crate::array::{Array, Packed};
use crate::decode::{Floats, Quat7, Quat8};
use crate::model::TangentFrames;
use crate::simd::kernel;

/// Components summed at a time: eight frames of the eight-byte form.
const QUAT8_LANES: usize = 32;
/// Frames of the eight-byte form whose sums fit in 32 bits, 4096 to a lane.
const ROUND8: usize = QUAT8_LANES / 4 * 4096;
/// Bytes summed at a time: whole frames of the seven-byte form, and whole vectors.
const QUAT7_LANES: usize = 448;
/// Bytes of a frame of the seven-byte form.
const QUAT7_BYTES: usize = 7;
/// Frames of the seven-byte form whose bytes' sums fit in 16 bits, 256 to a lane.
const ROUND7: usize = QUAT7_LANES / QUAT7_BYTES * 256;
/// Floats summed at a time.
const FLOAT_LANES: usize = 48;

impl Packed<'_, Quat8> {
    /// Sums the stored components, x, y, z and w, of all frames. Exact.
    ///
    /// ```
    /// use meshpeek::{Packed, decode::Quat8};
    /// use zerocopy::little_endian::I16;
    /// let raw = [[1, -2, 3, 32767], [10, 20, -30, -32767]].map(|frame: [i16; 4]| frame.map(I16::new));
    /// assert_eq!(Packed::new(&raw, Quat8).sums(), [11, 18, -27, 0]);
    /// ```
    #[must_use]
    pub fn sums(&self) -> [i64; 4] {
        self.prefetch();
        let rounds = self.raw().chunks(ROUND8).map(|round| by_lane(round.as_flattened()));
        rounds.fold([0; 4], |all, lanes| {
            lanes.as_chunks().0.iter().fold(all, |all, four: &[i32; 4]| add(all, four.map(i64::from)))
        })
    }
}

impl Packed<'_, Quat7> {
    /// Sums the stored components of all frames: x, y, z, and the byte that is 127 or −127. Exact.
    #[must_use]
    pub fn sums(&self) -> [i64; 4] {
        self.prefetch();
        let rounds = self.raw().chunks(ROUND7).map(|round| by_byte(round.as_bytes()));
        let [x0, x1, y0, y1, z0, z1, sign] = rounds.fold([0; QUAT7_BYTES], |all, lanes| {
            lanes.as_chunks().0.iter().fold(all, |all, seven: &[u16; QUAT7_BYTES]| add(all, seven.map(i64::from)))
        });
        // Upper bytes were summed with their sign bit flipped: each is 128 too large.
        let flipped = crate::math::as_u64(self.len()).cast_signed().wrapping_mul(128);
        let join = |low: i64, high: i64| low.wrapping_add(high.wrapping_sub(flipped).wrapping_mul(256));
        [join(x0, x1), join(y0, y1), join(z0, z1), sign.wrapping_sub(flipped)]
    }
}

impl TangentFrames<'_> {
    /// Sums the stored components of all frames: x, y, z, and w or, in seven bytes, its sign times 127. Exact.
    #[must_use]
    pub fn sums(&self) -> [i64; 4] {
        match self {
            Self::Quat8(array) => array.sums(),
            Self::Quat7(array) => array.sums(),
        }
    }
}

impl Packed<'_, Floats<3>> {
    /// Sums each coordinate, in `f64`: the floats of each sixteenth position in order, then those sums. What is no finite number
    /// makes the sum none.
    #[must_use]
    pub fn sums(&self) -> [f64; 3] {
        self.prefetch();
        let lanes = float_lanes(self.raw().as_flattened());
        lanes.as_chunks().0.iter().fold([0.0; 3], |[x, y, z], [a, b, c]| [x + a, y + b, z + c])
    }
}

fn add<const N: usize>(mut sums: [i64; N], more: [i64; N]) -> [i64; N] {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum = sum.wrapping_add(more));
    sums
}

kernel! {
    /// Sums every 32nd number; there must be few enough.
    fn by_lane(numbers: &[I16]) -> [i32; QUAT8_LANES] {
        let mut sums = [0_i32; QUAT8_LANES];
        let (chunks, rest) = numbers.as_chunks::<QUAT8_LANES>();
        for chunk in chunks {
            for (sum, number) in sums.iter_mut().zip(chunk) {
                *sum = sum.wrapping_add(number.get().into());
            }
        }
        for (sum, number) in sums.iter_mut().zip(rest) {
            *sum = sum.wrapping_add(number.get().into());
        }
        sums
    }
}

/// Which bit of a byte is flipped before it is summed as a number without a sign: the sign bit of those that have one.
const SIGNS: [u16; QUAT7_LANES] = {
    let mut signs = [0; QUAT7_LANES];
    let mut frames = signs.as_chunks_mut::<QUAT7_BYTES>().0;
    while let Some((frame, others)) = frames.split_first_mut() {
        *frame = [0, 0x80, 0, 0x80, 0, 0x80, 0x80];
        frames = others;
    }
    signs
};

kernel! {
    /// Sums every 448th byte, sign bits flipped; there must be few enough.
    fn by_byte(bytes: &[u8]) -> [u16; QUAT7_LANES] {
        let mut sums = [0_u16; QUAT7_LANES];
        let (chunks, rest) = bytes.as_chunks::<QUAT7_LANES>();
        for chunk in chunks {
            for ((sum, byte), sign) in sums.iter_mut().zip(chunk).zip(&SIGNS) {
                *sum = sum.wrapping_add(u16::from(*byte) ^ sign);
            }
        }
        for ((sum, byte), sign) in sums.iter_mut().zip(rest).zip(&SIGNS) {
            *sum = sum.wrapping_add(u16::from(*byte) ^ sign);
        }
        sums
    }
}

kernel! {
    fn float_lanes(floats: &[F32]) -> [f64; FLOAT_LANES] {
        let mut sums = [0.0; FLOAT_LANES];
        let (chunks, rest) = floats.as_chunks::<FLOAT_LANES>();
        for chunk in chunks {
            for (sum, float) in sums.iter_mut().zip(chunk) {
                *sum += f64::from(float.get());
            }
        }
        for (sum, float) in sums.iter_mut().zip(rest) {
            *sum += f64::from(float.get());
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use zerocopy::FromBytes;

    use super::*;
    use crate::array::arbitrary::{any_bytes, places};
    use crate::decode::tangent_frame::RawQuat7;

    fn naive8(raw: &[[I16; 4]]) -> [i64; 4] {
        raw.iter().fold([0; 4], |all, frame| add(all, frame.map(|part| part.get().into())))
    }

    fn naive7(raw: &[RawQuat7]) -> [i64; 4] {
        raw.iter().fold([0; 4], |all, frame| {
            let [x, y, z] = frame.xyz.map(|part| i64::from(part.get()));
            add(all, [x, y, z, frame.sign.into()])
        })
    }

    /// One position after another, each to the sum whose turn it is.
    fn naive_floats(raw: &[[F32; 3]]) -> [f64; 3] {
        let mut turns = [[0.0; 3]; FLOAT_LANES / 3];
        for (number, position) in raw.iter().enumerate() {
            let turn = &mut turns[number % (FLOAT_LANES / 3)];
            (0..3).for_each(|axis| turn[axis] += f64::from(position[axis].get()));
        }
        turns.iter().fold([0.0; 3], |sum, turn| [sum[0] + turn[0], sum[1] + turn[1], sum[2] + turn[2]])
    }

    #[test]
    fn agrees_with_its_naive_twin() {
        for (start, len) in places() {
            let bytes = any_bytes(start + len * 12);
            let eight = <[[I16; 4]]>::ref_from_bytes(&bytes[start..start + len * 8]).unwrap();
            assert_eq!(Packed::new(eight, Quat8).sums(), naive8(eight), "{start} {len}");
            let seven = <[RawQuat7]>::ref_from_bytes(&bytes[start..start + len * 7]).unwrap();
            assert_eq!(Packed::new(seven, Quat7).sums(), naive7(seven), "{start} {len}");
            let whole: Vec<[F32; 3]> =
                eight.iter().map(|[x, y, z, _]| [x, y, z].map(|one| F32::new(one.get().into()))).collect();
            let [sums, naive] =
                [Packed::new(&whole, Floats).sums(), naive_floats(&whole)].map(|sums| sums.map(f64::to_bits));
            assert_eq!(sums, naive, "{start} {len}");
        }
    }

    #[test]
    fn holds_the_largest_sums() {
        for byte in [0x80, 0x7f, 0xff, 0] {
            for len in [ROUND8, ROUND7, ROUND8 * 2 + 9] {
                let bytes = vec![byte; len * 8];
                let eight = <[[I16; 4]]>::ref_from_bytes(&bytes).unwrap();
                assert_eq!(TangentFrames::Quat8(Packed::new(eight, Quat8)).sums(), naive8(eight), "{byte} {len}");
                let seven = <[RawQuat7]>::ref_from_bytes(&bytes[..len * 7]).unwrap();
                assert_eq!(TangentFrames::Quat7(Packed::new(seven, Quat7)).sums(), naive7(seven), "{byte} {len}");
            }
        }
    }
}
