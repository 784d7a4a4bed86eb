//! Bytes that may be a text of EZ-Mesh: what must hold stands in `tests/support/ezmesh/invariants.rs`.
#![no_main]

#[path = "../../support/mod.rs"]
mod support;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    support::ezmesh::invariants::check_invariants(bytes);
    let _ = support::ezmesh::invariants::borrow_everything(bytes);
});
