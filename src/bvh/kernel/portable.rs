//! The portable kernels, for every processor: tests of eight bounding boxes or eight triangles at a
//! time.

use crate::bvh::kernel::conservative_ray::{
    ConservativeRay, DISTANCE_MARGIN, EDGE_MARGIN, GRID_STEPS, MAX_EXACT_COORDINATE, PLANE_MARGIN, RELIABLE_AREAS,
};
use crate::bvh::lanes::{CornerIndices, LANES, TriangleBlock};
use crate::bvh::layout::{RawNode, WIDTH};
use crate::bvh::triangles::Triangles;
use crate::math::{fast_max, fast_min};

/// The grid of a node along each axis, converted to distances along a ray.
///
/// `near` and `far` are a lower and an upper bound of the distance at which the ray meets the grid
/// plane 0. `step` is the distance that the ray moves from one grid plane to the next.
#[derive(Clone, Copy)]
pub(crate) struct Slab {
    pub(crate) near: [f32; 3],
    pub(crate) far: [f32; 3],
    pub(crate) step: [f32; 3],
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
pub(crate) fn slab(node: &RawNode, ray: &ConservativeRay) -> Slab {
    let (origin, steps) = (node.origin(), node.steps());
    let mut slab = Slab { near: [0.0; 3], far: [0.0; 3], step: [0.0; 3] };
    let parts = origin.iter().zip(steps).zip(ray.origin.iter().zip(ray.inverse).zip(ray.widened));
    let out = slab.near.iter_mut().zip(&mut slab.far).zip(&mut slab.step);
    for (((near, far), step), ((origin, size), ((from, inverse), widened))) in out.zip(parts) {
        *step = size * inverse;
        let start = (origin - from) * inverse;
        let slack = (start.abs() + GRID_STEPS * step.abs()) * PLANE_MARGIN + widened;
        (*near, *far) = (start - slack, start + slack);
    }
    slab
}

/// Decodes the positions of the corners of eight triangles.
pub(crate) fn block(triangles: &Triangles<'_>, numbers: &CornerIndices) -> TriangleBlock {
    triangles.block::<false>(numbers)
}

/// Tests a ray against the bounding boxes of the eight children of a node.
///
/// Returns a bit mask and the distance at which the ray enters each bounding box. Bit *k* of the
/// mask is set if the ray enters the bounding box of child *k* at a distance of at most `limit`.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
pub(crate) fn ray_boxes(node: &RawNode, ray: &ConservativeRay, limit: f32) -> (u32, [f32; WIDTH]) {
    let slab = slab(node, ray);
    let (mut near, mut far) = ([ray.from; WIDTH], [limit; WIDTH]);
    let planes = node.low.iter().zip(&node.high).zip(ray.inverse);
    for (((low, high), inverse), ((start, end), step)) in planes.zip(slab.near.iter().zip(slab.far).zip(slab.step)) {
        let (first, second) = if inverse < 0.0 { (high, low) } else { (low, high) };
        for ((near, far), (first, second)) in near.iter_mut().zip(&mut far).zip(first.iter().zip(second)) {
            *near = fast_max(f32::from(*first) * step + start, *near);
            *far = fast_min(f32::from(*second) * step + end, *far);
        }
    }
    (bits(&near, &far), near)
}

/// Returns a bit mask in which bit *i* is set if `ones[i] <= others[i]`.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
fn bits(ones: &[f32; LANES], others: &[f32; LANES]) -> u32 {
    let mut bits = 0;
    for (lane, (one, other)) in (0_u32..).zip(ones.iter().zip(others)) {
        bits |= u32::from(one <= other).wrapping_shl(lane);
    }
    bits
}

/// Returns a bit mask with a bit set for each triangle that a ray may hit at a distance of at most
/// `limit`.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
pub(crate) fn ray_triangles(block: &TriangleBlock, ray: &ConservativeRay, limit: f32) -> u32 {
    let lanes = (0..LANES).map(|lane| may_meet(&block.triangle(lane), ray, limit));
    lanes.zip(0_u32..).fold(0, |bits, (meets, lane)| bits | u32::from(meets).wrapping_shl(lane))
}

/// Returns whether a ray may hit a triangle.
///
/// The test uses the edge functions of Woop, Benthin and Wald, with a margin for the rounding
/// errors of the edge functions.
fn may_meet(triangle: &[[f32; 3]; 3], ray: &ConservativeRay, limit: f32) -> bool {
    let [first, second] = ray.shear;
    let [a, b, c] = triangle.map(|corner| {
        let part = |axis: usize| corner.get(axis).zip(ray.origin.get(axis)).map_or(f32::NAN, |(at, from)| at - from);
        let [x, y, z] = ray.axes.map(part);
        [x - first * z, y - second * z, z * ray.sign]
    });
    let edges = [[c, b], [a, c], [b, a]].map(|[[cx, cy, _], [bx, by, _]]| cx * by - cy * bx);
    let corners = [a, b, c];
    let across = corners.iter().fold(0.0, |most, [x, y, _]| fast_max(fast_max(x.abs(), y.abs()), most));
    let along = corners.map(|[_, _, z]| z);
    let reach = along.iter().fold(across, |most, z| fast_max(z.abs(), most));
    let slack = reach * across * EDGE_MARGIN + f32::MIN_POSITIVE;
    let inside = edges.iter().all(|edge| *edge >= -slack) || edges.iter().all(|edge| *edge <= slack);
    let near = along.into_iter().fold(f32::INFINITY, fast_min);
    inside && near - reach * PLANE_MARGIN <= limit
}

/// Tests a point against the bounding boxes of the eight children of a node.
///
/// Returns a bit mask and the squared distance from the point to the nearest point of each bounding
/// box. Bit *k* of the mask is set if the squared distance of the point from the bounding box of
/// child *k* is at most `limit`.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
pub(crate) fn point_boxes(node: &RawNode, point: &[f32; 3], limit: f32) -> (u32, [f32; WIDTH]) {
    let mut sums = [0.0; WIDTH];
    let axes = node.low.iter().zip(&node.high).zip(node.origin().into_iter().zip(node.steps()).zip(point));
    for ((low, high), ((origin, step), at)) in axes {
        let start = origin - at;
        let slack = (start.abs() + GRID_STEPS * step) * PLANE_MARGIN;
        for (sum, (low, high)) in sums.iter_mut().zip(low.iter().zip(high)) {
            let before = f32::from(*low) * step + start - slack;
            let behind = -(f32::from(*high) * step + start + slack);
            let out = fast_max(fast_max(before, behind), 0.0);
            *sum = if low > high { f32::NAN } else { out * out + *sum };
        }
    }
    (bits(&sums, &[limit; WIDTH]), sums)
}

/// Returns a bit mask with a bit set for each triangle whose squared distance from a point may be
/// at most `limit`.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
pub(crate) fn point_triangles(block: &TriangleBlock, point: &[f32; 3], limit: f32) -> u32 {
    let mut bounds = [f32::NAN; LANES];
    for (lane, place) in bounds.iter_mut().enumerate() {
        *place = bound(&block.triangle(lane), point);
    }
    bits(&bounds, &[limit; LANES])
}

/// Returns a lower bound of the squared distance from a point to a triangle.
///
/// The bound is the least squared distance from the point to an edge of the triangle, or to the
/// triangle's plane if the projection of the point to this plane is inside the triangle. A margin
/// for rounding errors is subtracted from the least squared distance.
fn bound(triangle: &[[f32; 3]; 3], point: &[f32; 3]) -> f32 {
    use crate::math::{add, cross, dot, subtract};

    let [a, b, c] = triangle.map(|corner| subtract(corner, *point));
    let [ab, bc, ca] = [subtract(b, a), subtract(c, b), subtract(a, c)];
    let to_edge = |from: [f32; 3], along: [f32; 3]| {
        let length = dot(along, along);
        let part = if length > 0.0 { fast_min(fast_max(-dot(from, along) / length, 0.0), 1.0) } else { 0.0 };
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
        () if RELIABLE_AREAS.contains(&area) => height * height / area,
        () => 0.0,
    };
    let reach = [a, b, c].into_iter().flatten().fold(0.0, |most: f32, part| fast_max(part.abs(), most));
    if reach > MAX_EXACT_COORDINATE {
        return 0.0;
    }
    fast_min(fast_min(one, two), fast_min(three, plane)) - reach * reach * DISTANCE_MARGIN
}
