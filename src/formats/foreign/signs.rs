//! Tests of the first bytes of files of other programs.

use memchr::memmem;

use crate::error::is_utf8;
use crate::formats::secondlife;
use crate::math::as_u64;

/// The number of bytes at the start of a file in which text of a known format is searched for.
const TEXT: usize = 4096;
/// The number of bytes at the start of a text that may have no control characters.
const CHECKED_TEXT: usize = 512;
/// The number of bytes at the start of a file that are tested for zeros, or searched for the root
/// element of XML.
const HEAD: usize = 64 << 10;
/// The number of characters of Base64 text that are decoded.
const BASE64: usize = 128;
/// The magic number of Unreal packages, in the order of bytes of a PC.
const UNREAL: u32 = 0x9e2a_83c1;
/// The first version of a package of Unreal Engine 2.
const UNREAL_2: u32 = 100;
/// The first words of the lines of a Wavefront OBJ file.
const OBJ_WORDS: [&[u8]; 9] = [b"v", b"vn", b"vt", b"o", b"g", b"s", b"f", b"mtllib", b"usemtl"];
/// The fields at the top of a glTF document.
const GLTF_FIELDS: [&[u8]; 4] = [b"\"asset\"", b"\"accessors\"", b"\"bufferViews\"", b"\"meshes\""];

/// Returns the start of a text without its byte order mark and its first blanks, or `None` if the
/// bytes are no text.
fn text(bytes: &[u8]) -> Option<&[u8]> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let head = bytes.get(..TEXT).unwrap_or(bytes);
    let is_control = |byte: &u8| *byte < b' ' && !byte.is_ascii_whitespace();
    let checked = head.get(..CHECKED_TEXT).unwrap_or(head);
    (!checked.iter().any(is_control)).then(|| head.trim_ascii_start())
}

fn contains(text: &[u8], word: &[u8]) -> bool {
    memmem::find(text, word).is_some()
}

/// Returns the number at a byte offset, with the lowest byte first.
fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|four| u32::from_le_bytes(*four))
}

/// Returns whether a text starts with one of some words.
pub(super) fn text_starts_with(bytes: &[u8], words: &[&[u8]]) -> bool {
    text(bytes).is_some_and(|text| words.iter().any(|word| text.starts_with(word)))
}

/// Returns the name of the root element of XML whose first tag is complete.
pub(super) fn xml_root(bytes: &[u8]) -> Option<&[u8]> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut rest = bytes.get(..HEAD).unwrap_or(bytes);
    loop {
        rest = rest.trim_ascii_start();
        let end: &[u8] = match rest {
            [b'<', b'?', ..] => b"?>",
            [b'<', b'!', b'-', b'-', ..] => b"-->",
            [b'<', b'!', ..] => b">",
            [b'<', b'_' | b'a'..=b'z' | b'A'..=b'Z', ..] => break,
            _ => return None,
        };
        rest = rest.get(memmem::find(rest, end)?..)?.strip_prefix(end)?;
    }
    let tag = rest.get(1..memchr::memchr(b'>', rest)?)?;
    let name = tag.split(|byte| byte.is_ascii_whitespace() || *byte == b'/').next()?;
    let is_name = name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-.:".contains(byte) || !byte.is_ascii());
    (is_name && is_utf8(name)).then_some(name)
}

pub(super) fn is_html(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let starts = |word: &[u8]| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    starts(b"<!doctype html") || starts(b"<html")
}

pub(super) fn is_zeros(bytes: &[u8]) -> bool {
    let start = bytes.get(..HEAD).unwrap_or(bytes);
    start.len() >= 16 && start.iter().all(|byte| *byte == 0)
}

/// Returns whether a text is the Base64 form of a Second Life mesh asset.
pub(super) fn is_base64_of_mesh(bytes: &[u8]) -> bool {
    let Some(text) = text(bytes) else { return false };
    let digits = text.iter().filter(|byte| !byte.is_ascii_whitespace()).take(BASE64);
    let digits: Option<Vec<u32>> = digits.map(|digit| base64_value(*digit)).collect();
    let Some(digits) = digits.filter(|digits| digits.len() >= 16) else { return false };
    let groups = digits.chunks_exact(4).map(|four| four.iter().fold(0_u32, |bits, digit| bits << 6 | digit));
    let decoded: Vec<u8> = groups.flat_map(|bits| bits.to_be_bytes().into_iter().skip(1)).collect();
    secondlife::is_known(&decoded)
}

