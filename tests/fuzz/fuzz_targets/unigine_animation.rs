//! Any bytes as an animation file: opens, checks, validates, poses, plays and retargets it, and
//! writes it again.
//!
//! The invariants are in `tests/support/unigine/animation_invariants.rs`.
#![no_main]

#[path = "../../support/mod.rs"]
mod support;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let seed = bytes.iter().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
    support::unigine::animation_invariants::check_invariants(bytes, &mut support::random::Random::new(seed));
    let _ = support::unigine::animation_invariants::borrow_animations(bytes);
});
