//! Vector arithmetic in `f32` and `f64`, and conversions between number types.

use std::ops::{Add, Mul, Sub};

/// A floating-point type: `f32` or `f64`.
pub(crate) trait Real: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    const ONE: Self;
}

impl Real for f32 {
    const ONE: Self = 1.0;
}

impl Real for f64 {
    const ONE: Self = 1.0;
}

#[inline]
#[allow(clippy::arithmetic_side_effects, reason = "floats do not overflow")]
pub(crate) fn subtract<T: Real>([ax, ay, az]: [T; 3], [bx, by, bz]: [T; 3]) -> [T; 3] {
    [ax - bx, ay - by, az - bz]
}

#[inline]
#[allow(clippy::arithmetic_side_effects, reason = "floats do not overflow")]
pub(crate) fn add<T: Real>([ax, ay, az]: [T; 3], [bx, by, bz]: [T; 3]) -> [T; 3] {
    [ax + bx, ay + by, az + bz]
}

#[inline]
#[allow(clippy::arithmetic_side_effects, reason = "floats do not overflow")]
pub(crate) fn cross<T: Real>([ax, ay, az]: [T; 3], [bx, by, bz]: [T; 3]) -> [T; 3] {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

#[inline]
#[allow(clippy::arithmetic_side_effects, reason = "floats do not overflow")]
pub(crate) fn dot<T: Real>([ax, ay, az]: [T; 3], [bx, by, bz]: [T; 3]) -> T {
    ax * bx + ay * by + az * bz
}

/// Returns `start + factor * vector`.
#[inline]
#[allow(clippy::arithmetic_side_effects, reason = "floats do not overflow")]
pub(crate) fn add_scaled<T: Real, const N: usize>(start: [T; N], factor: T, vector: [T; N]) -> [T; N] {
    let mut sum = start;
    for (part, other) in sum.iter_mut().zip(vector) {
        *part = *part + factor * other;
    }
    sum
}

/// Interpolates linearly between two vectors: the result is `one` for a `fraction` of 0, and
/// `other` for a `fraction` of 1.
///
/// The interpolated vector for a `fraction` of 0 or 1 is exact, without a rounding error.
#[inline]
#[allow(clippy::arithmetic_side_effects, reason = "floats do not overflow")]
pub(crate) fn mix<T: Real, const N: usize>(one: [T; N], other: [T; N], fraction: T) -> [T; N] {
    let mut mixed = one;
    for (part, other) in mixed.iter_mut().zip(other) {
        *part = *part * (T::ONE - fraction) + other * fraction;
    }
    mixed
}

/// Returns the vector `direction` scaled to unit length, or `None` if the length of `direction` is
/// 0 or not finite.
pub(crate) fn unit(direction: [f32; 3]) -> Option<[f32; 3]> {
    // In `f64`, the sum of the squares of finite `f32` values does not overflow.
    unit_of_wide(direction.map(f64::from))
}

/// Returns the vector `direction` scaled to unit length, and rounded from `f64` to `f32` once.
///
/// Returns `None` if the length of `direction` is 0 or not finite.
pub(crate) fn unit_of_wide(direction: [f64; 3]) -> Option<[f32; 3]> {
    let length = dot(direction, direction).sqrt();
    (length > 0.0 && length.is_finite()).then(|| direction.map(|part| narrow(part / length)))
}

/// Returns the normal vector of a triangle, with a length of twice the area of the triangle.
///
/// The normal points to the side of the triangle from which the corners appear in counter-clockwise
/// order, in a right-handed coordinate system.
pub(crate) fn facet([first, second, third]: [[f32; 3]; 3]) -> [f32; 3] {
    cross(subtract(second, first), subtract(third, first))
}

/// Returns the quaternion scaled to unit length, or the identity quaternion if the length of
/// `quaternion` is 0 or not finite.
pub(crate) fn unit_rotation(quaternion: [f64; 4]) -> [f64; 4] {
    let length = quaternion.iter().map(|part| part * part).sum::<f64>().sqrt();
    if length > 0.0 && length.is_finite() { quaternion.map(|part| part / length) } else { [0.0, 0.0, 0.0, 1.0] }
}

/// Rounds an `f64` to the nearest `f32`.
///
/// Compute with `f64` values, and call `narrow` only once, for the final result.
#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "rounding is intended")]
pub(crate) fn narrow(part: f64) -> f32 {
    part as f32
}

/// Returns the smaller of two numbers, or `other` if one of them is NaN.
///
/// `fast_min` compiles to one processor instruction.
#[inline]
pub(crate) const fn fast_min(one: f32, other: f32) -> f32 {
    if one < other { one } else { other }
}

/// Returns the larger of two numbers, or `other` if one of them is NaN.
///
/// `fast_max` compiles to one processor instruction.
#[inline]
pub(crate) const fn fast_max(one: f32, other: f32) -> f32 {
    if one > other { one } else { other }
}

/// Converts a `usize` to a `u64`.
///
/// The conversion from `usize` to `u64` is lossless, because no platform has addresses of more than
/// 64 bits.
#[must_use]
pub(crate) fn as_u64(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// Converts a `u32` from a file to an array index of type `usize`.
///
/// If the `u32` does not fit in the platform's `usize`, the result is `usize::MAX`, which is out of
/// range of every array.
#[must_use]
pub(crate) fn as_index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
