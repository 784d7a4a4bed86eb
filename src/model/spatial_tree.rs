//! The spatial tree that some formats store for the triangles of a surface.

use std::fmt::Debug;
use std::ops::Range;

/// A binary tree over the triangles of a surface, as stored in the file.
///
/// The spatial tree is borrowed from the file without checks, and must not be trusted. In a damaged
/// file, the children of a node may be any nodes, and a leaf may contain any index.
/// `Tree::from_spatial_tree`, which converts a spatial tree to a query tree, checks all values that
/// it uses. This trait gives no access to the bounding boxes and planes that some formats store in
/// the nodes, because they can be computed from the triangles.
pub trait SpatialTree: Debug {
    /// Returns the number of nodes in the tree. Node 0 is the root.
    fn node_count(&self) -> usize;

    /// Returns node `number` of the tree.
    ///
    /// Returns `None` if `number` is out of range, or if the stored node is neither an inner node
    /// nor a leaf.
    fn node(&self, number: usize) -> Option<SplitNode>;

    /// Returns the number of entries in the tree's array of triangle indices. Each leaf refers to a
    /// range of this array.
    fn triangle_count(&self) -> usize;

    /// Returns entry `place` of the tree's array of triangle indices, or `None` if `place` is out
    /// of range.
    ///
    /// The returned entry is the index of a triangle in the surface, in file order.
    fn triangle(&self, place: usize) -> Option<u32>;
}

/// A node of a [`SpatialTree`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SplitNode {
    /// An inner node, with the indices of its two child nodes.
    Inner([usize; 2]),
    /// A leaf, with a range of entries in the tree's array of triangle indices.
    Leaf(Range<usize>),
}
