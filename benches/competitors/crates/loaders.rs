//! The loaders, each used as its documentation recommends.
#![allow(
    unsafe_code,
    reason = "the files are mapped: they are in a temporary folder of this process, and no process writes to them any more"
)]

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use gltf::mesh::util::ReadIndices;
use meshpeek::internals::Lists;
use meshpeek::unigine::Mesh;
use meshpeek::{Array, Model};
use meshpeek_competitors::version;
use obvhs::BvhBuildParams;
use obvhs::cwbvh::builder::build_cwbvh_from_tris;
use parry3d::shape::TriMesh;
use safetensors::SafeTensors;
use zerocopy::FromBytes;

use crate::files::Files;
use crate::{Answer, Held, Loader, Question};

pub const MESHPEEK: Loader =
    Loader { name: "meshpeek", note: "", reads: ".mesh", version: || version("meshpeek"), answer: meshpeek };
pub const COPYING: Loader = Loader {
    name: "copying loader",
    note: "reads the whole file and decodes everything in it into lists",
    reads: ".mesh",
    version: || version("meshpeek"),
    answer: copying,
};
pub const GLTF: Loader = Loader {
    name: "gltf",
    note: "Gltf::open copies the file; positions are read into a list where all are wanted",
    reads: ".glb",
    version: || version("gltf"),
    answer: gltf,
};
pub const GLTF_MAPPED: Loader = Loader {
    name: "gltf, mapped",
    note: "the crate's parts put together so that the file is mapped and not copied",
    reads: ".glb",
    version: || version("gltf"),
    answer: gltf_mapped,
};
pub const SAFETENSORS: Loader = Loader {
    name: "safetensors",
    note: "mapped, and nothing is copied: its floats are aligned and lent as they are",
    reads: ".safetensors",
    version: || version("safetensors"),
    answer: safetensors,
};
pub const PARRY3D: Loader = Loader {
    name: "parry3d",
    note: "reads through meshpeek and then builds a tree for questions to come; meshpeek builds none",
    reads: ".mesh",
    version: || version("parry3d"),
    answer: parry3d,
};
pub const OBVHS: Loader = Loader {
    name: "obvhs",
    note: "reads through meshpeek and then builds a tree for questions to come, CwBvh by medium_build on one thread; \
           meshpeek builds none",
    reads: ".mesh",
    version: || version("obvhs"),
    answer: obvhs,
};

/// Returns the minimum and the maximum of each axis. The number of accumulators lets the compiler
/// use vector instructions.
pub fn bounds(positions: &[[f32; 3]]) -> [[f32; 3]; 2] {
    let (mut least, mut most) = ([f32::INFINITY; 48], [f32::NEG_INFINITY; 48]);
    let mut see = |values: &[f32]| {
        for ((least, most), value) in least.iter_mut().zip(&mut most).zip(values) {
            *least = if value < least { *value } else { *least };
            *most = if value > most { *value } else { *most };
        }
    };
    let (rows, rest) = positions.as_flattened().as_chunks::<48>();
    rows.iter().for_each(|row| see(row));
    see(rest);
    let over = |all: [f32; 48], pick: fn(f32, f32) -> f32| {
        [0, 1, 2].map(|axis| all.into_iter().skip(axis).step_by(3).reduce(pick).unwrap())
    };
    [over(least, f32::min), over(most, f32::max)]
}

/// Returns the bounding box of several boxes.
fn union(boxes: impl Iterator<Item = [[f32; 3]; 2]>) -> Answer {
    bounds(&boxes.collect::<Vec<_>>().concat()).into()
}

fn map(path: &Path) -> memmap2::Mmap {
    let file = File::open(path).unwrap();
    // SAFETY: no process writes to the file any more.
    unsafe { memmap2::Mmap::map(&file).unwrap() }
}

fn open(files: &Files) -> Mesh<meshpeek::Map> {
    // SAFETY: no process writes to the file any more.
    Mesh::open(unsafe { meshpeek::Map::open(files.path(".mesh")).unwrap() }).unwrap()
}

fn meshpeek(files: &Files, question: Question) -> (Answer, Held) {
    let mesh = open(files);
    let answer = {
        let surface = mesh.surface(0).unwrap();
        let positions = || surface.positions().unwrap();
        match question {
            Question::FirstVertex => vec![positions().get(0).unwrap()],
            Question::FirstTriangle => {
                let indices = surface.indices().unwrap();
                [0, 1, 2].map(|corner| positions().get(indices.get(corner).unwrap() as usize).unwrap()).into()
            }
            Question::Bounds => {
                let boxes = mesh.surfaces().map(|surface| surface.unwrap().positions().unwrap().bounds());
                union(boxes.map(|bounds| [bounds.min, bounds.max]))
            }
        }
    };
    (answer, Box::new(mesh))
}

