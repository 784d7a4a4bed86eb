//! The traversal of a tree, which all queries (ray, nearest point, overlap) use.
//!
//! The traversal starts at the root and visits the nearest bounding boxes first. In a leaf, a
//! kernel selects the triangles that may be results, and each of these triangles is then tested
//! exactly, in `f64`.

use std::ops::ControlFlow;

use crate::bvh::coordinates::TriangleCorners;
use crate::bvh::kernel::dispatch::{KernelJob, Kernels};
use crate::bvh::lanes::{CornerIndices, LANES};
use crate::bvh::layout::{MAX_DEPTH, NO_CHILD, RawNode, WIDTH};
use crate::bvh::probe::Probe;
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

/// The maximum number of stack entries. While a query descends from the root to a leaf, at most
/// seven children of each visited node remain on the stack, and the last visited node needs one
/// more entry for its eighth child.
const STACK_SIZE: usize = 192;
const _: () = assert!(STACK_SIZE > 7 * MAX_DEPTH + 1);

/// An entry of the stack: the distance of a child in the upper 32 bits, and the reference to the
/// child in the lower 32 bits.
///
/// The distance of a child is measured to the nearest point of the child's bounding box (along the
/// ray, for a ray query). The distance, a float, is encoded as an integer that sorts in the same
/// order. The lowest bit of the encoded distance is cleared, which rounds the distance down, and is
/// then used as a flag that is set for a leaf.
type StackEntry = u64;

#[inline]
fn entry(near: f32, child: u32, is_leaf: bool) -> StackEntry {
    (u64::from(ordered(near) & !1 | u32::from(is_leaf)) << 32) | u64::from(child)
}

/// Converts a float to an integer: the integers of two floats compare like the floats.
#[inline]
fn ordered(number: f32) -> u32 {
    let bits = number.to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

#[inline]
fn key(entry: StackEntry) -> u32 {
    u32::try_from(entry >> 32).unwrap_or(u32::MAX)
}

#[inline]
fn child(entry: StackEntry) -> u32 {
    u32::try_from(entry & u64::from(u32::MAX)).unwrap_or(NO_CHILD)
}

/// The nodes and leaves that a query still has to visit. The query visits the last entry of the
/// stack next.
pub(crate) struct Stack {
    entries: [StackEntry; STACK_SIZE],
    len: usize,
}

impl Stack {
    pub(crate) const fn new() -> Self {
        Self { entries: [0; STACK_SIZE], len: 0 }
    }

    pub(crate) const fn clear(&mut self) {
        self.len = 0;
    }

    /// Removes the last entry from the stack. Returns the child reference in the removed entry, and
    /// whether this child is a leaf.
    ///
    /// Entries whose bounding boxes are farther away than `limit` are discarded. Returns `None` if
    /// no entry remains on the stack.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
    pub(crate) fn pop_within(&mut self, limit: f32) -> Option<(u32, bool)> {
        loop {
            self.len = self.len.checked_sub(1)?;
            let entry = *self.entries.get(self.len)?;
            let key = key(entry);
            if key & !1 <= ordered(limit) {
                return Some((child(entry), key & 1 == 1));
            }
        }
    }

    /// Adds a node or a leaf to the stack. `near` is the distance of the bounding box of this node
    /// or leaf from the query point, or along the ray.
    #[inline]
    pub(crate) fn push(&mut self, near: f32, child: u32, is_leaf: bool) -> Result<(), DamagedTree> {
        *self.entries.get_mut(self.len).ok_or(DamagedTree)? = entry(near, child, is_leaf);
        self.len = self.len.wrapping_add(1);
        Ok(())
    }

    /// Pushes the children whose bounding boxes the query meets, and then pops and returns the
    /// nearest of these children.
    ///
    /// In the bit mask `bits`, a bit is set for each child whose bounding box the query meets.
    /// `descend` also returns whether the returned child is a leaf. If no bit of `bits` is set,
    /// `descend` returns the result of [`pop_within`](Self::pop_within). If several bits of `bits`
    /// are set and `ahead` is given, `descend` prefetches the children of all set bits to the
    /// processor cache.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
    pub(crate) fn descend(
        &mut self,
        node: &RawNode,
        bits: u32,
        near: &[f32; WIDTH],
        limit: f32,
        ahead: Option<(&TreeView<'_>, &Triangles<'_>)>,
    ) -> Result<Option<(u32, bool)>, DamagedTree> {
        let leaves = u32::from(node.leaves);
        let child = |bits: u32| {
            let at = bits.trailing_zeros();
            (as_index(at) % WIDTH, leaves.wrapping_shr(at) & 1 == 1)
        };
        let rest = bits & bits.wrapping_sub(1);
        if bits == 0 {
            return Ok(self.pop_within(limit));
        }
        if rest == 0 {
            // In the most common case, the query meets a single child. A single child is returned
            // directly, without pushing it on the stack.
            let (lane, is_leaf) = child(bits);
            return Ok(node.children.get(lane).map(|child| (child.get(), is_leaf)));
        }
        let first = self.len;
        let mut left = bits;
        while left != 0 {
            let (lane, is_leaf) = child(left);
            left &= left.wrapping_sub(1);
            let (Some(near), Some(child)) = (near.get(lane), node.children.get(lane)) else { continue };
            if let Some((view, triangles)) = ahead {
                view.prefetch_child(triangles, child.get(), is_leaf);
            }
            self.push(*near, child.get(), is_leaf)?;
        }
        sort(self.entries.get_mut(first..self.len).unwrap_or_default());
        Ok(self.pop_within(limit))
    }
}

/// Sorts a few stack entries by distance, with the nearest entry last.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it usually sorts two or three numbers")]
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
