//! Second Life assets: samples, and assets that are built value by value.

pub mod invariants;
pub mod raw_assets;
mod samples;

pub use samples::*;