/// Returns the six bits of a digit of Base64 text. The padding at the end has no bits.
fn base64_value(digit: u8) -> Option<u32> {
    let [low, base] = match digit {
        b'A'..=b'Z' => [b'A', 0],
        b'a'..=b'z' => [b'a', 26],
        b'0'..=b'9' => [b'0', 52],
        b'+' | b'-' => [digit, 62],
        b'/' | b'_' => [digit, 63],
        b'=' => [digit, 0],
        _ => return None,
    };
    digit.checked_sub(low)?.checked_add(base).map(u32::from)
}

pub(super) fn is_llsd_notation(bytes: &[u8]) -> bool {
    let Some(text) = text(bytes) else { return false };
    let marked = text.strip_prefix(b"<?").map(<[u8]>::trim_ascii_start);
    if marked.and_then(|text| text.get(..13)).is_some_and(|start| start.eq_ignore_ascii_case(b"llsd/notation")) {
        return true;
    }
    // A map starts with a name in single quotes, a colon and the type of the value.
    let map = text.strip_prefix(b"[").unwrap_or(text).trim_ascii_start();
    let Some(map) = map.strip_prefix(b"{").map(<[u8]>::trim_ascii_start) else { return false };
    let Some((name, rest)) = map.strip_prefix(b"'").and_then(|map| split_at(map, b'\'')) else { return false };
    let Some(value) = rest.trim_ascii_start().strip_prefix(b":") else { return false };
    let is_value = |first: &u8| b"irusbdlSBtf10!{['\"".contains(first);
    !name.is_empty() && value.trim_ascii_start().first().is_some_and(is_value)
}

/// Divides bytes before and after the first separator.
fn split_at(bytes: &[u8], separator: u8) -> Option<(&[u8], &[u8])> {
    let (head, rest) = bytes.split_at_checked(memchr::memchr(separator, bytes)?)?;
    Some((head, rest.get(1..)?))
}

/// Returns whether bytes are the text of a MEDIT mesh, which may start with comments.
pub(super) fn is_medit(bytes: &[u8]) -> bool {
    let mut lines = text(bytes).unwrap_or_default().split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    first.is_some_and(|line| line.starts_with(b"MeshVersionFormatted"))
}

/// Returns whether bytes are a binary file of Unity. The version of its header is 9 to 30, and the
/// version of Unity, such as `2019.4`, follows the header.
pub(super) fn is_unity_serialized(bytes: &[u8]) -> bool {
    let version = bytes.get(8..).and_then(<[u8]>::first_chunk).map(|four| u32::from_be_bytes(*four));
    let start = match version {
        Some(9..22) => 20,
        Some(22..31) => 48,
        _ => return false,
    };
    let name = bytes.get(start..).and_then(|rest| rest.split(|byte| *byte == 0).next()).unwrap_or_default();
    (5..32).contains(&name.len())
        && is_graphic(name)
        && name.contains(&b'.')
        && name.first().is_some_and(u8::is_ascii_digit)
}

/// Returns whether bytes start like a keyframe motion of Second Life: with the version 1.0 or 0.1,
/// the priority, the duration and the name of an expression.
pub(super) fn is_motion_start(bytes: &[u8]) -> bool {
    after_expression(bytes).is_some()
}

/// Returns whether bytes are a keyframe motion of Second Life with its loop and its first joint.
pub(super) fn is_keyframe_motion(bytes: &[u8]) -> bool {
    let Some(rest) = after_expression(bytes) else { return false };
    let (repeats, joints) = (u32_at(rest, 8), u32_at(rest, 24));
    let joint = rest.get(28..).and_then(|rest| rest.split(|byte| *byte == 0).next()).unwrap_or_default();
    let is_named = (2..64).contains(&joint.len()) && is_graphic(joint);
    matches!((repeats, joints), (Some(0 | 1), Some(1..512))) && is_named
}

