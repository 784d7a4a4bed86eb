//! Sorts rays by origin and direction. After sorting, consecutive rays mostly visit the same tree
//! nodes, which are then still in the processor cache.

// Rule: this file sorts and maps by copies only.

use crate::array::Bounds;
use crate::query::ray::Ray;

/// The minimum number of rays for which sorting is worth its cost. Fewer than 256 rays are cast in
/// the order of the input.
const MIN_RAYS_TO_SORT: usize = 256;

/// Returns the indices of the rays in the order in which the rays are cast.
pub(crate) fn sorted_order(rays: &[Ray], bounds: &Bounds) -> Vec<u32> {
    let mut keys: Vec<(u64, u32)> =
        rays.iter().zip(0..).map(|(ray, number)| (place_code(ray, bounds), number)).collect();
    if rays.len() >= MIN_RAYS_TO_SORT {
        keys.sort_unstable();
    }
    keys.into_iter().map(|(_, number)| number).collect()
}

/// Returns the Morton code of a ray, which is the key for sorting the rays.
///
/// The Morton codes of two rays are close if the rays enter the bounding box of the scene at close
/// points, in similar directions.
#[allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "casts of floats saturate"
)]
fn place_code(ray: &Ray, bounds: &Bounds) -> u64 {
    let mut start = 0.0_f32;
    let axes = ray.origin.iter().zip(ray.direction).zip(bounds.min.iter().zip(bounds.max));
    for ((origin, direction), (min, max)) in axes.clone() {
        let [one, other] = [*min, max].map(|plane| (plane - origin) / direction);
        start = start.max(one.min(other));
    }
    let length = ray.direction.iter().map(|part| part.abs()).fold(0.0, f32::max);
    let mut parts = [0_u64; 6];
    for (at, ((origin, direction), (min, max))) in axes.enumerate() {
        let place = (origin + start * direction - min) / (max - min);
        for (at, value) in [(at, place * 1023.0), (at.saturating_add(3), (direction / length).mul_add(7.5, 8.0))] {
            if let Some(part) = parts.get_mut(at) {
                *part = u64::from((value as u16).min(1023));
            }
        }
    }
    let [x, y, z, dx, dy, dz] = parts;
    let places = (0..10).rev().map(|bit| ([x, y, z], bit));
    let directions = (0..4).rev().map(|bit| ([dx, dy, dz], bit));
    let (first, rest) = (places.clone().take(4), places.skip(4));
    let bits = first.zip(directions).flat_map(|(one, other)| [one, other]).chain(rest);
    bits.flat_map(|(parts, bit)| parts.map(|part| part >> bit & 1)).fold(0, |key, bit| key << 1 | bit)
}
