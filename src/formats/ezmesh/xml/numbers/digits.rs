//! Parses decimal digits, sixteen bytes at a time, in general-purpose registers.
//!
//! The window is the sixteen bytes of the file that end with the last byte of a number. Hence the
//! last digit has the same position in the window for any length of the number. The bytes of the
//! window before the number are replaced by zeros, and no branch depends on the length or the
//! notation of the number. A decimal point is first treated as a digit. As a result, the digits
//! before the point have ten times their correct weight, and the byte of the point adds a value.
//! Both are subtracted at the end. Hence the conversion of the digits can start before the decimal
//! point is found.

/// Number of bytes in a window: the maximum length of a number that is parsed at once, without its
/// sign.
pub(super) const WIDTH: usize = 16;

/// The window: the sixteen bytes of the file that end with the last byte of a number.
pub(super) type Window = [u8; WIDTH];

/// The value of the byte `.` when it is treated as a digit: the lowest four bits of the byte.
const POINT: u64 = 14;

/// Masks that select the last bytes of a window of sixteen bytes, one mask for each number of
/// selected bytes.
pub(super) static LAST: [Window; WIDTH + 1] = {
    let mut masks = [[0; WIDTH]; WIDTH + 1];
    let mut length = 0;
    while length <= WIDTH {
        #[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "checked by the compiler")]
        {
            let mut byte = WIDTH - length;
            while byte < WIDTH {
                masks[length][byte] = 0xff;
                byte += 1;
            }
            length += 1;
        }
    }
    masks
};

/// The scale factor of a number, indexed by the number of digits after the decimal point. The last
/// entry is for numbers without a decimal point.
#[rustfmt::skip]
pub(super) static SCALES: [f64; WIDTH + 1] =
    [1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15, 1e0];

/// Constants that depend on the number of digits after the decimal point.
struct Fraction {
    /// The byte `.` after an XOR with the byte `0`, at the position of the point in the window. All
    /// other bytes of `point` are 0.
    point: [u64; 2],
    /// The value that is added to each byte of the window to check the byte. The top bit of the sum
    /// of `excess` and a byte is set if the byte is not a digit. For the byte at the position of
    /// the decimal point, the top bit of the sum is set if the byte is not a point.
    excess: [u64; 2],
    /// 2^64 divided by `10 * one`, rounded up: `10 * one` is the weight of the last digit before
    /// the point while the point is treated as a digit.
    before: u64,
    /// The correct weight of the last digit before the decimal point.
    one: u64,
}

/// The constants for each number of digits after the decimal point. The last entry is for decimal
/// numbers without a decimal point.
static FRACTIONS: [Fraction; WIDTH + 1] = {
    const NONE: Fraction = Fraction { point: [0; 2], excess: [0x7676_7676_7676_7676; 2], before: 0, one: 0 };
    let mut fractions = [NONE; WIDTH + 1];
    let mut after = 0;
    let mut one = 1;
    while after < WIDTH {
        #[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "checked by the compiler")]
        {
            let byte = WIDTH - 1 - after;
            let fraction = &mut fractions[after];
            fraction.point[byte / 8] = 0x1e << (byte % 8 * 8);
            fraction.excess[byte / 8] |= 0x7f << (byte % 8 * 8);
            fraction.before = u64::MAX / (one * 10) + 1;
            fraction.one = one;
            one *= 10;
            after += 1;
        }
    }
    fractions
};

/// Returns the last `length` bytes of a window of sixteen bytes as digit values, in two integers of
/// eight bytes each. All earlier bytes of the window become zero in the returned integers.
///
/// Returns `None` if `length` exceeds the length of the window.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
fn values(window: &Window, length: usize) -> Option<[u64; 2]> {
    const ZEROS: u64 = u64::from_le_bytes([b'0'; 8]);
    let [low, high] = halves(u128::from_le_bytes(*window));
    let [first, last] = halves(u128::from_le_bytes(*LAST.get(length)?));
    Some([(low ^ ZEROS) & first, (high ^ ZEROS) & last])
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "takes the halves apart")]
const fn halves(wide: u128) -> [u64; 2] {
    [wide as u64, (wide >> 64) as u64]
}

