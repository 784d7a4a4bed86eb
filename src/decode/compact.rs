//! The variable-length integer (compact integer) of UNIGINE 2.x files.
//!
//! A compact integer consists of a sign and a magnitude, with the least significant bits first. In
//! the first byte, bit 7 is set if another byte follows, bit 6 is set if the integer is negative,
//! and bits 5 to 0 are the lowest bits of the magnitude. In each further byte, bit 7 is set if
//! another byte follows, and bits 6 to 0 are the next bits of the magnitude. The encoding of a
//! compact integer is neither two's complement, zig-zag nor LEB128: -1 is the byte `41`.
//!
//! Encoding an integer as a compact integer and decoding it again returns the same integer. The
//! UNIGINE engine writes a compact integer in the fewest bytes, *n*, for which the magnitude is
//! below `2^(6+7(n-1)) - 1`. For example, the UNIGINE engine writes the integer 63 in two bytes,
//! although one byte would suffice. [`encode`] writes the same bytes as the UNIGINE engine.
//! [`decode`] also reads integers that are encoded in more or fewer bytes than the UNIGINE engine
//! writes, up to five bytes.

/// The maximum size of a compact integer, in bytes.
pub const MAX_BYTES: usize = 5;

/// The reason why a sequence of bytes is not a compact integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompactError {
    /// The input ends inside the integer: it is empty, or bit 7 of its last byte is set, so another
    /// byte should follow.
    End,
    /// Bit 7 of the fifth byte is set, but a compact integer has at most five bytes.
    Long,
    /// The magnitude of the integer is 2^31 or more.
    Large,
}

/// Decodes the compact integer at the start of `bytes`. Returns the integer, and the number of
/// bytes that it occupies.
///
/// ```
/// use meshpeek::decode::compact::decode;
/// assert_eq!(decode(&[0x41]), Ok((-1, 1)));
/// assert_eq!(decode(&[0xbf, 0xff, 0x00]), Ok((8191, 3)));
/// ```
///
/// # Errors
///
/// Returns a [`CompactError`] if `bytes` does not begin with a compact integer.
#[inline]
pub fn decode(bytes: &[u8]) -> Result<(i32, usize), CompactError> {
    let mut magnitude = 0_u64;
    let mut shift = 0_u32;
    let mut negative = false;
    for (position, &byte) in bytes.iter().take(MAX_BYTES).enumerate() {
        let bits = if position == 0 {
            negative = byte & 0x40 != 0;
            byte & 0x3f
        } else {
            byte & 0x7f
        };
        magnitude |= u64::from(bits).wrapping_shl(shift);
        shift = shift.wrapping_add(if position == 0 { 6 } else { 7 });
        if byte & 0x80 == 0 {
            let value = i32::try_from(magnitude).map_err(|_| CompactError::Large)?;
            return Ok((if negative { value.wrapping_neg() } else { value }, position.wrapping_add(1)));
        }
    }
    Err(if bytes.len() < MAX_BYTES { CompactError::End } else { CompactError::Long })
}

/// Returns the number of bytes that the UNIGINE engine writes for the integer `value`.
#[must_use]
pub const fn length(value: i32) -> usize {
    match value.unsigned_abs() {
        0..=0x3e => 1,
        0x3f..=0x1ffe => 2,
        0x1fff..=0x000f_fffe => 3,
        0x000f_ffff..=0x07ff_fffe => 4,
        _ => 5,
    }
}

/// Encodes the integer `value` to the same bytes as the UNIGINE engine. Returns an array of five
/// bytes, and the size of the encoded integer, which occupies the first bytes of this array.
///
/// ```
/// use meshpeek::decode::compact::encode;
/// let (bytes, length) = encode(63);
/// assert_eq!(bytes[..length], [0xbf, 0x00]);
/// ```
#[must_use]
pub fn encode(value: i32) -> ([u8; MAX_BYTES], usize) {
    let length = length(value);
    let mut magnitude = value.unsigned_abs();
    let mut bytes = [0; MAX_BYTES];
    for (position, byte) in bytes.iter_mut().take(length).enumerate() {
        let bits = if position == 0 { 6_u32 } else { 7 };
        let low = magnitude & 1_u32.wrapping_shl(bits).wrapping_sub(1);
        *byte = u8::try_from(low).unwrap_or_default();
        if position == 0 && value < 0 {
            *byte |= 0x40;
        }
        if position.wrapping_add(1) < length {
            *byte |= 0x80;
        }
        magnitude = magnitude.wrapping_shr(bits);
    }
    (bytes, length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(value: i32) -> Vec<u8> {
        let (bytes, length) = encode(value);
        bytes[..length].to_vec()
    }

    #[test]
    fn golden_vectors() {
        let golden: [(i32, &[u8]); 10] = [
            (0, &[0x00]),
            (62, &[0x3e]),
            (63, &[0xbf, 0x00]),
            (64, &[0x80, 0x01]),
            (8190, &[0xbe, 0x7f]),
            (8191, &[0xbf, 0xff, 0x00]),
            (8192, &[0x80, 0x80, 0x01]),
            (-1, &[0x41]),
            (i32::MAX, &[0xbf, 0xff, 0xff, 0xff, 0x0f]),
            (-i32::MAX, &[0xff, 0xff, 0xff, 0xff, 0x0f]),
        ];
        for (value, bytes) in golden {
            assert_eq!(spelled(value), bytes, "{value}");
            assert_eq!(decode(bytes), Ok((value, bytes.len())), "{value}");
        }
    }

    #[test]
    fn every_value_around_a_length_returns() {
        for power in 0..31 {
            for near in -3..=3_i64 {
                let Ok(value) = i32::try_from((1_i64 << power) + near) else { continue };
                for value in [value, -value] {
                    let bytes = spelled(value);
                    assert_eq!(bytes.len(), length(value));
                    assert_eq!(decode(&bytes), Ok((value, bytes.len())), "{value}");
                }
            }
        }
        for (value, bytes) in [(62, 1), (63, 2), (8190, 2), (8191, 3), (1_048_574, 3), (1_048_575, 4)] {
            assert_eq!(length(value), bytes, "{value}");
        }
        assert_eq!((length(134_217_726), length(134_217_727)), (4, 5));
    }

    #[test]
    fn reads_what_the_engine_never_writes() {
        assert_eq!(decode(&[0x3f]), Ok((63, 1)));
        assert_eq!(decode(&[0x40]), Ok((0, 1)));
        assert_eq!(decode(&[0x80, 0x80, 0x80, 0x80, 0x00]), Ok((0, 5)));
        assert_eq!(decode(&[]), Err(CompactError::End));
        assert_eq!(decode(&[0xff, 0xff]), Err(CompactError::End));
        assert_eq!(decode(&[0xff; 5]), Err(CompactError::Long));
        assert_eq!(decode(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x00]), Err(CompactError::Long));
        assert_eq!(decode(&[0xbf, 0xff, 0xff, 0xff, 0x10]), Err(CompactError::Large));
    }
}
