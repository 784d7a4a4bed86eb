//! The records of a tree: nodes, pages of nodes, and the description of a tree. The layout of these
//! records is the same in memory and in a sidecar.

use zerocopy::little_endian::{F32, U32, U64};
use zerocopy::{FromBytes, FromZeros as _, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The maximum number of children of a node.
pub(crate) const WIDTH: usize = 8;
/// The maximum number of nodes on the path from the root to a leaf.
pub(crate) const MAX_DEPTH: usize = 48;
/// The maximum number of nodes in a page.
pub(crate) const NODES_PER_PAGE: usize = 42;
/// The number of low bits in a node number that store the index of the node in its page. The higher
/// bits of the node number store the index of the page.
pub(crate) const SLOT_BITS: u32 = 6;
/// The number of low bits in a leaf reference that store the number of triangles of the leaf, minus
/// one.
pub(crate) const COUNT_BITS: u32 = 3;

/// A node with up to eight children.
///
/// A node contains the origin and the step length of a grid of 255 steps along each axis, the
/// bounding boxes of the children in steps of this grid, and references to the children.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct RawNode {
    /// The position of the grid's corner with the least coordinates, in scene units.
    pub(crate) origin: [F32; 3],
    /// The length of a grid step along each axis, stored as an exponent of 2.
    pub(crate) exponents: [i8; 3],
    /// Bit *k* is set if child *k* is a leaf.
    pub(crate) leaves: u8,
    /// The lower planes of the children's bounding boxes along each axis, in grid steps. For a
    /// child that does not exist, the lower planes are 255.
    pub(crate) low: [[u8; WIDTH]; 3],
    /// The upper planes of the children's bounding boxes along each axis, in grid steps. For a
    /// child that does not exist, the upper planes are 0.
    pub(crate) high: [[u8; WIDTH]; 3],
    /// The references to the children of a node.
    ///
    /// For a child that is an inner node, the reference is its node number: the page index times
    /// 64, plus the index of the node in that page. For a child that is a leaf, the reference is
    /// the index of its first triangle, divided by the tree's cluster size, times 8, plus its
    /// number of triangles minus one. For a child that does not exist, all bits of the reference
    /// are set.
    pub(crate) children: [U32; WIDTH],
}

const _: () = assert!(size_of::<RawNode>() == 96);

/// The reference to a child that does not exist.
pub(crate) const NO_CHILD: u32 = u32::MAX;

impl RawNode {
    /// A node without children.
    pub(crate) const EMPTY: Self = Self {
        origin: [F32::ZERO; 3],
        exponents: [0; 3],
        leaves: 0,
        low: [[255; WIDTH]; 3],
        high: [[0; WIDTH]; 3],
        children: [U32::MAX_VALUE; WIDTH],
    };

    /// Returns the length of a grid step along each axis, in scene units.
    #[inline]
    pub(crate) fn steps(&self) -> [f32; 3] {
        self.exponents.map(|exponent| {
            // Computes a power of two from its exponent, with a minimum of 2^-126. The tree builder
            // never stores an exponent below -126.
            let biased = i32::from(exponent).wrapping_add(127).max(1);
            f32::from_bits(biased.unsigned_abs().wrapping_shl(23))
        })
    }

    /// Returns the position of the grid's corner with the least coordinates, in scene units.
    #[inline]
    pub(crate) fn origin(&self) -> [f32; 3] {
        self.origin.map(F32::get)
    }

    /// Returns the bounding box of a child, as its least and its greatest corner, computed in
    /// `f64`.
    ///
    /// Returns `None` if the node has no child with this index.
    pub(crate) fn child_box(&self, child: usize) -> Option<[[f64; 3]; 2]> {
        let mut corners = [[0.0; 3]; 2];
        let [min, max] = &mut corners;
        let axes = self.low.iter().zip(&self.high).zip(self.origin().into_iter().zip(self.steps()));
        for (((low, high), (origin, step)), (min, max)) in axes.zip(min.iter_mut().zip(max)) {
            let (low, high) = (*low.get(child)?, *high.get(child)?);
            if low > high {
                return None;
            }
            let place = |steps: u8| f64::from(origin) + f64::from(steps) * f64::from(step);
            (*min, *max) = (place(low), place(high));
        }
        Some(corners)
    }
}

/// A page of nodes, as stored in a sidecar: 4,088 bytes of content, followed by the hash of this
/// content.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct NodePage {
    pub(crate) nodes: [RawNode; NODES_PER_PAGE],
    pub(crate) unused: [u8; 56],
    pub(crate) hash: U64,
}

const _: () = assert!(size_of::<NodePage>() == 4096);

