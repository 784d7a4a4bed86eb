//! Computes bounding boxes and bounding spheres with the same arithmetic as the engine.
//!
//! All computations use `f32`, so the computed bounds are equal, bit for bit, to the bounds that
//! the engine stores in its files.

use meshpeek::array::{Bounds, Sphere};

/// The bounding box and sphere that the engine stores for a surface without positions.
pub const EMPTY: (Bounds, Sphere) =
    (Bounds { min: [1e9; 3], max: [-1e9; 3] }, Sphere { center: [0.0; 3], radius: -1.0 });

/// Returns the centre of a bounding box.
pub fn center(bounds: &Bounds) -> [f32; 3] {
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
pub fn radius(center: [f32; 3], positions: impl Iterator<Item = [f32; 3]>) -> f32 {
    let far = positions.fold(0.0_f32, |far, position| far.max(square_distance(position, center)));
    far.sqrt()
}

fn square_distance(one: [f32; 3], other: [f32; 3]) -> f32 {
    let [x, y, z] = [one[0] - other[0], one[1] - other[1], one[2] - other[2]];
    x * x + y * y + z * z
}

/// Returns the distance between two points.
fn distance(one: [f32; 3], other: [f32; 3]) -> f32 {
    square_distance(one, other).sqrt()
}

/// Merges the bounding spheres of surfaces, one after another, into one sphere.
///
/// The merged sphere is not the sphere around the merged bounding box. Returns `None` if none of
/// the given spheres has a radius of 0 or more.
pub fn merge(spheres: impl Iterator<Item = Sphere>) -> Option<Sphere> {
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
