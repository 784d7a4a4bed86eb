//! Testing a tree that somebody else has made against the triangles that it is to be of.

use crate::bvh::layout::{NO_CHILD, RawNode};
use crate::bvh::tree::{Damaged, View};
use crate::bvh::triangles::{LARGEST, Triangles};
use crate::math::as_index;

/// A box, in which what a node says and what triangles are can be compared exactly.
type Exact = [[f64; 3]; 2];

/// Tells whether a tree finds everything: each triangle is in one leaf, within the boxes of all nodes on the way to it. Looks
/// at all nodes and all triangles once, and takes a bit for each triangle.
pub(crate) fn check(view: &View<'_>, triangles: &Triangles<'_>) -> Result<(), Damaged> {
    let count = triangles.len();
    if view.shape.triangles != count {
        return Err(Damaged);
    }
    triangles.prefetch();
    let mut seen = Vec::new();
    let words = as_index(count.div_ceil(64));
    seen.try_reserve_exact(words).map_err(|_| Damaged)?;
    seen.resize(words, 0_u64);
    let bounds = view.shape.bounds;
    if bounds.min.iter().chain(&bounds.max).any(|side| side.is_nan()) {
        return Err(Damaged);
    }
    let mut waiting = vec![(view.shape.root, [bounds.min.map(f64::from), bounds.max.map(f64::from)])];
    let (mut nodes, mut found) = (view.shape.nodes, 0_u32);
    while let Some((number, within)) = waiting.pop() {
        nodes = nodes.checked_sub(1).ok_or(Damaged)?;
        let node = view.node(number)?;
        if !has_grid(node) {
            return Err(Damaged);
        }
        for (at, child) in (0_u32..).zip(&node.children) {
            let child = child.get();
            if child == NO_CHILD {
                continue;
            }
            // A leaf none of whose triangles counts has no box.
            let own = node.child_box(as_index(at)).unwrap_or([[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]]);
            let within = common(within, own);
            if u32::from(node.leaves).wrapping_shr(at) & 1 == 0 {
                waiting.push((child, within));
                continue;
            }
            for triangle in view.leaf(child)?.triangles() {
                if triangle >= count {
                    return Err(Damaged);
                }
                mark(&mut seen, triangle)?;
                found = found.wrapping_add(1);
                if triangles.get(triangle).is_some_and(|corners| !holds(&within, &corners)) {
                    return Err(Damaged);
                }
            }
        }
    }
    if found == count { Ok(()) } else { Err(Damaged) }
}

/// Tells whether the grid of a node is one that a builder lays, in which no plane is computed to be at infinity.
fn has_grid(node: &RawNode) -> bool {
    node.origin().iter().all(|part| part.abs() <= LARGEST) && node.exponents.iter().all(|exponent| *exponent <= 60)
}

/// Notes that a triangle was seen; it must not have been before.
fn mark(seen: &mut [u64], triangle: u32) -> Result<(), Damaged> {
    let word = seen.get_mut(as_index(triangle / 64)).ok_or(Damaged)?;
    let bit = 1_u64.wrapping_shl(triangle % 64);
    if *word & bit != 0 {
        return Err(Damaged);
    }
    *word |= bit;
    Ok(())
}

/// Returns what two boxes have in common.
fn common([mut min, mut max]: Exact, [other_min, other_max]: Exact) -> Exact {
    for (min, other) in min.iter_mut().zip(other_min) {
        *min = min.max(other);
    }
    for (max, other) in max.iter_mut().zip(other_max) {
        *max = max.min(other);
    }
    [min, max]
}

fn holds([min, max]: &Exact, corners: &[[f32; 3]; 3]) -> bool {
    corners.iter().all(|corner| {
        corner.iter().zip(min.iter().zip(max)).all(|(part, (min, max))| {
            let part = f64::from(*part);
            *min <= part && part <= *max
        })
    })
}
