//! Second Life meshes: levels of detail, compressed blocks that are inflated on request, and files
//! that contain several assets.

pub mod level_args;
pub mod properties;
pub mod survey;
pub mod values;

/// The file extensions of Second Life meshes.
pub const EXTENSIONS: [&str; 2] = ["llmesh", "slm"];
