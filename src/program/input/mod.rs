//! Opens the files that are named on the command line.

pub mod animation_files;
pub mod asset;
pub mod bytes;
mod entry_filter;
pub mod lists;
pub mod not_opened;
pub mod open;
pub mod parallel;
pub mod paths;
#[cfg(feature = "internals")]
pub mod registered;
pub mod source_file;
pub mod watch;
