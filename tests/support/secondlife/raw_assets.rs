//! Encodes Second Life meshes value by value, including those that no writer produces.

use std::io::Write as _;

use crate::support::secondlife::builder;
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use meshpeek::secondlife::llsd::LlsdWriter;

/// The entries of a map.
pub type Entries = Vec<(&'static str, Vec<u8>)>;

/// Encodes a value with a writer.
pub fn spelled(write: impl FnOnce(&mut LlsdWriter) -> &mut LlsdWriter) -> Vec<u8> {
    let mut writer = LlsdWriter::new();
    write(&mut writer);
    writer.into_bytes()
}

pub fn integer(value: i32) -> Vec<u8> {
    spelled(|to| to.integer(value))
}

pub fn real(value: f64) -> Vec<u8> {
    spelled(|to| to.real(value))
}

pub fn string(value: &[u8]) -> Vec<u8> {
    spelled(|to| to.string(value))
}

pub fn binary(value: &[u8]) -> Vec<u8> {
    spelled(|to| to.binary(value))
}

pub fn reals(values: &[f32]) -> Vec<u8> {
    spelled(|to| to.reals(values.iter().copied()))
}

/// Encodes an array of values that are encoded already.
pub fn array(items: &[Vec<u8>]) -> Vec<u8> {
    let start = spelled(|to| to.open_array(items.len().try_into().unwrap()));
    [start, items.concat(), b"]".to_vec()].concat()
}

/// Encodes a map, with its keys in the given order.
pub fn map(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = spelled(|to| to.open_map(entries.len().try_into().unwrap()));
    for (key, value) in entries {
        bytes.extend(spelled(|to| to.key(key)));
        bytes.extend(value);
    }
    bytes.push(b'}');
    bytes
}

/// Encodes 16-bit codes.
pub fn codes(codes: &[u16]) -> Vec<u8> {
    binary(&codes.iter().flat_map(|code| code.to_le_bytes()).collect::<Vec<_>>())
}

/// Compresses a block with zlib, like every real block.
pub fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut to = ZlibEncoder::new(Vec::new(), Compression::best());
    to.write_all(bytes).unwrap();
    to.finish().unwrap()
}

/// Compresses a block with gzip, as the published specification says.
///
/// No known file does so.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut to = GzEncoder::new(Vec::new(), Compression::best());
    to.write_all(bytes).unwrap();
    to.finish().unwrap()
}

/// Compresses a block without any wrapper.
pub fn raw_deflate(bytes: &[u8]) -> Vec<u8> {
    let mut to = DeflateEncoder::new(Vec::new(), Compression::best());
    to.write_all(bytes).unwrap();
    to.finish().unwrap()
}

/// Encodes the header's entry for a block.
pub fn place(offset: usize, size: usize) -> Vec<u8> {
    let [offset, size] = [offset, size].map(|number| integer(number.try_into().unwrap()));
    map(&[("offset", offset), ("size", size)])
}

/// Encodes an asset: a header with the given entries and one entry for each block, then the blocks
/// as stored.
pub fn stored_asset(entries: &[(&'static str, Vec<u8>)], blocks: &[(&'static str, Vec<u8>)]) -> Vec<u8> {
    let mut all = entries.to_vec();
    let mut offset = 0;
    for (key, block) in blocks {
        all.push((*key, place(offset, block.len())));
        offset += block.len();
    }
    let mut bytes = map(&all);
    for (_, block) in blocks {
        bytes.extend(block);
    }
    bytes
}

