//! Edits of Second Life assets, and levels that are extracted: replaced, added, renamed and removed
//! blocks, and header entries.
//!
//! Blocks that an edit does not name keep their stored bytes. Other blocks have their new content.
//! An edit without changes writes the same blocks, and an edit of its output writes the same bytes.
#![no_main]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    reason = "a panic is how a fuzz target fails"
)]

#[path = "shared/input.rs"]
mod input;
#[path = "../../support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use input::Input;
use libfuzzer_sys::fuzz_target;
use meshpeek::Array as _;
use meshpeek::secondlife::{AssetPart, Edit, Lod, Mesh, builder, extract, extract_available};
use support::invariants::expect_named;
use support::secondlife::{arm, grid, quad, ramp, rock};

/// The expected content of a block.
#[derive(Clone)]
enum Block {
    Stored(Vec<u8>),
    Inflated(Vec<u8>),
}

static ASSETS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let built = [quad(), arm(), rock(), ramp()].map(|asset| asset.to_bytes().unwrap());
    built.into_iter().chain([grid()]).collect()
});

fn stored(mesh: &Mesh<&[u8]>) -> BTreeMap<&'static str, Block> {
    let view = mesh.view();
    let block = |part: AssetPart| Some((part.key(), Block::Stored(view.stored(part).ok()??.1.to_vec())));
    AssetPart::ALL.into_iter().filter_map(block).collect()
}

/// Asserts that an asset has exactly these blocks.
fn expect_blocks(bytes: &[u8], expected: &BTreeMap<&'static str, Block>) {
    let mesh = Mesh::open(bytes).unwrap();
    for part in AssetPart::ALL {
        match (expected.get(part.key()), mesh.view().stored(part).unwrap()) {
            (None, None) => {}
            (Some(Block::Stored(expected)), Some((_, found))) => assert!(expected == found, "{}", part.key()),
            (Some(Block::Inflated(expected)), Some(_)) => {
                let found = mesh.block(part).unwrap().unwrap();
                assert!(found.bytes() == expected, "{}", part.key());
            }
            (expected, found) => panic!("{}: {} {}", part.key(), expected.is_some(), found.is_some()),
        }
    }
    // An edit without changes writes the same bytes.
    let again = Edit::of(mesh.view()).unwrap().to_bytes().unwrap();
    assert!(again == bytes, "written differently the second time");
}

/// Returns a level of a few triangles, and its block if the format can store it.
fn level(input: &mut Input<'_>, part: AssetPart) -> Option<Vec<u8>> {
    let submesh = |input: &mut Input<'_>| {
        let vertices = input.below(20);
        let positions: Vec<[f32; 3]> =
            (0..vertices).map(|_| if input.byte() < 4 { input.floats() } else { input.smalls() }).collect();
        let triangles = input.indices(20, vertices).as_chunks().0.to_vec();
        builder::Submesh { positions, triangles, ..Default::default() }
    };
    let level = builder::Level::from((0..=input.below(3)).map(|_| submesh(input)).collect::<Vec<_>>());
    match level.to_block(part) {
        Ok(block) => {
            expect_level(&level, &block, part);
            Some(block)
        }
        Err(error) => {
            assert_eq!(error.kind().id(), "refused", "{error}");
            None
        }
    }
}

/// Asserts that a block has the positions of a level, except for rounding, and its triangles.
fn expect_level(level: &builder::Level, block: &[u8], part: AssetPart) {
    let asset = ASSETS[0].as_slice();
    let mesh = Mesh::open(asset).unwrap();
    let bytes = Edit::of(mesh.view()).unwrap().replace(part, block).unwrap().to_bytes().unwrap();
    let mesh = Mesh::open(bytes).unwrap();
    let again = builder::Level::of(mesh.block(part).unwrap().unwrap().level().unwrap()).unwrap();
    assert_eq!(again.submeshes.len(), level.submeshes.len());
    let all = || level.submeshes.iter().flat_map(|submesh| &submesh.positions).flatten();
    let (least, most) = (all().copied().fold(f32::MAX, f32::min), all().copied().fold(f32::MIN, f32::max));
    let room = (f64::from(most) - f64::from(least)) / 65535.0 + f64::from(most.abs().max(least.abs())) * 1e-6;
    for (one, other) in level.submeshes.iter().zip(&again.submeshes) {
        if one.positions.is_empty() {
            continue;
        }
        assert_eq!((&one.triangles, one.positions.len()), (&other.triangles, other.positions.len()));
        for (one, other) in one.positions.as_flattened().iter().zip(other.positions.as_flattened()) {
            assert!((f64::from(*one) - f64::from(*other)).abs() <= room, "{one} became {other}");
        }
        let _ = mesh.level(Lod::High).unwrap().submesh(0).unwrap().indices().unwrap().len();
    }
}

