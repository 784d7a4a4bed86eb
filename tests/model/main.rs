//! Tests of the neutral view of all formats: geometry, arrays, welding, animations, samples,
//! sidecars, pages read, allocations, and `Debug` output.
#![allow(
    unsafe_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    clippy::too_many_lines,
    reason = "a panic is how a test fails, and exact floats are meant; a file of the test is mapped"
)]

mod allocations;
mod animations;
mod arrays;
mod byte_ranges;
#[cfg(target_os = "linux")]
mod cold;
mod contents;
mod cuts;
mod debug;
mod draw_list;
mod geometry;
mod keys;
mod open;
mod out_of_range;
mod pages_read;
mod paths;
mod properties;
mod ranges;
mod samples;
#[cfg(feature = "serde")]
mod serde;
mod sidecar;
mod skinning;
mod space;
#[path = "../support/mod.rs"]
mod support;
mod weld;

#[global_allocator]
static ALLOCATOR: support::allocations::CountingAllocator = support::allocations::CountingAllocator;
