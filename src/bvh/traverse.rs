//! The traversal of a tree, which all queries (ray, nearest point, overlap) use.
//!
//! The traversal starts at the root and visits the nearest bounding boxes first. In the leaves, the
//! traversal tests each triangle that may be a result exactly.

use std::ops::ControlFlow;

use crate::bvh::coordinates::TriangleCorners;
use crate::bvh::kernel::dispatch::{KernelJob, Kernels};
use crate::bvh::lanes::{CornerIndices, LANES};
use crate::bvh::layout::{RawNode, WIDTH};
use crate::bvh::probe::Probe;
use crate::bvh::stack::Stack;
use crate::bvh::tree_view::{DamagedTree, LeafTriangles, TreeView};
use crate::bvh::triangles::Triangles;
use crate::math::as_index;

/// A query in a tree, for a ray, a point or a volume. The query also stores the results that it has
/// found so far.
pub(crate) trait TreeQuery {
    /// Discards all results found so far, because they come from a damaged tree.
    fn restart(&mut self);
    /// Returns the distance beyond which the query needs no results.
    fn limit(&self) -> f32;
    /// Tests the bounding boxes of the children of a node.
    ///
    /// Returns a bit mask with a bit set for each child that may contain a result, and the distance
    /// of each child.
    fn test_node(&self, kernels: &impl Kernels, node: &RawNode) -> (u32, [f32; WIDTH]);
    /// Tests the triangles of a leaf in `f32`. Returns a bit mask with a bit set for each triangle
    /// that may be a result.
    fn test_leaf(&self, kernels: &impl Kernels, triangles: &Triangles<'_>, corners: &CornerIndices) -> u32;
    /// Tests a triangle exactly, in `f64`. Returns `Break` if no other triangle can change the
    /// result of the query.
    fn test_triangle(&mut self, triangle: u32, corners: &TriangleCorners) -> ControlFlow<()>;
}

/// The reference to the child that is visited next, and whether this child is a leaf. `None` if the
/// query has finished.
pub(crate) type NextChild = Option<(u32, bool)>;

/// The progress of a query in a tree.
pub(crate) struct Traversal {
    stack: Stack,
    /// The number of nodes that the query may still visit.
    ///
    /// The number starts with the number of nodes in the tree. So a query ends even if the tree is
    /// damaged and contains a cycle.
    nodes_left: u64,
}

impl Traversal {
    /// Makes a traversal that has no tree yet and nothing to visit.
    pub(crate) const fn idle() -> Self {
        Self { stack: Stack::new(), nodes_left: 0 }
    }

    /// Starts the traversal of a tree, and returns the number of its root node.
    #[inline]
    pub(crate) const fn start(&mut self, view: &TreeView<'_>) -> u32 {
        self.stack.clear();
        self.nodes_left = view.header.nodes;
        view.header.root
    }

    /// Visits a node and returns the child to visit next. If `ahead` is given, prefetches the
    /// memory of all children that the query will visit.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
    pub(crate) fn visit_node(
        &mut self,
        view: &TreeView<'_>,
        node: u32,
        query: &impl TreeQuery,
        kernels: &impl Kernels,
        ahead: Option<&Triangles<'_>>,
    ) -> Result<NextChild, DamagedTree> {
        self.nodes_left = self.nodes_left.checked_sub(1).ok_or(DamagedTree)?;
        let node = view.node(node)?;
        let (bits, near) = query.test_node(kernels, node);
        self.stack.descend(node, bits, &near, query.limit(), ahead.map(|triangles| (view, triangles)))
    }

    /// Visits a leaf and returns the child to visit next. The caller has already read the vertex
    /// indices of the leaf's triangles.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
    pub(crate) fn visit_leaf(
        &mut self,
        triangles: &Triangles<'_>,
        leaf: &LeafTriangles<'_>,
        corners: &CornerIndices,
        query: &mut impl TreeQuery,
        kernels: &impl Kernels,
    ) -> ControlFlow<(), NextChild> {
        let mut left = query.test_leaf(kernels, triangles, corners);
        while left != 0 {
            let lane = as_index(left.trailing_zeros()) % LANES;
            left &= left.wrapping_sub(1);
            let Some(triangle) = leaf.triangle(lane) else { continue };
            if let Some(corners) = triangles.get(triangle) {
                query.test_triangle(triangle, &corners)?;
            }
        }
        ControlFlow::Continue(self.stack.pop_within(query.limit()))
    }
}

/// A query that is running in one tree.
pub(crate) struct TreeSearch<'a, 'b, Q, P> {
    pub(crate) view: TreeView<'a>,
    pub(crate) triangles: &'b Triangles<'a>,
    pub(crate) query: &'b mut Q,
    pub(crate) probe: &'b mut P,
}

impl<Q: TreeQuery, P: Probe> KernelJob for TreeSearch<'_, '_, Q, P> {
    type Output = Result<(), DamagedTree>;

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
    fn run(self, kernels: &impl Kernels) -> Result<(), DamagedTree> {
        let Self { view, triangles, query, probe } = self;
        let mut traversal = Traversal::idle();
        let mut next = Some((traversal.start(&view), false));
        while let Some((child, is_leaf)) = next {
            next = if is_leaf {
                let leaf = view.leaf(child)?;
                if P::ENABLED {
                    leaf.triangles().for_each(|triangle| report_triangle(triangles, triangle, probe));
                }
                let corners = leaf.corner_indices(triangles);
                match traversal.visit_leaf(triangles, &leaf, &corners, query, kernels) {
                    ControlFlow::Continue(next) => next,
                    ControlFlow::Break(()) => return Ok(()),
                }
            } else {
                if P::ENABLED {
                    probe.read_node(view.node_bytes(child));
                }
                traversal.visit_node(&view, child, query, kernels, Some(triangles))?
            };
        }
        Ok(())
    }
}

/// Runs a query without a tree: tests every triangle.
pub(crate) fn test_every_triangle(triangles: &Triangles<'_>, query: &mut impl TreeQuery, probe: &mut impl Probe) {
    for triangle in 0..triangles.len() {
        report_triangle(triangles, triangle, probe);
        let flow = triangles.get(triangle).map(|corners| query.test_triangle(triangle, &corners));
        if flow.is_some_and(|flow| flow.is_break()) {
            return;
        }
    }
}

fn report_triangle<P: Probe>(triangles: &Triangles<'_>, triangle: u32, probe: &mut P) {
    if P::ENABLED {
        triangles.each_slice_of(triangle, &mut |bytes| probe.read_mesh(bytes));
    }
}
