//! Unreal's vertex meshes: pairs of files, vertex frames, bytes of polygons, and scripts.

mod facts;
pub mod frame_args;
pub mod names;
mod pairs;
mod properties;
mod script_file;
pub mod script_properties;
mod values;

pub use meshpeek::unreal::find::Pair;
pub use pairs::{PairFinder, named_source, open_unrecorded};
pub use script_file::{MissingMesh, Script, open_script};
