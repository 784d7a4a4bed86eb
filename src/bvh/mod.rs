//! Trees of boxes over triangles that stay in their file: building, keeping, and going through them.

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
