//! Tests the neutral view of all formats and of a format that is defined here.
//!
//! Compares welding and corners with naive implementations.

use std::collections::HashMap;

use crate::support::unigine::builder;
use meshpeek::array::{Bounds, Consecutive};
use meshpeek::decode::{Floats, Index, PolygonIndices, PolygonUvs, TangentFrame};
use meshpeek::model::SurfaceArrays;
use meshpeek::model::{Counts, IndexEncoding, Indices, PositionEncoding, Positions, UvEncoding, Uvs, Welded};
use meshpeek::unigine::{Generation, Mesh};
use meshpeek::unreal::script::Script;
use meshpeek::unreal::{self, RawPolygon, Variant};
use meshpeek::{
    Animations, Array, Corner, CornerArray, ErrorKind, Format, FormatVersion, Geometry, Model, Name, Packed, Surface,
};
use zerocopy::little_endian::{F32, U16, U32};

use crate::support::invariants::expect_same_surface;
use crate::support::random::Random;
use crate::support::unigine::{animation_samples, bytes, grid, samples};
use crate::support::{changed, is_error, no_such};

/// Welds with a hash map: one vertex for each pair of indices, in the order of first use.
pub fn naive_weld(corners: impl Iterator<Item = Corner>) -> Welded {
    let mut welded = Welded::default();
    let mut numbers = HashMap::new();
    for corner in corners {
        let number = *numbers.entry(corner).or_insert_with(|| {
            welded.vertices.push(corner);
            u32::try_from(welded.vertices.len() - 1).unwrap()
        });
        welded.indices.push(number);
    }
    welded
}

/// Compares the corners and the welded vertices of every surface with the naive implementations.
fn expect_twins(geometry: &dyn Geometry) {
    for surface in Surface::all(geometry).unwrap() {
        let (indices, attributes) = (surface.indices().unwrap(), surface.attribute_indices().unwrap());
        let naive: Vec<Corner> = (0..indices.len())
            .map(|corner| Corner { position: indices.get(corner).unwrap(), attribute: attributes.get(corner).unwrap() })
            .collect();
        let corners = surface.corners().unwrap();
        assert_eq!((corners.len(), corners.is_empty()), (naive.len(), naive.is_empty()));
        assert_eq!(corners.triangle_count() as usize, naive.len() / 3);
        assert!(corners.iter().eq(naive.iter().copied()));
        assert_eq!(corners.iter().len(), naive.len());
        let mut visited = Vec::new();
        corners.for_each(|corner| visited.push(corner));
        assert_eq!(visited, naive);
        for (number, triangle) in naive.chunks(3).enumerate() {
            assert_eq!(corners.triangle(number as u32).unwrap(), *triangle);
            assert_eq!(corners.get(number * 3 + 1), Some(triangle[1]));
        }
        for beyond in [naive.len(), naive.len() + 1, usize::MAX] {
            assert_eq!(corners.get(beyond), None);
        }
        for beyond in [(naive.len() / 3) as u32, u32::MAX / 3, u32::MAX] {
            assert_eq!(corners.triangle(beyond), None);
        }
        assert_eq!(surface.weld().unwrap(), naive_weld(naive.into_iter()));
    }
}

#[test]
fn welds_like_its_naive_twin() {
    for sample in samples() {
        expect_twins(&Mesh::open(sample.mesh.to_bytes().unwrap()).unwrap());
    }
    let surfaces = vec![grid("split", 20, true), grid("shared", 20, false), grid("wide", 70, true)];
    let mesh = builder::Mesh { surfaces, ..builder::Mesh::new(Generation::Ms13) };
    expect_twins(&Mesh::open(mesh.to_bytes().unwrap()).unwrap());
}

#[test]
fn welds_random_streams_like_its_naive_twin() {
    let mut random = Random::new(11);
    for round in 0..300 {
        let (positions, frames) = (random.within(1..400), random.within(1..400));
        let corners = random.below(200) * 3;
        // In about half of the rounds only a few items are used, which makes pairs repeat.
        let few = if random.one_in(2) { 3 } else { usize::MAX };
        let mut stream = |items: usize| -> Vec<u32> {
            (0..corners).map(|_| u32::try_from(random.below(items.min(few))).unwrap()).collect()
        };
        let (indices, attribute_indices) = (stream(positions), stream(frames));
        let target = builder::MorphTarget {
            positions: vec![[0.0; 3]; positions],
            frames: vec![TangentFrame::default(); frames],
            ..builder::MorphTarget::default()
        };
        let surface =
            builder::Surface { targets: vec![target], indices, attribute_indices, ..builder::Surface::default() };
        let generation = Generation::ALL[round % Generation::ALL.len()];
        let mesh = builder::Mesh { surfaces: vec![surface], ..builder::Mesh::new(generation) };
        expect_twins(&Mesh::open(mesh.to_bytes().unwrap()).unwrap());
    }
}

