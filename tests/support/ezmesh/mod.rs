//! EZ-Mesh files: samples, and files that are built element by element.

pub mod builder;
pub mod invariants;
pub mod raw_files;
mod samples;

pub use samples::*;
