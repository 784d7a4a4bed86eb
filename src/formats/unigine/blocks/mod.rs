//! The blocks of compressed generations: one with the geometry of each surface, one with its tree.
//!
//! | field | type |
//! |---|---|
//! | bytes of what it holds | i64 |
//! | bytes that follow | i64 |
//! | one raw LZ4 block; what it holds, verbatim, where both numbers are equal | |
//!
//! What is stored verbatim is lent straight from the file. What is not is inflated once, when somebody first asks for
//! it, or into a [`InflateBuffer`].

pub(crate) mod block;
pub(crate) mod buffer;
pub(crate) mod cache;
mod inflate;
pub(crate) mod inflated;
pub(crate) mod locate;
pub(crate) mod node;
pub(crate) mod regions;
pub(crate) mod surfaces;
pub(crate) mod tree;
mod wide_indices;
pub(crate) mod write;

pub use block::BlockLocation;
pub use buffer::InflateBuffer;
pub use node::TreeNode;
pub use tree::SurfaceTree;
pub use write::Storage;
