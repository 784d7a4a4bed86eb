//! Compares the WGSL functions that decode the arrays of a file with the decoders of the crate.
//!
//! The text that users get is parsed and evaluated on the processor, so no GPU is needed. The
//! program in `benches/upload` checks that a compiler of WGSL accepts the text.
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

mod evaluator;
mod functions;
mod parser;
mod stored;
#[path = "../support/mod.rs"]
mod support;
