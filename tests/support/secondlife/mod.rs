//! Second Life assets: samples, and assets that are built value by value.

pub mod builder;
mod container;
pub mod copied;
pub mod invariants;
pub mod raw_assets;
mod samples;

pub use container::{Container, Instance, cache};
pub use samples::*;
