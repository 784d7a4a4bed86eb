//! The definition of meshpeek's answers: every triangle is tested in f64, without a tree. This is
//! written a second time here, to be independent of the library.

use meshpeek::query::{Hit, Scene};

use crate::mesh::Mesh;
use crate::ours;
use crate::questions::{Asked, Question, Ray};

/// Compares some answers of meshpeek with tests of every triangle. The ray parameter and the
/// triangle of a hit must be the same bits, and the distance of a point may differ by the last bit.
/// Prints the number of answers that differ, and returns whether there are none.
pub fn agrees(mesh: &Mesh, questions: &[Question], count: usize) -> bool {
    let scene = ours::scene(mesh);
    let mut differ = 0;
    for question in questions {
        let step = question.len().div_ceil(count.max(1));
        differ += match &question.asked {
            Asked::Rays(rays) => rays_differ(mesh, &scene, &some(rays, step, count)),
            Asked::Points(points) => points_differ(mesh, &scene, &some(points, step, count)),
            // These are the same rays.
            Asked::Any(_) => 0,
        };
    }
    eprintln!("of {count} rays of each kind and {count} points, {differ} answers differ from a test of every triangle");
    differ == 0
}

fn some<T: Copy>(all: &[T], step: usize, count: usize) -> Vec<T> {
    all.iter().step_by(step).take(count).copied().collect()
}

/// Returns the number of rays for which the first hit differs, alone or in a batch, or whether
/// anything is hit.
fn rays_differ(mesh: &Mesh, scene: &Scene<'_>, rays: &[Ray]) -> usize {
    let asked = rays.iter().map(ours::ray).collect::<Vec<_>>();
    let bits = |hit: Option<Hit>| hit.map(|hit| (hit.t.to_bits(), hit.triangle as usize));
    let together = scene.rays(&asked).into_iter().map(bits);
    let differs = |((ray, asked), together)| {
        let expected = first_hit(mesh, ray).map(|(t, triangle)| ((t as f32).to_bits(), triangle));
        [together, bits(scene.ray(asked))] != [expected; 2] || scene.is_hit(asked) != expected.is_some()
    };
    rays.iter().zip(&asked).zip(together).filter(|all| differs(*all)).count()
}

fn points_differ(mesh: &Mesh, scene: &Scene<'_>, points: &[[f32; 3]]) -> usize {
    let differs = |point: &&[f32; 3]| {
        let squares = (0..mesh.triangles.len()).map(|triangle| distance_squared(**point, mesh.corners(triangle)));
        let expected = squares.fold(f64::INFINITY, f64::min).sqrt() as f32;
        let found = scene.nearest(**point, f32::INFINITY).map_or(f32::INFINITY, |found| found.distance);
        found.to_bits().abs_diff(expected.to_bits()) > 1
    };
    points.iter().filter(differs).count()
}

/// Returns the ray parameter and the triangle of the first hit. Of hits at the same distance, that
/// of the first triangle counts.
fn first_hit(mesh: &Mesh, ray: &Ray) -> Option<(f64, usize)> {
    let (origin, direction) = (ray.origin.map(f64::from), ray.direction.map(f64::from));
    let last = longest(direction);
    let axes = [(last + 1) % 3, (last + 2) % 3, last];
    let [across, up, along] = axes.map(|axis| direction[axis]);
    let shear = [across / along, up / along];
    let mut first: Option<(f64, usize)> = None;
    for number in 0..mesh.triangles.len() {
        let corners = mesh.corners(number).map(|corner| [0, 1, 2].map(|axis| f64::from(corner[axis])));
        let seen = corners.map(|corner| {
            let [x, y, z] = axes.map(|axis| corner[axis] - origin[axis]);
            [x - shear[0] * z, y - shear[1] * z, z]
        });
        if let Some(t) = crossing(seen, 1.0 / along) {
            let t = within_box(corners, origin, direction, t) + 0.0;
            if t >= 0.0 && t.is_finite() && first.is_none_or(|(least, _)| t < least) {
                first = Some((t, number));
            }
        }
    }
    first
}

/// Returns the axis of the component with the largest magnitude, or the last of several.
fn longest(direction: [f64; 3]) -> usize {
    let [x, y, z] = direction.map(f64::abs);
    if z >= x && z >= y { 2 } else { usize::from(y >= x) }
}

/// Returns the ray parameter at which a ray along the last axis, from 0, crosses a triangle.
fn crossing([a, b, c]: [[f64; 3]; 3], scale: f64) -> Option<f64> {
    let weights = [c[0] * b[1] - c[1] * b[0], a[0] * c[1] - a[1] * c[0], b[0] * a[1] - b[1] * a[0]];
    let (below, above) = (weights.iter().any(|weight| *weight < 0.0), weights.iter().any(|weight| *weight > 0.0));
    let [first, second, third] = weights;
    (below != above).then(|| (first * a[2] + second * b[2] + third * c[2]) / (first + second + third) * scale)
}

/// Clamps a ray parameter to the part of the ray in the bounding box of the triangle.
fn within_box(corners: [[f64; 3]; 3], origin: [f64; 3], direction: [f64; 3], t: f64) -> f64 {
    let (mut near, mut far) = (f64::NEG_INFINITY, f64::INFINITY);
    for axis in 0..3 {
        let inverse = 1.0 / direction[axis];
        if inverse.is_finite() {
            let [a, b, c] = corners.map(|corner| (corner[axis] - origin[axis]) * inverse);
            near = near.max(a.min(b).min(c));
            far = far.min(a.max(b).max(c));
        }
    }
    t.min(far).max(near)
}

/// Returns the square of the distance of a point from a triangle: from the nearest edge or, if the
/// point is above the triangle, from its plane.
fn distance_squared(point: [f32; 3], corners: [[f32; 3]; 3]) -> f64 {
    let point = point.map(f64::from);
    let [a, b, c] = corners.map(|corner| minus(corner.map(f64::from), point));
    let edges = [segment(a, b), segment(b, c), segment(c, a)].into_iter().fold(f64::INFINITY, f64::min);
    let normal = cross(minus(b, a), minus(c, a));
    let sides = [cross(a, b), cross(b, c), cross(c, a)].map(|side| dot(side, normal));
    let above = dot(normal, normal) > 0.0 && sides.iter().all(|side| *side >= 0.0);
    if above { edges.min(dot(a, normal).powi(2) / dot(normal, normal)) } else { edges }
}

/// Returns the square of the distance of a segment from 0.
fn segment(from: [f64; 3], to: [f64; 3]) -> f64 {
    let way = minus(to, from);
    let square = dot(way, way);
    let part = if square > 0.0 { (-dot(from, way) / square).clamp(0.0, 1.0) } else { 0.0 };
    let nearest = [0, 1, 2].map(|axis| from[axis] + part * way[axis]);
    dot(nearest, nearest)
}

fn minus(one: [f64; 3], other: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|axis| one[axis] - other[axis])
}

fn dot(one: [f64; 3], other: [f64; 3]) -> f64 {
    (0..3).map(|axis| one[axis] * other[axis]).sum()
}

fn cross([a, b, c]: [f64; 3], [x, y, z]: [f64; 3]) -> [f64; 3] {
    [b * z - c * y, c * x - a * z, a * y - b * x]
}
