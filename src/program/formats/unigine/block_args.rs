//! The command line options that apply to compressed UNIGINE meshes only.

use crate::formats::unigine::Storage;
use clap::Args;
use clap::builder::TypedValueParser;

use crate::program::args::named_values;

/// The options that choose how the blocks of compressed meshes are written.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "UNIGINE meshes, ms14 and ms15")]
pub struct BlockArgs {
    /// Storage of the blocks of surfaces in the written file
    #[arg(long, value_parser = storages(), default_value = "kept")]
    pub blocks: Storage,
}

fn storages() -> impl TypedValueParser<Value = Storage> {
    let raw =
        "Store blocks without compression: the file grows, but its arrays can be used directly from the memory map";
    named_values(vec![
        (Storage::Kept, "kept", "Keep blocks as they are: a sound file is written byte for byte"),
        (Storage::Raw, "raw", raw),
        (Storage::Lz4, "lz4", "Compress all blocks again with LZ4"),
    ])
}
