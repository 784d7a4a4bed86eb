//! Tests welding of surfaces with a single index stream, welding of damaged surfaces, and gathering
//! of arrays. The results are compared with naive implementations, and with the triangles that
//! queries use.

use std::path::PathBuf;

use crate::support::unigine::builder;
use meshpeek::array::Bounds;
use meshpeek::decode::TangentFrame;
use meshpeek::internals::weld_reported;
use meshpeek::model::{
    Counts, IndexEncoding, IndexStream, Indices, InterpolatedPositions, InvalidIndex, Omitted, Welded,
};
use meshpeek::query::Scene;
use meshpeek::unigine::{Generation, Mesh};
use meshpeek::{Array, Corner, ErrorKind, Geometry, Model, Surface, unreal};

use super::geometry::{Plain, naive_weld, naive_weld_by_value, pairs, plain};
use crate::support::allocations::{allocations, most_held};
use crate::support::corpus;
use crate::support::ezmesh::raw_files;
use crate::support::invariants::expect_lossy_weld;
use crate::support::query::Lists as _;
use crate::support::random::Random;
use crate::support::secondlife::raw_assets;
use crate::support::unigine::{bytes, compact, poke, region, spoil_all};
use crate::support::{changed, is_error};

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
        let mut expected = Surface::new(&sorted, 0).unwrap().weld().unwrap();
        for vertex in &mut expected.vertices {
            assert_eq!(vertex.attribute, last - vertex.position);
            vertex.attribute = vertex.position;
        }
        let equal = streams(vertices, indices, Surface::new(&sorted, 0).unwrap().indices().unwrap().iter().collect());
        let surface = Surface::new(&equal, 0).unwrap();
        assert_eq!(surface.weld().unwrap(), expected, "round {round}");
        assert_eq!(weld_reported(&surface).unwrap(), (expected, Omitted::default()), "round {round}");
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
        let surface = Surface::new(&mesh, 0).unwrap();
        assert!(surface.is_single_stream().unwrap());
        assert_eq!(surface.weld().unwrap(), naive_weld(surface.corners().unwrap().iter()));
    }
}

/// Tests that memory for welding does not depend on the number of vertices, if few of them are
/// used.
#[test]
fn few_corners_of_many_vertices_take_little_memory() {
    let mesh = plain(60_000, &[59_999, 7, 8], None);
    let (welded, held) = most_held(|| Surface::new(&mesh, 0).unwrap().weld().unwrap());
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
        let mut all = Surface::all(&mesh).unwrap().filter_map(|surface| weld_like_twin(&surface));
        assert!(all.all(|(single, ..)| !single), "{stem}");
    }
    // Two stored streams with equal indices, and two empty streams.
    let single = |mesh: &dyn Geometry| Surface::new(mesh, 0).unwrap().is_single_stream().unwrap();
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
        let geometry = model.geometry();
        for index in 0..geometry.surface_count().unwrap() {
            found.extend(weld_like_twin(&Surface::new(geometry, index).unwrap()));
        }
    }
    found
}

