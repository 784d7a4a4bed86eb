//! Recognises common file formats that are not mesh formats.
//!
//! If a user opens a picture or an archive as a mesh, the error message contains the actual format
//! of the file, for example "a PNG picture".

use crate::error::{Cause, Error, Field, show_bytes};
use crate::math::as_u64;

/// The number of bytes at the start of a file that decide whether the file is a mesh, unless they
/// are blanks.
const DECISIVE: u64 = 32;

/// The first bytes of files in formats that this crate does not read, each with the name of the
/// format.
const SIGNS: &[(&[u8], &str)] = &[
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"DDS ", "a DDS texture"),
    (b"8BPS", "a Photoshop document"),
    (b"\x00\x00\x02\x00\x00\x00", "a TGA picture"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "gzip"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"glTF", "binary glTF"),
    (b"Kaydara FBX Binary", "binary FBX"),
    (b"ply\n", "PLY"),
    (b"ply\r\n", "PLY"),
    (b"%PDF", "a PDF document"),
    (b"RIFF", "RIFF: a sound, a film or a WebP picture"),
    (b"OggS", "an Ogg sound"),
    (b"\x7fELF", "an ELF program"),
    (b"BLENDER", "a Blender file"),
    (b"MZ", "a Windows program"),
    (b"BM", "a BMP picture"),
];

/// Makes the error for a file of an unknown format.
///
/// The error message for an unknown format contains the first 8 bytes of the file. If the file
/// starts with the bytes of an entry in `SIGNS`, the error message also contains the name of the
/// format in this entry.
pub(crate) fn unknown(format: &'static str, bytes: &[u8]) -> Error {
    let head = show_bytes(bytes.get(..8).unwrap_or(bytes));
    let sign = SIGNS.iter().find(|(sign, _)| bytes.starts_with(sign));
    let found = sign.map_or(head.clone(), |(_, name)| format!("{name} ({head})"));
    let error = Error::new(format, Field::new(format), 0, Cause::Unknown { found });
    // The start of a file that was not loaded further may become a mesh, until its first bytes
    // other than blanks belong to no mesh.
    let length = as_u64(bytes.len());
    let is_short = length < DECISIVE || bytes.trim_ascii().is_empty();
    if is_short && sign.is_none() { error.needing(0..length.saturating_add(1)) } else { error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_what_it_is() {
        let told = |bytes: &[u8]| unknown("file", bytes).message().to_string();
        assert!(told(b"\x89PNG\r\n\x1a\n\0\0").contains("found a PNG picture (bytes 89 50"));
        assert!(told(b"anything").contains("found \"anything\" at"));
    }
}
