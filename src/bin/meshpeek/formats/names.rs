//! File names and first bytes.

use std::io::Read as _;
use std::path::Path;

use meshpeek::Format;
use meshpeek::io::{open_stream, read_up_to};

/// Bytes at the start of a file that identify its format, in formats that have a magic number.
const MAGIC_BYTES: u64 = 64;

/// Returns whether a path has an extension, in any case of letters.
pub fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// Returns whether a path has one of several extensions, in any case of letters.
pub fn has_any_extension(path: &Path, extensions: &[&str]) -> bool {
    extensions.iter().any(|extension| has_extension(path, extension))
}

/// Returns whether the first bytes of a file are the magic number of a known format.
pub fn is_recognised(path: &Path) -> bool {
    // Opened as a stream, a pipe does not block.
    let head = || read_up_to(open_stream(path)?.take(MAGIC_BYTES), MAGIC_BYTES, MAGIC_BYTES);
    path.is_file() && head().is_ok_and(|head| Format::recognises(&head))
}