fn weld_like_twin(surface: &Surface<'_>) -> Option<(bool, usize, bool)> {
    expect_lossy_weld(surface);
    let (corners, welded) = (surface.corners().ok()?, surface.weld().ok()?);
    let by_corner = matches!(surface.attribute_indices().unwrap(), Indices(IndexEncoding::Consecutive(_)));
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

// Damaged surfaces.

/// Leaves out triangles with an index that is out of range or missing, corner by corner.
fn naive_lossy(surface: &Surface<'_>) -> (Welded, Vec<u32>) {
    let (positions, attributes) = (surface.indices().unwrap(), surface.attribute_indices().unwrap());
    let Counts { vertices, attribute_vertices, .. } = surface.counts().unwrap();
    let (mut kept, mut omitted) = (Vec::new(), Vec::new());
    for triangle in 0..positions.len() / 3 {
        let corners: Option<Vec<Corner>> = (triangle * 3..triangle * 3 + 3)
            .map(|corner| {
                let position = positions.get(corner).filter(|index| *index < vertices)?;
                let attribute = attributes.get(corner).filter(|index| *index < attribute_vertices)?;
                Some(Corner { position, attribute })
            })
            .collect();
        match corners {
            Some(corners) => kept.extend(corners),
            None => omitted.push(u32::try_from(triangle).unwrap()),
        }
    }
    (naive_weld(kept.into_iter()), omitted)
}

fn lossy(geometry: &dyn Geometry) -> (Welded, Omitted) {
    let surface = Surface::new(geometry, 0).unwrap();
    expect_lossy_weld(&surface);
    let (welded, omitted) = weld_reported(&surface).unwrap();
    let (naive, triangles) = naive_lossy(&surface);
    assert_eq!((&welded, &omitted.triangles), (&naive, &triangles));
    assert_eq!(omitted.first.map(|first| first.triangle), triangles.first().copied());
    (welded, omitted)
}

/// Returns the triangles of surface 0 that queries use.
fn queried(geometry: &dyn Geometry) -> Vec<u32> {
    let all = Bounds { min: [-1e9; 3], max: [1e9; 3] };
    Scene::new(geometry).unwrap().overlapping_box(&all).into_iter().map(|(_, triangle)| triangle).collect()
}

/// Returns the triangles of surface 0 that `weld_lossy` keeps.
fn kept(geometry: &dyn Geometry) -> Vec<u32> {
    let (welded, omitted) = lossy(geometry);
    (0..u32::try_from(welded.indices.len() / 3).unwrap()).map(|triangle| omitted.source_triangle(triangle)).collect()
}

#[test]
fn leaves_out_random_damage() {
    let mut random = Random::new(17);
    for _ in 0..200 {
        let vertices = random.within(3..400);
        let triangles = random.below(120);
        let is_single = random.one_in(2);
        let damage = random.within(1..50);
        // Adds indices that are out of range to a stream. Their number is different in each round.
        let mut spoilt = |mut indices: Vec<u32>| {
            for index in &mut indices {
                if random.one_in(damage) {
                    *index = u32::try_from(vertices).unwrap() + u32::try_from(random.below(9)).unwrap();
                }
            }
            indices
        };
        let (mut first, mut second) = (Random::new(vertices as u64), Random::new(triangles as u64));
        let positions = spoilt(random_indices(&mut first, vertices, triangles));
        let attributes =
            if is_single { positions.clone() } else { spoilt(random_indices(&mut second, vertices, triangles)) };
        let whole = streams(vertices, vec![0; triangles * 3], vec![0; triangles * 3]);
        let width = Surface::new(&whole, 0).unwrap().counts().unwrap().index_widths;
        let stored = |indices: &[u32], width: u8| -> Vec<u8> {
            indices.iter().flat_map(|index| index.to_le_bytes()[..width.into()].to_vec()).collect()
        };
        let [ci, ti] = ["surface[0].indices", "surface[0].attribute_indices"];
        let (positions, attributes) = (stored(&positions, width[0]), stored(&attributes, width[1]));
        let mesh = if triangles == 0 {
            whole
        } else {
            Mesh::open(spoil_all(whole.as_bytes(), &[(ci, &positions), (ti, &attributes)])).unwrap()
        };
        let kept = kept(&mesh);
        // Queries use a triangle if its positions are in range.
        let queried = queried(&mesh);
        assert!(kept.iter().all(|triangle| queried.contains(triangle)));
        assert!(!is_single || kept == queried);
    }
}

#[test]
fn keeps_the_triangles_of_queries() {
    let whole = bytes("cube_ms13");
    let spoilt = poke(&poke(&whole, "surface[0].indices", 7, &[200]), "surface[0].indices", 33, &[8, 8, 255]);
    let mesh = Mesh::open(spoilt).unwrap();
    let (welded, omitted) = lossy(&mesh);
    let first = InvalidIndex { triangle: 2, corner: 1, stream: IndexStream::Positions, index: Some(200), count: 8 };
    assert_eq!(omitted, changed!(Omitted::default(), triangles: vec![2, 11], first: Some(first)));
    assert_eq!((kept(&mesh), welded.indices.len()), (queried(&mesh), 30));
    assert_eq!([0, 1, 2, 9].map(|triangle| omitted.source_triangle(triangle)), [0, 1, 3, 10]);

    let mesh = Mesh::open(poke(&whole, "surface[0].attribute_indices", 5, &[24])).unwrap();
    let (_, omitted) = lossy(&mesh);
    let first = InvalidIndex { triangle: 1, corner: 2, stream: IndexStream::Attributes, index: Some(24), count: 24 };
    assert_eq!(omitted, changed!(Omitted::default(), triangles: vec![1], first: Some(first)));
    assert_eq!(queried(&mesh).len(), 12, "queries do not read attributes");
}

#[test]
fn keeps_the_triangles_of_queries_in_every_format() {
    let list = raw_assets::codes(&[0, 1, 2, 0, 9, 3, 2, 3, 65535, 0, 2, 3]);
    let square = raw_assets::with(raw_assets::square(), "TriangleList", list);
    let asset = raw_assets::asset(&[("high_lod", raw_assets::level(&[square]))]);
    let mesh = meshpeek::secondlife::Mesh::open(asset).unwrap();
    assert_eq!((kept(&mesh), queried(&mesh)), (vec![0, 3], vec![0, 3]));

    let text = raw_files::simple(&raw_files::corner_vertices(), &raw_files::triangles(3, "0 1 4294967295 0 1 2 0 3 1"));
    let mesh = meshpeek::ezmesh::Mesh::open(text.into_bytes()).unwrap();
    assert_eq!((kept(&mesh), queried(&mesh)), (vec![1], vec![1]));

    // One polygon refers to a vertex that the mesh does not have.
    let mut data = crate::support::unreal::cube(1).data_bytes().unwrap();
    data[48 + 3 * 16..][..2].copy_from_slice(&99_u16.to_le_bytes());
    let mesh = unreal::Mesh::open(data, crate::support::unreal::cube(1).aniv_bytes().unwrap()).unwrap();
    let surface = Surface::new(&mesh, 0).unwrap();
    expect_lossy_weld(&surface);
    let (welded, omitted) = weld_reported(&surface).unwrap();
    let valid = queried(&mesh);
    assert!(surface.weld().is_err() && !omitted.triangles.is_empty() && !valid.is_empty());
    let kept = (0..).take(welded.indices.len() / 3).map(|triangle| omitted.source_triangle(triangle));
    assert!(kept.eq(valid.iter().copied()));
    // Corners with equal UVs are still merged.
    assert!(welded.vertices.len() < welded.indices.len());
}

#[test]
fn reports_indices_of_no_triangle() {
    let report = |mesh: &Plain| {
        let (welded, omitted) = lossy(mesh);
        assert!(Surface::new(mesh, 0).unwrap().weld().is_err());
        (welded.indices.len() / 3, omitted)
    };
    // An incomplete last triangle. Queries ignore it, too.
    let mesh = plain(3, &[0, 1, 2, 0, 1], None);
    assert_eq!(report(&mesh), (1, changed!(Omitted::default(), unused_indices: [2, 2])));
    assert_eq!(Scene::new(&mesh).unwrap().triangles(0).unwrap().len(), 1);
    // A stream of attributes that is too short, and one that is too long.
    let missing = |corner, index, count| {
        Some(InvalidIndex { triangle: 1, corner, stream: IndexStream::Attributes, index, count })
    };
    let short = report(&plain(3, &[0, 1, 2, 2, 1, 0, 0, 0, 0], Some(&[0, 0, 0, 0])));
    assert_eq!(short, (1, changed!(Omitted::default(), triangles: vec![1, 2], first: missing(1, None, 1))));
    assert_eq!(
        short.1.first.unwrap().to_string(),
        "expected an attribute index below 1, found none at corner 1 of triangle 1"
    );
    let long = report(&plain(3, &[0, 1, 2], Some(&[0; 7])));
    assert_eq!(long, (1, changed!(Omitted::default(), unused_indices: [0, 4])));
    // No valid triangle, and no triangle.
    let none = report(&plain(0, &[0, 1, 2, 0, 0, 0], None));
    assert_eq!((none.0, none.1.triangles.as_slice()), (0, &[0, 1][..]));
    assert_eq!(report(&plain(3, &[0, 1], None)).1.unused_indices, [2, 2]);
    assert_eq!(lossy(&plain(0, &[], None)).1, Omitted::default());
    // The same for a UNIGINE file whose counts are damaged.
    let whole = bytes("cube_ms13");
    let [ti, count] = ["surface[0].attribute_indices", "surface[0].attribute_indices.count"];
    let shorter = whole[region(&whole, ti)][..31].to_vec();
    let mesh = Mesh::open(spoil_all(&whole, &[(count, &compact(31)), (ti, &shorter)])).unwrap();
    let (welded, omitted) = lossy(&mesh);
    assert_eq!((welded.indices.len(), omitted.triangles), (30, vec![10, 11]));
}

#[test]
fn finds_the_source_of_each_triangle() {
    let mut random = Random::new(3);
    for _ in 0..100 {
        let total = u32::try_from(random.within(1..200)).unwrap();
        let few = random.within(1..10);
        let (triangles, kept): (Vec<u32>, Vec<u32>) = (0..total).partition(|_| random.one_in(few));
        let omitted = changed!(Omitted::default(), triangles: triangles);
        let sources = (0..).take(kept.len()).map(|triangle| omitted.source_triangle(triangle));
        assert!(sources.eq(kept));
    }
    assert_eq!(Omitted::default().source_triangle(u32::MAX), u32::MAX);
    assert_eq!(changed!(Omitted::default(), triangles: vec![0]).source_triangle(u32::MAX), u32::MAX);
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
    let index = |vertex: Corner| if stream == IndexStream::Positions { vertex.position } else { vertex.attribute };
    assert_eq!(welded.gather_with(|vertex| array.get(index(vertex) as usize)).unwrap(), expected);
    let mut out = vec![bytemuck::Zeroable::zeroed(); expected.len()];
    assert_eq!(allocations(|| welded.gather_into(array, &mut out).unwrap()), 0);
    assert_eq!(out, expected);
    for wrong in [expected.len() - 1, expected.len() + 1] {
        let mut out = vec![bytemuck::Zeroable::zeroed(); wrong];
        let error = welded.gather_into(array, &mut out).unwrap_err();
        let text = format!("expected a buffer of {} items, found {wrong}", expected.len());
        assert!(is_error(&error, ErrorKind::Buffer, &[&text]), "{error}");
    }
}

#[test]
fn gathers_every_array_by_its_stream() {
    for file in ["unigine/room_ms11.mesh", "unigine/morph_ms13.mesh", "secondlife/arm.llmesh", "ezmesh/flag.ezm"] {
        let model = Model::open(std::fs::read(PathBuf::from("data").join(file)).unwrap()).unwrap();
        let surface = model.surface(0).unwrap();
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
            let gathered = welded.gather_with(|vertex| weights.get(vertex.position)).unwrap();
            assert_eq!(gathered.len(), welded.vertices.len());
        }
    }
}