#[test]
fn a_welded_surface_is_the_surface() {
    let mesh = Mesh::open(bytes("room_ms11")).unwrap();
    for surface in Surface::all(&mesh).unwrap() {
        let (corners, welded) = (surface.corners().unwrap(), surface.weld().unwrap());
        assert!(corners.iter().eq(welded.indices.iter().map(|vertex| welded.vertices[*vertex as usize])));
        // The vertices can be uploaded to a GPU unchanged.
        assert_eq!(bytemuck_bytes(&welded.vertices), welded.vertices.len() * 8);
    }
    let lamp = Surface::new(&mesh, 1).unwrap().weld().unwrap();
    assert_eq!((lamp.vertices.len(), lamp.indices.len()), (24, 36), "a cube has four vertices per face");
    let floor = Surface::new(&mesh, 0).unwrap().weld().unwrap();
    assert_eq!(floor.vertices.len(), 8 * 8 * 6, "every corner of the split grid is a separate vertex");
}

fn bytemuck_bytes(corners: &[Corner]) -> usize {
    bytemuck::cast_slice::<Corner, u8>(corners).len()
}

#[test]
fn prints_what_is_lent() {
    let mesh = Mesh::open(bytes("cube_ms13")).unwrap();
    let positions = mesh.surface(0).unwrap().positions().unwrap();
    assert_eq!(format!("{positions:?}"), "Packed([f32; 3] x 8)");
    let Positions(PositionEncoding::F32(same)) = Surface::new(&mesh, 0).unwrap().positions().unwrap() else {
        panic!("expected positions as floats")
    };
    assert!(same.iter().eq(positions.iter()));
}

#[test]
fn arrays_agree_with_themselves() {
    let mesh = Mesh::open(bytes("room_ms11")).unwrap();
    for surface in Surface::all(&mesh).unwrap() {
        let positions = surface.positions().unwrap();
        let one_by_one: Vec<_> = (0..positions.len()).map(|item| positions.get(item).unwrap()).collect();
        let mut bulk = vec![[0.0; 3]; positions.len()];
        positions.decode_into(&mut bulk).unwrap();
        let mut visited = Vec::new();
        positions.for_each(|position| visited.push(position));
        assert_eq!((&bulk, &visited), (&one_by_one, &one_by_one));
        let middle = positions.slice(2..5).unwrap();
        assert_eq!((middle.len(), middle.get(0)), (3, positions.get(2)));
        assert!(positions.slice(0..positions.len() + 1).is_none());
        assert_eq!(positions.as_bytes().len(), positions.byte_offset(positions.len()));
        let short = positions.decode_into(&mut bulk[1..]).unwrap_err();
        assert!(short.kind() == ErrorKind::Buffer, "{short}");
        let bounds = positions.bounds();
        for axis in 0..3 {
            let values = || one_by_one.iter().map(|position| position[axis]);
            assert_eq!(bounds.min[axis], values().fold(f32::INFINITY, f32::min));
            assert_eq!(bounds.max[axis], values().fold(f32::NEG_INFINITY, f32::max));
        }
        let native =
            mesh.surface(surface.index()).unwrap().positions().unwrap().as_slice::<[f32; 3]>().map(<[_]>::to_vec);
        assert!(native.is_none_or(|native| native == one_by_one));

        let indices = surface.attribute_indices().unwrap();
        let slow: Vec<u32> = (0..indices.len()).map(|item| indices.get(item).unwrap()).collect();
        assert!(indices.iter().eq(slow.iter().copied()));
        assert!((&indices).into_iter().skip(7).eq(slow.iter().copied().skip(7)));
        let mut rest = indices.iter();
        assert_eq!((rest.next(), rest.len()), (slow.first().copied(), slow.len() - 1));
        assert_eq!(rest.fold(0, u64_sum), slow[1..].iter().copied().fold(0, u64_sum));
        for limit in [0, 1, 5, 1000] {
            let expected = slow.iter().copied().enumerate().find(|(_, index)| *index >= limit);
            assert_eq!(indices.first_out_of_range(limit), expected);
        }
    }
}

