//! Rounding of scaled values to integer codes.

/// Scales a value of −1 to 1 (or 0 to 1) to an integer, truncated toward zero and clamped; NaN gives 0.
#[allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "a float-to-integer cast truncates and saturates, which is what is wanted"
)]
pub(super) fn truncate(value: f32, scale: f32) -> i32 {
    let scaled = value * scale;
    if scaled.is_nan() { 0 } else { scaled.clamp(-scale, scale) as i32 }
}

/// Rounds to the nearest code.
#[allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float-to-integer cast truncates and saturates, and makes 0 of what is not a number"
)]
pub(super) fn round(code: f64) -> u16 {
    code.round() as u16
}
