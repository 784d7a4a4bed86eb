//! A scan that computes the sum of each stored component of an array, such as x, y and z.
//!
//! Sums of integers are exact. The number of array items that one call of a SIMD kernel adds is
//! limited, and the sums therefore fit in narrow vector lanes of 16 or 32 bits. Narrow lanes are
//! faster, because a vector register has more lanes if they are narrow. No vector lane has the size
//! of a tangent frame in the seven-byte encoding. The bytes of seven-byte tangent frames are
//! therefore summed separately for each of the seven byte positions, and the seven sums are
//! combined at the end: a sum of 16-bit numbers is the sum of their lower bytes plus 256 times the
//! sum of their upper bytes.

use zerocopy::IntoBytes;
use zerocopy::little_endian::{F32, I16};

use crate::array::{Array, Packed};
use crate::decode::{Floats, Quat7, Quat8};
use crate::model::{TangentFrameEncoding, TangentFrames};
use crate::simd::kernel;

/// The number of SIMD lanes that sum eight-byte tangent frames: four components of each of eight
/// tangent frames.
const QUAT8_LANES: usize = 32;
/// The maximum number of eight-byte tangent frames in one kernel call: each vector lane adds at
/// most 4096 numbers, whose sum fits in 32 bits.
const ROUND8: usize = QUAT8_LANES / 4 * 4096;
/// The number of SIMD lanes that sum the bytes of seven-byte tangent frames: 448, a multiple of 7
/// (bytes per tangent frame) and of 64 (bytes per vector register).
const QUAT7_LANES: usize = 448;
/// Size of a tangent frame in the seven-byte encoding, in bytes.
const QUAT7_BYTES: usize = 7;
/// The maximum number of seven-byte tangent frames in one kernel call: each vector lane adds at
/// most 256 bytes, whose sum fits in 16 bits.
const ROUND7: usize = QUAT7_LANES / QUAT7_BYTES * 256;
/// The number of SIMD lanes that sum floats: three coordinates of each of 16 positions.
const FLOAT_LANES: usize = 48;

impl Packed<'_, Quat8> {
    /// Returns the sum of each stored integer component (x, y, z and w) over all tangent frames.
    ///
    /// The sums of the components are exact integers.
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
    /// Returns the sum of each stored component over all tangent frames: x, y, z, and the sign byte
    /// of w, which is 127 or -127.
    ///
    /// The sums of the components are exact integers.
    #[must_use]
    pub fn sums(&self) -> [i64; 4] {
        self.prefetch();
        let rounds = self.raw().chunks(ROUND7).map(|round| by_byte(round.as_bytes()));
        let [x0, x1, y0, y1, z0, z1, sign] = rounds.fold([0; QUAT7_BYTES], |all, lanes| {
            lanes.as_chunks().0.iter().fold(all, |all, seven: &[u16; QUAT7_BYTES]| add(all, seven.map(i64::from)))
        });
        // Each upper byte of x, y and z, and each sign byte of w, was summed with its sign bit
        // flipped, which adds 128 to its signed value. `flipped` is 128 times the number of tangent
        // frames, which is subtracted from each sum of upper bytes or sign bytes.
        let flipped = crate::math::as_u64(self.len()).cast_signed().wrapping_mul(128);
        let join = |low: i64, high: i64| low.wrapping_add(high.wrapping_sub(flipped).wrapping_mul(256));
        [join(x0, x1), join(y0, y1), join(z0, z1), sign.wrapping_sub(flipped)]
    }
}

impl TangentFrames<'_> {
    /// Returns the sum of each stored component over all tangent frames: x, y, z and w.
    ///
    /// The seven-byte encoding stores only the sign of w, so each w is counted as 127 or -127.
    /// The sums of the components are exact integers.
    #[doc(hidden)]
    #[must_use]
    pub fn sums(&self) -> [i64; 4] {
        match self {
            Self(TangentFrameEncoding::Quat8(array)) => array.sums(),
            Self(TangentFrameEncoding::Quat7(array)) => array.sums(),
        }
    }
}

impl Packed<'_, Floats<3>> {
    /// Returns the sum of each coordinate (x, y and z) over all positions, computed in `f64`.
    ///
    /// The summation uses 16 partial sums per coordinate: position *i* is added to partial sum *i*
    /// modulo 16. The 16 partial sums of each coordinate are then added in order. If a coordinate
    /// of a position is not finite, the sum of that coordinate is not finite.
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
    /// Returns 32 sums: lane *i* sums the numbers whose index modulo 32 is *i*.
    ///
    /// `by_lane` requires at most 4096 numbers per lane. With more numbers, the sum of a lane may
    /// not fit in 32 bits.
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

/// For each SIMD lane that sums bytes of seven-byte tangent frames: the bits of a byte that are
/// flipped before the byte is summed as an unsigned number.
///
/// The flipped bit is the sign bit of the upper byte of x, y and z, and of the sign byte of w. The
/// lower bytes of x, y and z have no sign bit and are not changed.
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
    /// Returns 448 sums: lane *i* sums the bytes whose index modulo 448 is *i*, with the bits of
    /// `SIGNS` flipped.
    ///
    /// `by_byte` requires at most 256 bytes per lane. With more bytes, the sum of a lane may not
    /// fit in 16 bits.
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

    /// The reference implementation, which adds one position after another: position *i* is added
    /// to partial sum *i* modulo 16.
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
                assert_eq!(
                    TangentFrames(TangentFrameEncoding::Quat8(Packed::new(eight, Quat8))).sums(),
                    naive8(eight),
                    "{byte} {len}"
                );
                let seven = <[RawQuat7]>::ref_from_bytes(&bytes[..len * 7]).unwrap();
                assert_eq!(
                    TangentFrames(TangentFrameEncoding::Quat7(Packed::new(seven, Quat7))).sums(),
                    naive7(seven),
                    "{byte} {len}"
                );
            }
        }
    }
}
