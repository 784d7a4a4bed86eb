//! The nodes of the spatial tree of a surface.

/// A node of a [`SurfaceTree`](super::SurfaceTree), as stored in the file.
///
/// In a damaged file, the fields of a node may have any values. The fields are not checked when the
/// tree is read, but where they are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeNode {
    /// The axis that an inner node is split along: 0, 1 or 2 for x, y, z.
    pub axis: u8,
    /// The number of the child node on the lower side of the split; -1 for a leaf. In a valid file,
    /// this child is the next node.
    pub left: i32,
    /// The number of the child node on the upper side of the split; -1 for a leaf.
    pub right: i32,
    /// The first triangle of a leaf, as an index into
    /// [`SurfaceTree::corners`](super::SurfaceTree::corners).
    pub start: i32,
    /// The index after the last triangle of a leaf, also into
    /// [`SurfaceTree::corners`](super::SurfaceTree::corners).
    pub end: i32,
}

impl TreeNode {
    /// Returns whether the node is a leaf, which has triangles and no children.
    #[must_use]
    pub const fn is_leaf(&self) -> bool {
        self.left == -1 && self.right == -1
    }

    /// Returns the numbers of the two child nodes of an inner node, or `None` for a leaf.
    #[must_use]
    pub fn children(&self) -> Option<[usize; 2]> {
        Some([usize::try_from(self.left).ok()?, usize::try_from(self.right).ok()?])
    }
}
