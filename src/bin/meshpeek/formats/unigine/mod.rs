//! UNIGINE meshes and animations: blocks and trees of compressed meshes.

pub mod block_args;
mod facts;
mod properties;
mod values;

/// The extensions of the format's files.
pub const EXTENSIONS: [&str; 2] = ["mesh", "anim"];
