//! File name extensions and magic numbers of mesh files.

use std::path::Path;

use crate::Format;
use crate::formats::descriptions;
use crate::io::read_start;

/// The number of bytes that are read from the start of a file to recognise its format by a magic
/// number.
pub const MAGIC_BYTES: u64 = 64;

/// Returns the extensions of the files of all formats.
pub fn extensions() -> impl Iterator<Item = &'static str> {
    let wholes = descriptions().flat_map(|format| format.extensions);
    wholes.chain(descriptions().flat_map(|format| format.part_extensions)).copied()
}

/// Returns whether a path has the extension of a part of a mesh of several files.
pub fn is_part(path: &Path) -> bool {
    descriptions().flat_map(|format| format.part_extensions).any(|extension| has_extension(path, extension))
}

/// Returns whether a path has the given extension, ignoring upper and lower case.
pub fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// Returns whether a file starts with the magic number of a known format.
pub fn is_recognised(path: &Path) -> bool {
    read_start(path, MAGIC_BYTES).is_ok_and(|head| Format::recognises(&head))
}
