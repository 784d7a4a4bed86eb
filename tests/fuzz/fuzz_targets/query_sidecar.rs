//! Any bytes written over parts of a sidecar with trees, with valid or invalid page checksums.
//!
//! Without trust in the sidecar, the results are those of the file. With trust, each hit is a true
//! hit of the triangle that it names, and the query ends in time.
#![no_main]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    reason = "a panic is how a fuzz target fails"
)]

#[path = "../../support/mod.rs"]
mod support;

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use meshpeek::query::Scene;
use meshpeek::sidecar::{Sidecar, Trust};
use support::query::{Flat, Lists as _, Oracle, Questions, ask, ball, interleaved};
use support::random::Random;
use support::sidecar::{key, reseal};

/// A file of two surfaces, its expected results, and its sidecar.
///
/// The tree of one surface stores its own triangle order.
struct Spoken {
    flat: Flat,
    oracle: Oracle,
    questions: Questions,
    expected: Vec<u32>,
    sidecar: Vec<u8>,
}

static SPOKEN: LazyLock<Spoken> = LazyLock::new(|| {
    let mut random = Random::new(51);
    let flat = Flat(vec![ball(&mut random, 16), ball(&mut random, 16).shuffled(&mut random)]);
    let faces = flat.faces();
    let oracle = Oracle::new(&faces);
    let mut questions = Questions::new(&mut random, &oracle, &faces, 12);
    questions.rays.truncate(12);
    questions.points.truncate(6);
    questions.boxes.truncate(2);
    questions.frusta.truncate(2);
    let expected = ask(&Scene::new(&flat).unwrap(), &questions);
    let sidecar = flat.sidecar(&key());
    Spoken { flat, oracle, questions, expected, sidecar }
});

fuzz_target!(|bytes: &[u8]| {
    let spoken = &*SPOKEN;
    let Some((&mode, rest)) = bytes.split_first() else { return };
    let mut spoilt = spoken.sidecar.clone();
    // Each part has a page, an offset in it, a length, and that many bytes.
    let mut left = rest;
    while let Some(([page, low, high, length], behind)) = left.split_first_chunk() {
        let (part, behind) = behind.split_at(usize::from(length % 100).min(behind.len()));
        let at = usize::from(*page) * 4096 + usize::from(u16::from_le_bytes([*low, *high])) % 4096;
        let at = at % (spoilt.len() - 100);
        spoilt[at..at + part.len()].copy_from_slice(part);
        left = behind;
    }
    if mode & 1 == 0 {
        reseal(&mut spoilt);
    }
    if let Some(foreign) = Sidecar::open(spoilt.clone(), &key(), Trust::Untrusted) {
        let scene = Scene::indexed(&spoken.flat, &Arc::new(foreign)).unwrap();
        assert!(ask(&scene, &spoken.questions) == spoken.expected);
    }
    if let Some(own) = Sidecar::open(spoilt, &key(), Trust::Trusted) {
        let scene = Scene::indexed(&spoken.flat, &Arc::new(own)).unwrap();
        for ray in &spoken.questions.rays {
            scene.all_hits(ray).iter().chain(&scene.ray(ray)).for_each(|hit| spoken.oracle.expect_hit(ray, hit));
        }
        for hits in spoken.questions.rays.iter().zip(interleaved(&scene, &spoken.questions.rays)) {
            let (ray, hit) = hits;
            hit.iter().for_each(|hit| spoken.oracle.expect_hit(ray, hit));
        }
        for (point, limit) in &spoken.questions.points {
            scene.nearest(*point, *limit).iter().for_each(|found| spoken.oracle.expect_point(found, *point));
        }
        for bounds in &spoken.questions.boxes {
            spoken.oracle.expect_within_box(&scene.overlapping_box(bounds), bounds);
        }
        let _ = scene.refit(|surface| Ok(spoken.flat.0[surface].triangles())).unwrap();
    }
});
