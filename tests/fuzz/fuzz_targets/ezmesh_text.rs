//! Bytes that may be a text of EZ-Mesh: what must hold stands in `tests/support/exercise_ezmesh.rs`.
#![no_main]

#[allow(dead_code, reason = "the other formats' tests use more of it")]
#[path = "../../support/exercise.rs"]
mod exercise;
#[path = "../../support/exercise_ezmesh.rs"]
mod exercise_ezmesh;
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../support/random.rs"]
mod random;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    exercise_ezmesh::exercise_ezmesh(bytes);
    let _ = exercise_ezmesh::borrow_everything_ezmesh(bytes);
});
