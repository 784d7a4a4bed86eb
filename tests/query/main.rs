//! Compares queries with a loop over all triangles in `f64`.
//!
//! The meshes are generated here, or are the samples and, if the machine has them, real files:
//! `MESHPEEK_CORPUS=FOLDER cargo test --release --test query`. The loop is in `support::query`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    clippy::cast_sign_loss,
    reason = "a panic is how a test fails, and exact floats are meant"
)]

mod adjacency;
mod encodings;
mod files;
mod filters;
mod instances;
mod lists;
mod open_indexed;
mod poses;
mod reload;
mod scene_trees;
mod shapes;
#[path = "../support/mod.rs"]
mod support;
mod trees;

#[global_allocator]
static ALLOCATOR: support::allocations::CountingAllocator = support::allocations::CountingAllocator;
