//! Pictures of meshes, drawn by the processor.

mod picture;

pub use picture::Picture;
