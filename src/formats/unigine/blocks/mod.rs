//! The blocks of the compressed generations (ms14 and ms15). Each surface has two blocks: one with
//! its geometry, and one with its tree.
//!
//! | field | type |
//! |---|---|
//! | size of the content, in bytes | i64 |
//! | number of stored bytes that follow | i64 |
//! | the stored bytes: the content itself if both numbers are equal, otherwise one raw LZ4 block | |
//!
//! Content that is stored uncompressed is borrowed directly from the file. Compressed content is
//! inflated once, on its first use, and cached, or it is inflated into an [`InflateBuffer`].

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
