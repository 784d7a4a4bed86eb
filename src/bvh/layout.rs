//! The records of a tree. Their layout is the same in memory and in a sidecar.

use zerocopy::little_endian::{F32, U32, U64};
use zerocopy::{FromBytes, FromZeros as _, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The maximum number of children of a node.
pub(crate) const WIDTH: usize = 8;
/// The maximum number of nodes on the path from the root to a leaf.
pub(crate) const MAX_DEPTH: usize = 26;
/// The maximum number of nodes in a page.
pub(crate) const NODES_PER_PAGE: usize = 42;
/// The number of low bits of a node number that contain the index of the node in its page.
pub(crate) const SLOT_BITS: u32 = 6;
/// The number of low bits of a leaf reference that contain the leaf's number of triangles, minus
/// one.
pub(crate) const COUNT_BITS: u32 = 3;

/// A node with up to eight children.
///
/// A node contains a grid of 255 steps along each axis, the bounding boxes of the children in steps
/// of this grid, and references to the children.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct RawNode {
    /// The position of the grid's corner with the least coordinates, in scene units.
    pub(crate) origin: [F32; 3],
    /// The length of a grid step along each axis, stored as an exponent of 2.
    pub(crate) exponents: [i8; 3],
    /// Bit *k* is set if child *k* is a leaf.
    pub(crate) leaves: u8,
    /// The lower planes of the children's bounding boxes along each axis, in grid steps. The value
    /// is 255 for a child that does not exist.
    pub(crate) low: [[u8; WIDTH]; 3],
    /// The upper planes of the children's bounding boxes along each axis, in grid steps. The value
    /// is 0 for a child that does not exist.
    pub(crate) high: [[u8; WIDTH]; 3],
    /// The references to the children.
    ///
    /// For a child that is an inner node, the reference is the page number times 64, plus the index
    /// of the node in that page. For a child that is a leaf, the reference is the number of its
    /// first triangle, divided by the tree's cluster size, times 8, plus its number of triangles
    /// minus one. For a child that does not exist, all bits of the reference are set.
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
            // Computes a power of two from its exponent, with a minimum of 2^-126. A builder never
            // stores a smaller exponent.
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

/// A page of nodes, as stored in a sidecar: 4,088 bytes of content, and the hash of this content.
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
    /// The number of the surface that the tree belongs to.
    pub(crate) surface: U32,
    /// The number of triangles of the surface.
    pub(crate) triangles: U32,
    /// The number of triangles in a cluster. A leaf stores the number of its first triangle divided
    /// by this size.
    ///
    /// The cluster size is 1 unless the surface has more than 2^29 triangles.
    pub(crate) cluster: U32,
    /// The number of the root node, in the encoding in which a node refers to an inner child.
    pub(crate) root: U32,
    /// The number of the first page of the tree's nodes, which is followed by the number of pages.
    pub(crate) first_page: U64,
    pub(crate) pages: U64,
    /// The number of the first page of the tree's own order of triangles, which is followed by the
    /// number of triangles in this order.
    ///
    /// The number of triangles in the order is 0 if the leaves refer to triangles in the order of
    /// the file.
    pub(crate) order_page: U64,
    pub(crate) ordered: U32,
    pub(crate) unused: U32,
    /// The number of nodes of the tree.
    pub(crate) nodes: U64,
    /// The bounding box of all valid triangles: the corner with the least coordinates, then the
    /// corner with the greatest.
    pub(crate) bounds: [[F32; 3]; 2],
}

/// A reference to a child of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Child {
    /// An inner node, given by its node number.
    Node(u32),
    /// A leaf, given by its first triangle and its number of triangles, 1 to 8.
    Leaf {
        /// The number of the first triangle, divided by the tree's cluster size.
        first: u32,
        count: u32,
    },
}

/// Decodes the reference to a leaf. Returns the number of the first triangle, divided by the
/// cluster size, and the number of triangles.
#[inline]
pub(crate) const fn leaf(child: u32) -> (u32, u32) {
    (child >> COUNT_BITS, (child & ((1 << COUNT_BITS) - 1)).wrapping_add(1))
}

impl Child {
    /// Returns the encoded reference that a node stores for this child, and whether the child is a
    /// leaf.
    pub(crate) const fn raw(self) -> (u32, bool) {
        match self {
            Self::Node(number) => (number, false),
            Self::Leaf { first, count } => {
                (first.wrapping_shl(COUNT_BITS) | (count.wrapping_sub(1) & ((1 << COUNT_BITS) - 1)), true)
            }
        }
    }
}

/// Splits the number of a node into its page number and its index in that page.
#[inline]
pub(crate) fn place(node: u32) -> (usize, usize) {
    (crate::math::as_index(node >> SLOT_BITS), crate::math::as_index(node & ((1 << SLOT_BITS) - 1)))
}

/// Makes the number of a node from its page number and its index in that page. Returns `None` if
/// the page number is too large to be encoded.
pub(crate) fn node_number(page: usize, slot: usize) -> Option<u32> {
    let page = u32::try_from(page).ok().filter(|page| *page < u32::MAX >> SLOT_BITS)?;
    Some(page.wrapping_shl(SLOT_BITS) | u32::try_from(slot).ok()?)
}