/// Returns the bytes of a keyframe motion after the name of its expression.
fn after_expression(bytes: &[u8]) -> Option<&[u8]> {
    let rest = bytes.strip_prefix(&[1, 0, 0, 0]).or_else(|| bytes.strip_prefix(&[0, 0, 1, 0]))?;
    let (priority, rest) = rest.split_first_chunk().map(|(four, rest)| (i32::from_le_bytes(*four), rest))?;
    let (duration, rest) = rest.split_first_chunk().map(|(four, rest)| (f32::from_le_bytes(*four), rest))?;
    let (expression, rest) = split_at(rest, 0)?;
    let is_timed = duration == 0.0 || (1e-4..=3600.0).contains(&duration);
    ((-1..=8).contains(&priority) && is_timed && is_graphic(expression)).then_some(rest)
}

fn is_graphic(name: &[u8]) -> bool {
    name.iter().all(u8::is_ascii_graphic)
}

/// Returns the version of an Unreal package. Those of Unreal Engine 4 and 5 are negative.
fn unreal_version(bytes: &[u8]) -> Option<i32> {
    let version: [u8; 4] = *bytes.get(4..)?.first_chunk()?;
    match u32_at(bytes, 0)? {
        UNREAL => Some(i32::from_le_bytes(version)),
        magic if magic == UNREAL.swap_bytes() => Some(i32::from_be_bytes(version)),
        _ => None,
    }
}

pub(super) fn is_late_unreal_package(bytes: &[u8]) -> bool {
    unreal_version(bytes).is_some_and(i32::is_negative)
}

pub(super) fn is_unreal_package(bytes: &[u8]) -> bool {
    unreal_version(bytes).is_some_and(|version| version >= 0)
}

pub(super) fn is_first_unreal_package(bytes: &[u8]) -> bool {
    // The upper half of the number is the version of the licensee.
    is_unreal_package(bytes) && u32_at(bytes, 4).is_some_and(|version| version & 0xffff < UNREAL_2)
}

pub(super) fn is_unity_yaml(bytes: &[u8]) -> bool {
    text(bytes).is_some_and(|text| text.starts_with(b"%YAML") && contains(text, b"!u!"))
}

/// Returns whether XML with the root element `mesh` is one of Ogre.
pub(super) fn is_ogre_xml_mesh(bytes: &[u8]) -> bool {
    let has = |word: &[u8]| text(bytes).is_some_and(|text| contains(text, word));
    xml_root(bytes) == Some(b"mesh") && (has(b"<submeshes") || has(b"<sharedgeometry"))
}

pub(super) fn is_ogre_xml_skeleton(bytes: &[u8]) -> bool {
    xml_root(bytes) == Some(b"skeleton") && text(bytes).is_some_and(|text| contains(text, b"<bones"))
}

