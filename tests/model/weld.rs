//! Tests welding of surfaces with a single index stream, and gathering of arrays. The results are
//! compared with naive implementations.

use std::path::PathBuf;

use meshpeek::decode::TangentFrame;
use meshpeek::model::{IndexStream, Indices, InterpolatedPositions, Welded};
use meshpeek::unigine::{Generation, Mesh, builder};
use meshpeek::{Array, Corner, ErrorKind, Geometry, Model, Surface};

use super::geometry::{naive_weld, naive_weld_by_value, pairs, plain};
use crate::support::allocations::{allocations, most_held};
use crate::support::corpus;
use crate::support::random::Random;
use crate::support::unigine::bytes;

/// Builds a UNIGINE mesh of one surface with the given index streams. The number of attribute
/// vertices is equal to the number of positions.
fn streams(vertices: usize, indices: Vec<u32>, attribute_indices: Vec<u32>) -> Mesh<Vec<u8>> {
    let positions = (0..vertices).map(|number| [(number % 7) as f32, (number % 11) as f32, number as f32]).collect();
    let frames = vec![TangentFrame::default(); vertices];
    let targets = vec![builder::MorphTarget { positions, frames, ..builder::MorphTarget::default() }];
    let surface = builder::Surface { targets, indices, attribute_indices, ..builder::Surface::default() };
    let mesh = builder::Mesh { surfaces: vec![surface], ..builder::Mesh::new(Generation::Ms13) };
    Mesh::open(mesh.to_bytes().unwrap()).unwrap()
}

fn random_indices(random: &mut Random, vertices: usize, triangles: usize) -> Vec<u32> {
    (0..triangles * 3).map(|_| u32::try_from(random.below(vertices)).unwrap()).collect()
}

/// Welds two streams that are equal, and two streams that have the same pairs but differ in every
/// value. The second surface needs a sort, and has the same vertices by position.
#[test]
fn equal_streams_weld_as_a_sort_would() {
    let mut random = Random::new(5);
    for round in 0..200 {
        let vertices = random.within(2..5000);
        let triangles = random.below(400);
        let indices = random_indices(&mut random, vertices, triangles);
        let last = u32::try_from(vertices - 1).unwrap();
        let mirrored: Vec<u32> = indices.iter().map(|index| last - index).collect();
        let sorted = streams(vertices, indices.clone(), mirrored);
        let mut expected = Surface::new(&sorted, 0).weld().unwrap();
        for vertex in &mut expected.vertices {
            assert_eq!(vertex.attribute, last - vertex.position);
            vertex.attribute = vertex.position;
        }
        let equal = streams(vertices, indices, Surface::new(&sorted, 0).indices().unwrap().iter().collect());
        let surface = Surface::new(&equal, 0);
        assert_eq!(surface.weld().unwrap(), expected, "round {round}");
    }
}

/// Tests a single stream with every relation of the numbers of vertices and corners.
#[test]
fn a_single_stream_welds_like_its_naive_twin() {
    let mut random = Random::new(6);
    for _ in 0..300 {
        let vertices = random.within(1..3000);
        let triangles = random.below(300);
        let indices: Vec<u16> = random_indices(&mut random, vertices, triangles)
            .into_iter()
            .map(|index| u16::try_from(index).unwrap())
            .collect();
        let mesh = plain(vertices, &indices, None);
        let surface = Surface::new(&mesh, 0);
        assert!(surface.is_single_stream().unwrap());
        assert_eq!(surface.weld().unwrap(), naive_weld(surface.corners().unwrap().iter()));
    }
}

/// Tests that memory for welding does not depend on the number of vertices, if few of them are
/// used.
#[test]
fn few_corners_of_many_vertices_take_little_memory() {
    let mesh = plain(60_000, &[59_999, 7, 8], None);
    let (welded, held) = most_held(|| Surface::new(&mesh, 0).weld().unwrap());
    assert_eq!(welded.indices, [0, 1, 2]);
    assert!(held < 512, "{held} bytes");
}

