//! The spatial tree that some formats store for the triangles of a surface.

use std::fmt::Debug;
use std::ops::Range;

/// A binary tree that a file stores with a surface. The tree groups the triangles of the surface.
///
/// The tree is borrowed from the file without checks, and must not be trusted. In a damaged file,
/// the children of a node may be any nodes, and a leaf may contain any index. A query tree that is
/// built from this tree checks all values that it uses. Bounding boxes and planes that a format
/// stores are not part of this trait, because they can be computed from the triangles.
pub trait SpatialTree: Debug {
    /// Returns the number of nodes. Node 0 is the root of the tree.
    fn node_count(&self) -> usize;

    /// Returns node `number` of the tree.
    ///
    /// Returns `None` if the index is out of range, or if the stored node is neither an inner node
    /// nor a leaf.
    fn node(&self, number: usize) -> Option<SplitNode>;

    /// Returns the length of the list of triangles. All leaves refer to ranges of this list.
    fn triangle_count(&self) -> usize;

    /// Returns the triangle at index `place` of the list of triangles, or `None` if the index is
    /// out of range.
    ///
    /// The result is the index of the triangle in the surface, in file order.
    fn triangle(&self, place: usize) -> Option<u32>;
}

/// A node of a [`SpatialTree`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SplitNode {
    /// An inner node, with the indices of its two child nodes.
    Inner([usize; 2]),
    /// A leaf, with a range of the list of triangles.
    Leaf(Range<usize>),
}
