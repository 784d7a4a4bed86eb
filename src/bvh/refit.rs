//! Fitting a tree to triangles that have moved: the same nodes, other boxes.

use crate::array::Bounds;
use crate::bvh::layout::{AlignedPage, MAX_DEPTH, NO_CHILD, RawNode, WIDTH, place};
use crate::bvh::pages::{grid_over, set_box};
use crate::bvh::tree::Tree;
use crate::bvh::tree_view::{DamagedTree, TreeHeader, TreeView};
use crate::bvh::triangles::Triangles;

impl Tree {
    /// Makes a tree of the same nodes over the same triangles in another place: a pose, another vertex frame. It takes a
    /// fraction of what building one does. Where triangles that were near each other have gone apart, rays
    /// take longer than through a tree that was built for them; the answers are the same.
    ///
    /// `None` where the triangles are not as many, memory is short, or the tree is a damaged one of a sidecar.
    #[must_use]
    pub fn refit(&self, triangles: &Triangles<'_>) -> Option<Self> {
        let view = self.view();
        if triangles.len() != view.header.triangles {
            return None;
        }
        let mut pages = Vec::new();
        pages.try_reserve_exact(view.pages.len()).ok()?;
        pages.extend(view.pages.iter().map(|page| AlignedPage(*page)));
        let mut fit = Refitter { view, triangles, pages, left: view.header.nodes };
        let bounds = fit.node(view.header.root).ok()?;
        let order = view.order_to_vec()?;
        Some(Self::in_memory(fit.pages, order, TreeHeader { bounds, ..view.header }))
    }
}

/// A tree that is being fitted.
struct Refitter<'a, 'b> {
    view: TreeView<'a>,
    triangles: &'b Triangles<'b>,
    pages: Vec<AlignedPage>,
    left: u64,
}

impl Refitter<'_, '_> {
    /// Fits a node and all below it; returns the box around it. As deep as the tree, which its builder limits; a damaged one
    /// is no deeper than its stack of nodes, [`MAX_DEPTH`].
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
