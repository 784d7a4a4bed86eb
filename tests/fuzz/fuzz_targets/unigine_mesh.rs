//! Opens, checks, validates, maps and looks at every array: what must hold stands in `tests/support/exercise.rs`.
#![no_main]

#[path = "../../support/exercise.rs"]
mod exercise;
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../support/random.rs"]
mod random;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let seed = bytes.iter().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
    exercise::exercise(bytes, &mut random::Random::new(seed));
    let _ = exercise::borrow_everything(bytes);
});
