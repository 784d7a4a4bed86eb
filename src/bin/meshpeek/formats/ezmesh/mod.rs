//! EZ-Mesh: attributes of any name, materials, several meshes and skeletons.

mod facts;
mod properties;
mod values;

use meshpeek::ezmesh::{MeshSystem, Options};
use meshpeek::{Limits, Model};

/// The extensions of the format's files.
pub const EXTENSIONS: [&str; 2] = ["ezm", "ezb"];

/// Opens a file, and records which of its bytes are read.
pub fn open<D: AsRef<[u8]> + Send + Sync>(data: D, strict: bool, limits: &Limits) -> meshpeek::Result<Model<D>> {
    let options = Options { strict, watched: true, limits: *limits };
    MeshSystem::open_with(data, &options).map(Model::from)
}
