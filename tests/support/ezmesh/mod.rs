//! EZ-Mesh files: samples, and files built element by element.

pub mod invariants;
pub mod raw_files;
mod samples;

pub use samples::*;
