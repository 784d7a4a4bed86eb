//! What is done to eight boxes or eight triangles at a time: a body for every processor, and one for AVX2.
//!
//! Boxes are tested so that none is missed whatever the rounding: what is computed of a plane is off by less than 2^-21 of
//! the largest number on the way, and each box is widened by as much. Triangles are only sifted here: those that
//! may be the answer go to the exact tests of [`ray`](crate::query::ray) and [`triangle`](crate::query::triangle).

#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(crate) mod avx2;
pub(crate) mod dispatch;

use crate::bvh::layout::{RawNode, WIDTH};
use crate::bvh::triangles::{Block, LANES, LARGEST, Numbers, Triangles, greatest, least};

/// What is added to a plane's distance, as a part of the largest number that it was computed from.
pub(crate) const SLACK: f32 = 1.0 / 2_097_152.0;
/// What is added to an edge function, as a part of the products that it was computed from.
pub(crate) const EDGE_SLACK: f32 = 1.0 / 524_288.0;
/// What is taken off a squared distance, as a part of the square of the largest coordinate that it was computed from.
pub(crate) const NEAR_SLACK: f32 = 1.0 / 65_536.0;
/// Squared areas that an `f32` computes well; of others, whatever is above the triangle may touch it.
pub(crate) const AREAS: std::ops::Range<f32> = 1.0e-30..1.0e30;
/// Coordinates beyond which products of them overflow: whatever is as far may be near.
pub(crate) const FAR: f32 = 1.0e9;
/// Steps of a node's grid.
pub(crate) const STEPS: f32 = 255.0;
/// What stands for the inverse of a direction's component that is zero, or nearly.
const STEEPEST: f32 = LARGEST;

/// A ray in `f32`, its direction scaled so that its largest component is 1: for sifting.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sieve {
    pub(crate) origin: [f32; 3],
    /// One divided by each part of the direction, which is never 0, nor so little that this overflows.
    pub(crate) inverse: [f32; 3],
    /// Both again, in four lanes.
    #[cfg_attr(not(all(target_arch = "x86_64", not(miri))), allow(dead_code, reason = "kernels for AVX2 use it"))]
    pub(crate) padded: [[f32; 4]; 2],
    /// How far planes may be off, along each axis, beyond what [`SLACK`] says: see [`blur`](Self::blur).
    pub(crate) blurred: [f32; 4],
    /// A byte of ones for each child, axis by axis, where the ray goes down: it meets the upper plane first.
    #[cfg_attr(not(all(target_arch = "x86_64", not(miri))), allow(dead_code, reason = "kernels for AVX2 use it"))]
    pub(crate) down: [[u8; WIDTH]; 4],
    /// The axes in the order that the triangle's test has them: the one along which the direction is longest is last.
    pub(crate) axes: [usize; 3],
    /// How far the first two axes move for one of the last.
    pub(crate) shear: [f32; 2],
    /// The sign of the direction's largest component.
    pub(crate) sign: f32,
    /// The least distance that counts, in the scaled direction.
    pub(crate) from: f32,
}

impl Sieve {
    /// Takes a ray whose parts are finite, with the direction scaled.
    pub(crate) fn new(origin: [f32; 3], direction: [f32; 3], from: f32) -> Self {
        let [x, y, z] = direction.map(f32::abs);
        let axes = if x >= y && x >= z {
            [1, 2, 0]
        } else if y >= z {
            [2, 0, 1]
        } else {
            [0, 1, 2]
        };
        let part = |axis: usize| direction.get(axis).copied().unwrap_or_default();
        let [first, second, last] = axes.map(part);
        let inverse = direction.map(|part| {
            let inverse = 1.0 / part;
            if inverse.abs() <= STEEPEST { inverse } else { STEEPEST.copysign(part) }
        });
        let [x, y, z] = inverse.map(|part| [if part < 0.0 { 0xff } else { 0 }; WIDTH]);
        let shear = [first / last, second / last];
        let padded = [origin, inverse].map(|[x, y, z]| [x, y, z, 0.0]);
        Self {
            origin,
            inverse,
            padded,
            blurred: [0.0; 4],
            down: [x, y, z, [0; WIDTH]],
            axes,
            shear,
            sign: last.signum(),
            from,
        }
    }

