//! Rounding of scaled values to integer codes.

/// Scales a value in -1 to 1 (or 0 to 1) to an integer code. The code is truncated toward zero, and
/// values out of range are clamped.
///
/// NaN gives the code 0.
#[allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "a float-to-integer cast truncates and saturates, as intended"
)]
pub(super) fn truncate(value: f32, scale: f32) -> i32 {
    let scaled = value * scale;
    if scaled.is_nan() { 0 } else { scaled.clamp(-scale, scale) as i32 }
}

/// Rounds a scaled value to the nearest code. Values out of range are clamped, and NaN gives the
/// code 0.
#[allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float-to-integer cast truncates and saturates, and turns NaN into 0"
)]
pub(super) fn round(code: f64) -> u16 {
    code.round() as u16
}
