//! The stack of a tree traversal: the nodes and leaves that a query still has to visit. When a
//! query has visited a node, the children of the node are pushed on the stack with the nearest
//! child last.

use crate::bvh::layout::{MAX_DEPTH, NO_CHILD, RawNode, WIDTH};
use crate::bvh::tree_view::{DamagedTree, TreeView};
use crate::bvh::triangles::Triangles;
use crate::math::as_index;

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
