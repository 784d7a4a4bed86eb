//! Counts the allocations of the library.
//!
//! Iterating over arrays allocates nothing, item by item, in bulk or in a scan. The other tests
//! count what opening, posing and a sidecar allocate.

use std::sync::Arc;

use crate::support::unigine::builder;
use bytemuck::Zeroable;
use meshpeek::array::runs::CountedRuns;
use meshpeek::decode::convert::{HalfFloat, Snorm, Unorm};
use meshpeek::decode::{
    Decode, Floats, Index, Influence, Influence3, Influence4, MinMax16, NormalOf, OffsetScale16, OutputFormat,
    Packed32, Packed64, Quat7, Quat8, Tangent16, Unit16, Unorm8,
};
use meshpeek::model::animation::{Affine, SkinMatrix};
use meshpeek::model::{PositionEncoding, Positions, SpaceConversion, TangentFrameEncoding, TangentFrames};
use meshpeek::sidecar::{Builder, Key, Sidecar, Trust};
use meshpeek::unigine::{Generation, Mesh};
use meshpeek::{Array, Map, MeshFile as _, Packed, Pose, Skeleton, SkinnedSurface, Surface, unreal};
use zerocopy::FromBytes;
use zerocopy::little_endian::{F32, U16, U32};

use crate::support::allocations::{allocations, most_held};
use crate::support::random::Random;
use crate::support::unigine::grid;

/// The number of items in each array: several chunks, and a remainder.
const ITEMS: usize = 5003;

fn any_bytes() -> Vec<u8> {
    let mut random = Random::new(7);
    (0..ITEMS * 16).map(|_| random.next() as u8).collect()
}

fn array<D: Decode>(bytes: &[u8], decode: D) -> Packed<'_, D> {
    Packed::new(<[D::Raw]>::ref_from_prefix_with_elems(bytes, ITEMS).unwrap().0, decode)
}

/// Reads an array in every available way and expects no allocation.
fn expect_none<D: Decode>(bytes: &[u8], decode: D) {
    let array = array(bytes, decode);
    let mut out = vec![D::Value::zeroed(); ITEMS];
    let count = allocations(|| {
        array.decode_into(&mut out).unwrap();
        let mut seen = 0;
        array.for_each_chunk(|_, values| seen += values.len());
        let mut chunks = array.chunks();
        while let Some(values) = chunks.next() {
            seen += values.len();
        }
        array.for_each(|_| seen += 1);
        seen += array.iter().count() + usize::from(array.get(ITEMS - 1).is_some());
        assert_eq!(seen, 4 * ITEMS + 1);
    });
    assert_eq!(count, 0, "{}", std::any::type_name::<D>());
}

#[test]
fn no_decoder_allocates() {
    let bytes = any_bytes();
    expect_none(&bytes, Floats::<3>);
    expect_none(&bytes, MinMax16::new([-1.0; 3], [1.0; 3]));
    expect_none(&bytes, OffsetScale16 { min: [-1.0; 3], size: [2.0; 3] });
    expect_none(&bytes, Unit16);
    expect_none(&bytes, Unorm8::<4>);
    expect_none(&bytes, Packed32);
    expect_none(&bytes, Packed64);
    expect_none(&bytes, Index::<u8>::new());
    expect_none(&bytes, Index::<U16>::new());
    expect_none(&bytes, Index::<U32>::new());
    expect_none(&bytes, Influence4);
    expect_none(&bytes, Influence3);
    expect_none(&bytes, Tangent16);
    expect_none(&bytes, Quat8);
    expect_none(&bytes, Quat7);
    expect_none(&bytes, NormalOf(Quat8));
    expect_none(&bytes, NormalOf(Quat7));
}

fn expect_none_as<D: Decode<Value = [f32; 3]>, F: OutputFormat<3>>(bytes: &[u8], decode: D, format: F) {
    let mut out = vec![[F::Component::zeroed(); 3]; ITEMS];
    assert_eq!(allocations(|| array(bytes, decode).decode_as(format, &mut out).unwrap()), 0);
}

#[test]
fn no_form_allocates() {
    let bytes = any_bytes();
    expect_none_as(&bytes, Packed32, HalfFloat);
    expect_none_as(&bytes, Unit16, Snorm::<i8>::new());
    expect_none_as(&bytes, NormalOf(Quat7), Snorm::<i16>::new());
    expect_none_as(&bytes, Floats::<3>, Unorm::<u16>::new());
}

/// Tests an output of more than 32 MiB, which exceeds the processor's cache.
#[test]
fn a_large_output_allocates_nothing() {
    let bytes = vec![5; 34 << 20];
    let positions = Packed::new(<[[F32; 3]]>::ref_from_bytes(&bytes[..33 << 20]).unwrap(), Floats::<3>);
    let mut out = vec![[0.0; 3]; positions.len()];
    assert_eq!(allocations(|| positions.decode_into(&mut out).unwrap()), 0);
}

