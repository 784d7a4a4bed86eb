//! Refits a tree to triangles whose vertices have moved: the new tree has the same nodes, and their
//! bounding boxes are computed again.

use crate::array::Bounds;
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
    /// results of queries do not depend on whether a tree was refitted or built for the new
    /// positions.
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
        let pages = view.pages_to_vec()?;
        let mut fit = Refitter { view, triangles, pages, left: view.header.nodes };
        let bounds = fit.node(view.header.root).ok()?;
        let order = view.order_to_vec()?;
        Some(Self::in_memory(fit.pages, order, TreeHeader { bounds, ..view.header }))
    }
}

/// The data of a refit: the old tree, the triangles with new positions, and the pages of the new
/// tree.
struct Refitter<'a, 'b> {
    view: TreeView<'a>,
    triangles: &'b Triangles<'b>,
    pages: Vec<AlignedPage>,
    left: u64,
}

impl Refitter<'_, '_> {
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
                self.triangles.block::<false>(&self.view.leaf(child)?.corner_indices(self.triangles)).bounds()
            } else {
                self.below(child, depth.wrapping_add(1))?
            };
        }
        let all = boxes.iter().fold(Bounds::EMPTY, Bounds::union);
        let mut fitted = RawNode { children: node.children, leaves: node.leaves, ..grid_over(&all) };
        for (at, bounds) in boxes.iter().enumerate() {
            set_box(&mut fitted, at, bounds);
        }
        let (page, slot) = place(number);
        let kept = self.pages.get_mut(page).and_then(|page| page.0.nodes.get_mut(slot));
        *kept.ok_or(DamagedTree)? = fitted;
        Ok(all)
    }
}
