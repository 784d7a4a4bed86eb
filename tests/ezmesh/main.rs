//! Tests of EZ-Mesh: text and binary files, rules, and writing.
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
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::format_push_string,
    clippy::manual_midpoint,
    clippy::map_unwrap_or,
    clippy::redundant_closure_for_method_calls,
    clippy::similar_names,
    reason = "a panic is how a test fails, and exact floats are meant"
)]

mod allocations;
mod mesh;
mod rules;
#[path = "../support/mod.rs"]
mod support;
mod writing;

#[global_allocator]
static ALLOCATOR: support::allocations::CountingAllocator = support::allocations::CountingAllocator;
