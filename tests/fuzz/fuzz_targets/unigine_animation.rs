//! Any bytes as an animation file: opens, checks, validates, poses, plays, retargets, and writes again what it read. What
//! must hold stands in `tests/support/exercise_unigine_animation.rs`.
#![no_main]

#[allow(dead_code, reason = "meshes use more of it")]
#[path = "../../support/exercise.rs"]
mod exercise;
#[path = "../../support/exercise_unigine_animation.rs"]
mod exercise_unigine_animation;
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../support/random.rs"]
mod random;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let seed = bytes.iter().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
    exercise_unigine_animation::exercise_animation(bytes, &mut random::Random::new(seed));
    let _ = exercise_unigine_animation::borrow_animations(bytes);
});
