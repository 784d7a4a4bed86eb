//! Second Life meshes: levels of detail, blocks that are inflated on request, several assets in a file.

mod facts;
pub mod level_args;
pub mod properties;
mod survey;
mod values;

/// The extensions of the format's files.
pub const EXTENSIONS: [&str; 2] = ["llmesh", "slm"];
