//! The little arithmetic of positions and directions that normals, attachments, joints and collisions take.

pub(crate) fn subtract(one: [f32; 3], other: [f32; 3]) -> [f32; 3] {
    combine(one, other, |one, other| one - other)
}

pub(crate) fn add(one: [f32; 3], other: [f32; 3]) -> [f32; 3] {
    combine(one, other, |one, other| one + other)
}

pub(crate) fn cross([ax, ay, az]: [f32; 3], [bx, by, bz]: [f32; 3]) -> [f32; 3] {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

pub(crate) fn dot([ax, ay, az]: [f32; 3], [bx, by, bz]: [f32; 3]) -> f32 {
    ax * bx + ay * by + az * bz
}

/// Returns the direction in unit length; `None` for no direction at all.
pub(crate) fn unit(direction: [f32; 3]) -> Option<[f32; 3]> {
    // In f64 no sum of squares of finite floats overflows.
    let wide = direction.map(f64::from);
    let length = wide.iter().map(|part| part * part).sum::<f64>().sqrt();
    (length > 0.0 && length.is_finite()).then(|| wide.map(|part| narrow(part / length)))
}

/// Returns twice the area of a triangle along its normal: out of the side from which its corners go round
/// counter-clockwise, where axes are drawn right-handed.
pub(crate) fn facet([first, second, third]: [[f32; 3]; 3]) -> [f32; 3] {
    cross(subtract(second, first), subtract(third, first))
}

/// Returns what lies `fraction` of the way from one to the other. At the ends it is exactly the one or the other.
pub(crate) fn mix(one: [f32; 3], other: [f32; 3], fraction: f32) -> [f32; 3] {
    combine(one, other, |one, other| one * (1.0 - fraction) + other * fraction)
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

fn combine([ax, ay, az]: [f32; 3], [bx, by, bz]: [f32; 3], with: impl Fn(f32, f32) -> f32) -> [f32; 3] {
    [with(ax, bx), with(ay, by), with(az, bz)]
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
