//! Any bytes as a file of a format that is detected, read through the traits of all formats.
//!
//! Errors name a field and an offset inside the file, the regions have no gap, a check that fails
//! is also a finding, queries agree with a loop over all triangles, a sidecar changes no value, and
//! a file that was written again is written in the same bytes.
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

use std::sync::{Arc, LazyLock};

use input::Input;
use libfuzzer_sys::fuzz_target;
use meshpeek::internals::format_file;
use meshpeek::query::Scene;
use meshpeek::sidecar::{Builder, Key, Sidecar, Trust};
use meshpeek::{Array, ErrorKind, Model, OpenOptions, Result, Severity, Surface};
use support::invariants::{expect_lossy_weld, expect_named, pose_and_skin};
use support::query::{Oracle, all_faces, expect};

/// The number of surfaces that are read, and of triangles that are queried.
const SURFACES: usize = 4;
const TRIANGLES: usize = 150;

static KEY: LazyLock<Key> = LazyLock::new(support::sidecar::key);

/// Unwraps a result. An error must name a part of the file.
fn some<T>(result: Result<T>, length: u64) -> Option<T> {
    result.inspect_err(|error| expect_named(error, length)).ok()
}

/// Asserts that an array has the same items in all ways of access.
fn look_at<A: Array>(array: &A, expected: Option<u32>)
where
    A::Item: std::fmt::Debug,
{
    expected.into_iter().for_each(|expected| assert_eq!(array.len(), expected as usize));
    let shown = |item: Option<A::Item>| format!("{item:?}");
    let last = array.len().wrapping_sub(1);
    for index in [0, array.len() / 2, last] {
        assert_eq!(shown(array.get(index)), shown(array.iter().nth(index)));
    }
    assert!(array.get(array.len()).is_none() && array.iter().count() == array.len());
}

fn look_at_surface(surface: &Surface<'_>, length: u64) {
    let counts = some(surface.counts(), length);
    if let Some(positions) = some(surface.positions(), length) {
        look_at(&positions, counts.map(|counts| counts.vertices));
    }
    if let Some(indices) = some(surface.indices(), length) {
        look_at(&indices, counts.map(|counts| counts.corners));
    }
    let welded = some(surface.corners(), length).map_or(0, |corners| corners.triangle_count());
    if welded < 5000 {
        some(surface.weld(), length);
        some(surface.weld_lossy(), length);
        expect_lossy_weld(surface);
    }
    some(surface.attribute_indices(), length).iter().for_each(|all| look_at(all, None));
    some(surface.normals(), length).flatten().iter().for_each(|all| look_at(all, None));
    some(surface.tangent_frames(), length).flatten().iter().for_each(|all| look_at(all, None));
    some(surface.colors(), length).flatten().iter().for_each(|all| look_at(all, None));
    for set in 0..4 {
        some(surface.uvs(set), length).flatten().iter().for_each(|all| look_at(all, None));
    }
    if let Some(weights) = some(surface.weights(), length).flatten() {
        // The lists of the last vertices may be missing in a damaged file.
        let lists = weights.iter().count();
        assert!(lists <= weights.len() && weights.get(weights.len() as u32).is_none());
        for vertex in [0, lists / 2, lists.saturating_sub(1)].into_iter().filter(|vertex| *vertex < lists) {
            let list =
                |all: Option<meshpeek::model::Influences<'_>>| format!("{:?}", all.unwrap().iter().collect::<Vec<_>>());
            assert_eq!(list(weights.get(vertex as u32)), list(weights.iter().nth(vertex)));
        }
    }
    let _ = (some(surface.name(), length), some(surface.material(), length), some(surface.is_drawn(), length));
    let _ = (some(surface.bounds(), length), some(surface.sphere(), length));
    if let Some(Some(tree)) = some(surface.partition(), length) {
        let _ = tree;
    }
    assert!(surface.target_positions(usize::MAX).is_err());
}

