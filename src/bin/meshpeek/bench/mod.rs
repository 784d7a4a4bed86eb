//! The benchmark: generated meshes of any size, a copying loader, questions about meshes, and
//! measurements of the answers.

pub mod answers;
pub mod copying_loader;
pub mod generate;
pub mod measure;
pub mod memory;
pub mod mesh_files;
pub mod plot;
pub mod question;
pub mod report;
pub mod spread;
pub mod units;