fn u64_sum(sum: u64, index: u32) -> u64 {
    sum + u64::from(index)
}

/// A minimal format: positions, one index stream, and attributes that the real format with one
/// stream never has.
pub struct Plain {
    positions: Vec<[F32; 3]>,
    indices: Vec<U16>,
    attributes: Option<Vec<U32>>,
}

impl FormatVersion for Plain {
    fn format(&self) -> &'static str {
        "plain"
    }
    fn version(&self) -> &'static str {
        "plain 1"
    }
}

impl Geometry for Plain {
    fn bounds(&self) -> meshpeek::Result<Bounds> {
        Ok(Bounds::EMPTY)
    }
}

impl SurfaceArrays for Plain {
    fn surface_count(&self) -> meshpeek::Result<usize> {
        Ok(1)
    }
    fn surface_name(&self, _: usize) -> meshpeek::Result<Name<'_>> {
        Ok(Name::default())
    }
    fn surface_bounds(&self, _: usize) -> meshpeek::Result<Bounds> {
        Ok(Bounds::EMPTY)
    }
    fn counts(&self, _: usize) -> meshpeek::Result<Counts> {
        let vertices = u32::try_from(self.positions.len()).unwrap();
        let corners = u32::try_from(self.indices.len()).unwrap();
        let attribute_vertices = if self.attributes.is_some() { 1 } else { vertices };
        Ok(
            changed!(Counts::default(), vertices: vertices, attribute_vertices: attribute_vertices, corners: corners, targets: 1),
        )
    }
    fn positions(&self, _: usize, _: usize) -> meshpeek::Result<Positions<'_>> {
        Ok(Positions(PositionEncoding::F32(Packed::new(&self.positions, Floats))))
    }
    fn indices(&self, _: usize) -> meshpeek::Result<Indices<'_>> {
        Ok(Indices(IndexEncoding::U16(Packed::new(&self.indices, Index::new()))))
    }
    fn attribute_indices(&self, _: usize) -> meshpeek::Result<Option<Indices<'_>>> {
        let indices = |attributes| Indices(IndexEncoding::U32(Packed::new(attributes, Index::new())));
        Ok(self.attributes.as_deref().map(indices))
    }
    fn fault(&self, surface: usize, name: &'static str, into: u64, error: meshpeek::Error) -> meshpeek::Error {
        error.located(self.version(), meshpeek::Field::new(name).in_list("surface", surface as u64), Some(into))
    }
}

pub fn plain(positions: usize, indices: &[u16], attributes: Option<&[u32]>) -> Plain {
    Plain {
        positions: vec![[F32::new(0.0); 3]; positions],
        indices: indices.iter().copied().map(U16::new).collect(),
        attributes: attributes.map(|attributes| attributes.iter().copied().map(U32::new).collect()),
    }
}

#[test]
fn one_stream_stands_for_both() {
    let mesh = plain(4, &[0, 1, 2, 0, 2, 3], None);
    expect_twins(&mesh);
    let welded = Surface::new(&mesh, 0).unwrap().weld().unwrap();
    assert_eq!(welded.indices, [0, 1, 2, 0, 2, 3]);
    assert!(welded.vertices.iter().all(|vertex| vertex.position == vertex.attribute));
    expect_twins(&plain(4, &[0, 1, 2, 0, 2, 3], Some(&[0; 6])));
    expect_twins(&plain(0, &[], None));
    assert!(Surface::new(&mesh, 1).is_err());
}

#[test]
fn refuses_streams_that_do_not_fit() {
    let fails = |mesh: &Plain, words: &str| {
        let error = Surface::new(mesh, 0).unwrap().weld().unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(error.format(), "plain 1");
        assert_eq!(error.field().outer().unwrap().0, "surface");
    };
    fails(&plain(4, &[0, 1, 2, 3], None), "4 corners");
    fails(&plain(4, &[0, 1, 2], Some(&[0, 0])), "found 2");
    fails(&plain(2, &[0, 1, 2], None), "below 2, found 2 at corner 2");
    fails(&plain(3, &[0, 1, 2], Some(&[0, 0, 1])), "below 1, found 1 at corner 2");
    fails(&plain(3, &[0, 1, 2], Some(&[0, u32::MAX, 0])), "corner 1");
}

