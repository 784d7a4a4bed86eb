//! Counts the pages that opening a large file reads, for each format.
//!
//! Only the pages of the header are read.

use crate::support::unigine::builder;
use meshpeek::decode::ByteOrder;
use meshpeek::unigine::{Animation, AnimationGeneration, Generation, Mesh};
use meshpeek::{Array, MeshFile as _, OpenOptions, PAGE, ezmesh, secondlife, unreal};

use crate::support::unigine::{grid, wave};

/// The minimum number of pages of each file.
const LARGE: u64 = 32;

fn expect_large(bytes: &[u8]) {
    assert!(bytes.len() as u64 > LARGE * PAGE, "{} bytes are too few for this test", bytes.len());
}

#[test]
fn a_mesh_looks_at_one_page() {
    for generation in [Generation::Ms10, Generation::Ms13] {
        let surfaces = [1, 2, 3].map(|number: u32| grid(&format!("{number}"), 60, generation == Generation::Ms13));
        let bytes = builder::Mesh { surfaces: surfaces.into(), ..builder::Mesh::new(generation) }.to_bytes().unwrap();
        expect_large(&bytes);
        let mesh = Mesh::open_with(bytes.as_slice(), &OpenOptions::default().with_record_access(true)).unwrap();
        assert_eq!(mesh.access_log(0).unwrap().pages(), 1);
        assert!(mesh.surface(0).unwrap().positions().unwrap().get(3000).is_some());
        assert_eq!(mesh.access_log(0).unwrap().pages(), 1, "locating the first surface reads no vertex");
    }
}

#[test]
fn a_mesh_of_blocks_looks_at_one_page() {
    for generation in [Generation::Ms14, Generation::Ms15] {
        let surfaces = [1, 2, 3].map(|number: u32| grid(&format!("{number}"), 60, true));
        let storage = meshpeek::unigine::Storage::Raw;
        let built = builder::Mesh { surfaces: surfaces.into(), storage, ..builder::Mesh::new(generation) };
        let bytes = built.to_bytes().unwrap();
        expect_large(&bytes);
        let mesh = Mesh::open_with(bytes.as_slice(), &OpenOptions::default().with_record_access(true)).unwrap();
        assert_eq!((mesh.access_log(0).unwrap().pages(), mesh.inflated_bytes()), (1, 0));
    }
}

#[test]
fn an_animation_looks_at_one_page() {
    for generation in AnimationGeneration::ALL {
        let mut file = wave(generation);
        let again = file.animations[0].frames.clone();
        for _ in 0..600 {
            file.animations[0].frames.extend(again.iter().cloned());
        }
        let bytes = file.to_bytes().unwrap();
        expect_large(&bytes);
        let file = Animation::open_with(bytes.as_slice(), &OpenOptions::default().with_record_access(true)).unwrap();
        assert_eq!(file.access_log(0).unwrap().pages(), 1, "{}", generation.magic());
    }
}

#[test]
fn a_pair_looks_at_its_headers() {
    let mut built = crate::support::unreal::cube(1);
    built.frames = vec![built.frames[0].clone(); 5000];
    let [mut data, mut aniv] = [Vec::new(), Vec::new()];
    built.write_data(&mut data).unwrap();
    built.write_aniv(&mut aniv).unwrap();
    expect_large(&aniv);
    let options = OpenOptions::default().with_record_access(true);
    let mesh = unreal::Mesh::open_with(data.as_slice(), aniv.as_slice(), &options).unwrap();
    assert_eq!(mesh.touched_bytes(), Some(52), "48 bytes of the data file and 4 of the aniv file");
    assert!(mesh.frame(4000).unwrap().positions().get(0).is_some());
    assert_eq!(mesh.touched_bytes(), Some(52));
}

#[test]
fn an_asset_looks_at_one_page() {
    let noise: Vec<u8> = (0..LARGE * PAGE).map(|at| at.wrapping_mul(2_654_435_761).to_le_bytes()[2]).collect();
    let bytes = crate::support::secondlife::raw_assets::stored_asset(
        &[],
        &[("high_lod", noise.clone()), ("lowest_lod", noise)],
    );
    expect_large(&bytes);
    let options = OpenOptions::default().with_record_access(true);
    let mesh = secondlife::Mesh::open_with(bytes.as_slice(), &options).unwrap();
    assert_eq!(mesh.access_log(0).unwrap().pages(), 1);
}

/// Opening a text reads all of it, because only the markup shows where elements end and no header
/// has their positions.
///
/// Opening the binary form reads only single numbers at several places.
#[test]
fn a_mesh_system_looks_at_all_text_or_at_counts() {
    let described = crate::support::ezmesh::raw_files::everything();
    let options = OpenOptions::default().with_record_access(true);
    let text = described.text();
    let system = ezmesh::Mesh::open_with(text.as_bytes(), &options).unwrap();
    assert_eq!(system.access_log(0).unwrap().pages(), (text.len() as u64).div_ceil(PAGE));
    let bytes = described.binary(ByteOrder::Little);
    let system = ezmesh::Mesh::open_with(bytes.as_slice(), &options).unwrap();
    assert!(system.access_log(0).unwrap().pages() <= (bytes.len() as u64).div_ceil(PAGE));
    assert!(system.access_log(0).unwrap().bytes() < bytes.len() as u64 / 2);
}