fn edit(input: &mut Input<'_>) {
    let asset = &ASSETS[input.below(ASSETS.len())];
    let mesh = Mesh::open(asset.as_slice()).unwrap();
    let mut blocks = stored(&mesh);
    let mut edit = Edit::of(mesh.view()).unwrap();
    let mut version = mesh.header().unwrap().version();
    for _ in 0..input.below(9) {
        let [part, other] = [input.pick(&AssetPart::ALL), input.pick(&AssetPart::ALL)];
        match input.below(7) {
            0 => {
                edit.remove(part);
                blocks.remove(part.key());
            }
            1 => match edit.rename(part, other) {
                Ok(_) => {
                    if part != other {
                        let moved = blocks.remove(part.key()).expect("only a block can be renamed");
                        blocks.insert(other.key(), moved);
                    }
                }
                Err(error) => {
                    assert!(!part.is_geometry() || !other.is_geometry() || !blocks.contains_key(part.key()), "{error}")
                }
            },
            2 => {
                let bytes = input.bytes(40);
                match edit.replace_stored(part, bytes.clone()) {
                    Ok(_) => drop(blocks.insert(part.key(), Block::Stored(bytes))),
                    Err(error) => assert!(bytes.is_empty() && error.kind().id() == "refused", "{error}"),
                }
            }
            3 => {
                version = Some(i32::from(input.byte()));
                edit.set_integer("version", version.unwrap()).unwrap();
            }
            4 => {
                version = None;
                edit.unset("version");
                assert!(edit.set_integer(part.key(), 1).is_err(), "a block is no plain entry");
            }
            5 => {
                let bytes = input.bytes(60);
                if edit.replace(part, &bytes).is_ok() {
                    blocks.insert(part.key(), Block::Inflated(bytes));
                }
            }
            _ => {
                if let Some(block) = level(input, part) {
                    edit.replace(part, &block).unwrap();
                    blocks.insert(part.key(), Block::Inflated(block));
                }
            }
        }
    }
    let bytes = edit.to_bytes().unwrap();
    expect_blocks(&bytes, &blocks);
    assert_eq!(Mesh::open(bytes.as_slice()).unwrap().header().unwrap().version(), version);
    expect_extracted(&bytes);
}

/// Asserts that each level is extracted with the other blocks and without the other levels.
fn expect_extracted(bytes: &[u8]) {
    let mesh = Mesh::open(bytes).unwrap();
    let blocks = stored(&mesh);
    for lod in Lod::ALL {
        let Some(block) = blocks.get(lod.part().key()) else {
            assert!(extract(mesh.view(), lod).is_err() && extract_available(mesh.view(), lod).is_err());
            continue;
        };
        let mut expected = blocks.clone();
        Lod::ALL.into_iter().for_each(|lod| drop(expected.remove(lod.part().key())));
        expected.insert(AssetPart::HighLod.key(), block.clone());
        expect_blocks(&extract(mesh.view(), lod).unwrap(), &expected);
        let (available, missing) = extract_available(mesh.view(), lod).unwrap();
        assert!(missing.is_empty());
        expect_blocks(&available, &expected);
    }
}

/// Edits any bytes without changes.
fn copy(bytes: &[u8]) {
    let Ok(mesh) = Mesh::open(bytes) else { return };
    let edit = match Edit::of(mesh.view()) {
        Ok(edit) => edit,
        Err(error) => return expect_named(&error, bytes.len() as u64),
    };
    for lod in Lod::ALL {
        match extract_available(mesh.view(), lod) {
            Ok((alone, _)) => {
                let alone = Mesh::open(alone.as_slice()).unwrap();
                let [one, other] = [(&alone, AssetPart::HighLod), (&mesh, lod.part())]
                    .map(|(mesh, part)| mesh.view().stored(part).unwrap().unwrap().1);
                assert!(one == other, "an extracted level has other bytes");
            }
            Err(error) => expect_named(&error, bytes.len() as u64),
        }
    }
    let written = match edit.to_bytes() {
        Ok(written) => written,
        Err(error) => return expect_named(&error, bytes.len() as u64),
    };
    let again = Mesh::open(written.as_slice()).unwrap();
    for part in AssetPart::ALL {
        let [one, other] = [&mesh, &again].map(|mesh| mesh.view().stored(part).ok().flatten().map(|(_, bytes)| bytes));
        assert!(one == other, "{} has other bytes", part.key());
    }
    assert!(Edit::of(again.view()).unwrap().to_bytes().unwrap() == written, "written differently the second time");
}

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input::new(bytes);
    if input.byte() < 160 {
        edit(&mut input);
    } else {
        copy(input.rest());
    }
});
