//! Bytes that may be a binary file of EZ-Mesh, or what follows its first fields in either byte order: what must hold stands
//! in `tests/support/exercise_ezmesh.rs`.
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
    let head: &[u8] = match bytes.first() {
        Some(0) => b"d\0\0\0\x06\0\0\0EZMESH",
        Some(1) => b"\0\0\0e\0\0\0\x06EZMESH",
        _ => b"",
    };
    // A real big-endian file starts with 0, too, and goes on as that branch does not expect; it is tried as it is.
    let whole = [head, bytes.get(usize::from(!head.is_empty())..).unwrap_or_default()].concat();
    for bytes in [bytes, &whole] {
        exercise_ezmesh::exercise_ezmesh(bytes);
        let _ = exercise_ezmesh::borrow_everything_ezmesh(bytes);
        if head.is_empty() {
            break;
        }
    }
});
