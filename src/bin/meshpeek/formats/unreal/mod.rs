//! Unreal vertex meshes: pairs of files, vertex frames, the unused bytes of polygons, and scripts.

mod facts;
pub mod frame_args;
pub mod names;
pub mod pairs;
mod properties;
pub mod script_file;
pub mod script_properties;
mod values;
