//! UNIGINE meshes and animations, with the compressed blocks and spatial trees of compressed
//! meshes.

pub mod elements;
pub mod properties;
pub mod values;
