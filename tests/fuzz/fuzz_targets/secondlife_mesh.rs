//! A mesh asset, a container or a cache file: what must hold stands in `tests/support/exercise_secondlife.rs`.
#![no_main]

#[allow(dead_code, reason = "the other formats' tests use more of it")]
#[path = "../../support/exercise.rs"]
mod exercise;
#[path = "../../support/exercise_secondlife.rs"]
mod exercise_secondlife;
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../support/random.rs"]
mod random;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let seed = bytes.iter().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
    exercise_secondlife::exercise_secondlife(bytes, &mut random::Random::new(seed));
    let _ = exercise_secondlife::borrow_everything_secondlife(bytes, false);
});
