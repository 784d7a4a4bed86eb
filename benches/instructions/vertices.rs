//! Vertices in the layout of a GPU, and only decoding their arrays for comparison.

use std::cell::RefCell;
use std::hint::black_box;

use meshpeek::gpu::{Drawable, Semantic, VertexFormat, VertexLayout};
use meshpeek::{Array, Model, Surface};

use super::callgrind::{Kernel, lend};
use crate::support::inputs;

/// The number of vertices in the shorter of two runs. It is a multiple of the number of vertices in
/// a block, and twice this number is the fewest vertices that an input has.
const ITEMS: usize = 1024;
/// The number of quads along one side of the UNIGINE surface.
const SIDE: u32 = 60;

/// The attributes of a vertex of 20 bytes.
const STATIC: [(Semantic, VertexFormat); 3] = [
    (Semantic::Position, VertexFormat::Float32x3),
    (Semantic::Normal, VertexFormat::Snorm8x4),
    (Semantic::Uv(0), VertexFormat::Float16x2),
];
/// The attributes that a skinned vertex has in addition.
const SKIN: [(Semantic, VertexFormat); 2] =
    [(Semantic::Joints, VertexFormat::Uint8x4), (Semantic::Weights, VertexFormat::Unorm8x4)];

pub fn kernels() -> Vec<Kernel> {
    let ms13 = open(inputs::mesh(1, SIDE, false).to_bytes().unwrap());
    let asset = open(inputs::asset::asset_of(false, 1));
    let ezb = open(inputs::text::records_of(false, 2 * ITEMS as u32));
    let skinned_ms13 = open(inputs::mesh(1, SIDE, true).to_bytes().unwrap());
    let skinned_asset = open(inputs::asset::asset_of(true, 1));
    vec![
        arrays("arrays of a vertex, ms13", ms13),
        vertices("vertices of 20 bytes, ms13, welded", ms13, &STATIC),
        arrays("arrays of a vertex, Second Life", asset),
        vertices("vertices of 20 bytes, Second Life", asset, &STATIC),
        arrays("arrays of a vertex, EZ-Mesh binary", ezb),
        vertices("vertices of 20 bytes, EZ-Mesh binary", ezb, &STATIC),
        vertices("vertices of 28 bytes with a skin, ms13, welded", skinned_ms13, &[&STATIC[..], &SKIN].concat()),
        vertices("vertices of 28 bytes with a skin, Second Life", skinned_asset, &[&STATIC[..], &SKIN].concat()),
    ]
}

fn open(bytes: Vec<u8>) -> Surface<'static> {
    let model = lend(Model::open(bytes).unwrap());
    model.surface(0).unwrap()
}

/// Returns a kernel that decodes the positions, normals and texture coordinates to buffers.
fn arrays(name: &'static str, surface: Surface<'static>) -> Kernel {
    let positions = surface.positions().unwrap();
    let (normals, uvs) = (surface.normals().unwrap().unwrap(), surface.uvs(0).unwrap().unwrap());
    let out = RefCell::new((vec![[0.0; 3]; 2 * ITEMS], vec![[0.0; 3]; 2 * ITEMS], vec![[0.0; 2]; 2 * ITEMS]));
    Kernel::new(name, ITEMS, move |items| {
        let (position, normal, uv) = &mut *out.borrow_mut();
        positions.slice(0..items).unwrap().decode_into(black_box(&mut position[..items])).unwrap();
        normals.slice(0..items).unwrap().decode_into(black_box(&mut normal[..items])).unwrap();
        uvs.slice(0..items).unwrap().decode_into(black_box(&mut uv[..items])).unwrap();
    })
}

/// Returns a kernel that writes vertices.
fn vertices(name: &'static str, surface: Surface<'static>, attributes: &[(Semantic, VertexFormat)]) -> Kernel {
    let layout = VertexLayout::packed(attributes).unwrap();
    let drawable: &'static Drawable<'static> = lend(surface.drawable().unwrap());
    let (source, stride) = (drawable.vertices(&layout).unwrap(), layout.stride() as usize);
    let out = RefCell::new(vec![0; 2 * ITEMS * stride]);
    Kernel::new(name, ITEMS, move |items| {
        source.write_into(0..items, black_box(&mut out.borrow_mut()[..items * stride])).unwrap();
    })
}
