//! The traversal of a tree, which all queries (ray, nearest point, overlap) use.
//!
//! The traversal starts at the root and visits the nearest bounding boxes first. In a leaf, a
//! kernel selects the triangles that may be results, and each of these triangles is then tested
//! exactly, in `f64`.

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

/// A query in a tree: for a ray, for the nearest point, or for the overlap with a volume. A query
/// value also stores the results that were found so far.
pub(crate) trait TreeQuery {
    /// Discards all results that were found so far, because the tree turned out to be damaged.
    fn restart(&mut self);
    /// Returns the distance beyond which results are not needed, such as the distance of the
    /// nearest hit so far.
    fn limit(&self) -> f32;
    /// Tests the bounding boxes of the children of a node.
    ///
    /// Returns a bit mask and the distance of each child's bounding box. Bit *k* of the mask is set
    /// if child *k* may contain a result.
    fn test_node(&self, kernels: &impl Kernels, node: &RawNode) -> (u32, [f32; WIDTH]);
    /// Tests the triangles of a leaf in `f32`. Returns a bit mask with a bit set for each triangle
    /// that may be a result.
    fn test_leaf(&self, kernels: &impl Kernels, triangles: &Triangles<'_>, corners: &CornerIndices) -> u32;
    /// Tests a triangle exactly, in `f64`. Returns `Break` if no other triangle can change the
    /// result of the query.
    fn test_triangle(&mut self, triangle: u32, corners: &TriangleCorners) -> ControlFlow<()>;
}

/// The reference to the child that is visited next, and whether this child is a leaf. `None` means
/// that the traversal has finished.
pub(crate) type NextChild = Option<(u32, bool)>;

/// The state of a traversal: the children that remain to be visited.
pub(crate) struct Traversal {
    stack: Stack,
    /// The number of nodes that the query may still visit.
    ///
    /// The initial value of `nodes_left` is the number of nodes in the tree. If a query would visit
    /// more nodes than the tree has, the tree is damaged. Because the number of visited nodes is
    /// limited, a query ends even if the tree is damaged and its references form a cycle.
    nodes_left: u64,
}

impl Traversal {
    /// Creates a traversal with an empty stack, which has not started yet.
    pub(crate) const fn idle() -> Self {
        Self { stack: Stack::new(), nodes_left: 0 }
    }

    /// Starts the traversal of a tree. Returns the reference to the root, and whether the root is a
    /// leaf.
    #[inline]
    pub(crate) const fn start(&mut self, view: &TreeView<'_>) -> (u32, bool) {
        self.stack.clear();
        self.nodes_left = view.header.nodes;
        (view.header.root, view.header.root_is_leaf)
    }

    /// Visits a node and returns the child to visit next. If `ahead` is given and the query meets
    /// several children, `visit_node` also prefetches these children to the processor cache.
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

    /// Visits a leaf and returns the child to visit next. The caller passes the vertex indices of
    /// the leaf's triangles in `corners`.
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

/// A query together with the tree, the triangles and the probe that it uses.
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
        let mut next = Some(traversal.start(&view));
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

/// Runs a query without a tree, by testing every triangle exactly.
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
