//! A pair and its script, cut out of one input: two lengths of 16 bits, the data file, the aniv
//! file, and the script if bytes remain.
//!
//! The invariants are in `tests/support/unreal/invariants.rs`.
#![no_main]

#[path = "../../support/mod.rs"]
mod support;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some(([d0, d1, a0, a1], rest)) = bytes.split_first_chunk() else { return };
    let split = |rest: &'_ [u8], length: [u8; 2]| usize::from(u16::from_le_bytes(length)).min(rest.len());
    let (data, rest) = rest.split_at(split(rest, [*d0, *d1]));
    let (aniv, script) = rest.split_at(split(rest, [*a0, *a1]));
    let script = (!script.is_empty()).then_some(script);
    let seed = bytes.iter().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
    support::unreal::invariants::check_invariants(data, aniv, script, &mut support::random::Random::new(seed));
    let _ = support::unreal::invariants::borrow_everything(data, aniv, script);
});
