//! The triangles of a tree that reach into a region of space.

use crate::array::Bounds;
use crate::bvh::layout::NO_CHILD;
use crate::bvh::traverse::Watch;
use crate::bvh::tree::{Damaged, View};
use crate::bvh::triangles::{Triangles, is_sound};
use crate::query::frustum::Frustum;
use crate::query::triangle::{overlaps_box, overlaps_frustum};

/// A region that triangles may reach into.
pub(crate) trait Region {
    /// Tells whether a box may reach into it; `true` where that is not certain.
    fn meets(&self, bounds: &Bounds) -> bool;
    /// Tells whether a triangle reaches into it.
    fn overlaps(&self, triangle: &[[f32; 3]; 3]) -> bool;
}

impl Region for Bounds {
    fn meets(&self, bounds: &Bounds) -> bool {
        let axes = self.min.iter().zip(self.max).zip(bounds.min.iter().zip(bounds.max));
        let mut axes = axes.map(|((min, max), (other_min, other_max))| *min <= other_max && *other_min <= max);
        axes.all(|axis| axis)
    }

    fn overlaps(&self, triangle: &[[f32; 3]; 3]) -> bool {
        overlaps_box(triangle, self)
    }
}

impl Region for Frustum {
    fn meets(&self, bounds: &Bounds) -> bool {
        !self.excludes(bounds)
    }

    fn overlaps(&self, triangle: &[[f32; 3]; 3]) -> bool {
        overlaps_frustum(triangle, self)
    }
}

/// Visits the triangles of a tree that reach into a region, in no order.
pub(crate) fn reach(
    view: &View<'_>,
    triangles: &Triangles<'_>,
    region: &impl Region,
    watch: &mut impl Watch,
    mut visit: impl FnMut(u32),
) -> Result<(), Damaged> {
    let mut waiting = vec![view.shape.root];
    let mut left = view.shape.nodes;
    while let Some(number) = waiting.pop() {
        left = left.checked_sub(1).ok_or(Damaged)?;
        watch.node(view, number);
        let node = view.node(number)?;
        for (at, child) in (0_u32..).zip(&node.children) {
            let child = child.get();
            let Some(bounds) = usize::try_from(at).ok().and_then(|at| node.child_box(at)) else { continue };
            if child == NO_CHILD || !region.meets(&outward(bounds)) {
                continue;
            }
            if u32::from(node.leaves).wrapping_shr(at) & 1 == 0 {
                waiting.push(child);
                continue;
            }
            for triangle in view.leaf(child)?.triangles() {
                test(triangles, triangle, region, watch, &mut visit);
            }
        }
    }
    Ok(())
}

/// Looks at every triangle: what is done where there is no tree.
pub(crate) fn every(
    triangles: &Triangles<'_>,
    region: &impl Region,
    watch: &mut impl Watch,
    mut visit: impl FnMut(u32),
) {
    (0..triangles.len()).for_each(|triangle| test(triangles, triangle, region, watch, &mut visit));
}

fn test(
    triangles: &Triangles<'_>,
    triangle: u32,
    region: &impl Region,
    watch: &mut impl Watch,
    visit: &mut impl FnMut(u32),
) {
    watch.triangle(triangles, triangle);
    if triangles.get(triangle).is_some_and(|corners| is_sound(&corners) && region.overlaps(&corners)) {
        visit(triangle);
    }
}

/// Rounds a box outwards.
fn outward([min, max]: [[f64; 3]; 2]) -> Bounds {
    let narrow = crate::math::narrow;
    Bounds { min: min.map(|part| narrow(part).next_down()), max: max.map(|part| narrow(part).next_up()) }
}
