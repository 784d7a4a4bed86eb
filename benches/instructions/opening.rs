//! The cost of a call from the bytes of a file to the first vertex, for any size of the file. For
//! text, it is the cost per byte.

use meshpeek::Array;
use std::hint::black_box;
use std::sync::Arc;

use crate::support::unreal_builder as builder;
use meshpeek::secondlife::{self, Lod};
use meshpeek::unigine::{Animation, AnimationGeneration, Mesh};
use meshpeek::unreal::{self, Variant};
use meshpeek::{MeshFile as _, ezmesh};

use super::access;
use super::callgrind::{Kernel, keep, lend};
use crate::support::inputs;

/// The number of files that are opened in the shorter of two runs.
const CALLS: usize = 20;
/// The number of surfaces of the meshes, and the number of quads along a side of each.
const SURFACES: usize = 16;
const SIDE: u32 = 24;
/// The number of frames of the animations.
const FRAMES: u32 = 10;
/// The number of vertices of the pair, and the number of its frames.
const VERTICES: u16 = 100;
const UNREAL_FRAMES: i16 = 3;

pub fn kernels() -> Vec<Kernel> {
    let [still, skinned] = [false, true].map(|skinned| lend(inputs::mesh(SURFACES, SIDE, skinned).to_bytes().unwrap()));
    let sidecar = lend(access::sidecar(&Mesh::open(skinned.clone()).unwrap()));
    let [an10, an11] = [AnimationGeneration::An10, AnimationGeneration::An11]
        .map(|generation| lend(inputs::motion::file(generation, FRAMES)));
    let [data, aniv] = lend(pair());
    let asset = lend(inputs::asset::asset(true));
    let text = lend(inputs::text::still().into_bytes());
    let length = text.len();
    vec![
        call("ms13 of 16 surfaces, to the first vertex", || first_of(&Mesh::open(still.as_slice()).unwrap(), 0)),
        call("the same, to the last surface's", || first_of(&Mesh::open(still.as_slice()).unwrap(), SURFACES - 1)),
        call("the same skinned, by a sidecar", || {
            let mesh = Mesh::open(skinned.as_slice()).unwrap().with_sidecar(Arc::clone(sidecar));
            first_of(&mesh, SURFACES - 1)
        }),
        call("an10, open", || Animation::open(an10.as_slice()).unwrap()),
        call("an11, to the keys", || Animation::open(an11.as_slice()).unwrap().animation(0).unwrap().key_bytes().len()),
        call("Unreal pair, to the first vertex", || {
            let mesh = unreal::Mesh::open(data.as_slice(), aniv.as_slice()).unwrap();
            mesh.frame(0).unwrap().positions().get(0).unwrap()
        }),
        call("Second Life asset, open", || secondlife::Mesh::open(asset.as_slice()).unwrap()),
        call("Second Life asset, to the first vertex", || {
            let mesh = secondlife::Mesh::open(asset.as_slice()).unwrap();
            mesh.level(Lod::High).unwrap().submesh(0).unwrap().positions().unwrap().get(0).unwrap()
        }),
        Kernel::new("EZ-Mesh text, open, each byte", length * CALLS, move |bytes| {
            (0..bytes / length).for_each(|_| keep(ezmesh::Mesh::open(black_box(text.as_slice())).unwrap()));
        }),
        Kernel::new("EZ-Mesh text, to the first vertex, each byte", length * CALLS, move |bytes| {
            for _ in 0..bytes / length {
                let system = ezmesh::Mesh::open(black_box(text.as_slice())).unwrap();
                let buffer = system.view().meshes().next().unwrap().vertex_buffer().unwrap().unwrap();
                keep(buffer.vertices().unwrap().positions().unwrap().get(0).unwrap());
            }
        }),
    ]
}

/// Returns a kernel whose items are calls.
fn call<T>(name: &'static str, call: impl Fn() -> T + 'static) -> Kernel {
    Kernel::new(name, CALLS, move |calls| (0..calls).for_each(|_| keep(call())))
}

fn first_of(mesh: &Mesh<&[u8]>, surface: usize) -> [f32; 3] {
    mesh.surface(surface).unwrap().positions().unwrap().get(0).unwrap()
}

/// Returns the bytes of a pair: triangles of three adjacent vertices, and frames with a row of
/// vertices.
fn pair() -> [Vec<u8>; 2] {
    let polygon = |first: u16| unreal::RawPolygon {
        vertices: [first, first + 1, first + 2].map(Into::into),
        ..unreal::RawPolygon::EMPTY
    };
    let row = |frame: i16| (0..VERTICES).map(|vertex| [vertex.cast_signed(), frame, 0]).collect();
    let mesh = builder::Mesh {
        polygons: (0..VERTICES - 2).map(polygon).collect(),
        frames: (0..UNREAL_FRAMES).map(row).collect(),
        ..builder::Mesh::new(Variant::Classic, VERTICES.into())
    };
    let [mut data, mut aniv] = [Vec::new(), Vec::new()];
    mesh.write_data(&mut data).unwrap();
    mesh.write_aniv(&mut aniv).unwrap();
    [data, aniv]
}