fn copying(files: &Files, question: Question) -> (Answer, Held) {
    let model = Model::open(meshpeek::read(files.path(".mesh")).unwrap()).unwrap();
    let mesh = Lists::load(model.geometry()).unwrap();
    let (positions, indices) = (&mesh.surfaces[0].targets[0].positions, &mesh.surfaces[0].indices);
    let answer = match question {
        Question::FirstVertex => vec![positions[0]],
        Question::FirstTriangle => [0, 1, 2].map(|corner| positions[indices[corner] as usize]).into(),
        Question::Bounds => union(mesh.shapes.iter().map(|shape| bounds(&shape.positions))),
    };
    (answer, Box::new(mesh))
}

fn gltf(files: &Files, question: Question) -> (Answer, Held) {
    let file = gltf::Gltf::open(files.path(".glb")).unwrap();
    (of_document(&file, file.blob.as_deref().unwrap(), question), Box::new(file))
}

fn gltf_mapped(files: &Files, question: Question) -> (Answer, Held) {
    let map = map(&files.path(".glb"));
    let parts = gltf::Glb::from_slice(&map).unwrap();
    let document = gltf::Gltf::from_slice(&parts.json).unwrap();
    let answer = of_document(&document, parts.bin.as_deref().unwrap(), question);
    drop(parts);
    (answer, Box::new((document, map)))
}

fn of_document(document: &gltf::Document, blob: &[u8], question: Question) -> Answer {
    let mesh = document.meshes().next().unwrap();
    let mut positions = mesh.primitives().map(|primitive| primitive.reader(|_| Some(blob)).read_positions().unwrap());
    match question {
        Question::FirstVertex => vec![positions.next().unwrap().next().unwrap()],
        Question::FirstTriangle => {
            let primitive = mesh.primitives().next().unwrap();
            let reader = primitive.reader(|_| Some(blob));
            let Some(ReadIndices::U32(indices)) = reader.read_indices() else { panic!("other indices") };
            indices.take(3).map(|index| reader.read_positions().unwrap().nth(index as usize).unwrap()).collect()
        }
        Question::Bounds => union(positions.map(|positions| bounds(&positions.collect::<Vec<_>>()))),
    }
}

fn safetensors(files: &Files, question: Question) -> (Answer, Held) {
    let map = map(&files.path(".safetensors"));
    let tensors = SafeTensors::deserialize(&map).unwrap();
    let positions = |surface: usize| {
        let data = tensors.tensor(&format!("{surface}.POSITION")).unwrap().data();
        <[[f32; 3]]>::ref_from_bytes(data).unwrap()
    };
    let answer = match question {
        Question::FirstVertex => vec![positions(0)[0]],
        Question::FirstTriangle => {
            let data = tensors.tensor("0.indices").unwrap().data();
            let indices = <[u32]>::ref_from_bytes(data).unwrap();
            [0, 1, 2].map(|corner| positions(0)[indices[corner] as usize]).into()
        }
        Question::Bounds => union((0..files.surfaces).map(|surface| bounds(positions(surface)))),
    };
    drop(tensors);
    (answer, Box::new(map))
}

/// Reads the mesh into the lists that both libraries need, in the fastest way that meshpeek offers.
/// The measured time is therefore mostly the time of the library itself.
fn triangles<P: From<[f32; 3]>>(files: &Files) -> (Vec<P>, Vec<[u32; 3]>) {
    let mesh = open(files);
    let (mut vertices, mut corners) = (Vec::new(), Vec::new());
    for surface in mesh.surfaces() {
        let surface = surface.unwrap();
        let first = u32::try_from(vertices.len()).unwrap();
        vertices.extend(surface.positions().unwrap().iter().map(P::from));
        corners.extend(surface.indices().unwrap().iter().map(|index| first + index));
    }
    (vertices, corners.as_chunks().0.to_vec())
}

fn parry3d(files: &Files, question: Question) -> (Answer, Held) {
    let (vertices, indices) = triangles(files);
    let mesh = TriMesh::new(vertices, indices).unwrap();
    let answer: Answer = match question {
        Question::FirstVertex => vec![mesh.vertices()[0].into()],
        Question::FirstTriangle => mesh.triangle(0).vertices().map(Into::into).into(),
        Question::Bounds => [mesh.local_aabb().mins, mesh.local_aabb().maxs].map(Into::into).into(),
    };
    (answer, Box::new(mesh))
}

fn obvhs(files: &Files, question: Question) -> (Answer, Held) {
    let (vertices, indices) = triangles::<[f32; 3]>(files);
    let corner = |index: u32| vertices[index as usize].into();
    let triangles =
        indices.iter().map(|[a, b, c]| obvhs::triangle::Triangle { v0: corner(*a), v1: corner(*b), v2: corner(*c) });
    let triangles: Vec<_> = triangles.collect();
    let tree = build_cwbvh_from_tris(&triangles, BvhBuildParams::medium_build(), &mut Duration::default());
    let answer: Answer = match question {
        Question::FirstVertex => vec![triangles[0].v0.into()],
        Question::FirstTriangle => [triangles[0].v0, triangles[0].v1, triangles[0].v2].map(Into::into).into(),
        Question::Bounds => [tree.total_aabb.min, tree.total_aabb.max].map(Into::into).into(),
    };
    (answer, Box::new((triangles, tree)))
}