#[test]
fn formats_have_one_stream_or_two() {
    for (format, is_single) in [("secondlife", true), ("ezmesh", true), ("unigine", false)] {
        let all = surfaces_of(PathBuf::from("data").join(format));
        assert!(all.iter().all(|(single, corners, _)| *single == is_single || *corners == 0), "{format}");
        assert!(all.len() > 3, "{format}: {} surfaces", all.len());
    }
    for (stem, mesh) in pairs() {
        let mut all = Surface::all(&mesh).filter_map(|surface| weld_like_twin(&surface));
        assert!(all.all(|(single, ..)| !single), "{stem}");
    }
    assert!(Surface::new(&Mesh::open(bytes("cube_ms13")).unwrap(), 9).is_single_stream().is_err());
    // Two stored streams with equal indices, and two empty streams.
    let single = |mesh: &dyn Geometry| Surface::new(mesh, 0).is_single_stream().unwrap();
    assert!(!single(&streams(3, vec![0, 1, 2], vec![0, 1, 2])) && single(&streams(3, vec![], vec![])));
}

/// Welds all surfaces of all files in a folder. Compares each with the naive implementation, and
/// returns whether it has a single stream, the number of its corners, and whether its streams are
/// equal.
fn surfaces_of(folder: PathBuf) -> Vec<(bool, usize, bool)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if !path.is_file() {
            continue;
        }
        let Ok(model) = Model::open(std::fs::read(path).unwrap()) else { continue };
        let Ok(geometry) = model.geometry() else { continue };
        for index in 0..geometry.surface_count() {
            found.extend(weld_like_twin(&Surface::new(geometry, index)));
        }
    }
    found
}

fn weld_like_twin(surface: &Surface<'_>) -> Option<(bool, usize, bool)> {
    let (corners, welded) = (surface.corners().ok()?, surface.weld().ok()?);
    let by_corner = matches!(surface.attribute_indices().unwrap(), Indices::Consecutive(_));
    let naive = if by_corner { naive_weld_by_value(surface) } else { naive_weld(corners.iter()) };
    assert!(welded == naive, "surface {}", surface.index());
    let positions: Vec<[f32; 3]> = surface.positions().unwrap().iter().collect();
    let gathered = welded.gather(surface.positions().unwrap()).unwrap();
    let expected = welded.vertices.iter().map(|vertex| positions[vertex.position as usize]);
    assert!(gathered.iter().map(bits).eq(expected.map(|position| bits(&position))));
    let equal = corners.iter().all(|corner| corner.position == corner.attribute);
    let single = surface.is_single_stream().unwrap();
    assert!(equal || !single);
    Some((single, corners.len(), equal))
}

fn bits(position: &[f32; 3]) -> [u32; 3] {
    position.map(f32::to_bits)
}

#[test]
fn real_surfaces_weld_like_their_naive_twins() {
    for (format, is_single) in [("secondlife", true), ("ezmesh", true), ("unigine", false)] {
        let Some(folder) = corpus(format) else { return };
        let all = surfaces_of(folder);
        let single = all.iter().filter(|(single, ..)| *single).count();
        let equal = all.iter().filter(|(.., equal)| *equal).count();
        eprintln!("{format}: {} surfaces, {single} with a single stream, {equal} with equal streams", all.len());
        assert!(all.iter().all(|(single, corners, _)| *single == is_single || *corners == 0), "{format}");
        assert!(all.len() > 50, "{format}");
    }
}

// Gathering.

