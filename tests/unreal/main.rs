//! Tests of Unreal vertex meshes: pairs of files, the scripts that belong to them, and the builder.
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
    reason = "a panic is how a test fails, and exact floats are meant"
)]

mod builder;
mod companions;
mod mesh;
mod script;
#[path = "../support/mod.rs"]
mod support;
