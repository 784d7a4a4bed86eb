//! The little arithmetic of positions and directions, in `f32` and `f64`, and conversions between numbers.

use std::ops::{Add, Mul, Sub};

/// A float of either length.
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

/// Returns what lies `fraction` of the way from one to the other. At the ends it is exactly the one or the other.
#[inline]
#[allow(clippy::arithmetic_side_effects, reason = "floats do not overflow")]
pub(crate) fn mix<T: Real, const N: usize>(one: [T; N], other: [T; N], fraction: T) -> [T; N] {
    let mut mixed = one;
    for (part, other) in mixed.iter_mut().zip(other) {
        *part = *part * (T::ONE - fraction) + other * fraction;
    }
    mixed
}

/// Returns the direction in unit length; `None` for no direction at all.
pub(crate) fn unit(direction: [f32; 3]) -> Option<[f32; 3]> {
    // In f64 no sum of squares of finite floats overflows.
    unit_of_wide(direction.map(f64::from))
}

/// Returns the direction in unit length, rounded once; `None` for no direction at all.
pub(crate) fn unit_of_wide(direction: [f64; 3]) -> Option<[f32; 3]> {
    let length = dot(direction, direction).sqrt();
    (length > 0.0 && length.is_finite()).then(|| direction.map(|part| narrow(part / length)))
}

/// Returns twice the area of a triangle along its normal: out of the side from which its corners go round
/// counter-clockwise, where axes are drawn right-handed.
pub(crate) fn facet([first, second, third]: [[f32; 3]; 3]) -> [f32; 3] {
    cross(subtract(second, first), subtract(third, first))
}

/// Returns the quaternion in unit length; the identity for one that is no rotation.
pub(crate) fn unit_rotation(quaternion: [f64; 4]) -> [f64; 4] {
    let length = quaternion.iter().map(|part| part * part).sum::<f64>().sqrt();
    if length > 0.0 && length.is_finite() { quaternion.map(|part| part / length) } else { [0.0, 0.0, 0.0, 1.0] }
}

/// Rounds to the nearest number of half the length, once, at the end of what is computed.
#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "rounding is what is asked for")]
pub(crate) fn narrow(part: f64) -> f32 {
    part as f32
}

/// Returns the smaller number. It is one instruction; if either is NaN, it returns the second.
#[inline]
pub(crate) const fn fast_min(one: f32, other: f32) -> f32 {
    if one < other { one } else { other }
}

/// Returns the larger number. It is one instruction; if either is NaN, it returns the second.
#[inline]
pub(crate) const fn fast_max(one: f32, other: f32) -> f32 {
    if one > other { one } else { other }
}

/// Widens a length. No platform has more than 64 bits of address.
#[must_use]
pub(crate) fn as_u64(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// Makes an index of a number from a file. On platforms where it does not fit, it is beyond any array, too.
#[must_use]
pub(crate) fn as_index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
