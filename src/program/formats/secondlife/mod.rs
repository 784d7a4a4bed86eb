//! Second Life meshes: levels of detail, compressed blocks that are inflated on request, and files
//! that contain several assets.

pub mod values;
