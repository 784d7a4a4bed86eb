//! Decimal digits, sixteen bytes at a time in ordinary registers.
//!
//! A number is loaded so that its last byte is the last of the window: digits then have their places whatever the
//! length, what stands before the number is masked away, and no branch depends on how a number is spelled. A point is
//! at first read as if it were a digit. That counts the digits before it ten times too much, and it for something, and
//! both are taken off again; so the digits need not wait until the point is found.

/// Bytes of a number that are read at a time, its sign not counted.
pub(super) const WIDTH: usize = 16;

/// The bytes that a number ends with, and what stands before it.
pub(super) type Window = [u8; WIDTH];

/// The value that a point has as a digit: its lowest four bits.
const POINT: u64 = 14;

/// For each length, the bits of that many last bytes.
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

/// What to multiply by for each number of digits after the point; the last entry is that of numbers without one.
#[rustfmt::skip]
pub(super) static SCALES: [f64; WIDTH + 1] =
    [1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15, 1e0];

/// What follows from the number of digits after the point.
struct Fraction {
    /// What the point is among digits' values.
    point: [u64; 2],
    /// What brings everything to 128 that is no digit, or no point in its place.
    excess: [u64; 2],
    /// Two to the 64th, divided by what the last digit before the point counts at first.
    before: u64,
    /// What the last digit before the point should count.
    one: u64,
}

/// For each number of digits after the point; the last entry is that of numbers without one.
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

/// Returns the last `length` bytes of a window as the values of their digits, zeros before them, in two halves; `None`
/// where there are too many.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
fn values(window: &Window, length: usize) -> Option<[u64; 2]> {
    const ZEROS: u64 = u64::from_le_bytes([b'0'; 8]);
    let [low, high] = halves(u128::from_le_bytes(*window));
    let [first, last] = halves(u128::from_le_bytes(*LAST.get(length)?));
    Some([(low ^ ZEROS) & first, (high ^ ZEROS) & last])
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "takes the halves apart")]
const fn halves(wide: u128) -> [u64; 2] {
    [wide as u64, (wide >> 64) as u64]
}

/// Returns the number that eight digits spell, the first one in the lowest byte.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
const fn eight(values: u64) -> u64 {
    const PAIRS: u64 = 0x0000_00ff_0000_00ff;
    // Pairs of digits first, then the four pairs by two products that add up in the upper half.
    let pairs = values.wrapping_mul(10).wrapping_add(values >> 8);
    let odd = (pairs & PAIRS).wrapping_mul(0x000f_4240_0000_0064);
    let even = (pairs >> 16 & PAIRS).wrapping_mul(0x0000_2710_0000_0001);
    odd.wrapping_add(even) >> 32
}

/// Reads the unsigned decimal float that the last `length` bytes of a window spell, if it is one of digits and at most
/// one point, and if it is certain how its value rounds.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "the upper half of a product")]
pub(super) fn fixed(window: &Window, length: usize) -> Option<f32> {
    /// The bit that a point has and no digit, and those that a digit has.
    const BIT: u64 = 0x1010_1010_1010_1010;
    const DIGIT: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    const TOP: u64 = 0x8080_8080_8080_8080;
    let [low, high] = values(window, length)?;
    let in_high = (high & BIT).leading_zeros();
    let in_low = (low & BIT).leading_zeros();
    // Digits after the last thing that may be a point; as many as there can be, where there is none.
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

/// Returns the product, rounded to `f32`; `None` where it is too near the middle between two of them to be certain.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
#[allow(clippy::as_conversions, clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "rounds")]
pub(super) fn narrow(digits: u64, scale: f64) -> Option<f32> {
    /// The bits of an `f64` that an `f32` has no place for, and what they are in the middle between two `f32`.
    const DROPPED: u64 = 0x1fff_ffff;
    const MIDDLE: u64 = 0x1000_0000;
    /// More than the errors of three roundings, in units of the last place: the integer's, the scale's, the product's.
    const ERROR: u64 = 4;
    let wide = digits.cast_signed() as f64 * scale;
    let near = (wide.to_bits() & DROPPED).wrapping_sub(MIDDLE.wrapping_sub(ERROR)) <= 2 * ERROR;
    (!near).then_some(wide as f32)
}

/// Returns the float with a sign; that of zero, too.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
pub(super) fn signed(magnitude: f32, negative: bool) -> f32 {
    f32::from_bits(magnitude.to_bits() | u32::from(negative) << 31)
}

/// Reads the unsigned integer of at most eight digits that the last `length` bytes of a window spell.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "eight digits need 27 bits")]
pub(super) fn short(window: &Window, length: usize) -> Option<u32> {
    let [_, values] = values(window, length)?;
    let wrong = (values.wrapping_add(0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080;
    (wrong == 0 && length <= 8).then(|| eight(values) as u32)
}

/// Tells whether the last `length` bytes of a window are there and none of them opens markup.
#[inline]
pub(super) fn is_plain(window: &Window, length: usize) -> bool {
    const OPEN: u64 = u64::from_le_bytes([b'<' ^ b'0'; 8]);
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    values(window, length).is_some_and(|halves| {
        halves.iter().all(|values| {
            let differs = values ^ OPEN;
            ((differs & LOW).wrapping_add(LOW) | differs) & !LOW == !LOW
        })
    })
}
