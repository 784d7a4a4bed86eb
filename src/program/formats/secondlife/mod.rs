//! Second Life meshes: levels of detail, compressed blocks that are inflated on request, and files
//! that contain several assets.

pub mod elements;
pub mod level_args;
pub mod properties;
pub mod survey;
