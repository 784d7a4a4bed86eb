//! Unreal vertex meshes: pairs of files, vertex frames, the unused bytes of polygons, and scripts.

pub mod frame_args;
pub mod names;
pub mod pairs;
pub mod script_file;
pub mod values;
