//! The cases of tests that have thousands of them.
//!
//! By default these tests run a fixed selection, which keeps `cargo test` short. With
//! `MESHPEEK_TESTS=all`, which `.ci/run` sets for an optimised build, they run all of their cases.

use std::cell::Cell;
use std::sync::LazyLock;

/// Returns whether all cases are tested.
pub fn all() -> bool {
    static ALL: LazyLock<bool> =
        LazyLock::new(|| std::env::var_os("MESHPEEK_TESTS").is_some_and(|value| value == "all"));
    *ALL
}

/// Returns whether the next case of this thread is tested.
///
/// If not all cases are tested, the first one is, and about one in `one_in` after it. The selection
/// is irregular, so it does not depend on the alignment of fields, and is the same in each run.
pub fn is_next_tested(one_in: u64) -> bool {
    thread_local!(static CASE: Cell<u64> = const { Cell::new(0) });
    let case = CASE.replace(CASE.get() + 1);
    all() || (case.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32).is_multiple_of(one_in)
}

/// Returns the cases that are tested.
pub fn tested<T>(cases: impl IntoIterator<Item = T>, one_in: u64) -> impl Iterator<Item = T> {
    cases.into_iter().filter(move |_| is_next_tested(one_in))
}

/// Returns the number of random cases that are tested: `count`, or one `one_in`-th of it.
pub fn number(count: usize, one_in: usize) -> usize {
    if all() { count } else { count / one_in }
}
