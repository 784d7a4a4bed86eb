//! Tests of files with many tiny surfaces, sections, bones or animations. Memory and time must not
//! grow with their number times the size of the data that they share.

use std::io::Write as _;

use meshpeek::array::Bounds;
use meshpeek::decode::{Floats, Index};
use meshpeek::ezmesh::builder as ezmesh;
use meshpeek::model::{Indices, Positions};
use meshpeek::query::{Ray, Scene, Tree, Triangles};
use meshpeek::{Model, Packed, Skeleton};
use zerocopy::FromBytes as _;
use zerocopy::little_endian::{F32, U32};

use crate::peak;
use crate::support::query::{Flat, Shape, grid};
use crate::support::stopwatch::Stopwatch;

/// Makes a shape of `count` triangles next to each other, which share no vertices.
fn row(count: usize) -> Shape {
    let triangle = |at: usize| [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]].map(|[x, y]| [x + at as f32, y, 0.0]);
    Shape::soup(&(0..count).map(triangle).collect::<Vec<_>>())
}

#[test]
fn a_tree_takes_memory_for_its_nodes_only() {
    for count in 0..=8 {
        let shape = row(count);
        let (triangles, mut tree) = (shape.triangles(), None);
        let held = peak(|| tree = Tree::new(&triangles).ok());
        let tree = tree.unwrap();
        assert_eq!((tree.bytes(), tree.node_count(), held), (0, 0, 0), "{count} triangles");
        assert_eq!(tree.bounds().is_empty(), count == 0);
        assert_eq!(tree.refit(&triangles).unwrap().bounds(), tree.bounds());
    }
    for count in [9, 20, 100, 300] {
        let tree = Tree::new(&row(count).triangles()).unwrap();
        assert!(tree.bytes() <= 96 * tree.node_count() + 4 * count as u64, "{count} triangles: {tree:?}");
        assert!(tree.bytes() <= 64 * count as u64, "{count} triangles: {tree:?}");
        assert!(tree.refit(&row(count).triangles()).unwrap().bytes() == tree.bytes(), "{count} triangles");
    }
}

#[test]
fn surfaces_of_few_triangles_take_less_than_their_file() {
    const SURFACES: usize = 20_000;
    for (triangles, most) in [(0, 256), (1, 256), (8, 256), (9, 1024)] {
        let flat = Flat(vec![row(triangles); SURFACES]);
        let mut scene = None;
        let held = peak(|| scene = Some(Scene::new(&flat).unwrap()));
        assert!(held <= most * SURFACES, "{triangles} triangles: {} bytes for each surface", held / SURFACES);
        let scene = scene.unwrap();
        let hit = scene.ray(&Ray::new([0.25, 0.25, 1.0], [0.0, 0.0, -1.0]));
        assert_eq!(hit.map(|hit| (hit.surface, hit.triangle)), (triangles > 0).then_some((0, 0)));
        assert_eq!(scene.trees().len(), SURFACES);
        let whole = Bounds { min: [0.0; 3], max: [triangles as f32, 1.0, 0.0] };
        assert_eq!(scene.bounds(), if triangles == 0 { Bounds::EMPTY } else { whole });
    }
}

#[test]
fn building_reads_only_the_positions_that_triangles_use() {
    // A sparse file of this size is small on the disk.
    const VERTICES: usize = 1 << 25;
    let bytes = vec![0; VERTICES * 12];
    let positions = <[[F32; 3]]>::ref_from_bytes(&bytes).unwrap();
    let positions = Positions::F32(Packed::new(positions, Floats));
    for count in [0, 1, 100] {
        let indices: Vec<U32> = (0..count * 3).map(|at| U32::new(at * 10_000)).collect();
        let triangles = Triangles::from_arrays(positions, Indices::U32(Packed::new(&indices, Index::new())));
        let start = Stopwatch::start();
        for _ in 0..20 {
            assert_eq!(Tree::new(&triangles).unwrap().bounds().is_empty(), count == 0);
        }
        assert!(start.elapsed().as_millis() < 200, "{count} triangles: {:?}", start.elapsed());
    }
}

#[test]
fn sections_that_share_vertices_take_time_for_their_triangles() {
    // 3,000 sections and 30,000 vertices are less than a MiB.
    let shared = grid(172);
    let positions = shared.positions.iter().map(|position| position.map(F32::get));
    let section = |at: u32| ezmesh::Section {
        triangles: (0..9).map(|triangle| [at + triangle, at + triangle + 1, at + triangle + 173]).collect(),
        ..ezmesh::Section::default()
    };
    let file = ezmesh::Mesh {
        meshes: vec![ezmesh::MeshElement {
            name: b"shared".to_vec(),
            vertices: Some(vec![ezmesh::Column::positions(positions)].into()),
            sections: (0..3000).map(|at| section(at * 9)).collect(),
            ..ezmesh::MeshElement::default()
        }],
        ..ezmesh::Mesh::default()
    };
    let bytes = file.to_ezb(meshpeek::decode::ByteOrder::Little).unwrap();
    assert!(bytes.len() < 1 << 20, "{} bytes", bytes.len());
    let model = Model::open(bytes).unwrap();
    let geometry = model.geometry().unwrap();
    assert_eq!(geometry.surface_count(), 3000);
    let start = Stopwatch::start();
    let scene = Scene::new(geometry).unwrap();
    assert!(start.elapsed().as_millis() < 500, "{:?}", start.elapsed());
    assert!(scene.trees().all(|(_, tree)| !tree.bounds().is_empty()));
}

#[test]
fn a_skeleton_takes_little_besides_itself() {
    const BONES: usize = 20_000;
    let mut text = b"<MeshSystem><Skeletons><Skeleton>".to_vec();
    for _ in 0..BONES {
        text.extend(b"<Bone/>");
    }
    text.write_all(b"</Skeleton></Skeletons></MeshSystem>").unwrap();
    let model = Model::open(text).unwrap();
    let animations = model.animations().unwrap();
    assert_eq!(animations.bone_count(), BONES);
    // The first call also resolves the names of the parents, which the file then keeps.
    drop(Skeleton::new(animations).unwrap());
    let held = peak(|| Skeleton::new(animations).unwrap());
    assert!(held <= 216 * BONES, "{} bytes for each bone", held / BONES);
}
