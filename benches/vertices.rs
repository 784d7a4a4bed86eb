//! Compares vertices that are ready for a GPU, 20 bytes each, with only decoding their three arrays
//! to buffers that are used again.
//!
//! The vertices have a position of three floats, a normal of four bytes and texture coordinates of
//! two half floats. Real files of `MESHPEEK_CORPUS` are measured too.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "a panic is how a bench fails"
)]

mod support;

use support::{claims, inputs, real};

use std::cell::RefCell;

use meshpeek::gpu::{Semantic, VertexFormat, VertexLayout};
use meshpeek::{Array, Model};
use support::claims::{Bar, Contestant, claim};

/// Real files: the folder of the format, and a part of the name.
const REAL: [(&str, &str); 3] =
    [("unigine", "ms13_a3d65795"), ("ezmesh", "cs_gold2_atlas.ezb"), ("secondlife", "C3C6A477")];
/// The number of vertices of the generated UNIGINE mesh along each side.
const SIDE: u32 = 240;

fn main() {
    claims::title("interleaved vertices of 20 bytes");
    let side = if claims::testing() { 8 } else { SIDE };
    measure("generated ms13", &inputs::mesh(1, side, false).to_bytes().unwrap());
    measure("generated Second Life", &inputs::asset::asset(false));
    for (format, name) in REAL {
        match real(format, name) {
            Some(path) => measure(name, &std::fs::read(path).unwrap()),
            None => claims::skipped(name, "MESHPEEK_CORPUS has no such file"),
        }
    }
}

/// Measures the surface with the most vertices.
fn measure(name: &str, bytes: &[u8]) {
    let model = Model::open(bytes).unwrap();
    let surfaces = model.surfaces().unwrap();
    let surface = surfaces.max_by_key(|surface| surface.counts().unwrap().attribute_vertices).unwrap();
    let layout = VertexLayout::packed(&[
        (Semantic::Position, VertexFormat::Float32x3),
        (Semantic::Normal, VertexFormat::Snorm8x4),
        (Semantic::Uv(0), VertexFormat::Float16x2),
    ])
    .unwrap();
    let drawable = surface.drawable().unwrap();
    let source = drawable.vertices(&layout).unwrap();
    let out = RefCell::new(vec![0; source.byte_len()]);
    let (positions, normals) = (surface.positions().unwrap(), surface.normals().unwrap().unwrap());
    let uvs = surface.uvs(0).unwrap().unwrap();
    let planar =
        RefCell::new((vec![[0.0; 3]; positions.len()], vec![[0.0; 3]; normals.len()], vec![[0.0; 2]; uvs.len()]));
    let contestants = [
        Contestant::new("vertices", || {
            ((), source.write_into(0..source.vertex_count(), &mut out.borrow_mut()).unwrap())
        })
        .again(),
        Contestant::new("arrays", || {
            let (position, normal, uv) = &mut *planar.borrow_mut();
            positions.decode_into(position).unwrap();
            normals.decode_into(normal).unwrap();
            ((), uvs.decode_into(uv).unwrap())
        })
        .again(),
    ];
    let [ours, planar] = claims::race(101, &contestants);
    let count = source.vertex_count();
    claim(&format!("{name}, {count} vertices"), ours.times(1e9 / count as f64), "ns a vertex", Bar::None);
    claim(&format!("{name}, vertices / arrays"), ours.over(&planar), "of the time", Bar::AtMost(1.5));
}
