//! Computes bounding boxes and bounding spheres with the same arithmetic as the engine.
//!
//! All computations use `f32`, so the computed bounds are equal, bit for bit, to the bounds that
//! the engine stores in its files.

use crate::array::Bounds;
#[cfg(any(feature = "cli", feature = "internals"))]
use crate::array::Sphere;

/// The bounding box and sphere that the engine stores for a surface without positions.
#[cfg(any(feature = "cli", feature = "internals"))]
pub(crate) const EMPTY: (Bounds, Sphere) =
    (Bounds { min: [1e9; 3], max: [-1e9; 3] }, Sphere { center: [0.0; 3], radius: -1.0 });

/// Returns the centre of a bounding box.
pub(crate) fn center(bounds: &Bounds) -> [f32; 3] {
    let mut center = bounds.min;
    for (center, max) in center.iter_mut().zip(bounds.max) {
        *center = (*center + max) * 0.5;
    }
    center
}

/// Returns the distance from the point `center` to the farthest position, or 0 if `positions` is
/// empty.
///
/// Positions whose distance is NaN are ignored.
#[cfg(any(feature = "cli", feature = "internals"))]
pub(crate) fn radius(center: [f32; 3], positions: impl Iterator<Item = [f32; 3]>) -> f32 {
    let far = positions.fold(0.0_f32, |far, position| far.max(square_distance(position, center)));
    far.sqrt()
}

fn square_distance(one: [f32; 3], other: [f32; 3]) -> f32 {
    let [x, y, z] = [one[0] - other[0], one[1] - other[1], one[2] - other[2]];
    x * x + y * y + z * z
}

/// Returns the distance between two points.
pub(crate) fn distance(one: [f32; 3], other: [f32; 3]) -> f32 {
    square_distance(one, other).sqrt()
}

/// Merges the bounding spheres of surfaces, one after another, into one sphere.
///
/// The merged sphere is not the sphere around the merged bounding box. Returns `None` if none of
/// the given spheres has a radius of 0 or more.
#[cfg(any(feature = "cli", feature = "internals"))]
pub(crate) fn merge(spheres: impl Iterator<Item = Sphere>) -> Option<Sphere> {
    spheres.filter(|sphere| sphere.radius >= 0.0).reduce(|one, other| {
        let apart = distance(other.center, one.center);
        if apart + other.radius <= one.radius {
            return one;
        }
        if apart + one.radius <= other.radius {
            return other;
        }
        let scale = 1.0 / apart;
        // `near` and `far` are the outermost points of the two spheres on the line through their
        // centres. The merged sphere has `near` and `far` as the ends of a diameter.
        let (mut near, mut far) = (one.center, other.center);
        for (near, far) in near.iter_mut().zip(&mut far) {
            let normal = (*far - *near) * scale;
            (*near, *far) = (*near - normal * one.radius, *far + normal * other.radius);
        }
        let center = center(&Bounds { min: near, max: far });
        Sphere { center, radius: distance(far, center) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merges_in_order() {
        let sphere = |x, radius| Sphere { center: [x, 0.0, 0.0], radius };
        assert_eq!(merge([].into_iter()), None);
        assert_eq!(merge([sphere(1.0, 2.0), sphere(0.5, 0.5)].into_iter()), Some(sphere(1.0, 2.0)));
        assert_eq!(merge([sphere(0.5, 0.5), sphere(1.0, 2.0)].into_iter()), Some(sphere(1.0, 2.0)));
        assert_eq!(merge([sphere(0.0, 1.0), sphere(4.0, 1.0)].into_iter()), Some(sphere(2.0, 3.0)));
        assert_eq!(merge([sphere(0.0, -1.0), sphere(4.0, 1.0)].into_iter()), Some(sphere(4.0, 1.0)));
    }

    #[test]
    fn radius_reaches_the_farthest() {
        let positions = [[1.0, 0.0, 0.0], [0.0, -3.0, 4.0], [f32::NAN; 3]];
        assert_eq!(radius([0.0; 3], positions.into_iter()).to_bits(), 5.0_f32.to_bits());
        assert_eq!(radius([0.0; 3], [].into_iter()).to_bits(), 0.0_f32.to_bits());
    }
}
