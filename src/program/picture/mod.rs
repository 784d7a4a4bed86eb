//! Pictures as files: PNG and APNG, text on pictures, contact sheets, and folders with textures.

mod canvas;
pub mod caption;
pub mod file_format;
pub mod png;
pub mod sheet;
pub mod sheet_layout;
pub mod textures;
