//! The traversal of a tree, which all queries (ray, nearest point, overlap) use.
//!
//! The traversal starts at the root and visits the nearest bounding boxes first. In a leaf, the
//! triangles are tested exactly, in `f64`: all of them for a ray, and those that a kernel selects
//! for a nearest point.

use std::ops::ControlFlow;

use crate::array::Bounds;
use crate::bvh::coordinates::TriangleCorners;
use crate::bvh::kernel::dispatch::{KernelJob, Kernels};
use crate::bvh::lanes::{CornerIndices, LANES};
use crate::bvh::layout::{MAX_DEPTH, RawNode, StackEntry, WIDTH, entry_parts};
use crate::bvh::probe::Probe;
use crate::bvh::reserve::reserve_one;
use crate::bvh::tree_view::{DamagedTree, LeafTriangles, TreeView};
use crate::bvh::triangles::Triangles;
use crate::math::as_index;

/// A query in a tree: for a ray, for the nearest point, or for the overlap with a volume. A query
/// value also stores the results that were found so far.
pub(crate) trait TreeQuery {
    /// Prepares the query for a tree whose triangles are in a bounding box.
    #[inline]
    fn prepare(&mut self, _: &Bounds) {}
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
    /// that may be a result: all of them, if the query has no such test.
    #[inline]
    fn test_leaf(&self, _: &impl Kernels, _: &Triangles<'_>, _: &CornerIndices) -> u32 {
        u32::MAX
    }
    /// Tests a triangle exactly, in `f64`. Returns `Break` if no other triangle can change the
    /// result of the query.
    fn test_triangle(&mut self, triangle: u32, corners: &TriangleCorners) -> ControlFlow<()>;
    /// Tests the triangles of a leaf: those that `test_leaf` selects, with `test_triangle`. The
    /// caller passes the vertex indices of the triangles in `corners`.
    #[inline(always)]
    fn visit_leaf(
        &mut self,
        kernels: &impl Kernels,
        triangles: &Triangles<'_>,
        leaf: &LeafTriangles<'_>,
        corners: &CornerIndices,
    ) -> ControlFlow<()> {
        let mut left = self.test_leaf(kernels, triangles, corners) & leaf.lanes();
        while left != 0 {
            let lane = as_index(left.trailing_zeros()) % LANES;
            left &= left.wrapping_sub(1);
            let Some(triangle) = leaf.triangle(lane) else { continue };
            if let Some(corners) = triangles.get(triangle) {
                self.test_triangle(triangle, &corners)?;
            }
        }
        ControlFlow::Continue(())
    }
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
    pub(crate) fn start(&mut self, view: &TreeView<'_>) -> (u32, bool) {
        self.stack.clear();
        self.nodes_left = view.header.nodes;
        (view.header.root, view.header.root_is_leaf)
    }

