//! Rounding of scaled values to integer codes.

/// Multiplies a value by `scale` and truncates the product toward zero, to an integer code.
///
/// A product of the value and `scale` outside `-scale..=scale` is clamped to this range.
///
/// NaN is converted to the code 0.
#[allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "a float-to-integer cast truncates and saturates, as intended"
)]
#[cfg(any(feature = "cli", feature = "internals"))]
pub(super) fn truncate(value: f32, scale: f32) -> i32 {
    let scaled = value * scale;
    if scaled.is_nan() { 0 } else { scaled.clamp(-scale, scale) as i32 }
}

/// Rounds a value to the nearest 16-bit code. Values outside 0..65535 are clamped, and the code of
/// NaN is 0.
#[allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float-to-integer cast truncates and saturates, and turns NaN into 0"
)]
pub(super) fn round(code: f64) -> u16 {
    code.round() as u16
}
