//! Tests of counting the items of compressed surfaces, which keeps no inflated block.

use crate::support::unigine::builder;
use meshpeek::model::SurfaceArrays;
use meshpeek::unigine::{Generation, Mesh, Storage};
use meshpeek::{Array as _, ErrorKind, Geometry, Limits, MeshFile as _, OpenOptions};

use crate::support::allocations::{allocations, most_held, refuse_each, still_held};
use crate::support::is_error;
use crate::support::unigine::grid;
use crate::support::unigine::raw_blocks::{RawBlock, header_of, put_together};

/// The size of the window in which a block is inflated to count its items.
const WINDOW: u64 = 128 << 10;

/// Returns a mesh of three surfaces. The blocks of the first two are larger than [`WINDOW`].
pub fn grids(generation: Generation) -> Vec<u8> {
    let surfaces = vec![grid("one", 60, true), grid("two", 90, true), grid("three", 20, false)];
    builder::Mesh { surfaces, ..builder::Mesh::new(generation) }.to_bytes().unwrap()
}

/// Returns the size of the inflated geometry block of a surface.
pub fn raw_size(mesh: &Mesh<&[u8]>, index: usize) -> u64 {
    u64::try_from(mesh.blocks(index).unwrap().unwrap()[0].raw).unwrap()
}

#[test]
fn counting_keeps_nothing() {
    for generation in [Generation::Ms14, Generation::Ms15] {
        let whole = grids(generation);
        let [kept, mesh] = [0, 1].map(|_| Mesh::open(whole.as_slice()).unwrap());
        assert!(raw_size(&mesh, 1) > WINDOW, "the block is larger than the window");
        let count = || (0..3).for_each(|index| assert!(SurfaceArrays::counts(&mesh, index).is_ok()));
        let (((), left), peak) = most_held(|| still_held(count));
        assert_eq!((left, mesh.inflated_bytes()), (0, 0));
        assert!(peak <= WINDOW, "{peak} bytes");
        assert_eq!(allocations(count), 0, "the counts are cached");
        for index in 0..3 {
            assert_eq!(SurfaceArrays::counts(&mesh, index).unwrap(), kept.surface(index).unwrap().counts().unwrap());
        }
        // The bounds and the names are in the header.
        let look = || {
            let found = |index| mesh.surface_bounds(index).is_ok() && mesh.surface_name(index).is_ok();
            assert!((0..3).all(found));
            Geometry::bounds(&mesh).unwrap()
        };
        assert_eq!((allocations(look), mesh.inflated_bytes()), (0, 0));
    }
}

/// The budget for blocks that the mesh keeps limits neither counting nor lending.
#[test]
fn kept_blocks_leave_room_for_counting_and_lending() {
    let positions = 100_000;
    let block = RawBlock::lz4(&vec![0; positions * 12 + 4]);
    let head = header_of(Generation::Ms15, 2, 1, [positions, 0, 0]);
    let whole =
        put_together(&head, &[block.clone(), block], &[RawBlock::verbatim(&[0; 3]), RawBlock::verbatim(&[0; 3])]);
    let limits = Limits::default().with_asset(2_000_000);
    let mesh = Mesh::open_with(whole.as_slice(), &OpenOptions::default().with_limits(limits)).unwrap();
    mesh.surface(0).unwrap();
    let error = mesh.surface(1).map(drop).unwrap_err();
    assert!(is_error(&error, ErrorKind::Limit, &["(the limit `asset`)"]), "{error}");
    assert_eq!(SurfaceArrays::counts(&mesh, 1).unwrap().vertices as usize, positions);
    assert_eq!(mesh.lend(1).unwrap().positions(1, 0).unwrap().len(), positions);
}

#[test]
fn counts_of_uncompressed_blocks_need_no_memory() {
    let built = builder::Mesh {
        surfaces: vec![grid("one", 60, true)],
        storage: Storage::Raw,
        ..builder::Mesh::new(Generation::Ms14)
    };
    let whole = built.to_bytes().unwrap();
    let mesh = Mesh::open(whole.as_slice()).unwrap();
    assert_eq!(allocations(|| SurfaceArrays::counts(&mesh, 0).unwrap()), 0);
    assert_eq!(SurfaceArrays::counts(&mesh, 0).unwrap(), mesh.surface(0).unwrap().counts().unwrap());
}

#[test]
fn counting_records_the_bytes_that_it_reads() {
    let whole = grids(Generation::Ms14);
    let options = OpenOptions::default().with_record_access(true);
    let [read, counted] = [0, 1].map(|_| Mesh::open_with(whole.as_slice(), &options).unwrap());
    read.surface(1).unwrap().counts().unwrap();
    SurfaceArrays::counts(&counted, 1).unwrap();
    assert!(read.touched_bytes().is_some() && read.touched_bytes() == counted.touched_bytes());
}

#[test]
fn memory_that_is_refused_is_an_error() {
    let whole = grids(Generation::Ms14);
    let meshes: Vec<_> = (0..3).map(|_| Mesh::open(whole.as_slice()).unwrap()).collect();
    let mut next = meshes.iter();
    assert_eq!(refuse_each("counts", || SurfaceArrays::counts(next.next().unwrap(), 1).map(drop)), 1);
}
