//! EZ-Mesh: attributes of any name, materials, several meshes and skeletons.

mod facts;
mod properties;
mod values;

/// The extensions of the format's files.
pub const EXTENSIONS: [&str; 2] = ["ezm", "ezb"];
