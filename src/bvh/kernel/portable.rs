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
use crate::math::{add_scaled, as_index, cross, dot, fast_max, fast_min, subtract};

/// Decodes the positions of the corners of eight triangles.
pub(crate) fn block(triangles: &Triangles<'_>, numbers: &CornerIndices) -> TriangleBlock {
    triangles.block::<false>(numbers)
}

/// The bit of each lane in a bit mask.
const BITS: [u32; LANES] = [1, 2, 4, 8, 16, 32, 64, 128];

/// Returns `bit` if `set` is true, and 0 otherwise.
///
/// The kernels are loops over the lanes that the compiler vectorises. It would not vectorise a loop
/// that contains a branch.
#[inline(always)]
fn bit_if(set: bool, bit: u32) -> u32 {
    u32::from(set).wrapping_neg() & bit
}

/// Returns the plane in a lane of a row of planes, in grid steps.
#[inline(always)]
fn plane(row: &[u8; WIDTH], lane: usize) -> f32 {
    f32::from(row.get(lane).copied().unwrap_or_default())
}

/// Tests a ray against the bounding boxes of the eight children of a node.
///
/// Returns a bit mask and the distance at which the ray enters each bounding box. Bit *k* of the
/// mask is set if the ray enters the bounding box of child *k* at a distance of at most `limit`.
#[inline(always)]
pub(crate) fn ray_boxes(node: &RawNode, ray: &ConservativeRay, limit: f32) -> (u32, [f32; WIDTH]) {
    let rows: &[[u8; WIDTH]; size_of::<RawNode>() / WIDTH] = transmute_ref!(node);
    let row = |row: PlaneRow| rows.get(row.index()).unwrap_or(&[0; WIDTH]);
    let mut axes = [(0.0, 0.0, 0.0, &[0; WIDTH], &[0; WIDTH]); 3];
    let grid = node.origin().into_iter().zip(node.steps()).zip(ray.inverse);
    let parts = grid.zip(ray.near.into_iter().zip(ray.far)).zip(ray.first.into_iter().zip(ray.last));
    for (axis, ((((origin, step), inverse), (start, end)), (first, last))) in axes.iter_mut().zip(parts) {
        *axis = (step * inverse, origin * inverse + start, origin * inverse + end, row(first), row(last));
    }
    let (mut met, mut nears) = (0, [0.0; WIDTH]);
    for (lane, ((place, child), bit)) in nears.iter_mut().zip(&node.children).zip(&BITS).enumerate() {
        let exists = child.get() != NO_CHILD;
        let (mut near, mut far) = (ray.from, limit);
        for (step, start, end, first, last) in axes {
            near = fast_max(plane(first, lane) * step + start, near);
            far = fast_min(plane(last, lane) * step + end, far);
        }
        *place = near;
        met |= bit_if(near <= far && exists, *bit);
    }
    (met, nears)
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
    let mut left = crossed(&block, ray);
    while left != 0 {
        let lane = as_index(left.trailing_zeros());
        left &= left.wrapping_sub(1);
        if !lanes.contains(&lane) {
            continue;
        }
        let corners = block.triangle(lane);
        if let Some(crossing) = ray.crossing(&corners) {
            found(lane, crossing, &corners)?;
        }
    }
    ControlFlow::Continue(())
}

/// Returns a bit mask with a bit set for each triangle that a ray passes through, from either side.
///
/// The operations are those of [`WatertightRay::crossing`], which returns `None` for the other
/// triangles.
fn crossed(block: &TriangleBlock, ray: &WatertightRay) -> u32 {
    let [from_x, from_y, from_z] = ray.axis.last(ray.origin);
    let [shear_x, shear_y] = ray.shear;
    let mut block = *block;
    for corner in &mut block.corners {
        *corner = ray.axis.last(*corner);
    }
    let sheared = |[x, y, z]: [f32; 3]| {
        let [x, y, z] = [f64::from(x) - from_x, f64::from(y) - from_y, f64::from(z) - from_z];
        [x - shear_x * z, y - shear_y * z]
    };
    let mut crossed = 0;
    for (lane, bit) in BITS.iter().enumerate() {
        let [a, b, c] = block.triangle(lane);
        let [[ax, ay], [bx, by], [cx, cy]] = [sheared(a), sheared(b), sheared(c)];
        let (first, second, third) = (cx * by - cy * bx, ax * cy - ay * cx, bx * ay - by * ax);
        let any_below = first < 0.0 || second < 0.0 || third < 0.0;
        let any_above = first > 0.0 || second > 0.0 || third > 0.0;
        crossed |= bit_if(any_below != any_above, *bit);
    }
    crossed
}

