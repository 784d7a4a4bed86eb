//! The records that a tree is made of, in memory and in a sidecar alike.

use zerocopy::little_endian::{F32, U32, U64};
use zerocopy::{FromBytes, FromZeros as _, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Children of a node.
pub(crate) const WIDTH: usize = 8;
/// The most nodes on the path to a leaf.
pub(crate) const MAX_DEPTH: usize = 26;
/// Nodes of a page.
pub(crate) const NODES_PER_PAGE: usize = 42;
/// Bits of the number of a node that say which of its page it is.
pub(crate) const SLOT_BITS: u32 = 6;
/// Bits of what a leaf says that count its triangles, less one.
pub(crate) const COUNT_BITS: u32 = 3;

/// A node: a grid of 255 steps along each axis, the boxes of up to eight children in steps of it, and where they are.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct RawNode {
    /// The least corner of the grid.
    pub(crate) origin: [F32; 3],
    /// The exponent of 2 that a step along each axis is.
    pub(crate) exponents: [i8; 3],
    /// Bit *k*: child *k* is a leaf.
    pub(crate) leaves: u8,
    /// Where the boxes begin, by axis; 255 of a child that is not there.
    pub(crate) low: [[u8; WIDTH]; 3],
    /// Where they end; 0 of a child that is not there.
    pub(crate) high: [[u8; WIDTH]; 3],
    /// Of an inner child, its page times 64 and its place there; of a leaf, its first triangle (in steps of the tree's
    /// cluster) times 8 and how many there are, less one; all bits set of a child that is not there.
    pub(crate) children: [U32; WIDTH],
}

const _: () = assert!(size_of::<RawNode>() == 96);

/// What a child that is not there refers to.
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

    /// Returns the length of a step along each axis.
    #[inline]
    pub(crate) fn steps(&self) -> [f32; 3] {
        self.exponents.map(|exponent| {
            // A power of two, put together; nothing below 2^-126, which a writer never gives.
            let biased = i32::from(exponent).wrapping_add(127).max(1);
            f32::from_bits(biased.unsigned_abs().wrapping_shl(23))
        })
    }

    /// Returns the corner that the grid starts at.
    #[inline]
    pub(crate) fn origin(&self) -> [f32; 3] {
        self.origin.map(F32::get)
    }

    /// Returns the box of a child, least and greatest corner, as exactly as numbers are; `None` of one that is not there.
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

/// A page of nodes, as a sidecar has it: 4,088 bytes of content and their hash.
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

/// A page in memory, where its nodes are to begin at lines of the cache.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C, align(64))]
pub(crate) struct AlignedPage(pub(crate) NodePage);

/// What a tree says of itself in a sidecar.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct RawTree {
    /// The surface that it is of.
    pub(crate) surface: U32,
    /// Its triangles.
    pub(crate) triangles: U32,
    /// Triangles that leaves count by: 1, unless there are more than 2^29.
    pub(crate) cluster: U32,
    /// The root, as a node's child refers to a node.
    pub(crate) root: U32,
    /// Which pages of nodes are its own.
    pub(crate) first_page: U64,
    pub(crate) pages: U64,
    /// The first page of the order of its triangles, and how many there are: none where leaves name triangles in file
    /// order.
    pub(crate) order_page: U64,
    pub(crate) ordered: U32,
    pub(crate) unused: U32,
    /// How many nodes there are.
    pub(crate) nodes: U64,
    /// The box around all: least, then greatest.
    pub(crate) bounds: [[F32; 3]; 2],
}

/// Where a child is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Child {
    /// Another node.
    Node(u32),
    /// Triangles: the first, and how many, 1 to 8.
    Leaf {
        /// In steps of the tree's cluster.
        first: u32,
        count: u32,
    },
}

/// Splits what a leaf says into its first triangle, in clusters, and how many there are.
#[inline]
pub(crate) const fn leaf(child: u32) -> (u32, u32) {
    (child >> COUNT_BITS, (child & ((1 << COUNT_BITS) - 1)).wrapping_add(1))
}

impl Child {
    /// Returns how a node says it, and whether it is a leaf.
    pub(crate) const fn raw(self) -> (u32, bool) {
        match self {
            Self::Node(number) => (number, false),
            Self::Leaf { first, count } => {
                (first.wrapping_shl(COUNT_BITS) | (count.wrapping_sub(1) & ((1 << COUNT_BITS) - 1)), true)
            }
        }
    }
}

/// Splits the number of a node into its page and its place there.
#[inline]
pub(crate) fn place(node: u32) -> (usize, usize) {
    (crate::math::as_index(node >> SLOT_BITS), crate::math::as_index(node & ((1 << SLOT_BITS) - 1)))
}

/// Puts the number of a node together; `None` where there are more pages than that can say.
pub(crate) fn node_number(page: usize, slot: usize) -> Option<u32> {
    let page = u32::try_from(page).ok().filter(|page| *page < u32::MAX >> SLOT_BITS)?;
    Some(page.wrapping_shl(SLOT_BITS) | u32::try_from(slot).ok()?)
}