impl NodePage {
    pub(crate) fn new() -> Self {
        Self::new_zeroed()
    }
}

/// A page of nodes in memory, aligned to a cache line.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C, align(64))]
pub(crate) struct AlignedPage(pub(crate) NodePage);

/// The record that describes one tree in a sidecar.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct RawTree {
    /// The index of the surface that the tree belongs to.
    pub(crate) surface: U32,
    /// The number of triangles of the surface.
    pub(crate) triangles: U32,
    /// The cluster size: the number of triangles in a cluster. A leaf stores the index of its first
    /// triangle divided by the cluster size.
    ///
    /// The cluster size is 1 unless the surface has more than 2^29 triangles.
    pub(crate) cluster: U32,
    /// The node number of the root: its page index times 64, plus its index in that page.
    pub(crate) root: U32,
    /// The index of the first page that contains nodes of the tree. The next field, `pages`, is the
    /// number of pages that contain nodes of the tree.
    pub(crate) first_page: U64,
    pub(crate) pages: U64,
    /// The index of the first page of the list of triangle indices that the leaves refer to. The
    /// next field, `ordered`, is the length of the list of triangle indices.
    ///
    /// The length of the list of triangle indices is 0 if the leaves refer to triangles in file
    /// order, without a list.
    pub(crate) order_page: U64,
    pub(crate) ordered: U32,
    pub(crate) unused: U32,
    /// The number of nodes of the tree.
    pub(crate) nodes: U64,
    /// The bounding box of all triangles that queries can find: its corner with the least
    /// coordinates, then its corner with the greatest coordinates.
    pub(crate) bounds: [[F32; 3]; 2],
}

/// A reference to a child of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Child {
    /// An inner node, identified by its node number (page index times 64, plus index in the page).
    Node(u32),
    /// A leaf, described by its first triangle and its number of triangles, 1 to 8.
    Leaf {
        /// The index of the first triangle, divided by the tree's cluster size.
        first: u32,
        count: u32,
    },
}

/// A child that a query still has to visit: the distance of the child in the upper 32 bits, and the
/// reference to the child in the lower 32 bits.
///
/// The distance of a child is measured to the nearest point of the child's bounding box (along the
/// ray, for a ray query), and is not negative. The bits of a float that is not negative sort like
/// the float. The lowest bit of the distance is cleared, which rounds the distance down, and is
/// then used as a flag that is set for a leaf.
pub(crate) type StackEntry = u64;

/// Returns the stack entry of a child at the distance `near`.
#[inline]
pub(crate) fn stack_entry(near: f32, child: u32, is_leaf: bool) -> StackEntry {
    (u64::from(near.to_bits() & !1 | u32::from(is_leaf)) << 32) | u64::from(child)
}

/// Returns the distance of a stack entry with the flag for a leaf, as the bits of a float, and the
/// reference to the child.
#[inline]
pub(crate) fn entry_parts(entry: StackEntry) -> (u32, u32) {
    let [key, child] = [entry >> 32, entry & u64::from(u32::MAX)].map(|part| u32::try_from(part).unwrap_or(NO_CHILD));
    (key, child)
}

/// Decodes the reference to a leaf. Returns the index of the first triangle divided by the cluster
/// size, and the number of triangles.
#[inline]
pub(crate) const fn leaf(child: u32) -> (u32, u32) {
    (child >> COUNT_BITS, (child & ((1 << COUNT_BITS) - 1)).wrapping_add(1))
}

impl Child {
    /// Returns the encoded reference that a node stores for this child, and a `bool` that is true
    /// if the child is a leaf.
    pub(crate) const fn raw(self) -> (u32, bool) {
        match self {
            Self::Node(number) => (number, false),
            Self::Leaf { first, count } => {
                (first.wrapping_shl(COUNT_BITS) | (count.wrapping_sub(1) & ((1 << COUNT_BITS) - 1)), true)
            }
        }
    }
}

/// Splits a node number into the index of the page and the index of the node in that page.
#[inline]
pub(crate) fn place(node: u32) -> (usize, usize) {
    (crate::math::as_index(node >> SLOT_BITS), crate::math::as_index(node & ((1 << SLOT_BITS) - 1)))
}

/// Returns the node number for a page index and the index of the node in that page. Returns `None`
/// if the page index is too large to be encoded.
pub(crate) fn node_number(page: usize, slot: usize) -> Option<u32> {
    let page = u32::try_from(page).ok().filter(|page| *page < u32::MAX >> SLOT_BITS)?;
    Some(page.wrapping_shl(SLOT_BITS) | u32::try_from(slot).ok()?)
}
