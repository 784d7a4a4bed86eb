//! Descriptions of mesh files, which `info` and `ls` print and conditions refer to. A description
//! owns its data and borrows nothing from the file.

mod block_survey;
pub mod clips;
pub mod fields;
pub mod file_summary;
mod json;
pub mod picture;
pub mod placed;
pub mod rows;
pub mod skeletons;
