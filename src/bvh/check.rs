//! Checks that a tree from an untrusted sidecar contains all triangles of a surface, within correct
//! bounding boxes.

use crate::array::Bounds;
use crate::bvh::bit_set::BitSet;
use crate::bvh::coordinates::{MAX_COORDINATE, TriangleCorners};
use crate::bvh::layout::{MAX_DEPTH, NO_CHILD, RawNode, WIDTH};
use crate::bvh::reserve::{only, reserve_one};
use crate::bvh::tree_view::{DamagedTree, TreeView};
use crate::bvh::triangles::Triangles;
use crate::math::as_index;

/// A bounding box in `f64`, as its least and its greatest corner. In `f64`, the bounding boxes of
/// nodes and the corners of triangles have no rounding errors.
type ExactBox = [[f64; 3]; 2];

/// The maximum number of nodes that wait to be checked, if no path of the tree has more than
/// [`MAX_DEPTH`] nodes. A tree whose nodes refer to each other in a cycle soon exceeds this number.
const MAX_WAITING: usize = WIDTH * MAX_DEPTH;

/// Checks that queries in a tree can find all triangles, and returns an error if a triangle cannot
/// be found.
///
/// Each triangle of the surface must be in exactly one leaf of the tree. Each triangle that queries
/// do not ignore must also be within the bounding boxes of all nodes on the path from the root to
/// its leaf. The check reads each triangle at most once, and at most as many nodes as the tree
/// header states. It allocates one bit of memory per triangle.
pub(crate) fn check(view: &TreeView<'_>, triangles: &Triangles<'_>) -> Result<(), DamagedTree> {
    let count = triangles.len();
    if view.header.triangles != count {
        return Err(DamagedTree);
    }
    triangles.prefetch();
    let mut reached = BitSet::new(as_index(count)).map_err(|_| DamagedTree)?;
    let bounds = view.header.bounds;
    if bounds.min.iter().chain(&bounds.max).any(|side| side.is_nan()) {
        return Err(DamagedTree);
    }
    let root = (view.header.root, [bounds.min.map(f64::from), bounds.max.map(f64::from)]);
    let mut waiting = only(root).map_err(|_| DamagedTree)?;
    let mut nodes = view.header.nodes;
    while let Some((number, within)) = waiting.pop() {
        nodes = nodes.checked_sub(1).ok_or(DamagedTree)?;
        let node = view.node(number)?;
        if !has_grid(node, &bounds) {
            return Err(DamagedTree);
        }
        for (at, child) in (0_u32..).zip(&node.children) {
            let child = child.get();
            if child == NO_CHILD {
                continue;
            }
            // A leaf has an empty bounding box if queries ignore all of its triangles.
            let own = node.child_box(as_index(at)).unwrap_or([[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]]);
            let within = common(within, own);
            if u32::from(node.leaves).wrapping_shr(at) & 1 == 0 {
                if waiting.len() >= MAX_WAITING {
                    return Err(DamagedTree);
                }
                reserve_one(&mut waiting).map_err(|_| DamagedTree)?;
                waiting.push((child, within));
                continue;
            }
            for triangle in view.leaf(child)?.triangles() {
                if !reached.insert(as_index(triangle)) {
                    return Err(DamagedTree);
                }
                if triangles.get(triangle).is_some_and(|corners| !holds(&within, &corners)) {
                    return Err(DamagedTree);
                }
            }
        }
    }
    if reached.is_full() { Ok(()) } else { Err(DamagedTree) }
}

/// Returns whether the origin and the steps of a node's grid are in the range that the tree builder
/// writes. The rounding margins of rays suit only such grids.
fn has_grid(node: &RawNode, bounds: &Bounds) -> bool {
    let reach = bounds.min.iter().chain(&bounds.max).fold(0.0, |most: f32, side| most.max(side.abs()));
    node.origin().iter().all(|part| part.abs() <= reach.min(MAX_COORDINATE))
        && node.exponents.iter().all(|exponent| (-120..=60).contains(exponent))
}

/// Returns the intersection of two bounding boxes.
fn common([mut min, mut max]: ExactBox, [other_min, other_max]: ExactBox) -> ExactBox {
    for (min, other) in min.iter_mut().zip(other_min) {
        *min = min.max(other);
    }
    for (max, other) in max.iter_mut().zip(other_max) {
        *max = max.min(other);
    }
    [min, max]
}

fn holds([min, max]: &ExactBox, corners: &TriangleCorners) -> bool {
    corners.iter().all(|corner| {
        corner.iter().zip(min.iter().zip(max)).all(|(part, (min, max))| {
            let part = f64::from(*part);
            *min <= part && part <= *max
        })
    })
}
