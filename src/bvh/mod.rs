//! Bounding volume hierarchies (trees) over the triangles of a surface. A tree refers to triangles
//! by their indices, and the vertices and indices stay in the mesh file.
//!
//! | | |
//! |---|---|
//! | triangles | `triangles`: the triangles of a surface; it decodes eight triangles at a time into the `lanes` of a block; `coordinates`: the range of valid coordinates |
//! | building | `build`: builds a tree from the root down over `items`, with splits by `sah`; `collapse`: joins levels of a binary tree; `leaf_order`: how leaves refer to triangles; `pages`: assigns nodes to pages |
//! | the tree | `tree`: the tree itself; `layout`: the records of a tree; `tree_view`: reads a tree; `persist`: stores trees in a sidecar |
//! | other trees | `import`: converts the spatial tree of a file; `refit`: adjusts the boxes of a tree to a pose; `check`: checks a tree from a sidecar |
//! | queries | `traverse`: the traversal loop of all queries, with its stack; the loop uses a `probe` and the `kernel` for the processor |

#![allow(
    clippy::inline_always,
    reason = "functions with kernels must be compiled with the target features of their caller"
)]

pub(crate) mod bit_set;
pub(crate) mod build;
pub(crate) mod check;
pub(crate) mod collapse;
pub(crate) mod coordinates;
pub(crate) mod import;
pub(crate) mod items;
pub(crate) mod kernel;
pub(crate) mod lanes;
pub(crate) mod layout;
pub(crate) mod leaf_order;
pub(crate) mod pages;
pub(crate) mod persist;
pub(crate) mod probe;
pub(crate) mod refit;
pub(crate) mod reserve;
pub(crate) mod sah;
pub(crate) mod traverse;
pub(crate) mod tree;
pub(crate) mod tree_view;
pub(crate) mod triangles;
