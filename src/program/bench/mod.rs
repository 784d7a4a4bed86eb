//! The parts of the `bench` command: it generates meshes, runs the same queries with meshpeek and
//! with two loaders that copy, and measures time and memory.

pub mod answers;
pub mod measure;
pub mod memory;
pub mod mesh_files;
pub mod plot;
pub mod question;
pub mod reading_loader;
pub mod report;
pub mod spread;
pub mod stream;
