//! The code of the program for the parts of a mesh that only its format has. All other code uses
//! the traits for meshes of any format.

pub mod adjust_args;
pub mod elements;
pub mod ezmesh;
pub mod facts;
pub mod frames;
pub mod gpu_size;
pub mod lent;
pub mod names;
pub mod native_output;
pub mod region_bytes;
pub mod sample;
pub mod secondlife;
pub mod selectors;
pub mod summary;
pub mod unigine;
pub mod unreal;

use std::path::Path;

use crate::{Error, ErrorKind, Format, Model, OpenOptions, Rule};

use names::{format_named, is_recognised};

/// The name and the validation rules of each format.
pub const RULES: [(&str, &[Rule]); 4] = [
    ("unigine", crate::formats::unigine::RULES),
    ("unreal", crate::formats::unreal::RULES),
    ("secondlife", crate::formats::secondlife::RULES),
    ("ezmesh", crate::formats::ezmesh::RULES),
];

/// The ids of the rules about data whose encoding the writer of a format changes when it writes a
/// file again.
pub const RESPELLED_RULES: [&str; 9] = ["UG14", "UG20", "EZ11", "EZ13", "EZ20", "EZ31", "EZ34", "EZ37", "EZ44"];
/// The ids of the rules about data that the writer of a format leaves out when it writes a file
/// again.
pub const DROPPED_RULES: [&str; 10] = ["UG24", "EZ08", "EZ14", "EZ28", "EZ29", "EZ30", "EZ36", "EZ38", "EZ40", "EZ43"];

/// Opens a mesh file.
pub fn open<D: AsRef<[u8]> + Send + Sync>(data: D, path: &Path, options: &OpenOptions) -> crate::Result<Model<D>> {
    // If a file has the extension of a format but its content is not recognised, the file is
    // damaged. A damaged file is opened as a file of the format that its extension indicates,
    // because the error from opening this format is more precise than the error that the format is
    // unknown.
    let is_unknown = |error: &Error| error.kind() == ErrorKind::Unknown;
    let is_damaged = Format::detect(data.as_ref()).is_err_and(|error| is_unknown(&error));
    let is_foreign = || crate::formats::unsupported::format_name(data.as_ref()).is_some();
    match format_named(path).filter(|_| is_damaged) {
        Some(Format::EzMesh) => crate::formats::ezmesh::Mesh::open_with(data, options).map(Model::from),
        Some(Format::SecondLife) if !is_foreign() => {
            crate::formats::secondlife::Mesh::open_with(data, options).map(Model::from)
        }
        _ => Model::open_with(data, options),
    }
}

/// Returns whether a file is a mesh file, according to its extension or its first bytes.
pub fn is_mesh_file(path: &Path) -> bool {
    format_named(path).is_some() || unreal::names::is_data(path) || is_recognised(path)
}
