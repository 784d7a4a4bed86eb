//! An order of rays in which adjacent rays visit the same part of a tree.

use crate::questions::Ray;

/// Returns the indices of the rays, sorted by the Morton code of the point at which a ray enters
/// the box from -1 to 1, and then by the Morton code of its direction. Of the orders that were
/// tried, Embree was fastest with this one.
pub fn order(rays: &[Ray]) -> impl Iterator<Item = usize> {
    let mut keys: Vec<u64> = (0..).zip(rays).map(|(number, ray)| code(ray) << 32 | number).collect();
    keys.sort_unstable();
    keys.into_iter().map(|key| (key & u64::from(u32::MAX)) as usize)
}

/// Returns a code with six bits of each axis of the point above four bits of each axis of the
/// direction.
fn code(Ray { origin, direction }: &Ray) -> u64 {
    let enter = [0, 1, 2].map(|axis| (-direction[axis].signum() - origin[axis]) / direction[axis]);
    let far = enter.into_iter().fold(0.0, f32::max);
    let place = [0, 1, 2].map(|axis| quantized(origin[axis] + far * direction[axis], 64.0));
    let toward = direction.map(|value| quantized(value, 16.0));
    spread(place) << 12 | spread(toward)
}

/// Returns the index of the part that contains a value, if the range from -1 to 1 is divided into
/// `parts` parts.
fn quantized(value: f32, parts: f32) -> u64 {
    ((value * 0.5 + 0.5) * parts).clamp(0.0, parts - 1.0) as u64
}

/// Interleaves the six lowest bits of three numbers.
fn spread(values: [u64; 3]) -> u64 {
    let bit = |bit: usize| values.iter().fold(0, |code, value| code << 1 | value >> bit & 1);
    (0..6).rev().fold(0, |code, number| code << 3 | bit(number))
}
