//! The options that only UNIGINE's compressed meshes have.

use clap::{Args, ValueEnum};
use meshpeek::unigine::Storage;

/// The options for writing the blocks of compressed meshes.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "UNIGINE meshes, ms14 and ms15")]
pub struct BlockArgs {
    /// How to store the blocks of surfaces
    #[arg(long, value_enum, default_value_t = BlockStorage::Kept)]
    pub blocks: BlockStorage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BlockStorage {
    /// As they are: a sound file comes out byte for byte
    Kept,
    /// Verbatim: the file grows, and its arrays can be lent straight from it
    Raw,
    /// Compressed anew
    Lz4,
}

impl BlockStorage {
    /// Returns the library's value.
    pub const fn storage(self) -> Storage {
        match self {
            Self::Kept => Storage::Kept,
            Self::Raw => Storage::Raw,
            Self::Lz4 => Storage::Lz4,
        }
    }
}
