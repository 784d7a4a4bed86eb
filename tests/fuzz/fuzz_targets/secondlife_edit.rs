//! Second Life assets without some blocks, and levels that are extracted.
//!
//! Blocks that are not removed keep their stored bytes. An edit without changes writes the same
//! blocks, and an edit of its output writes the same bytes.
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
use meshpeek::secondlife::{AssetPart, Edit, Lod, Mesh, extract, extract_available};
use support::invariants::expect_named;
use support::secondlife::{arm, grid, quad, ramp, rock};

static ASSETS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let built = [quad(), arm(), rock(), ramp()].map(|asset| asset.to_bytes().unwrap());
    built.into_iter().chain([grid()]).collect()
});

fn stored(mesh: &Mesh<&[u8]>) -> BTreeMap<&'static str, Vec<u8>> {
    let view = mesh.view();
    let block = |part: AssetPart| Some((part.key(), view.stored(part).ok()??.1.to_vec()));
    AssetPart::ALL.into_iter().filter_map(block).collect()
}

/// Asserts that an asset has exactly these blocks.
fn expect_blocks(bytes: &[u8], expected: &BTreeMap<&'static str, Vec<u8>>) {
    let mesh = Mesh::open(bytes).unwrap();
    for part in AssetPart::ALL {
        match (expected.get(part.key()), mesh.view().stored(part).unwrap()) {
            (None, None) => {}
            (Some(expected), Some((_, found))) => assert!(expected == found, "{}", part.key()),
            (expected, found) => panic!("{}: {} {}", part.key(), expected.is_some(), found.is_some()),
        }
    }
    // An edit without changes writes the same bytes.
    let again = Edit::of(mesh.view()).unwrap().to_bytes().unwrap();
    assert!(again == bytes, "written differently the second time");
}

fn edit(input: &mut Input<'_>) {
    let asset = &ASSETS[input.below(ASSETS.len())];
    let mesh = Mesh::open(asset.as_slice()).unwrap();
    let mut blocks = stored(&mesh);
    let mut edit = Edit::of(mesh.view()).unwrap();
    for _ in 0..input.below(9) {
        let part = input.pick(&AssetPart::ALL);
        edit.remove(part);
        blocks.remove(part.key());
    }
    let bytes = edit.to_bytes().unwrap();
    expect_blocks(&bytes, &blocks);
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
