//! Second Life meshes: levels of detail, blocks that are inflated on request, several assets in a file.

mod facts;
pub mod level_args;
pub mod properties;
mod survey;
mod values;

use meshpeek::secondlife::{Mesh, Options};
use meshpeek::{Limits, Model};

/// The extensions of the format's files.
pub const EXTENSIONS: [&str; 2] = ["llmesh", "slm"];

/// Opens one asset of a file, and records which of its bytes are read.
pub fn open<D: AsRef<[u8]> + Send + Sync>(
    data: D,
    asset: Option<usize>,
    limits: &Limits,
) -> meshpeek::Result<Model<D>> {
    let options = Options { asset: asset.unwrap_or_default(), watched: true, limits: *limits, partial: false };
    Mesh::open_with(data, &options).map(Model::from)
}