    /// Widens boxes by a length, in scene units: by what the exact test may be off, whose numbers are as large as the mesh
    /// and the way to it.
    pub(crate) fn blur(&mut self, length: f32) {
        let [x, y, z] = self.inverse.map(|inverse| inverse.abs() * length);
        self.blurred = [x, y, z, 0.0];
    }
}

/// What a node's grid is along an axis, seen along a ray: where planes are nearer and farther at step 0, and how far one
/// step is.
#[derive(Clone, Copy)]
pub(crate) struct Slab {
    pub(crate) near: [f32; 3],
    pub(crate) far: [f32; 3],
    pub(crate) step: [f32; 3],
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
pub(crate) fn slab(node: &RawNode, ray: &Sieve) -> Slab {
    let (origin, steps) = (node.origin(), node.steps());
    let mut slab = Slab { near: [0.0; 3], far: [0.0; 3], step: [0.0; 3] };
    let parts = origin.iter().zip(steps).zip(ray.origin.iter().zip(ray.inverse).zip(ray.blurred));
    let out = slab.near.iter_mut().zip(&mut slab.far).zip(&mut slab.step);
    for (((near, far), step), ((origin, size), ((from, inverse), blurred))) in out.zip(parts) {
        *step = size * inverse;
        let start = (origin - from) * inverse;
        let slack = (start.abs() + STEPS * step.abs()) * SLACK + blurred;
        (*near, *far) = (start - slack, start + slack);
    }
    slab
}

/// Decodes the positions of eight triangles.
pub(crate) fn block(triangles: &Triangles<'_>, numbers: &Numbers) -> Block {
    triangles.block::<false>(numbers)
}

/// Tests a ray against the boxes of a node: which it meets at a distance of at most `limit`, and where.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
pub(crate) fn boxes(node: &RawNode, ray: &Sieve, limit: f32) -> (u32, [f32; WIDTH]) {
    let slab = slab(node, ray);
    let (mut near, mut far) = ([ray.from; WIDTH], [limit; WIDTH]);
    let planes = node.low.iter().zip(&node.high).zip(ray.inverse);
    for (((low, high), inverse), ((start, end), step)) in planes.zip(slab.near.iter().zip(slab.far).zip(slab.step)) {
        let (first, second) = if inverse < 0.0 { (high, low) } else { (low, high) };
        for ((near, far), (first, second)) in near.iter_mut().zip(&mut far).zip(first.iter().zip(second)) {
            *near = greatest(f32::from(*first) * step + start, *near);
            *far = least(f32::from(*second) * step + end, *far);
        }
    }
    (bits(&near, &far), near)
}

/// Returns a bit for each lane of which the one is at most the other.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
fn bits(ones: &[f32; LANES], others: &[f32; LANES]) -> u32 {
    let mut bits = 0;
    for (lane, (one, other)) in (0_u32..).zip(ones.iter().zip(others)) {
        bits |= u32::from(one <= other).wrapping_shl(lane);
    }
    bits
}

/// Sifts the triangles that a ray may meet at a distance of at most `limit`: a bit for each.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
pub(crate) fn sift(block: &Block, ray: &Sieve, limit: f32) -> u32 {
    let lanes = (0..LANES).map(|lane| may_meet(&block.triangle(lane), ray, limit));
    lanes.zip(0_u32..).fold(0, |bits, (meets, lane)| bits | u32::from(meets).wrapping_shl(lane))
}

/// Tells whether a ray may meet a triangle: the edge functions of Woop, Benthin and Wald, with room for their rounding.
fn may_meet(triangle: &[[f32; 3]; 3], ray: &Sieve, limit: f32) -> bool {
    let [first, second] = ray.shear;
    let [a, b, c] = triangle.map(|corner| {
        let part = |axis: usize| corner.get(axis).zip(ray.origin.get(axis)).map_or(f32::NAN, |(at, from)| at - from);
        let [x, y, z] = ray.axes.map(part);
        [x - first * z, y - second * z, z * ray.sign]
    });
    let edges = [[c, b], [a, c], [b, a]].map(|[[cx, cy, _], [bx, by, _]]| cx * by - cy * bx);
    let corners = [a, b, c];
    let across = corners.iter().fold(0.0, |most, [x, y, _]| greatest(greatest(x.abs(), y.abs()), most));
    let along = corners.map(|[_, _, z]| z);
    let reach = along.iter().fold(across, |most, z| greatest(z.abs(), most));
    let slack = reach * across * EDGE_SLACK + f32::MIN_POSITIVE;
    let inside = edges.iter().all(|edge| *edge >= -slack) || edges.iter().all(|edge| *edge <= slack);
    let near = along.into_iter().fold(f32::INFINITY, least);
    inside && near - reach * SLACK <= limit
}

/// Tests the boxes of a node: which have a point within the square root of `limit`, and the least distance to each, squared.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
pub(crate) fn distances(node: &RawNode, point: &[f32; 3], limit: f32) -> (u32, [f32; WIDTH]) {
    let mut sums = [0.0; WIDTH];
    let axes = node.low.iter().zip(&node.high).zip(node.origin().into_iter().zip(node.steps()).zip(point));
    for ((low, high), ((origin, step), at)) in axes {
        let start = origin - at;
        let slack = (start.abs() + STEPS * step) * SLACK;
        for (sum, (low, high)) in sums.iter_mut().zip(low.iter().zip(high)) {
            let before = f32::from(*low) * step + start - slack;
            let behind = -(f32::from(*high) * step + start + slack);
            let out = greatest(greatest(before, behind), 0.0);
            *sum = if low > high { f32::NAN } else { out * out + *sum };
        }
    }
    (bits(&sums, &[limit; WIDTH]), sums)
}

/// Sifts the triangles that may have a point within the square root of `limit` of another: a bit for each.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
pub(crate) fn approach(block: &Block, point: &[f32; 3], limit: f32) -> u32 {
    let mut bounds = [f32::NAN; LANES];
    for (lane, place) in bounds.iter_mut().enumerate() {
        *place = bound(&block.triangle(lane), point);
    }
    bits(&bounds, &[limit; LANES])
}

/// Returns a bound from below on the squared distance from a point to a triangle: the least distance to an edge, or to the
/// plane where the point is above the triangle, less what rounding may have added.
fn bound(triangle: &[[f32; 3]; 3], point: &[f32; 3]) -> f32 {
    use crate::math::{add, cross, dot, subtract};

    let [a, b, c] = triangle.map(|corner| subtract(corner, *point));
    let [ab, bc, ca] = [subtract(b, a), subtract(c, b), subtract(a, c)];
    let to_edge = |from: [f32; 3], along: [f32; 3]| {
        let length = dot(along, along);
        let part = if length > 0.0 { least(greatest(-dot(from, along) / length, 0.0), 1.0) } else { 0.0 };
        let away = add(from, along.map(|side| side * part));
        dot(away, away)
    };
    let [one, two, three] = [to_edge(a, ab), to_edge(b, bc), to_edge(c, ca)];
    let normal = cross(ab, bc);
    let outside = [[ab, a], [bc, b], [ca, c]].into_iter().any(|[along, from]| dot(cross(normal, along), from) > 0.0);
    let area = dot(normal, normal);
    let height = dot(normal, a);
    let plane = match () {
        () if outside => f32::INFINITY,
        () if AREAS.contains(&area) => height * height / area,
        () => 0.0,
    };
    let reach = [a, b, c].into_iter().flatten().fold(0.0, |most: f32, part| greatest(part.abs(), most));
    if reach > FAR {
        return 0.0;
    }
    least(least(one, two), least(three, plane)) - reach * reach * NEAR_SLACK
}
