//! Re-exports the command line options that apply to some formats only.

pub use super::secondlife::level_args::{LevelArgs, LodFilter, filter_parser, lod_parser};
pub use super::unigine::block_args::{BlockArgs, BlockStorage};
pub use super::unreal::frame_args::FrameArgs;
