//! Second Life meshes: levels of detail, compressed blocks that are inflated on request, and files
//! that contain several assets.

mod facts;
pub mod level_args;
pub mod properties;
mod survey;
mod values;

/// The file extensions of Second Life meshes.
pub const EXTENSIONS: [&str; 2] = ["llmesh", "slm"];