#[test]
fn opens_whatever_it_is() {
    for sample in samples() {
        let whole = sample.mesh.to_bytes().unwrap();
        assert_eq!(Format::detect(&whole).unwrap(), Format::Unigine);
        assert!(Format::recognises(&whole));
        let model = Model::open(whole.clone()).unwrap();
        let geometry = model.geometry();
        assert_eq!(geometry.version(), sample.mesh.generation.magic());
        assert_eq!(Surface::all(geometry).unwrap().len(), sample.mesh.surfaces.len());
        for (surface, built) in Surface::all(geometry).unwrap().zip(&sample.mesh.surfaces) {
            assert_eq!(surface.name().unwrap().as_bytes(), built.name.as_bytes());
            assert_eq!(surface.corners().unwrap().len(), built.indices.len());
        }
        model.file().check().unwrap();
        let (mut surveyed, mut validated, mut end) = (0, 0, 0);
        model.file().validate_structure(&mut |_| surveyed += 1).unwrap();
        model
            .file()
            .validate(&mut |finding| {
                assert!(model.file().rules().iter().any(|rule| rule.id == finding.rule), "{finding}");
                validated += 1;
            })
            .unwrap();
        assert!(validated >= surveyed);
        model.file().regions(0, &mut |region| end = region.end).unwrap();
        assert_eq!(end, whole.len() as u64);
        assert!(*model.file().source(0).unwrap() == whole && model.file().touched_bytes().is_none());
    }
    for sample in animation_samples() {
        let whole = sample.file.to_bytes().unwrap();
        assert_eq!(Format::detect(&whole).unwrap(), Format::Unigine);
        let model = Model::open(whole.clone()).unwrap();
        let animations = model.animations();
        assert_eq!(animations.version(), sample.file.generation.magic());
        assert_eq!(animations.clip_count().unwrap(), sample.file.animations.len());
        assert_eq!(animations.bone_count().unwrap(), sample.file.bones.len());
        model.file().check().unwrap();
        model.file().validate_structure(&mut |finding| panic!("{finding}")).unwrap();
        model.file().validate(&mut |finding| panic!("{finding}")).unwrap();
        let (mut end, mut written) = (0, Vec::new());
        model.file().regions(0, &mut |region| end = region.end).unwrap();
        model.file().write_to(0, &mut written).unwrap();
        assert!(end == whole.len() as u64 && written == whole && *model.file().source(0).unwrap() == whole);
        assert!(model.surface(0).is_err());
    }
    assert!(Format::detect(b"an11....").is_ok() && Model::open(&b"an11...."[..]).is_err());
    for (bytes, known) in [(&b"sk10...."[..], true), (b"mi08....", true), (b"\x89PNG....", false), (b"", false)] {
        assert_eq!(Format::recognises(bytes), known);
        assert!(Format::detect(bytes).is_err() && Model::open(bytes).is_err());
    }
}

fn expect_lent(geometry: &dyn Geometry) {
    for surface in geometry.surfaces().unwrap() {
        let owner = geometry.lend(surface.index()).unwrap();
        let lent = owner.surface();
        expect_same_surface(&lent, &surface);
        assert_eq!(lent.index(), surface.index());
        assert_eq!(lent.vertex_pool().unwrap(), surface.vertex_pool().unwrap());
        for frame in 0..=geometry.vertex_frame_count().unwrap() {
            let frames = [&lent, &surface].map(|surface| {
                let frame = surface.vertex_frame(frame);
                frame.map(|all| all.iter().collect::<Vec<_>>()).map_err(|error| error.to_string())
            });
            assert_eq!(frames[0], frames[1]);
        }
    }
    let count = geometry.surface_count().unwrap();
    let errors = [geometry.lend(count).map(drop), geometry.surface(count).map(drop)];
    let expected =
        if count == 0 { "there are none" } else { &format!("expected a number below {count}, found {count}") };
    for error in errors {
        assert!(is_error(error.unwrap_err(), ErrorKind::NoSuch, &[expected]));
    }
}

#[test]
fn lends_each_surface_of_any_format() {
    let unigine = samples().into_iter().map(|sample| sample.mesh.to_bytes().unwrap());
    let secondlife = crate::support::secondlife::samples().into_iter().map(|sample| sample.bytes);
    let ezmesh = crate::support::ezmesh::samples().into_iter().map(|sample| sample.bytes);
    for bytes in unigine.chain(secondlife).chain(ezmesh) {
        expect_lent(Model::open(bytes).unwrap().geometry());
    }
    for (_, mesh) in pairs() {
        expect_lent(&mesh);
    }
    expect_lent(&plain(4, &[0, 1, 2, 0, 2, 3], Some(&[0; 6])));
}

