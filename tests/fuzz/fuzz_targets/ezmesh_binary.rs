//! Bytes that may be a binary file of EZ-Mesh, or what follows its first fields in either byte order: what must hold stands
//! in `tests/support/ezmesh/invariants.rs`.
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
    // A real big-endian file starts with 0, too, and goes on as that branch does not expect; it is tried as it is.
    let whole = [head, bytes.get(usize::from(!head.is_empty())..).unwrap_or_default()].concat();
    for bytes in [bytes, &whole] {
        support::ezmesh::invariants::check_invariants(bytes);
        let _ = support::ezmesh::invariants::borrow_everything(bytes);
        if head.is_empty() {
            break;
        }
    }
});
