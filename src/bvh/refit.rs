//! Fitting a tree to triangles that have moved: the same nodes, other boxes.

use crate::array::Bounds;
use crate::bvh::layout::{HeldPage, NO_CHILD, RawNode, WIDTH, place};
use crate::bvh::pages::{grid_over, set_box};
use crate::bvh::traverse::numbers;
use crate::bvh::tree::{Damaged, Tree, View};
use crate::bvh::triangles::Triangles;
use crate::math::as_index;

impl Tree {
    /// Makes a tree of the same nodes over the same triangles in another place: a pose, another vertex frame. It takes a
    /// fraction of what building one does. Where triangles that were near each other have gone apart, rays
    /// take longer than through a tree that was built for them; the answers are the same.
    ///
    /// `None` where the triangles are not as many, memory is short, or the tree is a damaged one of a sidecar.
    #[must_use]
    pub fn refit(&self, triangles: &Triangles<'_>) -> Option<Self> {
        let view = self.view();
        if triangles.len() != view.shape.triangles {
            return None;
        }
        let mut pages = Vec::new();
        pages.try_reserve_exact(view.pages.len()).ok()?;
        pages.extend(view.pages.iter().map(|page| HeldPage(*page)));
        let mut fit = Fit { view, triangles, pages, left: view.shape.nodes };
        let bounds = fit.node(view.shape.root).ok()?;
        let numbers = view.order_to_vec()?;
        Some(Self::held(fit.pages, numbers, crate::bvh::tree::Shape { bounds, ..view.shape }))
    }
}

/// A tree that is being fitted.
struct Fit<'a, 'b> {
    view: View<'a>,
    triangles: &'b Triangles<'b>,
    pages: Vec<HeldPage>,
    left: u64,
}

impl Fit<'_, '_> {
    /// Fits a node and all below it; returns the box around it. As deep as the tree, which its builder limits; a damaged one
    /// is no deeper than its stack of nodes, [`DEEPEST`](crate::bvh::build::DEEPEST).
    fn node(&mut self, number: u32) -> Result<Bounds, Damaged> {
        self.below(number, 0)
    }

    fn below(&mut self, number: u32, depth: usize) -> Result<Bounds, Damaged> {
        self.left = self.left.checked_sub(1).ok_or(Damaged)?;
        if depth > crate::bvh::build::DEEPEST {
            return Err(Damaged);
        }
        let node = *self.view.node(number)?;
        let mut boxes = [Bounds::EMPTY; WIDTH];
        for ((at, child), bounds) in (0_u32..).zip(&node.children).zip(&mut boxes) {
            let child = child.get();
            if child == NO_CHILD {
                continue;
            }
            *bounds = if u32::from(node.leaves).wrapping_shr(at) & 1 == 1 {
                self.triangles.block::<false>(&numbers(self.triangles, &self.view.leaf(child)?)).bounds()
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
        *kept.ok_or(Damaged)? = fitted;
        Ok(all)
    }
}

impl View<'_> {
    /// Copies the order of triangles; nothing where it is the file's. `None` where memory is short or a page is damaged.
    #[allow(clippy::option_option, reason = "no order is another thing than an order that cannot be had")]
    fn order_to_vec(&self) -> Option<Option<Vec<u32>>> {
        let Some(count) = self.order_len() else { return Some(None) };
        let mut numbers = Vec::new();
        numbers.try_reserve_exact(as_index(count)).ok()?;
        for at in 0..count {
            numbers.push(self.number(at)?);
        }
        Some(Some(numbers))
    }
}
