//! Trees of boxes over triangles that stay in their file: building, keeping, and going through them.

pub(crate) mod build;
pub(crate) mod check;
pub(crate) mod fetch;
pub(crate) mod import;
pub(crate) mod kernel;
pub(crate) mod layout;
pub(crate) mod leaf_order;
pub(crate) mod pages;
pub(crate) mod persist;
pub(crate) mod refit;
pub(crate) mod sah;
pub(crate) mod traverse;
pub(crate) mod tree;
pub(crate) mod triangles;
