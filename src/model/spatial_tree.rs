//! How a format's own tree divides the triangles of a surface.

use std::fmt::Debug;
use std::ops::Range;

/// A binary tree that a file stores with a surface: which of the triangles are together.
///
/// It is lent as it is stored, and nothing of it is to be trusted: in a damaged file children may be anywhere, and leaves may
/// name anything. A tree that is built from it tests all that it uses. What a format says of
/// boxes and planes is not part of it: triangles say that themselves.
pub trait SpatialTree: Debug {
    /// Returns how many nodes there are; number 0 is the root.
    fn node_count(&self) -> usize;

    /// Returns a node; `None` where it is not there, or is neither an inner node nor a leaf.
    fn node(&self, number: usize) -> Option<SplitNode>;

    /// Returns how many triangles the list of all leaves has.
    fn triangle_count(&self) -> usize;

    /// Returns the triangle at a place of that list, by its number among those of the surface in file order; `None` where
    /// none is named.
    fn triangle(&self, place: usize) -> Option<u32>;
}

/// A node of a [`SpatialTree`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SplitNode {
    /// Two other nodes, by number.
    Inner([usize; 2]),
    /// Places of the list of triangles.
    Leaf(Range<usize>),
}
