//! The parts that the benches share: inputs and their builders, functions to measure and to
//! compare.
#![allow(dead_code, unused_imports, reason = "each bench uses a part of it")]

pub mod claims;
pub mod inputs;
pub mod machine_limit;
pub mod memory;
#[path = "../../tests/support/secondlife/builder/mod.rs"]
pub mod secondlife_builder;
#[path = "../../tests/support/unigine/builder/mod.rs"]
pub mod unigine_builder;
#[path = "../../tests/support/unreal/builder.rs"]
pub mod unreal_builder;
pub mod xml_tree;

use std::path::Path;

use meshpeek::Model;
use meshpeek::internals::Lists;

/// Loads a file as a loader that copies does: reads the whole file, and decodes every array into a
/// list.
pub fn load(path: &Path) -> Lists {
    Lists::load(Model::open(meshpeek::read(path).unwrap()).unwrap().geometry()).unwrap()
}