    /// Visits a node and returns the child to visit next. If `ahead` is given and the query meets
    /// several children, `visit_node` also prefetches these children to the processor cache.
    #[inline(always)]
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
        self.stack.descend(node, (bits, &near), query.limit(), kernels, ahead.map(|triangles| (view, triangles)))
    }

    /// Visits a leaf and returns the child to visit next. The caller passes the vertex indices of
    /// the leaf's triangles in `corners`.
    #[inline(always)]
    pub(crate) fn visit_leaf(
        &mut self,
        triangles: &Triangles<'_>,
        leaf: &LeafTriangles<'_>,
        corners: &CornerIndices,
        query: &mut impl TreeQuery,
        kernels: &impl Kernels,
    ) -> ControlFlow<(), NextChild> {
        query.visit_leaf(kernels, triangles, leaf, corners)?;
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
    fn run(self, kernels: &impl Kernels) -> Result<(), DamagedTree> {
        let Self { view, triangles, query, probe } = self;
        query.prepare(&view.header.bounds);
        let (mut traversal, mut corners) = (Traversal::idle(), CornerIndices::default());
        let mut next = Some(traversal.start(&view));
        while let Some((child, is_leaf)) = next {
            next = if is_leaf {
                let leaf = view.leaf(child)?;
                if P::ENABLED {
                    leaf.triangles().for_each(|triangle| report_triangle(triangles, triangle, probe));
                }
                leaf.corner_indices(triangles, &mut corners);
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

/// The number of stack entries that need no allocation. Few traversals need a fifth of them.
const STACK_SIZE: usize = 32;
/// The maximum number of stack entries. While a query descends from the root to a leaf, at most
/// seven children of each visited node remain on the stack.
const MAX_ENTRIES: usize = 7 * MAX_DEPTH;

/// The nodes and leaves that a query still has to visit. The query visits the last entry of the
/// stack next.
pub(crate) struct Stack {
    entries: [StackEntry; STACK_SIZE],
    /// The entries after the first [`STACK_SIZE`].
    more: Vec<StackEntry>,
    len: usize,
}

impl Stack {
    pub(crate) const fn new() -> Self {
        Self { entries: [0; STACK_SIZE], more: Vec::new(), len: 0 }
    }

    pub(crate) fn clear(&mut self) {
        self.more.clear();
        self.len = 0;
    }

    /// Removes the last entry from the stack. Returns the child reference in the removed entry, and
    /// whether this child is a leaf.
    ///
    /// Entries whose bounding boxes are farther away than `limit` are discarded. Returns `None` if
    /// no entry remains on the stack.
    #[inline(always)]
    pub(crate) fn pop_within(&mut self, limit: f32) -> NextChild {
        loop {
            self.len = self.len.checked_sub(1)?;
            let entry = self.entries.get(self.len).copied().or_else(|| self.pop_more())?;
            let (key, child) = entry_parts(entry);
            if key & !1 <= limit.to_bits() {
                return Some((child, key & 1 == 1));
            }
        }
    }

    #[cold]
    fn pop_more(&mut self) -> Option<StackEntry> {
        self.more.pop()
    }

    #[inline]
    fn push(&mut self, entry: StackEntry) -> Result<(), DamagedTree> {
        match self.entries.get_mut(self.len) {
            Some(place) => *place = entry,
            None => self.push_more(entry)?,
        }
        self.len = self.len.wrapping_add(1);
        Ok(())
    }

    #[cold]
    fn push_more(&mut self, entry: StackEntry) -> Result<(), DamagedTree> {
        if self.len >= MAX_ENTRIES {
            return Err(DamagedTree);
        }
        reserve_one(&mut self.more).map_err(|_| DamagedTree)?;
        self.more.push(entry);
        Ok(())
    }

    /// Pushes the children whose bounding boxes the query meets, except the nearest, and returns
    /// the nearest.
    ///
    /// `met` is the result of the test of the node: a bit is set for each child whose bounding box
    /// the query meets, and the distances. `descend` also returns whether the returned child is a
    /// leaf. If no bit is set, `descend` returns the result of [`pop_within`](Self::pop_within). If
    /// several bits are set and `ahead` is given, `descend` prefetches the pushed children to the
    /// processor cache.
    #[inline(always)]
    pub(crate) fn descend(
        &mut self,
        node: &RawNode,
        met: (u32, &[f32; WIDTH]),
        limit: f32,
        kernels: &impl Kernels,
        ahead: Option<(&TreeView<'_>, &Triangles<'_>)>,
    ) -> Result<NextChild, DamagedTree> {
        let (bits, near) = met;
        let lane = |bits: u32| as_index(bits.trailing_zeros()) % WIDTH;
        let mut left = bits & bits.wrapping_sub(1);
        if bits == 0 {
            return Ok(self.pop_within(limit));
        }
        if left == 0 {
            // In the most common case, the query meets a single child.
            let is_leaf = u32::from(node.leaves) & bits != 0;
            return Ok(node.children.get(lane(bits)).map(|child| (child.get(), is_leaf)));
        }
        let entries = kernels.entries(node, near);
        let entry = |bits: u32| entries.get(lane(bits)).copied().unwrap_or_default();
        let (first, pushed) = (self.len, left);
        let mut nearest = entry(bits);
        while left != 0 {
            let other = entry(left);
            left &= left.wrapping_sub(1);
            let farther = nearest.max(other);
            nearest = nearest.min(other);
            if let Some((view, triangles)) = ahead {
                let (key, child) = entry_parts(farther);
                view.prefetch_child(triangles, child, key & 1 == 1);
            }
            self.push(farther)?;
        }
        // A sort of entries that are partly in `more` is not worth its code: order is only speed.
        if pushed & pushed.wrapping_sub(1) != 0 {
            sort(self.entries.get_mut(first..self.len).unwrap_or_default());
        }
        let (key, child) = entry_parts(nearest);
        Ok(Some((child, key & 1 == 1)))
    }
}

/// Sorts a few stack entries by distance, with the nearest entry last.
#[inline(always)]
fn sort(entries: &mut [StackEntry]) {
    for end in 1..entries.len() {
        let mut at = end;
        while let Some([one, other]) = at.checked_sub(1).and_then(|from| entries.get_mut(from..)?.first_chunk_mut()) {
            if *one >= *other {
                break;
            }
            std::mem::swap(one, other);
            at = at.wrapping_sub(1);
        }
    }
}
