//! Unreal vertex meshes: pairs of files, and scripts.

pub mod elements;
pub mod names;
pub mod pairs;
pub mod properties;
pub mod script_file;
pub mod script_properties;
