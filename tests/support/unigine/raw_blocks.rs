//! Compressed UNIGINE meshes that are assembled block by block, for files that the builder refuses
//! to write.

use std::io::{self, Write};

use meshpeek::decode::compact;
use meshpeek::unigine::{Generation, Mesh, Storage};
use meshpeek::{Array as _, MeshFile as _};

/// A block as stored in a file: its declared sizes and its bytes.
#[derive(Clone, Debug)]
pub struct RawBlock {
    pub raw: i64,
    pub stored: i64,
    pub bytes: Vec<u8>,
}

impl RawBlock {
    /// Makes a block that is stored verbatim.
    pub fn verbatim(content: &[u8]) -> Self {
        let size = i64::try_from(content.len()).unwrap();
        Self { raw: size, stored: size, bytes: content.to_vec() }
    }

    /// Makes a compressed block, even if it is longer than its content.
    pub fn lz4(content: &[u8]) -> Self {
        Self::of_stored(content.len(), lz4_flex::block::compress(content))
    }

    /// Makes a block of the given bytes with the declared raw size.
    pub fn of_stored(raw: usize, bytes: Vec<u8>) -> Self {
        Self { raw: i64::try_from(raw).unwrap(), stored: i64::try_from(bytes.len()).unwrap(), bytes }
    }
}

/// Returns the header of a mesh: all bytes before its first block.
pub fn header(mesh: &[u8]) -> Vec<u8> {
    let start = Mesh::open(mesh).unwrap().blocks(0).unwrap().unwrap()[0].offset;
    mesh[..usize::try_from(start).unwrap()].to_vec()
}

/// Returns the content of the blocks of a valid mesh: for each surface, its geometry and its tree.
pub fn contents(mesh: &[u8]) -> Vec<[Vec<u8>; 2]> {
    let mut raw = Vec::new();
    Mesh::open(mesh).unwrap().write_stored(&mut raw, Storage::Raw).unwrap();
    let mesh = Mesh::open(raw.as_slice()).unwrap();
    let range = |start, end| usize::try_from(start).unwrap()..usize::try_from(end).unwrap();
    let blocks = (0..mesh.surface_count()).map(|index| mesh.blocks(index).unwrap().unwrap());
    blocks.map(|both| both.map(|block| raw[range(block.start(), block.end())].to_vec())).collect()
}

/// Changes the box of the first leaf of the tree of surface 0 whose box differs from its parent's.
///
/// The trees of the mesh must be stored uncompressed. `change` gets the boxes of the leaf and of
/// its parent, as the minimum and the maximum of x, y and z, and returns the new box of the leaf.
pub fn with_leaf_box(mesh: &[u8], change: impl FnOnce([f32; 6], [f32; 6]) -> [f32; 6]) -> Vec<u8> {
    let opened = Mesh::open(mesh).unwrap();
    let tree = opened.tree(0).unwrap().unwrap();
    let box_of = |node: usize| tree.boxes().get(node).unwrap();
    let children = |node: usize| tree.nodes()[node].children().into_iter().flatten().map(move |child| (child, node));
    let is_loosened = |(child, parent): &(usize, usize)| {
        tree.nodes()[*child].is_leaf() && box_of(*child).map(f32::to_bits) != box_of(*parent).map(f32::to_bits)
    };
    let (leaf, parent) = (0..tree.nodes().len()).flat_map(children).find(is_loosened).unwrap();
    with_node_box(mesh, leaf, |own| change(own, box_of(parent)))
}

/// Changes the box of a node of the tree of surface 0, which must be stored uncompressed.
pub fn with_node_box(mesh: &[u8], node: usize, change: impl FnOnce([f32; 6]) -> [f32; 6]) -> Vec<u8> {
    let opened = Mesh::open(mesh).unwrap();
    let tree = opened.tree(0).unwrap().unwrap();
    let boxes = tree.boxes().as_bytes();
    let start = boxes.as_ptr().addr() - mesh.as_ptr().addr() + node * 24;
    let mut changed = mesh.to_vec();
    let floats = change(tree.boxes().get(node).unwrap());
    changed[start..start + 24].copy_from_slice(&floats.map(f32::to_le_bytes).concat());
    changed
}

/// Assembles a mesh with a correct table of block offsets.
pub fn put_together(header: &[u8], geometry: &[RawBlock], trees: &[RawBlock]) -> Vec<u8> {
    let places = places(header, geometry);
    put_together_with(header, geometry, trees, &places)
}

/// Returns the offsets of the geometry blocks in the assembled file.
pub fn places(header: &[u8], geometry: &[RawBlock]) -> Vec<i64> {
    let mut at = header.len();
    let place = |block: &RawBlock| {
        let here = at;
        at += 16 + block.bytes.len();
        i64::try_from(here).unwrap()
    };
    geometry.iter().map(place).collect()
}

/// Assembles a mesh with the given table of block offsets.
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

/// Encodes a compact int as the engine does.
fn count(value: usize) -> Vec<u8> {
    let (bytes, length) = compact::encode(i32::try_from(value).unwrap());
    bytes[..length].to_vec()
}

/// Encodes the header of a mesh of unnamed surfaces.
///
/// `targets` is the number of morph targets of each surface, and `counts` has the numbers of
/// positions and of indices in the two streams. The mesh has one bone if the generation has bones.
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

/// Writes a mesh without animations that has the surfaces of the given mesh `times` times. It needs
/// no memory for the repeated bytes.
pub fn repeat(bytes: &[u8], times: usize, out: &mut impl Write) -> io::Result<()> {
    let mesh = Mesh::open(bytes).unwrap();
    let mut fields = Vec::new();
    mesh.regions(0, &mut |region| fields.push((region.field.to_string(), region.start, region.end))).unwrap();
    let find = |name: &str| fields.iter().find(|(field, ..)| field == name).unwrap();
    let ((_, before, first), (_, after, _)) = (find("surfaces.count"), find("memory_estimate"));
    let blocks: Vec<_> = (0..mesh.surface_count()).map(|index| mesh.blocks(index).unwrap().unwrap()).collect();
    let span = |part: usize| (blocks[0][part].offset, blocks[blocks.len() - 1][part].end());
    let (geometry, trees) = (span(0), span(1));
    let part = |start: u64, end: u64| &bytes[usize::try_from(start).unwrap()..usize::try_from(end).unwrap()];
    let surfaces = count(blocks.len() * times);
    let entries = part(*first, *after);
    out.write_all(part(0, *before))?;
    out.write_all(&surfaces)?;
    (0..times).try_for_each(|_| out.write_all(entries))?;
    out.write_all(part(*after, geometry.0))?;
    (0..times).try_for_each(|_| out.write_all(part(geometry.0, geometry.1)))?;
    out.write_all(part(geometry.1, trees.0))?;
    (0..times).try_for_each(|_| out.write_all(part(trees.0, trees.1)))?;
    out.write_all(&bytes[..4])?;
    let start = *before + as_u64(surfaces.len()) + as_u64(entries.len() * times) + (geometry.0 - *after);
    for round in 0..as_u64(times) {
        for block in &blocks {
            let place = start + round * (geometry.1 - geometry.0) + (block[0].offset - geometry.0);
            out.write_all(&place.to_le_bytes())?;
        }
    }
    out.write_all(&bytes[..4])
}

fn as_u64(length: usize) -> u64 {
    u64::try_from(length).unwrap()
}
