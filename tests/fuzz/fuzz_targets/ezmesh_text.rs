//! Any bytes as an EZ-Mesh text.
//!
//! The invariants are in `tests/support/ezmesh/invariants.rs`.
#![no_main]

#[path = "../../support/mod.rs"]
mod support;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    support::ezmesh::invariants::check_invariants(bytes);
    let _ = support::ezmesh::invariants::borrow_everything(bytes);
});
