//! UNIGINE meshes and animations, with the compressed blocks of meshes.

pub mod block_args;
