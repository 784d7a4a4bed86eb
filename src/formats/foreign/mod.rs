//! Recognises files of other programs, and names them in errors and in the totals of folders.
//!
//! The first bytes of a file decide. Signs that other files have by chance count only together with
//! the file name extension. A file of a format that this crate reads is never looked up here.

mod assets;
mod kinds;
mod media;
mod models;
mod signs;

use std::path::Path;

use crate::error::{Cause, Error, Field, show_bytes};
use crate::math::as_u64;

pub(crate) use kinds::ForeignKind;
use kinds::Sign;

/// The number of bytes at the start of a file that decide whether the file is a mesh, unless they
/// are blanks.
const DECISIVE: u64 = 32;

/// The extensions that files of this crate's formats and files of other programs share. Such an
/// extension alone tells nothing about a file.
const SHARED_EXTENSIONS: [&str; 8] = ["mesh", "anim", "asset", "mat", "xml", "txt", "dat", "bin"];

/// The name of XML of no known kind.
pub(crate) const ANY_XML: &str = "an XML document";

/// Returns all kinds. If several match, the first whose extension fits is the right one, or else
/// the first.
fn kinds() -> impl Iterator<Item = &'static ForeignKind> {
    [assets::KINDS, models::KINDS, media::KINDS].into_iter().flatten()
}

/// Returns the kind of a file by its first bytes, and by its extension if several kinds have the
/// same first bytes.
fn by_bytes(bytes: &[u8], path: Option<&Path>) -> Option<&'static ForeignKind> {
    let mut first = None;
    for kind in kinds() {
        let is_named = path.is_some_and(|path| kind.is_named(path));
        let is_found = match kind.sign {
            Sign::Magic(magics) => magics.iter().any(|magic| bytes.starts_with(magic)),
            Sign::Text(words) => signs::text_starts_with(bytes, words),
            Sign::Root(names) => signs::xml_root(bytes).is_some_and(|root| names.contains(&root)),
            Sign::Test(test) => test(bytes),
            Sign::Weak(test) => is_named && test(bytes),
            Sign::Name => false,
        };
        if is_found && is_named {
            return Some(kind);
        }
        if is_found && first.is_none() {
            first = Some(kind);
        }
    }
    first
}

/// Returns the kind of a file by its extension alone, or `None` if files of this crate's formats
/// may have the extension, too.
pub(crate) fn by_name(path: &Path) -> Option<&'static ForeignKind> {
    let is_shared = SHARED_EXTENSIONS.iter().any(|shared| kinds::has_extension(path, shared));
    kinds().find(|kind| kind.is_named(path)).filter(|_| !is_shared)
}

/// Returns the kind of the file at `path` with the first bytes `bytes`, by the bytes or else by
/// the extension.
pub(crate) fn of_file(path: &Path, bytes: &[u8]) -> Option<&'static ForeignKind> {
    by_bytes(bytes, Some(path)).or_else(|| by_name(path))
}

/// Returns the error for a file that its bytes identify as one of another program.
pub(crate) fn error(bytes: &[u8]) -> Option<Error> {
    by_bytes(bytes, None).map(|kind| refusal(kind, false))
}

/// Returns the error for a file that its bytes, or else its name, identify as one of another
/// program.
pub(crate) fn error_at(path: &Path, bytes: &[u8]) -> Option<Error> {
    let found = by_bytes(bytes, Some(path)).map(|kind| refusal(kind, false));
    found.or_else(|| by_name(path).map(|kind| refusal(kind, true)))
}

fn refusal(kind: &'static ForeignKind, is_by_name: bool) -> Error {
    let ForeignKind { name, plural, advice, stands_in, .. } = *kind;
    let cause = Cause::Foreign { name, plural, advice, stands_in, is_by_name };
    Error::new("file", Field::new("file"), 0, cause)
}

/// Makes the error for a file that is not recognised, or the one that names what it is.
pub(crate) fn unknown(format: &'static str, bytes: &[u8]) -> Error {
    if let Some(error) = error(bytes) {
        return error;
    }
    let found = show_bytes(bytes.get(..8).unwrap_or(bytes));
    let error = Error::new(format, Field::new(format), 0, Cause::Unknown { found });
    // The start of a file that was not loaded further may become a mesh, until its first bytes
    // other than blanks belong to no mesh.
    let length = as_u64(bytes.len());
    let is_short = length < DECISIVE || bytes.trim_ascii().is_empty();
    if is_short { error.needing(0..length.saturating_add(1)) } else { error }
}
