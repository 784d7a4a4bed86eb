//! Opens the files that are named on the command line.

pub mod animation_files;
pub mod asset;
pub mod bytes;
mod entry_filter;
pub mod not_opened;
pub mod open;
pub mod parallel;
pub mod paths;
#[cfg(feature = "internals")]
pub mod registered;
pub mod source_file;
pub mod watch;

pub use animation_files::{AnimationFile, open_animations};
pub use asset::{InputAsset, at_output};
pub use bytes::{Data, identity};

pub use not_opened::{NotOpened, missing_json};
pub use open::{mesh_paths, open, open_asset, open_indexed, open_source_file};
pub use parallel::each_in_parallel;
pub use paths::add_listed;
pub use source_file::{RegionFile, SourceFile};
pub use watch::watch;
