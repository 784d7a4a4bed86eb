//! Unreal vertex meshes: vertex frames and the unused bytes of polygons.

pub mod frame_args;
pub mod values;
