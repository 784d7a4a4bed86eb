//! File name extensions and magic numbers of mesh files.

use std::path::Path;

use crate::Format;
use crate::io::read_start;

/// The number of bytes that are read from the start of a file to recognise its format by a magic
/// number.
pub const MAGIC_BYTES: u64 = 64;

/// The file extensions of the formats whose meshes are single files.
pub const EXTENSIONS: [(&str, Format); 6] = [
    ("mesh", Format::Unigine),
    ("anim", Format::Unigine),
    ("llmesh", Format::SecondLife),
    ("slm", Format::SecondLife),
    ("ezm", Format::EzMesh),
    ("ezb", Format::EzMesh),
];

/// The file extensions of Unreal meshes and scripts, whose meshes are several files.
pub const UNREAL_EXTENSIONS: [&str; 2] = ["3d", "uc"];

/// Returns whether a path has the given extension, ignoring upper and lower case.
pub fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// Returns the format that the extension of a path indicates.
pub fn format_named(path: &Path) -> Option<Format> {
    EXTENSIONS.into_iter().find(|(extension, _)| has_extension(path, extension)).map(|(_, format)| format)
}

/// Returns whether a file starts with the magic number of a known format.
pub fn is_recognised(path: &Path) -> bool {
    read_start(path, MAGIC_BYTES).is_ok_and(|head| Format::recognises(&head))
}