/// Returns the number that eight decimal digits form. The first digit is in the lowest byte of
/// `values`.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
const fn eight(values: u64) -> u64 {
    const PAIRS: u64 = 0x0000_00ff_0000_00ff;
    // In `pairs`, two adjacent digits form a number from 0 to 99. The products `odd` and `even`
    // combine the four numbers of two digits. The upper half of the sum of `odd` and `even` is the
    // number that all eight digits form.
    let pairs = values.wrapping_mul(10).wrapping_add(values >> 8);
    let odd = (pairs & PAIRS).wrapping_mul(0x000f_4240_0000_0064);
    let even = (pairs >> 16 & PAIRS).wrapping_mul(0x0000_2710_0000_0001);
    odd.wrapping_add(even) >> 32
}

/// Parses the last `length` bytes of a window of sixteen bytes as an unsigned decimal float.
///
/// Returns `None` if the bytes are not digits with at most one decimal point, or if the correct
/// rounding of the value is uncertain.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "the upper half of a product")]
pub(super) fn fixed(window: &Window, length: usize) -> Option<f32> {
    /// Selects the bit of each byte that, after the XOR with the byte `0`, is set for a decimal
    /// point and clear for a digit. `DIGIT` selects the four bits of each byte that hold the value
    /// of a digit.
    const BIT: u64 = 0x1010_1010_1010_1010;
    const DIGIT: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    const TOP: u64 = 0x8080_8080_8080_8080;
    let [low, high] = values(window, length)?;
    let in_high = (high & BIT).leading_zeros();
    let in_low = (low & BIT).leading_zeros();
    // The number of digits after the last byte that may be a point, or 16 if no byte may be a
    // point.
    let after = if high & BIT == 0 { in_low | 64 } else { in_high };
    let after = if (low | high) & BIT == 0 { 16 } else { after / 8 };
    let fraction = FRACTIONS.get(after as usize)?;
    let [low_rest, high_rest] = [low ^ fraction.point[0], high ^ fraction.point[1]];
    let wrong = low_rest.wrapping_add(fraction.excess[0]) | high_rest.wrapping_add(fraction.excess[1]);
    if (wrong | low_rest | high_rest) & TOP != 0 || length <= usize::from(after < 16) {
        return None;
    }
    let all = eight(low & DIGIT).wrapping_mul(100_000_000).wrapping_add(eight(high & DIGIT));
    let before = (u128::from(all).wrapping_mul(u128::from(fraction.before)) >> 64) as u64;
    let extra = before.wrapping_mul(9).wrapping_add(POINT - 9);
    narrow(all.wrapping_sub(extra.wrapping_mul(fraction.one)), *SCALES.get(after as usize)?)
}

/// Returns the product of `digits` and `scale`, rounded to `f32`.
///
/// Returns `None` if the product is so near to the middle between two `f32` values that the correct
/// rounding is uncertain.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
#[allow(clippy::as_conversions, clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "rounds")]
pub(super) fn narrow(digits: u64, scale: f64) -> Option<f32> {
    /// The mask of the low bits of an `f64` that an `f32` cannot hold. `MIDDLE` is the value of
    /// these bits for a number in the middle between two `f32` values.
    const DROPPED: u64 = 0x1fff_ffff;
    const MIDDLE: u64 = 0x1000_0000;
    /// An upper bound for the sum of three rounding errors, in units in the last place of an `f64`:
    /// the rounding of the integer, of the scale factor and of the product.
    const ERROR: u64 = 4;
    let wide = digits.cast_signed() as f64 * scale;
    let near = (wide.to_bits() & DROPPED).wrapping_sub(MIDDLE.wrapping_sub(ERROR)) <= 2 * ERROR;
    (!near).then_some(wide as f32)
}

/// Returns the float with a minus sign if `negative` is set. A zero becomes a negative zero.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
pub(super) fn signed(magnitude: f32, negative: bool) -> f32 {
    f32::from_bits(magnitude.to_bits() | u32::from(negative) << 31)
}

/// Parses the last `length` bytes of a window of sixteen bytes as an unsigned integer of at most
/// eight digits.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "eight digits need 27 bits")]
pub(super) fn short(window: &Window, length: usize) -> Option<u32> {
    let [_, values] = values(window, length)?;
    let wrong = (values.wrapping_add(0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080;
    (wrong == 0 && length <= 8).then(|| eight(values) as u32)
}
