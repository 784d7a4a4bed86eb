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
    (b"\x93NUMPY", "a NumPy array"),
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

/// The number of bytes at the start of a file in which text of a known format is searched for.
const TEXT: usize = 4096;
/// The number of bytes at the start of a file that are tested for zeros.
const ZEROS: usize = 64 << 10;
/// The first bytes of a Git LFS pointer.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";
/// The first words of the lines of a Wavefront OBJ file.
const OBJ_WORDS: [&[u8]; 9] = [b"v", b"vn", b"vt", b"o", b"g", b"s", b"f", b"mtllib", b"usemtl"];
/// The fields at the top of a glTF document.
const GLTF_FIELDS: [&[u8]; 4] = [b"\"asset\"", b"\"accessors\"", b"\"bufferViews\"", b"\"meshes\""];

/// The description of a file that was left in the place of a mesh: a pointer, a page or zeros.
struct Placeholder {
    found: &'static str,
    advice: &'static str,
}

/// Returns the error for a file that a failed download or checkout left in the place of a mesh, or
/// `None` for any other file. No mesh starts with these bytes.
pub(crate) fn placeholder(bytes: &[u8]) -> Option<Error> {
    let Placeholder { found, advice } = describe_placeholder(bytes)?;
    Some(Error::new("file", Field::new("file"), 0, Cause::Unsupported { found: found.into(), advice }))
}

fn describe_placeholder(bytes: &[u8]) -> Option<Placeholder> {
    if bytes.starts_with(LFS_POINTER) {
        return Some(Placeholder { found: "a Git LFS pointer", advice: "run `git lfs pull`" });
    }
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let starts = |word: &[u8]| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    if starts(b"<!doctype html") || starts(b"<html") {
        let found = "an HTML page, such as the error page of a server";
        return Some(Placeholder {
            found,
            advice: "download the file again, and open it in a browser to see the error",
        });
    }
    let start = bytes.get(..ZEROS).unwrap_or(bytes);
    if start.len() >= 16 && start.iter().all(|byte| *byte == 0) {
        let advice = "the content was never written or is lost; fetch or export the file again";
        return Some(Placeholder { found: "zeros", advice });
    }
    None
}

/// Returns the name of the format of a file that this crate does not read, or `None` if the format
/// is unknown.
pub(crate) fn format_name(bytes: &[u8]) -> Option<&'static str> {
    let sign = SIGNS.iter().find(|(sign, _)| bytes.starts_with(sign)).map(|(_, name)| *name);
    sign.or_else(|| text_format(bytes)).or_else(|| is_binary_stl(bytes).then_some("binary STL"))
}

/// Returns the name of a text format that this crate does not read.
fn text_format(bytes: &[u8]) -> Option<&'static str> {
    let text = bytes.get(..TEXT).unwrap_or(bytes);
    let contains = |word: &[u8]| memchr::memmem::find(text, word).is_some();
    match text.trim_ascii_start() {
        [b'{', ..] if GLTF_FIELDS.iter().any(|field| contains(field)) => Some("glTF"),
        [b'{' | b'[', b'"' | b'{' | b'[' | b' ' | b'\n' | b'\r' | b'\t', ..] => Some("JSON"),
        start if start.starts_with(b"solid") && contains(b"facet") => Some("STL text"),
        _ if is_obj(text) => Some("Wavefront OBJ"),
        _ => None,
    }
}

/// Returns whether the first line that is neither empty nor a comment is one of Wavefront OBJ.
fn is_obj(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let line = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    let Some((word, rest)) =
        line.and_then(|line| line.split_at_checked(line.iter().position(u8::is_ascii_whitespace)?))
    else {
        return false;
    };
    OBJ_WORDS.contains(&word) && rest.iter().all(|byte| (b' '..=b'~').contains(byte) || *byte == b'\t')
}

/// Returns whether the length of a file is that of a binary STL file with its number of triangles.
fn is_binary_stl(bytes: &[u8]) -> bool {
    let count = bytes.get(80..84).and_then(|count| count.try_into().ok()).map(u32::from_le_bytes);
    let size = count.and_then(|count| as_u64(84).checked_add(u64::from(count).checked_mul(50)?));
    size == Some(as_u64(bytes.len()))
}

/// Makes the error for a file of an unknown format.
///
/// The error message for an unknown format contains the first 8 bytes of the file. If the format is
/// a common one, the error message also contains its name.
pub(crate) fn unknown(format: &'static str, bytes: &[u8]) -> Error {
    let head = show_bytes(bytes.get(..8).unwrap_or(bytes));
    let name = format_name(bytes);
    let found = name.map_or(head.clone(), |name| format!("{name} ({head})"));
    let error = Error::new(format, Field::new(format), 0, Cause::Unknown { found });
    // The start of a file that was not loaded further may become a mesh, until its first bytes
    // other than blanks belong to no mesh.
    let length = as_u64(bytes.len());
    let is_short = length < DECISIVE || bytes.trim_ascii().is_empty();
    if is_short && name.is_none() { error.needing(0..length.saturating_add(1)) } else { error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_what_it_is() {
        let told = |bytes: &[u8]| unknown("file", bytes).message().to_string();
        assert!(told(b"\x89PNG\r\n\x1a\n\0\0").contains("found a PNG picture (bytes 89 50"));
        assert!(told(b"anything").contains("found \"anything\" at"));
        let stl = [&[b'x'; 80][..], &1_u32.to_le_bytes(), &[7; 50]].concat();
        for (bytes, name) in [
            (&b"\x93NUMPY\x01\0v"[..], "a NumPy array"),
            (b"# Blender\r\nmtllib a.mtl\r\nv 1 2 3\n", "Wavefront OBJ"),
            (b"solid cube\n facet normal 0 0 1\n", "STL text"),
            (&stl, "binary STL"),
            (b"{\n  \"asset\": {\"version\": \"2.0\"}}", "glTF"),
            (b"{\"files\": []}", "JSON"),
        ] {
            assert!(told(bytes).contains(&format!("found {name} (")), "{name}: {}", told(bytes));
        }
        // Text that only resembles these formats.
        for bytes in [&b"vertices and more"[..], b"solid ground", b"v \x80", b"{7}", b"g"] {
            assert_eq!(format_name(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn names_what_a_failed_download_left() {
        for (bytes, part) in [
            (&b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n"[..], "run `git lfs pull`"),
            (b" \n<!DOCTYPE HTML><html>404</html>", "found an HTML page"),
            (b"<html lang=en>", "found an HTML page"),
            (&[0; 100], "found zeros"),
        ] {
            let error = crate::Format::detect(bytes).unwrap_err();
            assert!(error.to_string().contains(part), "{error}");
            assert_eq!(error.kind(), crate::ErrorKind::Unsupported);
        }
        assert!(placeholder(&[0; 15]).is_none() && placeholder(b"<MeshSystem>").is_none());
    }
}
