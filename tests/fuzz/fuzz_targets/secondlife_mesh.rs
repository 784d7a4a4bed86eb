//! Any bytes as a mesh asset, a container or a cache file.
//!
//! The invariants are in `tests/support/secondlife/invariants.rs`.
#![no_main]

#[path = "../../support/mod.rs"]
mod support;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let seed = bytes.iter().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
    support::secondlife::invariants::check_invariants(bytes, &mut support::random::Random::new(seed));
    let _ = support::secondlife::invariants::borrow_everything(bytes, false);
});
