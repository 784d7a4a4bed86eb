//! The command line options that apply to compressed UNIGINE meshes only.

use clap::{Args, ValueEnum};
use meshpeek::unigine::Storage;

/// The options that choose how the blocks of compressed meshes are written.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "UNIGINE meshes, ms14 and ms15")]
pub struct BlockArgs {
    /// Storage of the blocks of surfaces in the written file
    #[arg(long, value_enum, default_value_t = BlockStorage::Kept)]
    pub blocks: BlockStorage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BlockStorage {
    /// Keep blocks as they are: a sound file is written byte for byte
    Kept,
    /// Store blocks without compression: the file grows, but its arrays can be used directly from
    /// the memory map
    Raw,
    /// Compress all blocks again with LZ4
    Lz4,
}

impl BlockStorage {
    /// Converts the option `--blocks` to the type [`Storage`] of the library.
    pub const fn storage(self) -> Storage {
        match self {
            Self::Kept => Storage::Kept,
            Self::Raw => Storage::Raw,
            Self::Lz4 => Storage::Lz4,
        }
    }
}
