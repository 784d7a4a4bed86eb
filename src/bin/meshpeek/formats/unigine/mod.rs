//! UNIGINE meshes and animations, with the compressed blocks and spatial trees of compressed
//! meshes.

pub mod block_args;
pub mod properties;
pub mod values;

/// The file extensions of UNIGINE files.
pub const EXTENSIONS: [&str; 2] = ["mesh", "anim"];
