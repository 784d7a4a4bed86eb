//! EZ-Mesh: vertex attributes with any name, materials, several meshes and several skeletons in a
//! file.

mod facts;
mod properties;
mod values;

/// The file extensions of EZ-Mesh files.
pub const EXTENSIONS: [&str; 2] = ["ezm", "ezb"];
