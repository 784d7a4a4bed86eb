//! The portable kernels, for every processor.

use std::ops::{ControlFlow, Range};

use zerocopy::transmute_ref;

use crate::bvh::kernel::conservative_ray::{
    ConservativeRay, DISTANCE_MARGIN, GRID_STEPS, MAX_EXACT_COORDINATE, POINT_MARGIN, PlaneRow, RELIABLE_AREAS,
};
use crate::bvh::kernel::watertight_ray::{FoundCrossing, WatertightRay};
use crate::bvh::lanes::{CornerIndices, LANES, TriangleBlock};
use crate::bvh::layout::{NO_CHILD, RawNode, StackEntry, WIDTH, stack_entry};
use crate::bvh::triangles::Triangles;
use crate::math::{fast_max, fast_min};

/// Decodes the positions of the corners of eight triangles.
pub(crate) fn block(triangles: &Triangles<'_>, numbers: &CornerIndices) -> TriangleBlock {
    triangles.block::<false>(numbers)
}

/// Tests a ray against the bounding boxes of the eight children of a node.
///
/// Returns a bit mask and the distance at which the ray enters each bounding box. Bit *k* of the
/// mask is set if the ray enters the bounding box of child *k* at a distance of at most `limit`.
#[inline(always)]
pub(crate) fn ray_boxes(node: &RawNode, ray: &ConservativeRay, limit: f32) -> (u32, [f32; WIDTH]) {
    let rows: &[[u8; WIDTH]; size_of::<RawNode>() / WIDTH] = transmute_ref!(node);
    let row = |row: PlaneRow| rows.get(row.index()).copied().unwrap_or_default();
    let (mut near, mut far) = ([ray.from; WIDTH], [limit; WIDTH]);
    let grid = node.origin().into_iter().zip(node.steps()).zip(ray.inverse);
    let axes = grid.zip(ray.near.into_iter().zip(ray.far)).zip(ray.first.into_iter().zip(ray.last));
    for ((((origin, step), inverse), (start, end)), (first, last)) in axes {
        let (step, start, end) = (step * inverse, origin * inverse + start, origin * inverse + end);
        let lanes = near.iter_mut().zip(&mut far).zip(row(first).into_iter().zip(row(last)));
        for ((near, far), (first, last)) in lanes {
            *near = fast_max(f32::from(first) * step + start, *near);
            *far = fast_min(f32::from(last) * step + end, *far);
        }
    }
    (bits(&near, &far) & existing(node), near)
}

/// Returns a bit mask with a bit set for each child of a node that exists.
#[inline(always)]
fn existing(node: &RawNode) -> u32 {
    let mut bits = 0;
    for (lane, child) in (0_u32..).zip(&node.children) {
        bits |= u32::from(child.get() != NO_CHILD).wrapping_shl(lane);
    }
    bits
}

/// Returns the stack entry of each child of a node, for the distances that a test returned.
#[inline(always)]
pub(crate) fn entries(node: &RawNode, near: &[f32; WIDTH]) -> [StackEntry; WIDTH] {
    let mut entries = [0; WIDTH];
    let children = node.children.iter().zip(near).zip(0_u32..);
    for (entry, ((child, near), lane)) in entries.iter_mut().zip(children) {
        *entry = stack_entry(*near, child.get(), u32::from(node.leaves).wrapping_shr(lane) & 1 == 1);
    }
    entries
}

/// Returns a bit mask in which bit *i* is set if `ones[i] <= others[i]`.
#[inline(always)]
fn bits(ones: &[f32; LANES], others: &[f32; LANES]) -> u32 {
    let mut bits = 0;
    for (lane, (one, other)) in (0_u32..).zip(ones.iter().zip(others)) {
        bits |= u32::from(one <= other).wrapping_shl(lane);
    }
    bits
}

/// Tests a ray exactly against the triangles of a leaf whose numbers are in `lanes`, and calls
/// `found` for each crossing.
#[inline(always)]
pub(crate) fn ray_triangles(
    triangles: &Triangles<'_>,
    corners: &CornerIndices,
    lanes: Range<usize>,
    ray: &WatertightRay,
    found: FoundCrossing<'_>,
) -> ControlFlow<()> {
    let block = block(triangles, corners);
    for lane in lanes {
        let corners = block.triangle(lane);
        if let Some(crossing) = ray.crossing(&corners) {
            found(lane, crossing, &corners)?;
        }
    }
    ControlFlow::Continue(())
}

/// Tests a point against the bounding boxes of the eight children of a node.
///
/// Returns a bit mask and the squared distance from the point to the nearest point of each bounding
/// box. Bit *k* of the mask is set if the squared distance of the point from the bounding box of
/// child *k* is at most `limit`.
#[inline(always)]
pub(crate) fn point_boxes(node: &RawNode, point: &[f32; 3], limit: f32) -> (u32, [f32; WIDTH]) {
    let mut sums = [0.0; WIDTH];
    let axes = node.low.iter().zip(&node.high).zip(node.origin().into_iter().zip(node.steps()).zip(point));
    for ((low, high), ((origin, step), at)) in axes {
        let start = origin - at;
        let slack = (start.abs() + GRID_STEPS * step) * POINT_MARGIN;
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