/// Compares a gathered array with a loop over the vertices.
fn expect_gathered<A>(welded: &Welded, array: A, stream: IndexStream)
where
    A: meshpeek::model::VertexArray<Item: PartialEq + std::fmt::Debug>,
{
    let expected: Vec<A::Item> = welded
        .vertices
        .iter()
        .map(|vertex| {
            let index = if stream == IndexStream::Positions { vertex.position } else { vertex.attribute };
            array.get(index as usize).unwrap()
        })
        .collect();
    assert_eq!(A::STREAM, stream);
    assert_eq!(welded.gather(array).unwrap(), expected);
    assert_eq!(welded.gather_with(stream, |index| array.get(index)).unwrap(), expected);
    let mut out = vec![bytemuck::Zeroable::zeroed(); expected.len()];
    assert_eq!(allocations(|| welded.gather_into(array, &mut out).unwrap()), 0);
    assert_eq!(out, expected);
    for wrong in [expected.len() - 1, expected.len() + 1] {
        let mut out = vec![bytemuck::Zeroable::zeroed(); wrong];
        let error = welded.gather_into(array, &mut out).unwrap_err();
        let (needed, given) = (expected.len() as u64, wrong as u64);
        assert_eq!(format!("{:?}", error.kind()), format!("{:?}", ErrorKind::Buffer { needed, given }));
    }
}

#[test]
fn gathers_every_array_by_its_stream() {
    for file in ["unigine/room_ms11.mesh", "unigine/morph_ms13.mesh", "secondlife/arm.llmesh", "ezmesh/flag.ezm"] {
        let model = Model::open(std::fs::read(PathBuf::from("data").join(file)).unwrap()).unwrap();
        let surface = Surface::new(model.geometry().unwrap(), 0);
        let welded = surface.weld().unwrap();
        let positions = surface.positions().unwrap();
        expect_gathered(&welded, positions, IndexStream::Positions);
        expect_gathered(&welded, InterpolatedPositions::new(positions, positions, 0.5), IndexStream::Positions);
        let attributes = IndexStream::Attributes;
        surface.tangent_frames().unwrap().into_iter().for_each(|all| expect_gathered(&welded, all, attributes));
        surface.normals().unwrap().into_iter().for_each(|all| expect_gathered(&welded, all, attributes));
        surface.uvs(0).unwrap().into_iter().for_each(|all| expect_gathered(&welded, all, attributes));
        surface.colors().unwrap().into_iter().for_each(|all| expect_gathered(&welded, all, attributes));
        if let Some(weights) = surface.weights().unwrap() {
            let gathered = welded.gather_with(IndexStream::Positions, |index| weights.get(index)).unwrap();
            assert_eq!(gathered.len(), welded.vertices.len());
        }
    }
}

#[test]
fn gathers_no_item_that_is_missing() {
    let mesh = Mesh::open(bytes("cube_ms13")).unwrap();
    let surface = Surface::new(&mesh, 0);
    let (welded, positions) = (surface.weld().unwrap(), surface.positions().unwrap());
    let shorter = positions.slice(0..7).unwrap();
    let vertex = welded.vertices.iter().position(|vertex| vertex.position == 7).unwrap();
    let mut out = vec![[0.0; 3]; 24];
    for error in [welded.gather(shorter).map(drop), welded.gather_into(shorter, &mut out)].map(Result::unwrap_err) {
        assert!(matches!(error.kind(), ErrorKind::NoSuch { count: 7, index: 7 }), "{error}");
        assert_eq!(error.field().to_string(), format!("vertices[{vertex}].position"));
    }
    let error = welded.gather_with(IndexStream::Attributes, |index| (index < 23).then_some(index)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Missing { .. }) && error.to_string().contains("index 23"), "{error}");
    let vertex = welded.vertices.iter().position(|vertex| vertex.attribute == 23).unwrap();
    assert_eq!(error.field().to_string(), format!("vertices[{vertex}].attribute"));
    assert_eq!(Welded::default().gather(positions).unwrap(), Vec::<[f32; 3]>::new());
    let damaged = Welded { vertices: vec![Corner { position: u32::MAX, attribute: 0 }], indices: vec![0; 3] };
    assert!(damaged.gather(positions).is_err() && damaged.gather(surface.normals().unwrap().unwrap()).is_ok());
}
