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

use crate::error::{Cause, Error, Field, FormatName, NO_FORMAT, show_bytes};
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
#[cfg(any(feature = "cli", test))]
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
    Error::new(NO_FORMAT, Field::new("file"), 0, cause)
}

/// Makes the error for a file that is not recognised, or the one that names what it is.
pub(crate) fn unknown(format: &'static FormatName, bytes: &[u8]) -> Error {
    if let Some(error) = error(bytes) {
        return error;
    }
    let found = show_bytes(bytes.get(..8).unwrap_or(bytes));
    let error = Error::new(format, Field::new(format.name()), 0, Cause::Unknown { found });
    // The start of a file that was not loaded further may become a mesh, until its first bytes
    // other than blanks belong to no mesh.
    let length = as_u64(bytes.len());
    let is_short = length < DECISIVE || bytes.trim_ascii().is_empty();
    if is_short { error.needing(0..length.saturating_add(1)) } else { error }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(bytes: &[u8]) -> Option<&'static str> {
        by_bytes(bytes, None).map(|kind| kind.name)
    }

    #[test]
    fn files_of_this_crate_and_random_bytes_are_of_no_kind() {
        for folder in ["data/unreal", "data/unigine", "data/secondlife", "data/ezmesh"] {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let is_ours = path.extension().is_some_and(|found| {
                    ["3d", "mesh", "anim", "llmesh", "slm", "ezb"].iter().any(|extension| found == *extension)
                });
                if is_ours {
                    assert_eq!(name(&std::fs::read(&path).unwrap()), None, "{}", path.display());
                }
            }
        }
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state.to_be_bytes()[0]
        };
        for _ in 0..20_000 {
            let bytes: Vec<u8> = (0..100).map(|_| random()).collect();
            assert_eq!(name(&bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn text_that_only_resembles_a_kind_is_of_no_kind() {
        for bytes in
            [&b"vertices and more"[..], b"solid ground", b"v \x80", b"{7}", b"g", b"{'a'", b"MeshVersion", b"<a"]
        {
            assert_eq!(name(bytes), None, "{bytes:?}");
        }
        assert_eq!(name(b"\xef\xbb\xbf <?xml?><!-- > --><COLLADA>"), Some("a COLLADA document"));
        assert_eq!(name(b"{ 'high_lod' : {}"), Some("LLSD notation"));
        assert!(name(&[0; 15]).is_none() && name(&[0; 16]) == Some("a file of zeros"));
    }

    #[test]
    fn an_extension_decides_between_kinds_with_the_same_start() {
        let of = |path: &str, bytes: &[u8]| of_file(Path::new(path), bytes).map(|kind| kind.name);
        let package = b"\xc1\x83\x2a\x9e\x45\0\0\0";
        assert_eq!(of("a.UTX", package), Some("an Unreal texture package"));
        assert_eq!(of("a", package), Some("an Unreal Engine 1 package"));
        assert_eq!(of("a.blend", b"\x1f\x8b\x08"), Some("a compressed Blender file"));
        assert_eq!(of("a.png", b"\x1f\x8b\x08"), Some("a gzip-compressed file"));
        assert_eq!((of("a.tga", b"what"), of("a.mesh", b"what")), (Some("a TGA image"), None));
    }

    #[test]
    fn names_and_advice_fit_into_sentences() {
        for kind in kinds() {
            let ForeignKind { name, plural, advice, extensions, stands_in, .. } = kind;
            let text = refusal(kind, false).at_path(Path::new("x")).to_string();
            let middle = if *stands_in { "is not the mesh itself" } else { "meshpeek does not read" };
            assert_eq!(text, format!("x: {name}, which {middle}; {advice}"));
            assert!(!plural.is_empty() && !advice.ends_with(['.', ' ']), "{name}");
            assert!(extensions.iter().all(|extension| !extension.starts_with('.')), "{name}");
        }
    }
}