/// Tests a point against the bounding boxes of the eight children of a node.
///
/// Returns a bit mask and the squared distance from the point to the nearest point of each bounding
/// box. Bit *k* of the mask is set if the squared distance of the point from the bounding box of
/// child *k* is at most `limit`.
#[inline(always)]
pub(crate) fn point_boxes(node: &RawNode, point: &[f32; 3], limit: f32) -> (u32, [f32; WIDTH]) {
    let mut axes = [(0.0, 0.0, 0.0, &[0; WIDTH], &[0; WIDTH]); 3];
    let parts = node.low.iter().zip(&node.high).zip(node.origin().into_iter().zip(node.steps()).zip(point));
    for (axis, ((low, high), ((origin, step), at))) in axes.iter_mut().zip(parts) {
        let start = origin - at;
        let slack = (start.abs() + GRID_STEPS * step) * POINT_MARGIN;
        *axis = (step, start - slack, start + slack, low, high);
    }
    let (mut met, mut sums) = (0, [0.0; WIDTH]);
    for (lane, (place, bit)) in sums.iter_mut().zip(&BITS).enumerate() {
        let (mut sum, mut exists) = (0.0, true);
        for (step, start, end, low, high) in axes {
            let (low, high) = (plane(low, lane), plane(high, lane));
            let out = fast_max(fast_max(low * step + start, -(high * step + end)), 0.0);
            sum += out * out;
            exists &= low <= high;
        }
        *place = sum;
        met |= bit_if(sum <= limit && exists, *bit);
    }
    (met, sums)
}

/// Returns a bit mask with a bit set for each triangle whose squared distance from a point may be
/// at most `limit`.
#[inline(always)]
pub(crate) fn point_triangles(block: &TriangleBlock, point: &[f32; 3], limit: f32) -> u32 {
    let mut near = 0;
    for (lane, bit) in BITS.iter().enumerate() {
        near |= bit_if(bound(&block.triangle(lane), point) <= limit, *bit);
    }
    near
}

/// Returns a lower bound of the squared distance from a point to a triangle.
///
/// The bound is the least squared distance from the point to an edge of the triangle, or to the
/// triangle's plane if the projection of the point to this plane is inside the triangle. A margin
/// for rounding errors is subtracted from the least squared distance.
#[inline(always)]
fn bound([a, b, c]: &[[f32; 3]; 3], point: &[f32; 3]) -> f32 {
    let [a, b, c] = [subtract(*a, *point), subtract(*b, *point), subtract(*c, *point)];
    let [ab, bc, ca] = [subtract(b, a), subtract(c, b), subtract(a, c)];
    let to_edge = |from: [f32; 3], along: [f32; 3]| {
        // If the edge has length 0, the quotient 0 / 0 is NaN, and `fast_max` returns 0.
        let part = fast_min(fast_max(-dot(from, along) / dot(along, along), 0.0), 1.0);
        let away = add_scaled(from, part, along);
        dot(away, away)
    };
    let edges = fast_min(fast_min(to_edge(a, ab), to_edge(b, bc)), to_edge(c, ca));
    let normal = cross(ab, bc);
    let is_beyond = |along: [f32; 3], from: [f32; 3]| dot(cross(normal, along), from) > 0.0;
    let outside = is_beyond(ab, a) || is_beyond(bc, b) || is_beyond(ca, c);
    let (area, height) = (dot(normal, normal), dot(normal, a));
    let plane = if RELIABLE_AREAS.contains(&area) { height * height / area } else { 0.0 };
    let plane = if outside { f32::INFINITY } else { plane };
    let mut reach = 0.0;
    for part in [a, b, c].as_flattened() {
        reach = fast_max(part.abs(), reach);
    }
    // If the lane contains no triangle, `edges` and the bound are NaN.
    let bound = fast_min(plane, edges) - reach * reach * DISTANCE_MARGIN;
    if reach > MAX_EXACT_COORDINATE { 0.0 } else { bound }
}