// Attributes that are stored per corner.

/// Returns every sample that is a pair, opened with its script if the folder has one.
pub fn pairs() -> Vec<(&'static str, unreal::Mesh<Vec<u8>>)> {
    let open = |sample: crate::support::unreal::Sample| {
        let [data, aniv] = sample.pair()?;
        let mut mesh = unreal::Mesh::open(data, aniv).unwrap();
        if let Some((_, script)) = sample.files.into_iter().find(|(ending, _)| *ending == ".uc") {
            mesh = mesh.with_script(Script::open(script).unwrap(), sample.stem.as_bytes()).unwrap();
        }
        Some((sample.stem, mesh))
    };
    crate::support::unreal::samples().into_iter().filter_map(open).collect()
}

/// Welds with a hash map.
///
/// Corners are equal if they have the same position and the same stored bytes of texture
/// coordinates.
pub fn naive_weld_by_value(surface: &Surface<'_>) -> Welded {
    let uvs = surface.uvs(0).unwrap().unwrap();
    let mut welded = Welded::default();
    let mut numbers = HashMap::new();
    for corner in surface.corners().unwrap().iter() {
        let value = uvs.get(corner.attribute as usize).unwrap().map(f32::to_bits);
        let number = *numbers.entry((corner.position, value)).or_insert_with(|| {
            welded.vertices.push(corner);
            u32::try_from(welded.vertices.len() - 1).unwrap()
        });
        welded.indices.push(number);
    }
    welded
}

/// Asserts that the welded vertices reproduce every corner: its position, and its texture
/// coordinates by value.
fn expect_corners_again(surface: &Surface<'_>) -> Welded {
    let (corners, uvs) = (surface.corners().unwrap(), surface.uvs(0).unwrap().unwrap());
    let welded = surface.weld().unwrap();
    assert_eq!(welded, naive_weld_by_value(surface));
    assert_eq!(welded.indices.len(), corners.len());
    for (corner, vertex) in corners.iter().zip(&welded.indices) {
        let found = welded.vertices[*vertex as usize];
        assert_eq!(found.position, corner.position);
        assert_eq!(uvs.raw_bytes(found.attribute as usize), uvs.raw_bytes(corner.attribute as usize));
        assert!(found.attribute <= corner.attribute, "the first of equal attributes");
    }
    welded
}

#[test]
fn welds_equal_attributes_of_corners() {
    for (stem, mesh) in pairs() {
        for surface in Surface::all(&mesh).unwrap() {
            assert!(!expect_corners_again(&surface).vertices.is_empty(), "{stem}");
        }
    }
    // A plain cube: three faces meet in each corner and have different texture coordinates there.
    let (_, ball) = pairs().into_iter().find(|(stem, _)| *stem == "Toys/Models/Ball").unwrap();
    let welded = Surface::new(&ball, 0).unwrap().weld().unwrap();
    assert_eq!(welded.indices[..6], [0, 1, 2, 0, 2, 3], "a square of two triangles has four vertices");
    assert!((8..24).contains(&welded.vertices.len()), "{}", welded.vertices.len());
    let mut random = Random::new(31);
    for round in 0..200 {
        let vertices = random.within(1..30);
        let mut mesh = crate::support::unreal::builder::Mesh::new(Variant::Classic, u32::try_from(vertices).unwrap());
        mesh.frames = vec![vec![[0; 3]; vertices]];
        // Only few values are used, which makes them repeat. Sometimes all of them are equal.
        let few = random.within(1..4);
        mesh.polygons = (0..random.within(1..60))
            .map(|_| RawPolygon {
                vertices: [0; 3].map(|_: u8| u16::try_from(random.below(vertices)).unwrap().into()),
                uvs: [0; 3].map(|_: u8| [0; 2].map(|_: u8| u8::try_from(random.below(few)).unwrap())),
                texture: u8::try_from(random.below(2)).unwrap(),
                ..RawPolygon::EMPTY
            })
            .collect();
        let mesh = unreal::Mesh::open(mesh.data_bytes().unwrap(), mesh.aniv_bytes().unwrap()).unwrap();
        for surface in Surface::all(&mesh).unwrap() {
            let welded = expect_corners_again(&surface);
            assert!(welded.vertices.len() <= vertices * few * few, "round {round}");
        }
    }
}

