//! Tests of Second Life assets: views, inflating, containers, and the builder.
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
    reason = "a panic is how a test fails, and exact floats are meant"
)]

mod allocations;
mod builder;
mod containers;
mod llsd;
mod mesh;
mod skinning;
#[path = "../support/mod.rs"]
mod support;

#[global_allocator]
static ALLOCATOR: support::allocations::CountingAllocator = support::allocations::CountingAllocator;