#[test]
fn gathers_no_item_that_is_missing() {
    let mesh = Mesh::open(bytes("cube_ms13")).unwrap();
    let surface = Surface::new(&mesh, 0).unwrap();
    let (welded, positions) = (surface.weld().unwrap(), surface.positions().unwrap());
    let shorter = positions.slice(0..7).unwrap();
    let vertex = welded.vertices.iter().position(|vertex| vertex.position == 7).unwrap();
    let mut out = vec![[0.0; 3]; 24];
    for error in [welded.gather(shorter).map(drop), welded.gather_into(shorter, &mut out)].map(Result::unwrap_err) {
        assert!(is_error(&error, ErrorKind::NoSuch, &["expected a number below 7, found 7"]), "{error}");
        assert_eq!(error.field().to_string(), format!("vertices[{vertex}].position"));
    }
    let error = welded.gather_with(|vertex| (vertex.attribute < 23).then_some(vertex)).unwrap_err();
    assert!(error.kind() == ErrorKind::Missing && error.to_string().contains("and attribute 23"), "{error}");
    let vertex = welded.vertices.iter().position(|vertex| vertex.attribute == 23).unwrap();
    assert_eq!(error.field().to_string(), format!("vertices[{vertex}]"));
    assert_eq!(Welded::default().gather(positions).unwrap(), Vec::<[f32; 3]>::new());
    let damaged = Welded { vertices: vec![Corner { position: u32::MAX, attribute: 0 }], indices: vec![0; 3] };
    assert!(damaged.gather(positions).is_err() && damaged.gather(surface.normals().unwrap().unwrap()).is_ok());
}