#[test]
fn no_scan_allocates() {
    let bytes = any_bytes();
    let count = allocations(|| {
        let floats = array(&bytes, Floats::<3>);
        assert!(!floats.bounds().is_empty());
        assert!(!array(&bytes, MinMax16::new([-1.0; 3], [1.0; 3])).bounds().is_empty());
        assert!(!array(&bytes, Packed32).bounds().is_empty());
        assert!(!array(&bytes, Packed64).bounds().is_empty());
        let mut sums = floats.sums()[0];
        sums += array(&bytes, Quat8).sums().iter().sum::<i64>() as f64;
        sums += TangentFrames(TangentFrameEncoding::Quat7(array(&bytes, Quat7))).sums().iter().sum::<i64>() as f64;
        assert!(floats.non_finite().count > 0 || sums.is_finite());
        assert!(Positions(PositionEncoding::Packed32(array(&bytes, Packed32))).sphere().radius > 0.0);
        assert!(Positions(PositionEncoding::Packed64(array(&bytes, Packed64))).bounds().min[0] < 0.0);
    });
    assert_eq!(count, 0);
}

/// Returns the size of the index of few runs: blocks, the place of each run and the end of the last
/// one, and the two lists.
fn index_bytes(runs: usize) -> u64 {
    runs.div_ceil(64) as u64 * 40 + (runs as u64 + 1) * 4 + 32
}

#[test]
fn walks_over_runs_allocate_nothing() {
    let mut random = Random::new(3);
    let bytes: Vec<u8> = (0..ITEMS)
        .flat_map(|_| {
            let records = random.next() as u8 % 5;
            std::iter::once(records).chain((0..records * 4).map(|_| 9))
        })
        .collect();
    let runs = CountedRuns::<[u8; 4]>::new(&bytes, ITEMS);
    assert_eq!(allocations(|| assert_eq!(runs.measure().unwrap().bytes, bytes.len() as u64)), 0);
    assert_eq!(allocations(|| assert_eq!(runs.iter().count(), ITEMS)), 0);
    let (index, held) = most_held(|| runs.index().unwrap());
    assert_eq!(held, index_bytes(ITEMS));
    assert_eq!(allocations(|| assert!((0..ITEMS).all(|run| runs.get(&index, run).is_some()))), 0);
}

/// Builds a mesh of three surfaces. Only the middle one is skinned.
fn skinned() -> Vec<u8> {
    let mut heavy = grid("heavy", 60, true);
    heavy.weights = vec![vec![Influence { bone: 0, weight: 1.0 }]; 61 * 61];
    let built = builder::Mesh {
        bones: vec![builder::Bone { parent: -1, ..builder::Bone::default() }],
        surfaces: vec![grid("first", 60, true), heavy, grid("last", 60, true)],
        ..builder::Mesh::new(Generation::Ms13)
    };
    built.to_bytes().unwrap()
}

/// Bytes that stay allocated while a mesh is open: per bone, per surface, and for the end of the
/// last surface.
const BONE: u64 = 8;
const SURFACE: u64 = 112;
const END: u64 = 8;
/// The number of lists that hold these bytes.
///
/// They are the starts of bones, the starts of surfaces in the header and in the body, and the
/// cached state of surfaces.
const LISTS: u64 = 4;

#[test]
fn a_mesh_allocates_its_lists() {
    let bytes = skinned();
    let (mesh, held) = most_held(|| Mesh::open(bytes.as_slice()).unwrap());
    assert_eq!(held, BONE + 3 * SURFACE + END);
    assert_eq!(allocations(|| Mesh::open(bytes.as_slice()).unwrap()), LISTS);
    let count = allocations(|| {
        for surface in mesh.surfaces() {
            let surface = surface.unwrap();
            assert!(!surface.positions().unwrap().bounds().is_empty());
            assert!(surface.tangent_frames().unwrap().sums()[0] != 1);
            surface.indices().unwrap().for_each(|_| {});
            assert!(surface.attribute_indices().unwrap().first_out_of_range(u32::MAX).is_none());
            surface.weights().unwrap().inspect(|weights| assert_eq!(weights.histogram()[1], 61 * 61));
        }
    });
    assert_eq!(count, 0);
    let weights = mesh.surface(1).unwrap().weights().unwrap().unwrap();
    let (_, held) = most_held(|| weights.get(3000).unwrap().len());
    assert_eq!(held, index_bytes(61 * 61), "4.625 bytes per vertex");
    assert_eq!(allocations(|| assert!((0..61 * 61).all(|vertex| weights.get(vertex).is_some()))), 0);
}

