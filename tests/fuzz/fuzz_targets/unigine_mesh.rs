//! Any bytes as a mesh: opens, checks and validates it, lists its regions, and reads every array.
//!
//! The invariants are in `tests/support/unigine/invariants.rs`.
#![no_main]

#[path = "../../support/mod.rs"]
mod support;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let seed = bytes.iter().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
    support::unigine::invariants::check_invariants(bytes, &mut support::random::Random::new(seed));
    let _ = support::unigine::invariants::borrow_everything(bytes);
});
