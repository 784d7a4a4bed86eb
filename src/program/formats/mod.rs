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
pub mod secondlife;
pub mod selectors;
pub mod summary;
pub mod unigine;
pub mod unreal;

use std::path::Path;

use crate::error::Cause;
use crate::formats::foreign::{self, ANY_XML, ForeignKind};
use crate::formats::foreign_error;
use crate::io::read_start;
use crate::{Error, ErrorKind, Format, Model, OpenOptions, Rule};

use names::{MAGIC_BYTES, format_named, is_recognised};

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
    let detected = Format::detect(data.as_ref());
    let named = format_named(path);
    if let Some(error) = detected.as_ref().err().and_then(|_| foreign_error(path, data.as_ref())) {
        return match named {
            Some(Format::EzMesh) if is_any_xml(&error) => open_ezmesh(data, options),
            _ => Err(error),
        };
    }
    match named.filter(|_| detected.is_err_and(|error| error.kind() == ErrorKind::Unknown)) {
        Some(Format::EzMesh) => open_ezmesh(data, options),
        Some(Format::SecondLife) => crate::formats::secondlife::Mesh::open_with(data, options).map(Model::from),
        _ => Model::open_with(data, options),
    }
}

fn open_ezmesh<D: AsRef<[u8]> + Send + Sync>(data: D, options: &OpenOptions) -> crate::Result<Model<D>> {
    crate::formats::ezmesh::Mesh::open_with(data, options).map(Model::from)
}

/// Returns whether an error says that a file is XML of no known kind.
fn is_any_xml(error: &Error) -> bool {
    matches!(error.cause(), Cause::Foreign { name: ANY_XML, .. })
}

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
    if format_named(path).is_some() || unreal::names::is_data(path) {
        return FileInFolder::Mesh;
    }
    if let Some(kind) = foreign::by_name(path) {
        return FileInFolder::Other(Some(kind));
    }
    let head = read_start(path, MAGIC_BYTES).unwrap_or_default();
    if Format::recognises(&head) { FileInFolder::Mesh } else { FileInFolder::Other(foreign::of_file(path, &head)) }
}

/// Returns whether a file is a mesh file, according to its extension or its first bytes.
pub fn is_mesh_file(path: &Path) -> bool {
    format_named(path).is_some() || unreal::names::is_data(path) || is_recognised(path)
}
