//! Descriptions of mesh files, which `info` and `ls` print. A description owns its data and borrows
//! nothing from the file.

pub mod clips;
pub mod fields;
pub mod file_summary;
mod json;
mod levels;
mod partial;
pub mod picture;
pub mod placed;
pub mod skeletons;
