//! UNIGINE meshes and animations, with the compressed blocks and spatial trees of compressed
//! meshes.

pub mod block_args;
pub mod values;
