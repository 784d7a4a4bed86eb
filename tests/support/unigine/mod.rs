//! UNIGINE files: samples, named fields, and files that are built byte by byte.

pub mod animation_invariants;
pub mod builder;
mod fields;
pub mod invariants;
pub mod raw_blocks;
mod raw_files;
mod samples;

pub use fields::*;
pub use raw_files::*;
pub use samples::*;
