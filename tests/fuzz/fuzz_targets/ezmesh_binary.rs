//! Any bytes as a binary EZ-Mesh file, or as the bytes after its first fields in either byte order.
//!
//! The invariants are in `tests/support/ezmesh/invariants.rs`.
#![no_main]

#[path = "../../support/mod.rs"]
mod support;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let head: &[u8] = match bytes.first() {
        Some(0) => b"d\0\0\0\x06\0\0\0EZMESH",
        Some(1) => b"\0\0\0e\0\0\0\x06EZMESH",
        _ => b"",
    };
    // A real big-endian file also starts with 0, but does not continue as that branch expects. The
    // input is therefore also tested unchanged.
    let whole = [head, bytes.get(usize::from(!head.is_empty())..).unwrap_or_default()].concat();
    for bytes in [bytes, &whole] {
        support::ezmesh::invariants::check_invariants(bytes);
        let _ = support::ezmesh::invariants::borrow_everything(bytes);
        if head.is_empty() {
            break;
        }
    }
});
