//! Sidecars of somebody else: any changes to the records and nodes of many trees, with valid page
//! checksums, and sidecars of other meshes.
//!
//! Without trust, the results are those of the file, and they come in time.
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
use meshpeek::query::Scene;
use meshpeek::sidecar::{Sidecar, Trust};
use support::query::{Flat, Oracle, Questions, ask, ball, grid};
use support::random::Random;
use support::sidecar::{LISTS_AT, PAGE, ROOM, key, number, reseal};

/// The offset of the list of trees in the header: the number of trees, the page of the first, and
/// the size of a record.
const TREES_AT: usize = LISTS_AT + 24 * 5;

/// Six large surfaces, several of them equal, among small ones, and their expected results.
struct Meshes {
    flat: Flat,
    questions: Questions,
    expected: Vec<u32>,
    own: Vec<u8>,
    other: Vec<u8>,
}

static MESHES: LazyLock<Meshes> = LazyLock::new(|| {
    let mut random = Random::new(71);
    let large = [grid(23), grid(23), grid(23).shuffled(&mut random), ball(&mut random, 17), grid(24), grid(23)];
    let shifted = |number: usize| large[number].mapped(|[x, y, z]| [x * 0.5, y, z + number as f32]);
    let flat = Flat((0..24).map(|surface| if surface % 4 == 1 { shifted(surface / 4) } else { grid(2) }).collect());
    let faces = flat.faces();
    let oracle = Oracle::new(&faces);
    let mut questions = Questions::new(&mut random, &oracle, &faces, 10);
    questions.rays.truncate(10);
    questions.points.truncate(3);
    questions.boxes.truncate(1);
    questions.frusta.truncate(1);
    let expected = ask(&Scene::new(&flat).unwrap(), &questions);
    let own = flat.sidecar(&key());
    // The trees of another mesh, whose surfaces have the same numbers of triangles.
    let other = Flat(flat.0.iter().rev().map(|shape| shape.mapped(|[x, y, z]| [z, x, y * 0.9])).rev().collect());
    let other = other.sidecar(&key());
    Meshes { flat, questions, expected, own, other }
});

fn edge(input: &mut Input<'_>) -> u64 {
    match input.below(8) {
        0 => 0,
        1 => u64::MAX,
        2 => u64::from(u32::MAX),
        3 => u64::from(input.word()),
        _ => u64::from(input.byte()),
    }
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    let at = at % (bytes.len() - value.len());
    bytes[at..at + value.len()].copy_from_slice(value);
}

fuzz_target!(|bytes: &[u8]| {
    let meshes = &*MESHES;
    let mut input = Input::new(bytes);
    let mut spoilt = if input.byte() < 200 { meshes.own.clone() } else { meshes.other.clone() };
    let (first, size) = (number(&spoilt, TREES_AT + 8) as usize * PAGE, number(&spoilt, TREES_AT + 16) as usize);
    let held = ROOM / size;
    for _ in 0..8 {
        if input.is_empty() {
            break;
        }
        let [from, to] = [input.below(held), input.below(held)].map(|record| first + record * size);
        match input.below(6) {
            // A field of a record gets an unusual value.
            0 => {
                let (field, value) = (input.below(size / 4) * 4, edge(&mut input));
                put(&mut spoilt, from + field, &(value as u32).to_le_bytes());
            }
            // A record is copied, or only its part after the number of the surface.
            1 => {
                let skipped = if input.flag() { 4 } else { 0 };
                spoilt.copy_within(from + skipped..from + size, to + skipped);
            }
            // The page is full of copies of one record, for all surfaces.
            2 => {
                for record in 0..held {
                    let at = first + record * size;
                    spoilt.copy_within(from..from + size, at);
                    put(&mut spoilt, at, &(record as u32).to_le_bytes());
                }
                put(&mut spoilt, TREES_AT, &(held as u64).to_le_bytes());
            }
            3 => {
                let (field, value) = (input.below(3) * 8, edge(&mut input));
                put(&mut spoilt, TREES_AT + field, &value.to_le_bytes());
            }
            // A page of nodes is copied over another.
            4 => {
                let pages = spoilt.len() / PAGE;
                let [from, to] = [input.byte(), input.byte()].map(|page| usize::from(page) % pages * PAGE);
                spoilt.copy_within(from..from + PAGE, to);
            }
            // Some bytes of a page.
            _ => {
                let at = usize::from(input.byte()) * PAGE + usize::from(input.byte()) * 16 + input.below(16);
                let part = input.bytes(64);
                put(&mut spoilt, at, &part);
            }
        }
    }
    reseal(&mut spoilt);
    let Some(sidecar) = Sidecar::open(spoilt, &key(), Trust::Untrusted) else { return };
    let scene = Scene::indexed(&meshes.flat, &Arc::new(sidecar)).unwrap();
    assert!(ask(&scene, &meshes.questions) == meshes.expected, "an untrusted sidecar changes a result");
    let surfaces = scene.trees().map(|(surface, _)| surface);
    // The small surfaces between the large ones have at most 8 triangles, and no tree.
    assert!(surfaces.eq((1..meshes.flat.0.len()).step_by(4)), "a large surface has no tree");
});
