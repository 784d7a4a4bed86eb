//! Tests of UNIGINE files: meshes of every generation, compressed blocks, animations, spatial
//! trees, and the builder.
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
    clippy::case_sensitive_file_extension_comparisons,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::needless_range_loop,
    reason = "a panic is how a test fails, and exact floats are meant"
)]

mod allocations;
mod animation;
mod blocks;
mod builder;
mod counting;
mod large;
mod lending;
mod mesh;
mod spatial_trees;
#[path = "../support/mod.rs"]
mod support;
mod targets;

#[global_allocator]
static ALLOCATOR: support::allocations::CountingAllocator = support::allocations::CountingAllocator;
