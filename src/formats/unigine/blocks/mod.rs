//! The blocks of `.mesh` files in the compressed format versions ms14 and ms15. Each surface has
//! two blocks: one contains its geometry, and the other contains its spatial tree.
//!
//! | field | type |
//! |---|---|
//! | size of the content, in bytes | i64 |
//! | number of stored bytes that follow | i64 |
//! | the stored bytes: the content itself if both numbers are equal, otherwise one raw LZ4 block | |
//!
//! The content of an uncompressed block is borrowed directly from the file. The content of a
//! compressed block is inflated on its first use and then cached in the mesh, inflated into an
//! [`InflateBuffer`] that the caller provides, or lent to the caller in an [`InflatedSurface`].

pub(crate) mod block;
pub(crate) mod cache;
mod counts;
pub(crate) mod inflate;
mod inflate_stream;
pub(crate) mod inflated;
pub(crate) mod inflated_surface;
pub(crate) mod locate;
pub(crate) mod node;
pub(crate) mod surfaces;
pub(crate) mod tree;
