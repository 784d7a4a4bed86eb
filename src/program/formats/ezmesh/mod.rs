//! EZ-Mesh files: vertex attributes with arbitrary names, materials, and several meshes and
//! skeletons per file.

pub mod elements;
pub mod properties;
