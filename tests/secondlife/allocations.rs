//! Counts the allocations for reading a Second Life mesh.
//!
//! Reading the header allocates nothing, a block takes a few allocations, and the next block in the
//! same buffer takes none.

use meshpeek::secondlife::{AssetPart, Header, HeaderPrefix, InflateBuffer, Lod, Mesh};
use meshpeek::{Array, Limits};

use crate::support::allocations::allocations;
use crate::support::secondlife::raw_assets::{everything, level, square, zlib};

#[test]
fn a_header_allocates_nothing() {
    let bytes = everything();
    let limits = Limits::default();
    let count = allocations(|| {
        let HeaderPrefix::Ready(header) = Header::of_prefix(&bytes, &limits).unwrap() else { panic!() };
        assert_eq!(header.entries().count(), 10);
        assert!(header.entries().all(|entry| entry.value.map().is_some_and(|map| map.iter().count() == 2)));
        assert_eq!(header.blocks().count(), 10);
        assert_eq!(header.lods().count(), 4);
        for part in AssetPart::ALL {
            assert!(!header.block(part).unwrap().unwrap().is_empty());
            assert!(header.hash(part).is_none());
        }
        assert!(header.version().is_none() && header.creator().is_none() && header.date().is_none());
        assert!(matches!(Header::of_prefix(&bytes[..100], &limits).unwrap(), HeaderPrefix::NeedMore(_)));
    });
    assert_eq!(count, 0);
    // Opening a mesh and locating the stored bytes of each block allocates nothing either.
    let count = allocations(|| {
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        assert!(AssetPart::ALL.into_iter().all(|part| mesh.view().stored(part).unwrap().is_some()));
        mesh
    });
    assert_eq!(count, 0);
}

/// Allocations of a block.
///
/// They are the block itself, the decompressor, the inflated bytes, the offsets of its submeshes,
/// and the slots for their weight indices.
const BLOCK: u64 = 5;
/// The allocations for an index into the weights of a submesh: its blocks, the byte offset of each
/// run, and a record of both.
const INDEX: u64 = 3;

#[test]
fn one_level_is_one_block() {
    let bytes = everything();
    for lod in Lod::ALL {
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        let count = allocations(|| assert!(!mesh.level(lod).unwrap().is_empty()));
        let (_, stored) = mesh.view().stored(lod.part()).unwrap().unwrap();
        let inflated = mesh.block(lod.part()).unwrap().unwrap().bytes().len();
        // A block with an unusually high compression ratio takes one more allocation.
        let steps = u64::from(inflated > stored.len() * 9 / 4);
        assert_eq!(count, BLOCK + steps, "{lod:?}: {} to {inflated} bytes", stored.len());
        for part in AssetPart::ALL {
            assert_eq!(mesh.view().is_inflated(part), part == lod.part(), "{part:?}");
        }
        let count = allocations(|| {
            for submesh in mesh.level(lod).unwrap().submeshes() {
                let submesh = submesh.unwrap();
                submesh.positions().unwrap().for_each(|_| {});
                submesh.normals().unwrap();
                submesh.uvs().unwrap();
                submesh.indices().unwrap().for_each(|_| {});
                submesh.weights().unwrap().inspect(|weights| assert_eq!(weights.iter().count(), 4));
            }
        });
        assert_eq!(count, 0);
        // Random access to lists builds an index of base offsets and sizes.
        let weights = mesh.level(lod).unwrap().submeshes().last().unwrap().unwrap().weights().unwrap().unwrap();
        let count = allocations(|| assert!(weights.get(3).is_some()));
        assert_eq!(count, INDEX);
        assert_eq!(allocations(|| assert!((0..4).all(|vertex| weights.get(vertex).is_some()))), 0);
    }
}

#[test]
fn a_buffer_is_filled_again_without_allocating() {
    let bytes = everything();
    let mesh = Mesh::open(bytes.as_slice()).unwrap();
    let mut buffer = InflateBuffer::default();
    for part in AssetPart::ALL {
        mesh.view().block_into(part, &mut buffer).unwrap();
    }
    for part in AssetPart::ALL {
        let count = allocations(|| assert!(mesh.view().block_into(part, &mut buffer).unwrap().is_some()));
        assert_eq!(count, 0, "{part:?}");
    }
    let stored = zlib(&level(&[square()]));
    for _ in 0..2 {
        let count = allocations(|| assert!(buffer.inflate(AssetPart::HighLod, &stored, &Limits::default()).is_ok()));
        assert_eq!(count, 0);
    }
}