#[test]
fn arrays_of_corners_agree_with_themselves() {
    for (stem, mesh) in pairs() {
        for surface in Surface::all(&mesh).unwrap() {
            let (indices, uvs) = (surface.indices().unwrap(), surface.uvs(0).unwrap().unwrap());
            let one_by_one: Vec<u32> = (0..indices.len()).map(|item| indices.get(item).unwrap()).collect();
            assert!(indices.iter().eq(one_by_one.iter().copied()), "{stem}");
            let mut rest = indices.iter();
            rest.next();
            assert_eq!(rest.len(), one_by_one.len() - 1);
            assert_eq!(
                rest.fold(Vec::new(), |mut all, index| {
                    all.push(index);
                    all
                }),
                one_by_one[1..]
            );
            let mut bulk = vec![0; indices.len()];
            indices.decode_into(&mut bulk).unwrap();
            assert_eq!(bulk, one_by_one);
            assert!(indices.decode_into(&mut bulk[1..]).is_err() && indices.slice(0..bulk.len() + 1).is_none());
            // Slices that begin and end inside a triangle.
            for (start, end) in (0..8).flat_map(|start| (start..10).map(move |end| (start, end))) {
                let Some(part) = indices.slice(start..end) else { continue };
                let mut looped = Vec::new();
                part.for_each(|index| looped.push(index));
                assert!(part.iter().eq(looped.iter().copied()) && looped == one_by_one[start..end], "{start}..{end}");
            }
            for limit in [0, 1, 5, 100] {
                let expected = one_by_one.iter().copied().enumerate().find(|(_, index)| *index >= limit);
                assert_eq!(indices.first_out_of_range(limit), expected);
            }
            // The reported byte offset of an item points at its bytes.
            let file = indices.as_bytes();
            for (item, index) in one_by_one.iter().enumerate() {
                let at = indices.byte_offset(item);
                assert_eq!(u32::from(u16::from_le_bytes([file[at], file[at + 1]])), *index);
                let at = uvs.byte_offset(item);
                assert_eq!(uvs.raw_bytes(item), Some([file[at], file[at + 1]]));
            }
            let attributes = surface.attribute_indices().unwrap();
            assert!(matches!(attributes, Indices(IndexEncoding::Consecutive(_))) && attributes.as_bytes().is_empty());
            assert!(attributes.iter().eq(0..u32::try_from(one_by_one.len()).unwrap()));
            assert_eq!(attributes.first_out_of_range(2), Some((2, 2)));
            assert!(uvs.get(uvs.len()).is_none() && uvs.raw_bytes(uvs.len()).is_none());
        }
    }
    let mesh = Mesh::open(bytes("cube_ms13")).unwrap();
    assert_eq!(Surface::new(&mesh, 0).unwrap().uvs(0).unwrap().unwrap().raw_bytes(0), None, "floats have no raw bytes");
}

/// Tests indices that select no polygon record.
///
/// The corners of such an entry are absent, and the corners of later entries keep their place.
#[test]
fn picks_that_are_out_of_range() {
    let records = vec![RawPolygon { vertices: [7; 3].map(Into::into), ..RawPolygon::EMPTY }; 2];
    let array = CornerArray::new(&records, &[1, 2, 0], PolygonIndices);
    assert_eq!((array.len(), array.get(2), array.get(3), array.get(6)), (9, Some(7), None, Some(7)));
    assert_eq!(array.iter().collect::<Vec<_>>(), [7; 3]);
    let mut visited = 0;
    array.for_each(|_| visited += 1);
    assert_eq!(visited, 3, "iterating over all items ends there");
    let uvs = Uvs(UvEncoding::Polygon255(CornerArray::new(&records, &[u16::MAX], PolygonUvs)));
    assert_eq!((uvs.get(0), uvs.raw_bytes(0), uvs.len()), (None, None, 3));
    assert!(CornerArray::new(&records, &[], PolygonIndices).is_empty());
    assert!(Indices(IndexEncoding::Consecutive(Consecutive::new(0))).is_empty());
}

