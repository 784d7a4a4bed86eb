//! The nodes of a surface's tree.

/// A node of a [`SurfaceTree`](super::SurfaceTree), as stored. What it points to is tested where it is used: in a damaged file it may
/// be anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeNode {
    /// The axis that an inner node is split along: 0, 1 or 2 for x, y, z.
    pub axis: u8,
    /// The node with what lies before the split; −1 of a leaf. In a sound file, the next node.
    pub left: i32,
    /// The node with what lies behind the split; −1 of a leaf.
    pub right: i32,
    /// The first of a leaf's triangles, among [`SurfaceTree::corners`](super::SurfaceTree::corners).
    pub start: i32,
    /// The one after the last of them.
    pub end: i32,
}

impl TreeNode {
    /// Tells whether it has triangles, and no children.
    #[must_use]
    pub const fn is_leaf(&self) -> bool {
        self.left == -1 && self.right == -1
    }

    /// Returns the numbers of its children, of an inner node.
    #[must_use]
    pub fn children(&self) -> Option<[usize; 2]> {
        Some([usize::try_from(self.left).ok()?, usize::try_from(self.right).ok()?])
    }
}
