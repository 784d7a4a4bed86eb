//! Compressed meshes of UNIGINE's put together block by block, for what the builder refuses to write.

use meshpeek::decode::compact;
use meshpeek::unigine::{Generation, Mesh, Storage};

/// A block as a file has it: the sizes that it claims, and its bytes.
#[derive(Clone, Debug)]
pub struct RawBlock {
    pub raw: i64,
    pub stored: i64,
    pub bytes: Vec<u8>,
}

impl RawBlock {
    /// A block that is stored as it is.
    pub fn verbatim(content: &[u8]) -> Self {
        let size = i64::try_from(content.len()).unwrap();
        Self { raw: size, stored: size, bytes: content.to_vec() }
    }

    /// A block that is compressed, also where that makes it longer.
    pub fn lz4(content: &[u8]) -> Self {
        Self::of_stored(content.len(), lz4_flex::block::compress(content))
    }

    /// A block of these bytes that claims to hold so many.
    pub fn of_stored(raw: usize, bytes: Vec<u8>) -> Self {
        Self { raw: i64::try_from(raw).unwrap(), stored: i64::try_from(bytes.len()).unwrap(), bytes }
    }
}

/// Returns a mesh's header: all before its first block.
pub fn header(mesh: &[u8]) -> Vec<u8> {
    let start = Mesh::open(mesh).unwrap().blocks(0).unwrap().unwrap()[0].offset;
    mesh[..usize::try_from(start).unwrap()].to_vec()
}

/// Returns what the blocks of a sound mesh hold: of each surface, its geometry and its tree.
pub fn contents(mesh: &[u8]) -> Vec<[Vec<u8>; 2]> {
    let mut raw = Vec::new();
    Mesh::open(mesh).unwrap().write_stored(&mut raw, Storage::Raw).unwrap();
    let mesh = Mesh::open(raw.as_slice()).unwrap();
    let range = |start, end| usize::try_from(start).unwrap()..usize::try_from(end).unwrap();
    let blocks = (0..mesh.surface_count()).map(|index| mesh.blocks(index).unwrap().unwrap());
    blocks.map(|both| both.map(|block| raw[range(block.start(), block.end())].to_vec())).collect()
}

/// Puts a mesh together, with a table that tells where its blocks are.
pub fn put_together(header: &[u8], geometry: &[RawBlock], trees: &[RawBlock]) -> Vec<u8> {
    let places = places(header, geometry);
    put_together_with(header, geometry, trees, &places)
}

/// Returns where blocks of geometry come to lie.
pub fn places(header: &[u8], geometry: &[RawBlock]) -> Vec<i64> {
    let mut at = header.len();
    let place = |block: &RawBlock| {
        let here = at;
        at += 16 + block.bytes.len();
        i64::try_from(here).unwrap()
    };
    geometry.iter().map(place).collect()
}

/// Puts a mesh together, with a table that tells whatever it is to tell.
pub fn put_together_with(header: &[u8], geometry: &[RawBlock], trees: &[RawBlock], places: &[i64]) -> Vec<u8> {
    let magic = &header[..4];
    let mut bytes = header.to_vec();
    for blocks in [geometry, trees] {
        for block in blocks {
            bytes.extend(block.raw.to_le_bytes());
            bytes.extend(block.stored.to_le_bytes());
            bytes.extend(&block.bytes);
        }
        bytes.extend(magic);
    }
    bytes.extend(places.iter().flat_map(|place| place.to_le_bytes()));
    bytes.extend(magic);
    bytes
}

/// Spells a compact int as the engine does.
fn count(value: usize) -> Vec<u8> {
    let (bytes, length) = compact::encode(i32::try_from(value).unwrap());
    bytes[..length].to_vec()
}

/// Spells the header of a mesh of surfaces without names, each of so many targets with so many positions, and so many
/// corners in either stream; with one bone, where the generation has bones.
pub fn header_of(generation: Generation, surfaces: usize, targets: usize, counts: [usize; 3]) -> Vec<u8> {
    let floats = |floats: [f32; 10]| floats.map(f32::to_le_bytes).concat();
    let bounds = floats([1e9, 1e9, 1e9, -1e9, -1e9, -1e9, 0.0, 0.0, 0.0, -1.0]);
    let magic = generation.magic().as_bytes();
    let mut bytes = [magic, &[4], &bounds].concat();
    if generation.has_bones() {
        bytes.extend([1, 1, 0, 0xff, 0xff]);
    }
    bytes.extend(count(surfaces));
    let [positions, indices, attributes] = counts.map(count);
    for _ in 0..surfaces {
        bytes.extend([1, 0, 1, 3]);
        bytes.extend([&indices[..], &attributes, &bounds].concat());
        if generation.has_targets() {
            bytes.extend(count(targets));
            (0..targets).for_each(|_| bytes.extend([&[1, 0][..], &positions].concat()));
        } else {
            bytes.extend(&positions);
        }
    }
    bytes.extend(0_i64.to_le_bytes());
    bytes.extend(magic);
    if generation.has_bones() {
        bytes.extend(floats([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]));
    }
    bytes
}
