//! Decides whether work is divided among threads.

use std::error::Error as _;
use std::sync::OnceLock;

/// Returns whether `rayon` has threads, in the pool of the caller or in its global pool.
///
/// The first call outside a pool starts the global pool, as every parallel iterator of `rayon`
/// does. If the operating system refuses the threads, a parallel iterator would panic. The caller
/// of this function then works without threads. On a system that has no threads, `rayon` uses the
/// thread of the caller.
pub(crate) fn has_threads() -> bool {
    static HAS_THREADS: OnceLock<bool> = OnceLock::new();
    cfg!(target_family = "wasm")
        || rayon::current_thread_index().is_some()
        || *HAS_THREADS.get_or_init(|| match rayon::ThreadPoolBuilder::new().build_global() {
            Ok(()) => true,
            // An error without a source means that the global pool exists already.
            Err(error) => error.source().is_none(),
        })
}
