//! Bounding volume hierarchies over triangles that stay in their file.
//!
//! | | |
//! |---|---|
//! | triangles | `triangles`, decoded eight at a time by `fetch` into the `lanes` of a block; `coordinates` bounds what counts |
//! | building | `build` from the top, splits by `sah`, how leaves name triangles by `leaf_order`, nodes into `pages` |
//! | the tree | `tree` owns it, `layout` has its records, `tree_view` reads it, `persist` keeps it in a sidecar |
//! | other trees | `import` takes the one of a file, `refit` moves boxes to a pose, `check` tests one of a sidecar |
//! | queries | `traverse` is the one loop, with a `stack`, a `probe` and the `kernel` of the processor |

pub(crate) mod bit_set;
pub(crate) mod build;
pub(crate) mod check;
pub(crate) mod coordinates;
pub(crate) mod fetch;
pub(crate) mod import;
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
pub(crate) mod stack;
pub(crate) mod traverse;
pub(crate) mod tree;
pub(crate) mod tree_view;
pub(crate) mod triangles;