/// Returns all positions and weights of the first surfaces, or the errors.
fn values(model: &Model<&[u8]>) -> Vec<String> {
    let surfaces = model.surfaces().into_iter().flatten().take(SURFACES);
    let value = |surface: Surface<'_>| {
        let positions = surface.positions().map(|all| all.iter().map(|one| one.map(f32::to_bits)).collect::<Vec<_>>());
        let weights = surface.weights().map(|all| {
            let last = |all: meshpeek::Weights<'_>| all.get(u32::try_from(all.len() / 2).unwrap()).map(|list| list.iter().count());
            all.and_then(last)
        });
        format!("{:?} {:?}", positions.map_err(|error| error.to_string()), weights.map_err(|error| error.to_string()))
    };
    surfaces.map(value).collect()
}

fn look_at_scene(model: &Model<&[u8]>, bytes: &[u8]) {
    let geometry = model.geometry();
    let Ok(faces) = all_faces(geometry) else {
        some(Scene::new(geometry), bytes.len() as u64);
        return;
    };
    if faces.len() > 64 || faces.iter().map(Vec::len).sum::<usize>() > TRIANGLES {
        return;
    }
    let mut input = Input::new(&bytes[bytes.len() / 2..]);
    let questions = input.questions(0, 0);
    let oracle = Oracle::new(&faces);
    for scene in [Scene::new(geometry), Scene::from_file_trees(geometry)] {
        expect(&scene.unwrap(), &oracle, &questions);
    }
}

fuzz_target!(|bytes: &[u8]| {
    let length = bytes.len() as u64;
    let options = OpenOptions::default().with_record_access(true);
    let model = match Model::open_with(bytes, &options) {
        Ok(model) => model,
        Err(error) => {
            expect_named(&error, length);
            assert_eq!(Model::open(bytes).unwrap_err().to_string(), error.to_string());
            return;
        }
    };
    let file = model.file();
    assert!(file.touched_bytes().is_some_and(|touched| touched <= length) && file.source_count() == 1);
    assert!(meshpeek::Format::detect(bytes).is_ok() && file.expect_source(1).is_err());
    let mut findings = Vec::new();
    let validated = file.validate(&mut |finding| findings.push(finding));
    for finding in &findings {
        assert!(file.rules().iter().any(|rule| rule.id == finding.rule), "{finding}");
        assert!(finding.offset <= length && !finding.text.is_empty(), "{finding}");
    }
    let is_wrong = some(validated, length).is_none() || findings.iter().any(|one| one.severity == Severity::Error);
    let checked = some(file.check(), length);
    // A block that a cache file does not have is no error of the file.
    assert!(checked.is_some() || is_wrong || !findings.is_empty(), "a check fails, and validate finds nothing");
    let mut end = 0;
    let regions = file.regions(0, &mut |region| {
        assert!(region.start == end && region.end >= end, "{} leaves a gap, or overlaps", region.field);
        end = region.end;
    });
    assert!(end <= length && (some(regions, length).is_none() || end == length));
    for surface in model.surfaces().into_iter().flatten().take(SURFACES) {
        look_at_surface(&surface, length);
    }
    pose_and_skin(file);
    look_at_scene(&model, bytes);
    let mut builder = Builder::default();
    if some(format_file(&model).index(&mut builder), length).is_some() {
        let mut sidecar = Vec::new();
        builder.write_to(&KEY, &mut sidecar).unwrap();
        for trust in [Trust::Trusted, Trust::Untrusted] {
            let sidecar = Arc::new(Sidecar::open(sidecar.clone(), &KEY, trust).unwrap());
            assert_eq!(values(&Model::open(bytes).unwrap().with_sidecar(sidecar)), values(&model));
        }
    }
    let mut once = Vec::new();
    match file.write_to(0, &mut once) {
        Ok(()) => {
            let again = Model::open(once.as_slice()).unwrap();
            let mut twice = Vec::new();
            again.file().write_to(0, &mut twice).unwrap();
            assert!(once == twice, "written differently the second time");
        }
        Err(error) => {
            expect_named(&error, length);
            // XML cannot store everything that can be read, such as control characters in a name.
            assert!(is_wrong || error.kind() == ErrorKind::Refused, "no finding, and not written: {error}");
        }
    }
});
