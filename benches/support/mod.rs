//! The parts that the benches share: inputs and their builders, the copying loaders, functions to
//! measure and to compare.
#![allow(dead_code, unused_imports, reason = "each bench uses a part of it")]

pub mod claims;
pub mod copying_loader;
pub mod inputs;
pub mod machine_limit;
pub mod memory;
#[path = "../../tests/support/unigine/builder/mod.rs"]
pub mod unigine_builder;
#[path = "../../tests/support/unreal/builder.rs"]
pub mod unreal_builder;
