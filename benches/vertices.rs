//! Compares vertices that are ready for a GPU, 20 bytes each, with only decoding their three arrays
//! to buffers that are used again.
//!
//! The vertices have a position of three floats, a normal of four bytes and texture coordinates of
//! two half floats. Skinned vertices have 28 bytes: four joints and four weights of one byte each
//! follow. They are compared with the same arrays, and with arrays that also have the first four
//! bones and weights of each position. Real files of `MESHPEEK_CORPUS` are measured too.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "a panic is how a bench fails"
)]

mod support;

use support::{claims, inputs, real, unigine_builder};

use std::cell::RefCell;

use meshpeek::decode::Influence;
use meshpeek::gpu::{Semantic, VertexFormat, VertexLayout};
use meshpeek::{Array, Model, Surface};
use support::claims::{Bar, Contestant, claim};

/// Real files: the folder of the format, and a part of the name.
const REAL: [(&str, &str); 3] =
    [("unigine", "ms13_a3d65795"), ("ezmesh", "cs_gold2_atlas.ezb"), ("secondlife", "C3C6A477")];
/// The number of vertices of the generated UNIGINE mesh along each side.
const SIDE: u32 = 240;
/// The same of the skinned mesh. A surface of a skinned ms13 file has about 1,000 positions and
/// 4,000 vertices.
const SKINNED_SIDE: u32 = 32;

/// The attributes of a vertex.
const STATIC: [(Semantic, VertexFormat); 3] = [
    (Semantic::Position, VertexFormat::Float32x3),
    (Semantic::Normal, VertexFormat::Snorm8x4),
    (Semantic::Uv(0), VertexFormat::Float16x2),
];
/// The attributes that a skinned vertex has in addition.
const SKIN: [(Semantic, VertexFormat); 2] =
    [(Semantic::Joints, VertexFormat::Uint8x4), (Semantic::Weights, VertexFormat::Unorm8x4)];

fn main() {
    claims::title("interleaved vertices of 20 bytes");
    let side = if claims::testing() { 8 } else { SIDE };
    measure("generated ms13", &inputs::mesh(1, side, false).to_bytes().unwrap());
    measure("generated Second Life", &inputs::asset::asset(false));
    measure("generated skinned ms13", &skinned(if claims::testing() { 8 } else { SKINNED_SIDE }).to_bytes().unwrap());
    for (format, name) in REAL {
        match real(format, name) {
            Some(path) => measure(name, &std::fs::read(path).unwrap()),
            None => claims::skipped(name, "MESHPEEK_CORPUS has no such file"),
        }
    }
}

/// Returns a mesh with the traits of skinned ms13 files: four vertices for each position, one to
/// four weights that differ, and triangles that use positions and vertices in another order than
/// that of the file.
fn skinned(side: u32) -> unigine_builder::Mesh {
    let mut mesh = inputs::mesh(1, side, true);
    let surface = &mut mesh.surfaces[0];
    let (corners, attributes) = (std::mem::take(&mut surface.indices), std::mem::take(&mut surface.attribute_indices));
    // Each quad gets attribute vertices of its own. Its corners 3 and 4 repeat the corners 0 and 2.
    let quads = attributes.chunks(6).flat_map(|quad| [quad[0], quad[1], quad[2], quad[5]]);
    let own: Vec<usize> = quads.map(|attribute| attribute as usize).collect();
    let (frames, uvs) = (&mut surface.targets[0].frames, &mut surface.uvs[0]);
    *frames = own.iter().map(|attribute| frames[*attribute]).collect();
    *uvs = own.iter().map(|attribute| uvs[*attribute]).collect();
    let mut order: Vec<u32> = (0..side * side).collect();
    order.sort_by_key(|quad| inputs::random(*quad));
    surface.indices = order.iter().flat_map(|quad| corners[*quad as usize * 6..][..6].to_vec()).collect();
    surface.attribute_indices =
        order.iter().flat_map(|quad| [0, 1, 2, 0, 2, 3].map(|corner| quad * 4 + corner)).collect();
    for (one, number) in surface.weights.iter_mut().flatten().zip(0..) {
        one.weight *= (inputs::random(number) % 1000 + 1) as f32 / 1000.0;
    }
    mesh
}