#[test]
fn a_pair_is_a_model_of_sources() {
    for (stem, mesh) in pairs() {
        let mut sources = vec![mesh.data().clone(), mesh.aniv().clone()];
        sources.extend(mesh.whole_script().map(|script| script.as_bytes().to_vec()));
        let drawn: Vec<bool> = mesh.surfaces().unwrap().map(|view| view.unwrap().is_drawn()).collect();
        let model = Model::from(mesh);
        assert!((0..3).map_while(|source| model.file().source(source)).eq(&sources), "{stem}");
        for (source, bytes) in sources.iter().enumerate() {
            let (mut end, mut out) = (0, Vec::new());
            model
                .file()
                .regions(source, &mut |region| {
                    assert_eq!(region.start, end, "{stem}: {}", region.field);
                    end = region.end;
                })
                .unwrap();
            model.file().write_to(source, &mut out).unwrap();
            assert!(end == bytes.len() as u64 && out == *bytes, "{stem}, source {source}");
        }
        for source in [sources.len(), usize::MAX] {
            for result in [model.file().regions(source, &mut |_| {}), model.file().write_to(source, &mut Vec::new())] {
                let error = result.unwrap_err();
                let expected = no_such(sources.len(), source);
                assert_eq!(error.kind(), ErrorKind::NoSuch, "{stem}");
                assert_eq!(error.message().to_string(), expected.message().to_string(), "{stem}");
                assert_eq!((error.format(), error.field().name()), ("unreal", "source"));
            }
        }
        let geometry = model.geometry();
        assert_eq!((geometry.format(), model.file().touched_bytes()), ("unreal", None));
        assert!(Surface::all(geometry).unwrap().map(|surface| surface.is_drawn().unwrap()).eq(drawn), "{stem}");
        model.file().check().unwrap();
        let mut surveyed = 0;
        model.file().validate_structure(&mut |_| surveyed += 1).unwrap();
        model
            .file()
            .validate(&mut |finding| {
                assert!(model.file().rules().iter().any(|rule| rule.id == finding.rule), "{finding}");
                surveyed -= 1;
            })
            .unwrap();
        assert!(surveyed <= 0);
    }
    let other = Model::open(bytes("cube_ms13")).unwrap();
    assert!(other.file().regions(1, &mut |_| {}).is_err() && other.file().write_to(1, &mut Vec::new()).is_err());
}

#[test]
fn what_a_format_has_not_is_said() {
    // A format that is animated by bones has no vertex frames. If a format stores no draw flags,
    // every surface is drawn.
    let mesh = Mesh::open(bytes("skinned_ms12")).unwrap();
    let surface = Surface::new(&mesh, 0).unwrap();
    assert_eq!(
        (mesh.vertex_frame_count().unwrap(), surface.is_drawn().unwrap(), surface.material().unwrap()),
        (0, true, None)
    );
    assert!(is_error(surface.vertex_frame(0).unwrap_err(), ErrorKind::NoSuch, &["found number 0, but there are none"]));
    assert!(mesh.event(0, 0).unwrap().is_none());
    let mesh = plain(3, &[0, 1, 2], None);
    assert!(
        Surface::new(&mesh, 0).unwrap().is_drawn().unwrap() && Surface::new(&mesh, 0).unwrap().vertex_frame(0).is_err()
    );
    // The Unreal format has vertex frames and draw flags.
    let (_, guard) = pairs().into_iter().find(|(stem, _)| *stem == "guard").unwrap();
    let hidden: Vec<_> = Surface::all(&guard).unwrap().filter(|surface| !surface.is_drawn().unwrap()).collect();
    assert_eq!(
        (hidden.len(), hidden[0].index()),
        (1, guard.surface_count().unwrap() - 1),
        "the surface that is not drawn comes last"
    );
    assert_eq!(hidden[0].corners().unwrap().len(), 3);
    let lid = Surface::new(&guard, 2).unwrap();
    assert_eq!((lid.material().unwrap(), lid.name().unwrap()), (Some(Name::new(b"JLid")), Name::new(b"JLid")));
    let heights = (0..10).map(|frame| lid.vertex_frame(frame).unwrap().get(4).unwrap()[2]);
    assert!(heights.eq((0..10_u8).map(|frame| 256.0 + f32::from(frame) * 4.0)), "the lid rises");
    for error in [lid.vertex_frame(10).map(drop), Surface::new(&guard, 99).map(drop)].map(Result::unwrap_err) {
        assert!(error.kind() == ErrorKind::NoSuch, "{error}");
    }
}
