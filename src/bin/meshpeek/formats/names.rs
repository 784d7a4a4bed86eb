//! File name extensions and magic numbers of mesh files.

use std::path::Path;

use meshpeek::Format;
use meshpeek::io::read_start;

/// The number of bytes that are read from the start of a file to recognise its format by a magic
/// number.
const MAGIC_BYTES: u64 = 64;

/// Returns whether a path has the given extension, ignoring upper and lower case.
pub fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// Returns whether a path has one of the given extensions, ignoring upper and lower case.
pub fn has_any_extension(path: &Path, extensions: &[&str]) -> bool {
    extensions.iter().any(|extension| has_extension(path, extension))
}

/// Returns whether a file starts with the magic number of a known format.
pub fn is_recognised(path: &Path) -> bool {
    read_start(path, MAGIC_BYTES).is_ok_and(|head| Format::recognises(&head))
}