#[test]
fn mapping_allocates_only_its_path() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), skinned()).unwrap();
    // SAFETY: only this test uses the file.
    let count = allocations(|| unsafe { Map::open(file.path()).unwrap() });
    assert_eq!(count, 1);
}

/// Allocations for the record that locates the index of a surface's weights in a sidecar.
const STORED: u64 = 1;

#[test]
fn what_a_sidecar_knows_is_not_built() {
    let bytes = skinned();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &bytes).unwrap();
    let key = Key::of(&file.path().metadata().unwrap());
    let (mut builder, mut stored) = (Builder::default(), Vec::new());
    Mesh::open(bytes.as_slice()).unwrap().index(&mut builder).unwrap();
    builder.write_to(&key, &mut stored).unwrap();
    let sidecar = Arc::new(Sidecar::open(stored, &key, Trust::Trusted).unwrap());
    let mesh = Mesh::open(bytes.as_slice()).unwrap().with_sidecar(sidecar);
    let (count, held) = most_held(|| {
        allocations(|| {
            let weights = mesh.surface(1).unwrap().weights().unwrap().unwrap();
            assert!(weights.get(3000).unwrap().len() == 1);
        })
    });
    assert!(count <= STORED && held <= 64, "{count} allocations of {held} bytes");
    let weights = mesh.surface(1).unwrap().weights().unwrap().unwrap();
    assert_eq!(allocations(|| assert!((0..61 * 61).all(|vertex| weights.get(vertex).is_some()))), 0);
}

/// The maximum number of bytes of a bone that are allocated while a skeleton is built.
const SKELETON_BONE: u64 = 208;

#[test]
fn bones_move_vertices_without_allocating() {
    let bytes = crate::support::unigine::skinned(Generation::Ms12).to_bytes().unwrap();
    let mesh = Mesh::open(bytes.as_slice()).unwrap();
    let (skeleton, held) = most_held(|| Skeleton::new(&mesh).unwrap());
    assert!(held <= SKELETON_BONE * skeleton.len() as u64, "{held} bytes");
    let mut pose = Pose::rest(&mesh).unwrap();
    assert!(pose.palette(&skeleton, &SpaceConversion::IDENTITY).is_ok());
    let (mut model, mut palette) = (vec![Affine::IDENTITY; skeleton.len()], vec![SkinMatrix::IDENTITY; skeleton.len()]);
    let surface = Surface::new(&mesh, 0).unwrap();
    let mut moved = vec![[0.0; 3]; surface.positions().unwrap().len()];
    // This call builds the index of the weights.
    assert!(surface.weights().unwrap().unwrap().get(0).is_some());
    let count = allocations(|| {
        skeleton.model(pose.bones(), &mut model).unwrap();
        skeleton.palette(&model, &mut palette).unwrap();
        assert_eq!(pose.palette(&skeleton, &SpaceConversion::IDENTITY).unwrap(), palette);
        let skinned = SkinnedSurface::new(&surface, &palette).unwrap();
        skinned.positions_into(&mut moved).unwrap();
        assert!((0..moved.len() as u32).all(|vertex| skinned.position(vertex).unwrap().is_some()));
    });
    assert_eq!(count, 0);
}

/// Bytes that stay allocated once surfaces have been located: per polygon reference and per
/// surface.
const POLYGON: u64 = 2;
const PART: u64 = 12;
/// Bytes of a polygon's sort key, which is freed once the surfaces have been located.
const SORT_KEY: u64 = 6;

#[test]
fn a_pair_allocates_its_surfaces() {
    let built = crate::support::unreal::cube(3);
    let [mut data, mut aniv] = [Vec::new(), Vec::new()];
    built.write_data(&mut data).unwrap();
    built.write_aniv(&mut aniv).unwrap();
    let mesh = unreal::Mesh::open(data.as_slice(), aniv.as_slice()).unwrap();
    assert_eq!(allocations(|| unreal::Mesh::open(data.as_slice(), aniv.as_slice()).unwrap()), 0);
    assert_eq!(allocations(|| assert!(!mesh.frame(2).unwrap().positions().bounds().is_empty())), 0);
    let (surfaces, held) = most_held(|| mesh.surfaces().unwrap().map(Result::unwrap).count() as u64);
    let most = (POLYGON + SORT_KEY) * built.polygons.len() as u64 + PART * surfaces;
    assert!(held <= most, "{held} bytes, {most} at most");
    let count = allocations(|| mesh.surfaces().unwrap().for_each(|surface| assert!(surface.is_ok())));
    assert_eq!(count, 0);
}
