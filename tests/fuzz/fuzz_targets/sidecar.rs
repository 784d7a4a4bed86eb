//! Any bytes as a sidecar, or written over parts of one, with valid or invalid page checksums.
//!
//! Without trust in the sidecar, the results are those of the file. With trust, they are values or
//! errors. The files and the queries are in `tests/support/sidecar.rs`.
#![no_main]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    reason = "a panic is how a fuzz target fails"
)]

#[path = "../../support/mod.rs"]
mod support;

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use meshpeek::sidecar::Trust;
use meshpeek::unigine::AnimationGeneration;
use support::sidecar::{Answers, animation, answers, answers_through, key, reseal, sidecar_of, small_mesh};

/// The step between the poses and weights that are queried.
const STEP: usize = 41;

/// Files, their expected results, and their sidecars.
static FILES: LazyLock<Vec<(Vec<u8>, Answers, Vec<u8>)>> = LazyLock::new(|| {
    let animations = [AnimationGeneration::An10, AnimationGeneration::An11].map(|known| animation(known, 700, 5));
    let files = std::iter::once(small_mesh()).chain(animations);
    let spoken = |file: Vec<u8>| {
        let (answers, sidecar) = (answers(&file, None, STEP), sidecar_of(&file, &key()));
        (file, answers, sidecar)
    };
    files.map(spoken).collect()
});

fuzz_target!(|bytes: &[u8]| {
    let Some((&mode, rest)) = bytes.split_first() else { return };
    let (file, expected, genuine) = &FILES[usize::from(mode & 3) % FILES.len()];
    let mut spoilt = if mode & 4 == 0 { genuine.clone() } else { rest.to_vec() };
    if mode & 4 == 0 {
        // Each part has a page, an offset in it, a length, and that many bytes.
        let mut left = rest;
        while let Some(([page, low, high, length], behind)) = left.split_first_chunk() {
            let (part, behind) = behind.split_at(usize::from(length % 32).min(behind.len()));
            let at = usize::from(*page) * 4096 + usize::from(u16::from_le_bytes([*low, *high])) % 4096;
            let at = at % (genuine.len() - 32);
            spoilt[at..at + part.len()].copy_from_slice(part);
            left = behind;
        }
    }
    if mode & 8 == 0 {
        reseal(&mut spoilt);
    }
    let found = answers_through(file, &spoilt, Trust::Untrusted, STEP);
    assert_eq!(expected.differs(&found), None);
    let _ = answers_through(file, &spoilt, Trust::Trusted, STEP);
});
