//! The parts that the benches share: inputs, the copying loaders, functions to measure and to
//! compare.
#![allow(dead_code, reason = "each bench uses a part of it")]

pub mod claims;
pub mod copying_loader;
pub mod inputs;
pub mod machine_limit;
pub mod memory;
