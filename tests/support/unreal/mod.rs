//! Unreal vertex meshes: samples, and checks that hold for any bytes.

pub mod builder;
pub mod invariants;
mod samples;

pub use samples::*;
