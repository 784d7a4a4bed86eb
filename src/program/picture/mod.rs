//! Pictures as files: PNG and APNG, text on pictures, contact sheets, and images for textures.

mod canvas;
pub mod caption;
pub mod decode;
pub mod png;
pub mod sheet;
pub mod sheet_layout;
pub mod textures;
