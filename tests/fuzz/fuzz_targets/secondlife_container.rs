//! Containers and cache files of Second Life, with queries on each level of each asset.
//!
//! The results agree with a loop over all triangles, and with those of the same asset alone. A
//! level that cannot be read is an error that names a part of the file.
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

use input::Input;
use libfuzzer_sys::fuzz_target;
use meshpeek::query::Scene;
use meshpeek::secondlife::{AssetPart, LevelGeometry, Lod, Mesh};
use meshpeek::{Error, OpenOptions};
use support::invariants::expect_named;
use support::query::{Oracle, Questions, all_faces, ask, expect};
use support::secondlife::builder;
use support::secondlife::{Container, Instance, cache, raw_assets};

fn submesh(input: &mut Input<'_>) -> builder::Submesh {
    let vertices = input.below(24);
    let positions: Vec<[f32; 3]> = (0..vertices).map(|_| input.smalls()).collect();
    let triangles = input.indices(24, vertices).as_chunks().0.to_vec();
    builder::Submesh { positions, triangles, ..Default::default() }
}

fn level(input: &mut Input<'_>) -> builder::Level {
    (0..=input.below(3)).map(|_| submesh(input)).collect::<Vec<_>>().into()
}

/// Builds an asset of random levels.
fn asset(input: &mut Input<'_>) -> Vec<u8> {
    let lods = input.below(4);
    let mut lod = |number| (lods >= number).then(|| level(input));
    let [medium, low, lowest] = [lod(1), lod(2), lod(3)];
    let physics_mesh = input.flag().then(|| level(input));
    let asset = builder::Asset { high: level(input), medium, low, lowest, physics_mesh, ..Default::default() };
    asset.to_bytes().unwrap()
}

/// Queries a block of submeshes, and returns the results or the error.
fn answers(mesh: &Mesh<&[u8]>, part: AssetPart, questions: &Questions) -> Result<Vec<u32>, Error> {
    let geometry = LevelGeometry::new(mesh.view(), part);
    geometry.level()?;
    let scene = Scene::new(&geometry)?;
    let faces = all_faces(&geometry)?;
    let mut questions = questions.clone();
    questions.vertices.retain(|(surface, _)| *surface < faces.len());
    if faces.iter().map(Vec::len).sum::<usize>() < 400 {
        expect(&scene, &Oracle::new(&faces), &questions);
    }
    Ok(ask(&scene, &questions))
}

const PARTS: [AssetPart; 5] =
    [AssetPart::HighLod, AssetPart::MediumLod, AssetPart::LowLod, AssetPart::LowestLod, AssetPart::PhysicsMesh];

/// Queries all assets of a file. If `alone` is given, it has the bytes of each asset.
fn look_at(file: &[u8], alone: &[Vec<u8>], questions: &Questions) {
    let mesh = match Mesh::open(file) {
        Ok(mesh) => mesh,
        Err(error) => return expect_named(&error, file.len() as u64),
    };
    for number in 0..mesh.asset_count().min(4) {
        let options = OpenOptions::default().with_asset(number);
        let asset = Mesh::open_with(file, &options).unwrap();
        let single = alone.get(number).map(|bytes| Mesh::open(bytes.as_slice()).unwrap());
        for part in PARTS {
            let found = answers(&asset, part, questions).map_err(|error| expect_named(&error, file.len() as u64));
            if let Some(single) = &single {
                assert!(answers(single, part, questions).map_err(drop) == found, "alone, the asset has other results");
            }
        }
    }
}

fn built(input: &mut Input<'_>) {
    let assets: Vec<_> = (0..=input.below(3)).map(|_| asset(input)).collect();
    let questions = input.questions(2, 20);
    let instances = input.list(4, |input| Instance {
        asset: input.below(assets.len()),
        label: input.text(),
        transform: std::array::from_fn(|_| input.small()),
        ..Default::default()
    });
    let container = Container { name: input.text(), assets: assets.clone(), instances: instances.clone() };
    let mut bytes = container.to_bytes();
    let mesh = Mesh::open(bytes.as_slice()).unwrap();
    assert_eq!(mesh.asset_count(), assets.len());
    for (found, built) in mesh.container().unwrap().instances().zip(&instances) {
        assert_eq!((found.mesh_id(), found.transform()), (Some(built.asset as i32), Some(built.transform)));
    }
    look_at(&bytes, &assets, &questions);
    let first = &assets[0];
    let mesh = Mesh::open(first.as_slice()).unwrap();
    let missing: Vec<AssetPart> = PARTS.into_iter().filter(|_| input.byte() < 60).collect();
    let file = cache(first, &missing);
    let cached = Mesh::open(file.as_slice()).unwrap();
    for part in PARTS {
        let [one, other] = [&mesh, &cached].map(|mesh| answers(mesh, part, &questions));
        let is_cached = part.cache_flag().is_some() && !missing.contains(&part);
        assert!(!is_cached || one.map_err(drop) == other.map_err(drop), "{}", part.key());
    }
    look_at(&file, &[], &questions);
    // Some bytes of the container are changed.
    for _ in 0..input.below(6) {
        let at = usize::from(u16::from_le_bytes([input.byte(), input.byte()])) % bytes.len();
        bytes[at] = input.byte();
    }
    look_at(&bytes, &[], &questions);
}

/// The inputs are the inflated levels of two assets.
fn raw(mut input: Input<'_>) {
    let questions = input.questions(2, 20);
    let cut = usize::from(input.byte()) * 4;
    let rest = input.rest();
    let (one, other) = rest.split_at(cut.min(rest.len()));
    let keys = [Lod::High, Lod::Lowest].map(|lod| lod.part().key());
    let asset =
        |first: &[u8], second: &[u8]| raw_assets::asset(&[(keys[0], first.to_vec()), (keys[1], second.to_vec())]);
    let assets = [asset(one, other), asset(other, one)];
    look_at(&raw_assets::container(&assets), &assets, &questions);
}

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input::new(bytes);
    if input.byte() < 180 {
        built(&mut input);
    } else {
        raw(input);
    }
});