/// Measures the surface with the most vertices.
fn measure(name: &str, bytes: &[u8]) {
    let model = Model::open(bytes).unwrap();
    let surfaces = model.surfaces().unwrap();
    let surface = surfaces.max_by_key(|surface| surface.counts().unwrap().attribute_vertices).unwrap();
    if surface.weights().unwrap().is_some() {
        measure_skinned(name, &surface);
    }
    let layout = VertexLayout::packed(&STATIC).unwrap();
    let drawable = surface.drawable().unwrap();
    let source = drawable.vertices(&layout).unwrap();
    let (out, arrays) = (RefCell::new(vec![0; source.byte_len()]), RefCell::new(Arrays::of(&surface)));
    let contestants = [
        Contestant::new("vertices", || {
            ((), source.write_into(0..source.vertex_count(), &mut out.borrow_mut()).unwrap())
        })
        .again(),
        Contestant::new("arrays", || ((), arrays.borrow_mut().decode(&surface))).again(),
    ];
    let [ours, planar] = claims::race(101, &contestants);
    let count = source.vertex_count();
    claim(&format!("{name}, {count} vertices"), ours.times(1e9 / count as f64), "ns a vertex", Bar::None);
    claim(&format!("{name}, vertices / arrays"), ours.over(&planar), "of the time", Bar::AtMost(1.5));
}

/// Measures skinned vertices. Making their source is measured too, because it may read the weights.
fn measure_skinned(name: &str, surface: &Surface<'_>) {
    let layout = VertexLayout::packed(&[&STATIC[..], &SKIN].concat()).unwrap();
    let drawable = surface.drawable().unwrap();
    let (count, size) = drawable.vertices(&layout).map(|source| (source.vertex_count(), source.byte_len())).unwrap();
    let (out, arrays) = (RefCell::new(vec![0; size]), RefCell::new(Arrays::of(surface)));
    let contestants = [
        Contestant::new("vertices", || {
            let source = drawable.vertices(&layout).unwrap();
            ((), source.write_into(0..count, &mut out.borrow_mut()).unwrap())
        })
        .again(),
        Contestant::new("arrays", || ((), arrays.borrow_mut().decode(surface))).again(),
        Contestant::new("arrays with weights", || {
            arrays.borrow_mut().decode(surface);
            ((), arrays.borrow_mut().decode_weights(surface))
        })
        .again(),
    ];
    let [ours, planar, skinned] = claims::race(101, &contestants);
    claim(&format!("{name}, {count} skinned vertices"), ours.times(1e9 / count as f64), "ns a vertex", Bar::None);
    claim(&format!("{name}, skinned / arrays"), ours.over(&planar), "times", Bar::AtMost(6.0));
    let over = ours.over(&skinned);
    claim(&format!("{name}, skinned / arrays with weights"), over, "times", Bar::AtMost(2.5));
}

/// The decoded arrays of a surface.
struct Arrays {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    /// The first four bones and weights of each position.
    weights: Vec<[Influence; 4]>,
}

impl Arrays {
    fn of(surface: &Surface<'_>) -> Self {
        let (positions, normals) = (surface.positions().unwrap(), surface.normals().unwrap().unwrap());
        Self {
            positions: vec![[0.0; 3]; positions.len()],
            normals: vec![[0.0; 3]; normals.len()],
            uvs: vec![[0.0; 2]; surface.uvs(0).unwrap().unwrap().len()],
            weights: vec![[Influence::default(); 4]; positions.len()],
        }
    }

    fn decode(&mut self, surface: &Surface<'_>) {
        surface.positions().unwrap().decode_into(&mut self.positions).unwrap();
        surface.normals().unwrap().unwrap().decode_into(&mut self.normals).unwrap();
        surface.uvs(0).unwrap().unwrap().decode_into(&mut self.uvs).unwrap();
    }

    fn decode_weights(&mut self, surface: &Surface<'_>) {
        for (influences, places) in surface.weights().unwrap().unwrap().iter().zip(&mut self.weights) {
            *places = [Influence::default(); 4];
            for (one, place) in influences.iter().zip(places) {
                *place = one;
            }
        }
    }
}
