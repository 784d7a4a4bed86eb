//! From what the user names to open files.

pub mod asset;
pub mod bytes;
pub mod open;
pub mod paths;
pub mod source_file;