/// Encodes an asset of blocks, which are compressed here.
pub fn asset(blocks: &[(&'static str, Vec<u8>)]) -> Vec<u8> {
    let blocks: Vec<_> = blocks.iter().map(|(key, block)| (*key, zlib(block))).collect();
    stored_asset(&[], &blocks)
}

pub fn domain(min: &[f32], max: &[f32]) -> Vec<u8> {
    map(&[("Max", reals(max)), ("Min", reals(min))])
}

/// Returns the entries of a submesh with everything that real ones have.
///
/// It has four vertices in a square, with weights for none, one, two and four joints, and two
/// triangles.
pub fn square() -> Entries {
    let up = [32768, 32768, 65535];
    vec![
        ("Normal", codes(&[up, up, up, up].concat())),
        ("Position", codes(&[0, 0, 0, 65535, 0, 0, 65535, 65535, 0, 0, 65535, 32768])),
        ("PositionDomain", domain(&[-0.5, -0.5, -0.25], &[0.5, 0.5, 0.25])),
        ("TexCoord0", codes(&[0, 0, 65535, 0, 65535, 65535, 0, 65535])),
        ("TexCoord0Domain", domain(&[0.0, 0.0], &[2.0, 1.0])),
        ("TriangleList", codes(&[0, 1, 2, 0, 2, 3])),
        ("Weights", binary(&WEIGHTS)),
    ]
}

/// The weights of a [`square`].
pub const WEIGHTS: [u8; 24] = [
    255, // no joint
    0, 0xff, 0xff, 255, // one
    1, 0x00, 0x80, 0, 0xff, 0x7f, 255, // two
    0, 0x00, 0x40, 1, 0x00, 0x40, 1, 0x00, 0x40, 0, 0xff, 0x3f, // four, so no terminator
];

/// Replaces one entry of a map, or adds it.
pub fn with(mut entries: Entries, key: &'static str, value: Vec<u8>) -> Entries {
    match entries.iter_mut().find(|(known, _)| *known == key) {
        Some((_, old)) => *old = value,
        None => entries.push((key, value)),
    }
    entries
}

/// Removes one entry of a map.
pub fn without(mut entries: Entries, key: &str) -> Entries {
    entries.retain(|(known, _)| *known != key);
    entries
}

/// Encodes a level of detail of these submeshes.
pub fn level(submeshes: &[Entries]) -> Vec<u8> {
    array(&submeshes.iter().map(|entries| map(entries)).collect::<Vec<_>>())
}

/// Encodes an asset of one submesh.
pub fn one(entries: Entries) -> Vec<u8> {
    asset(&[("high_lod", level(&[entries]))])
}

/// Returns a matrix that only translates by the given vector.
pub fn shift(by: [f32; 3]) -> [f32; 16] {
    let mut matrix = meshpeek::secondlife::IDENTITY;
    matrix[12..15].copy_from_slice(&by);
    matrix
}

/// Returns a skin of two joints with everything that a skin can have.
pub fn skin() -> Entries {
    vec![
        ("alt_inverse_bind_matrix", array(&[reals(&shift([0.0, 0.0, 1.0])), reals(&shift([0.0, 0.0, 2.0]))])),
        ("bind_shape_matrix", reals(&shift([1.0, 2.0, 3.0]))),
        ("inverse_bind_matrix", array(&[reals(&shift([0.0; 3])), reals(&shift([0.0, -1.0, 0.0]))])),
        ("joint_names", array(&[string(b"mPelvis"), string(b"mTorso")])),
        ("lock_scale_if_joint_position", b"1".to_vec()),
        ("pelvis_offset", real(0.125)),
    ]
}

/// Returns hulls of three and four points, and one hull around everything.
pub fn hulls() -> Entries {
    let points: Vec<u16> = (0..21).map(|code| code * 3000).collect();
    vec![
        ("BoundingVerts", codes(&[0, 0, 0, 65535, 0, 0, 0, 65535, 0, 0, 0, 65535])),
        ("HullList", binary(&[3, 4])),
        ("Max", reals(&[0.5, 0.25, 0.125])),
        ("Min", reals(&[-0.5, -0.25, -0.125])),
        ("Positions", codes(&points)),
    ]
}

/// Encodes an asset with every known block.
///
/// Each level has the square, and the lowest level has a placeholder before it.
pub fn everything() -> Vec<u8> {
    let plain = level(&[square()]);
    let placeholder = vec![("NoGeometry", b"1".to_vec())];
    asset(&[
        ("skin", map(&skin())),
        ("physics_convex", map(&hulls())),
        ("lowest_lod", level(&[placeholder, square()])),
        ("low_lod", plain.clone()),
        ("medium_lod", plain.clone()),
        ("high_lod", level(&[square(), square()])),
        ("physics_mesh", plain.clone()),
        ("physics_shape", plain),
        ("physics_havok", map(&[("WeldingData", binary(&[1, 2, 3]))])),
        ("skeleton", map(&[])),
    ])
}

/// Encodes a container of these assets.
pub fn container(assets: &[Vec<u8>]) -> Vec<u8> {
    let meshes: Vec<Vec<u8>> = assets.iter().map(|asset| string(asset)).collect();
    let instance = map(&[
        ("label", string(b"part")),
        ("material", array(&[])),
        ("mesh_id", integer(0)),
        ("transform", reals(&shift([1.0, 2.0, 3.0]))),
    ]);
    map(&[
        ("instance", array(&[instance])),
        ("mesh", array(&meshes)),
        ("name", string(b"model")),
        ("version", integer(3)),
    ])
}

/// Returns an asset with a version that readers refuse. The builder refuses to write it.
pub fn newer_asset() -> Vec<u8> {
    let header = builder::Header { version: Some(999), ..Default::default() };
    let mut bytes = builder::Asset { header, ..super::quad() }.to_bytes().unwrap();
    let at = bytes.windows(5).position(|value| value == b"i\0\0\x03\xe7").unwrap();
    bytes[at + 4] = 0xe8;
    bytes
}
