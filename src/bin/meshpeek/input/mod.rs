//! Opens the files that the user names.

pub mod asset;
pub mod bytes;
pub mod open;
pub mod paths;
pub mod source_file;
