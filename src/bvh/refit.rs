//! Refits a tree to triangles whose vertices have moved: the new tree has the same nodes, and their
//! bounding boxes are computed again.

use crate::array::Bounds;
use crate::bvh::lanes::CornerIndices;
use crate::bvh::layout::{AlignedPage, MAX_DEPTH, NO_CHILD, RawNode, WIDTH, place};
use crate::bvh::pages::{grid_over, set_box};
use crate::bvh::tree::Tree;
use crate::bvh::tree_view::{DamagedTree, TreeHeader, TreeView};
use crate::bvh::triangles::Triangles;

impl Tree {
    /// Returns a new tree for the same triangles with other vertex positions. The new tree has the
    /// same nodes as this tree, with new bounding boxes.
    ///
    /// The new positions can come from a pose or from another vertex frame. Refitting takes a
    /// fraction of the time of building a tree. If triangles that were close to each other have
    /// moved apart, queries take longer than in a tree that was built for the new positions. The
    /// results of queries are the same in both trees.
    ///
    /// Returns `None` if the number of triangles in `triangles` differs from the number in this
    /// tree, if there is not enough memory, or if this tree comes from a damaged sidecar.
    #[must_use]
    pub fn refit(&self, triangles: &Triangles<'_>) -> Option<Self> {
        let view = self.view();
        if triangles.len() != view.header.triangles {
            return None;
        }
        if view.header.root_is_leaf {
            return Some(Self::root_leaf(triangles.len(), triangles.bounds(0..triangles.len())));
        }
        let mut fit = Refitter { view, triangles, fitted: view.pages_to_vec()?, left: view.header.nodes };
        let bounds = fit.node(view.header.root).ok()?;
        let order = view.order_to_vec()?;
        Some(Self::in_memory(fit.fitted, order, TreeHeader { bounds, ..view.header }))
    }
}

/// Returns whether the bounding box of a tree is exactly the one that a refit to `triangles`
/// computes, and those of its nodes within a grid step.
///
/// Larger boxes give the same results of queries, but a query then visits more nodes, up to all.
pub(crate) fn has_tight_boxes(view: &TreeView<'_>, triangles: &Triangles<'_>) -> bool {
    let mut fit = Refitter { view: *view, triangles, fitted: Comparison, left: view.header.nodes };
    fit.node(view.header.root).is_ok_and(|bounds| bounds == view.header.bounds)
}

/// The action of a refit after it has computed a node.
trait FittedNodes {
    fn put(&mut self, number: u32, old: &RawNode, fitted: RawNode) -> Result<(), DamagedTree>;
}

/// The pages of the new tree.
impl FittedNodes for Vec<AlignedPage> {
    fn put(&mut self, number: u32, _: &RawNode, fitted: RawNode) -> Result<(), DamagedTree> {
        let (page, slot) = place(number);
        let kept = self.get_mut(page).and_then(|page| page.0.nodes.get_mut(slot));
        *kept.ok_or(DamagedTree)? = fitted;
        Ok(())
    }
}

/// Compares the boxes of each computed node with those of the old node.
struct Comparison;

impl FittedNodes for Comparison {
    fn put(&mut self, _: u32, old: &RawNode, fitted: RawNode) -> Result<(), DamagedTree> {
        let steps = fitted.steps().map(f64::from);
        let alike = |[old, fitted]: [[f64; 3]; 2]| {
            old.iter().zip(fitted).zip(steps).all(|((old, fitted), step)| (old - fitted).abs() <= step)
        };
        let same = |at| match (old.child_box(at), fitted.child_box(at)) {
            (Some([old_min, old_max]), Some([min, max])) => alike([old_min, min]) && alike([old_max, max]),
            (None, None) => true,
            _ => false,
        };
        if (0..WIDTH).all(same) { Ok(()) } else { Err(DamagedTree) }
    }
}

/// The data of a refit: the old tree, the triangles with new positions, and the place of the
/// computed nodes.
struct Refitter<'a, 'b, F> {
    view: TreeView<'a>,
    triangles: &'b Triangles<'b>,
    fitted: F,
    left: u64,
}

impl<F: FittedNodes> Refitter<'_, '_, F> {
    /// Refits a node and all nodes below it. Returns the bounding box of the node's triangles.
    ///
    /// `node` refits the nodes of the subtree recursively. The recursion is as deep as the tree,
    /// and a builder limits the depth of a tree to [`MAX_DEPTH`]. In a damaged tree, the recursion
    /// stops with an error below the depth [`MAX_DEPTH`].
    fn node(&mut self, number: u32) -> Result<Bounds, DamagedTree> {
        self.below(number, 0)
    }

    fn below(&mut self, number: u32, depth: usize) -> Result<Bounds, DamagedTree> {
        self.left = self.left.checked_sub(1).ok_or(DamagedTree)?;
        if depth > MAX_DEPTH {
            return Err(DamagedTree);
        }
        let node = *self.view.node(number)?;
        let mut boxes = [Bounds::EMPTY; WIDTH];
        for ((at, child), bounds) in (0_u32..).zip(&node.children).zip(&mut boxes) {
            let child = child.get();
            if child == NO_CHILD {
                continue;
            }
            *bounds = if u32::from(node.leaves).wrapping_shr(at) & 1 == 1 {
                let mut corners = CornerIndices::default();
                self.view.leaf(child)?.corner_indices(self.triangles, &mut corners);
                self.triangles.block::<false>(&corners).bounds()
            } else {
                self.below(child, depth.wrapping_add(1))?
            };
        }
        let all = boxes.iter().fold(Bounds::EMPTY, Bounds::union);
        let mut fitted = RawNode { children: node.children, leaves: node.leaves, ..grid_over(&all) };
        for (at, bounds) in boxes.iter().enumerate() {
            set_box(&mut fitted, at, bounds);
        }
        self.fitted.put(number, &node, fitted)?;
        Ok(all)
    }
}
