//! The nodes of the spatial tree that a file stores for a surface.

/// A node of a `SurfaceTree`, as stored in the file.
///
/// Reading the spatial tree does not check the fields of its nodes. In a damaged file, the fields
/// of a node may be out of range, so a caller must check them before use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeNode {
    /// The axis along which the children of an inner node are separated: 0, 1 or 2 for x, y or z.
    pub axis: u8,
    /// Index of the child node on the lower side of the split, or -1 for a leaf. In an undamaged
    /// file, the left child of a node is the next node.
    pub left: i32,
    /// Index of the child node on the upper side of the split, or -1 for a leaf.
    pub right: i32,
    /// For a leaf, the index of its first triangle in
    /// `SurfaceTree::corners`.
    pub start: i32,
    /// For a leaf, the index of its last triangle plus one, in
    /// `SurfaceTree::corners`.
    pub end: i32,
}

impl TreeNode {
    /// Returns whether the node is a leaf, which has triangles and no children.
    #[must_use]
    pub const fn is_leaf(&self) -> bool {
        self.left == -1 && self.right == -1
    }

    /// Returns the indices of the two child nodes of an inner node, or `None` for a leaf.
    #[must_use]
    pub fn children(&self) -> Option<[usize; 2]> {
        Some([usize::try_from(self.left).ok()?, usize::try_from(self.right).ok()?])
    }
}
