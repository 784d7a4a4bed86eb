//! Tests of files with many tiny surfaces, sections, bones or animations. Memory and time must not
//! grow with their number times the size of the data that they share.

use meshpeek::array::Bounds;
use meshpeek::decode::{Floats, Index};
use meshpeek::model::animation::SkinMatrix;
use meshpeek::model::{IndexEncoding, Indices, PositionEncoding, Positions};
use meshpeek::query::{Ray, Scene, Tree, Triangles};
use meshpeek::render::{Overlay, PictureOptions, SceneInput, Shading, draw};
use meshpeek::{Model, Packed, Skeleton};
use zerocopy::FromBytes as _;
use zerocopy::little_endian::{F32, U32};

use crate::peak;
use crate::support::ezmesh::builder as ezmesh;
use crate::support::query::{Flat, Shape, grid};
use crate::support::secondlife::raw_assets;
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
        let mut trees = 0;
        let held = peak(|| trees = scene.trees().count());
        assert_eq!((trees, held), (if triangles > 8 { SURFACES } else { 0 }, 0), "{triangles} triangles");
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
    let positions = Positions(PositionEncoding::F32(Packed::new(positions, Floats)));
    for count in [0, 1, 100] {
        let indices: Vec<U32> = (0..count * 3).map(|at| U32::new(at * 10_000)).collect();
        let triangles =
            Triangles::from_arrays(positions, Indices(IndexEncoding::U32(Packed::new(&indices, Index::new()))));
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
    let bytes = file.to_ezb(meshpeek::decode::ByteOrder::Little);
    assert!(bytes.len() < 1 << 20, "{} bytes", bytes.len());
    let model = Model::open(bytes).unwrap();
    let geometry = model.geometry();
    assert_eq!(geometry.surface_count().unwrap(), 3000);
    let start = Stopwatch::start();
    let scene = Scene::new(geometry).unwrap();
    assert!(start.elapsed().as_millis() < 500, "{:?}", start.elapsed());
    assert!(scene.trees().all(|(_, tree)| !tree.bounds().is_empty()));
}

fn text_of_bones(count: usize) -> Vec<u8> {
    format!("<MeshSystem><Skeletons><Skeleton>{}</Skeleton></Skeletons></MeshSystem>", "<Bone/>".repeat(count)).into()
}

#[test]
fn a_skeleton_takes_at_most_16_times_its_elements() {
    const BONES: usize = 20_000;
    let model = Model::open(text_of_bones(BONES)).unwrap();
    let animations = model.animations();
    assert_eq!(animations.bone_count().unwrap(), BONES);
    // The first call also resolves the names of the parents, which the file then keeps.
    drop(Skeleton::new(animations).unwrap());
    let mut skeleton = None;
    let held = peak(|| skeleton = Some(Skeleton::new(animations).unwrap()));
    assert!(held <= 16 * "<Bone/>".len() * BONES, "{} bytes for each bone", held / BONES);
    let skeleton = skeleton.unwrap();
    let mut palette = vec![SkinMatrix::IDENTITY; BONES];
    skeleton.palette(skeleton.bind(), &mut palette).unwrap();
    assert!(palette.iter().all(|matrix| *matrix == SkinMatrix::IDENTITY));
    // A skeleton of few bones has all that a palette needs.
    let few = Model::open(text_of_bones(4096)).unwrap();
    let skeleton = Skeleton::new(few.animations()).unwrap();
    assert_eq!(peak(|| skeleton.palette(skeleton.bind(), &mut palette[..4096]).unwrap()), 0);
}

#[test]
fn surfaces_without_vertices_take_no_memory_of_a_scene() {
    let flat = Flat(vec![Shape::default(); 200_000]);
    let mut scene = Scene::empty();
    let held = peak(|| scene = Scene::new(&flat).unwrap());
    assert!(held <= 320 << 16, "{held} bytes");
    assert!(scene.triangles(7).is_none() && scene.bounds().is_empty() && scene.trees().next().is_none());
    let lone = Flat(vec![Shape::new(&[[1.0; 3]], &[]), row(1)]);
    let scene = Scene::new(&lone).unwrap();
    assert_eq!(scene.triangles(0).map(Triangles::vertex_count), Some(1), "vertices without triangles");
    assert_eq!(scene.refit(|surface| Ok(lone.0[surface].triangles())).unwrap().bounds(), scene.bounds());
}

#[test]
fn pictures_of_many_surfaces_take_little_memory() {
    const SURFACES: usize = 30_000;
    let options = PictureOptions::default().with_size([32; 2]);
    let overlays = vec![Overlay::Normals, Overlay::Bounds, Overlay::Hulls, Overlay::Skeleton];
    let styles = [options.clone(), options.clone().with_shading(Shading::Uv), options.with_overlays(overlays)];
    let empty = raw_assets::with(raw_assets::square(), "TriangleList", raw_assets::codes(&[]));
    for surface in [vec![("NoGeometry", b"1".to_vec())], empty] {
        let level = raw_assets::level(&vec![surface; SURFACES]);
        let file = raw_assets::asset(&[("high_lod", level)]);
        let model = Model::open(file.as_slice()).unwrap();
        let input = SceneInput::new(&model);
        // The block is inflated and located before.
        draw(&input, &styles[0]).unwrap();
        for options in &styles {
            let held = peak(|| draw(&input, options).unwrap());
            assert!(held <= (1 << 20) + 40 * SURFACES, "{held} bytes held for {:?}", options.overlays);
        }
    }
}

/// Tests that finding levels of detail takes time and memory for the names only.
#[test]
fn levels_of_many_surfaces_take_little_time_and_memory() {
    use crate::support::unigine::builder;
    use meshpeek::model::Asset as _;
    use meshpeek::unigine::{Generation, Mesh};
    let long = "no_shadow_lod_lo".repeat(16);
    for name in [|_: usize| String::from("lod_0"), |at| format!("lod_{at}"), |at| format!("part{at}_lod_{}", at % 2)] {
        let surface = |at: usize| builder::Surface {
            name: format!("{long}{}", name(at)),
            targets: vec![builder::MorphTarget::default()],
            ..builder::Surface::default()
        };
        let surfaces = (0..20_000).map(surface).collect();
        let bytes = builder::Mesh { surfaces, ..builder::Mesh::new(Generation::Ms12) }.to_bytes().unwrap();
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        let start = Stopwatch::start();
        let mut count = 0;
        let held = peak(|| count = mesh.level_count().unwrap());
        assert!(count <= 2, "{count} levels");
        assert!(held <= 2 * bytes.len(), "{held} bytes for a file of {}", bytes.len());
        assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    }
}