pub(super) fn is_json(bytes: &[u8]) -> bool {
    let is_start = |text: &[u8]| {
        matches!(text, [b'{' | b'[', b'"' | b'{' | b'[' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t', ..])
    };
    text(bytes).is_some_and(is_start)
}

pub(super) fn is_gltf(bytes: &[u8]) -> bool {
    let has_field = |text: &[u8]| GLTF_FIELDS.iter().any(|field| contains(text, field));
    is_json(bytes) && text(bytes).is_some_and(has_field)
}

/// Returns whether the first line that is neither empty nor a comment is one of Wavefront OBJ.
pub(super) fn is_obj(bytes: &[u8]) -> bool {
    let mut lines = text(bytes).unwrap_or_default().split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let line = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    let Some((word, rest)) =
        line.and_then(|line| line.split_at_checked(line.iter().position(u8::is_ascii_whitespace)?))
    else {
        return false;
    };
    OBJ_WORDS.contains(&word) && rest.iter().all(|byte| (b' '..=b'~').contains(byte) || *byte == b'\t')
}

pub(super) fn is_stl_text(bytes: &[u8]) -> bool {
    text(bytes).is_some_and(|text| text.starts_with(b"solid") && contains(text, b"facet"))
}

/// Returns whether the length of a file is that of a binary STL file with its number of triangles.
pub(super) fn is_binary_stl(bytes: &[u8]) -> bool {
    let count = u32_at(bytes, 80).filter(|count| *count > 0);
    let size = count.and_then(|count| as_u64(84).checked_add(u64::from(count).checked_mul(50)?));
    size == Some(as_u64(bytes.len()))
}

/// Returns whether bytes start with the main chunk of a 3DS file and one of its first chunks.
pub(super) fn is_3ds(bytes: &[u8]) -> bool {
    let is_chunk = matches!(bytes.get(6..8), Some([0x02, 0x00] | [0x3d | 0x3e, 0x3d]));
    bytes.starts_with(b"MM") && is_chunk && u32_at(bytes, 2).is_some_and(|length| length >= 12)
}

/// Returns whether bytes start with the marks of an IFF file and a type at one of two offsets.
fn is_form(bytes: &[u8], forms: &[&[u8]], kinds: &[&[u8]]) -> bool {
    let has = |at: usize| bytes.get(at..).is_some_and(|rest| kinds.iter().any(|kind| rest.starts_with(kind)));
    forms.iter().any(|form| bytes.starts_with(form)) && (has(8) || has(16))
}

pub(super) fn is_maya_binary(bytes: &[u8]) -> bool {
    is_form(bytes, &[b"FOR4", b"FOR8"], &[b"Maya"])
}

pub(super) fn is_lightwave(bytes: &[u8]) -> bool {
    is_form(bytes, &[b"FORM"], &[b"LWO2", b"LWO3", b"LWOB", b"LWLO"])
}

pub(super) fn is_riff(bytes: &[u8], kind: &[u8]) -> bool {
    is_form(bytes, &[b"RIFF"], &[kind])
}

pub(super) fn is_smd(bytes: &[u8]) -> bool {
    text(bytes).is_some_and(|text| text.starts_with(b"version 1") && contains(text, b"nodes"))
}

/// Returns whether bytes start with the number 1, the version and the keyword for the dimension.
pub(super) fn is_binary_medit(bytes: &[u8]) -> bool {
    let numbers = [0, 4, 8].map(|at| u32_at(bytes, at));
    [numbers, numbers.map(|number| number.map(u32::swap_bytes))]
        .iter()
        .any(|numbers| matches!(numbers, [Some(1), Some(1..=4), Some(3)]))
}

/// Returns whether bytes start with the magic number of the compound files of Microsoft.
pub(super) fn is_compound(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
}

pub(super) fn is_tga(bytes: &[u8]) -> bool {
    let is_header = matches!(bytes, [_, 0 | 1, 1..=3 | 9..=11, ..]);
    is_header && matches!(bytes.get(16), Some(8 | 15 | 16 | 24 | 32))
}

pub(super) fn is_pcx(bytes: &[u8]) -> bool {
    matches!(bytes, [0x0a, 0..=5, 0 | 1, 1 | 2 | 4 | 8, ..])
}

pub(super) fn is_bmp(bytes: &[u8]) -> bool {
    let is_header = matches!(u32_at(bytes, 14), Some(12 | 40 | 52 | 56 | 64 | 108 | 124));
    bytes.starts_with(b"BM") && u32_at(bytes, 6) == Some(0) && is_header
}

pub(super) fn is_bzip2(bytes: &[u8]) -> bool {
    bytes.starts_with(b"BZh") && bytes.get(4..).is_some_and(|rest| rest.starts_with(b"1AY&SY"))
}

pub(super) fn is_tar(bytes: &[u8]) -> bool {
    bytes.get(257..).is_some_and(|rest| rest.starts_with(b"ustar"))
}

/// Returns whether bytes start with the header of an MS-DOS program that leads to another header.
pub(super) fn is_windows_program(bytes: &[u8]) -> bool {
    bytes.starts_with(b"MZ") && u32_at(bytes, 60).is_some_and(|at| (64..=4096).contains(&at))
}
