//! The code of the program for the parts of a mesh that only its format has. All other code uses
//! the traits for meshes of any format.

pub mod adjust_args;
pub mod frames;
pub mod gpu_size;
pub mod level_args;
pub mod names;
pub mod native_output;
pub mod selectors;
pub mod summary;

use std::path::Path;

use crate::formats::foreign::{self, ForeignKind};
use crate::formats::is_mesh_name;
use crate::formats::mesh_files::is_data;
use crate::io::read_start;

pub use adjust_args::AdjustArgs;
pub use frames::{blend_frames, blend_vertex_frames};
pub use gpu_size::GpuCounter;
pub use level_args::{
    LevelArgs, LevelNumber, LodFilter, filter_parser, level_index, level_parser, lod_parser, nearest_level,
};
use names::MAGIC_BYTES;
pub use names::{has_extension, is_part, is_recognised};
pub use native_output::{advice, check_extension, expect_extension, is_known, is_named_as_folder};
pub use selectors::{Selector, surfaces};
pub use summary::{GpuSize, LevelSummary, SurfaceInBlock, SurfaceLod, SurfaceSummary};

/// A file in a folder, by its name and its first bytes.
#[derive(Clone, Copy)]
pub enum FileInFolder {
    /// The name or the content is that of a mesh.
    Mesh,
    /// Another file, with its kind if that is known.
    Other(Option<&'static ForeignKind>),
}

/// Returns whether a file in a folder is a mesh. A file whose extension other programs use is not
/// opened.
pub fn file_in_folder(path: &Path) -> FileInFolder {
    if is_mesh_name(path) || is_data(path) {
        return FileInFolder::Mesh;
    }
    if let Some(kind) = foreign::by_name(path) {
        return FileInFolder::Other(Some(kind));
    }
    let head = read_start(path, MAGIC_BYTES).unwrap_or_default();
    if crate::Format::recognises(&head) {
        FileInFolder::Mesh
    } else {
        FileInFolder::Other(foreign::of_file(path, &head))
    }
}

/// Returns whether a file is a mesh file, according to its extension or its first bytes.
pub fn is_mesh_file(path: &Path) -> bool {
    is_mesh_name(path) || is_data(path) || is_recognised(path)
}
