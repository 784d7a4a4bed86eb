//! Starts the threads of the program. If the system refuses a thread, the calling thread does the
//! work.

use std::sync::OnceLock;
use std::thread::{self, Builder, Scope, ScopedJoinHandle};

/// The number of threads on the command line.
static JOBS: OnceLock<u16> = OnceLock::new();

/// Sets the number of threads that work at the same time. Only the first call has an effect.
pub fn set_count(jobs: u16) {
    JOBS.get_or_init(|| jobs);
}

/// Returns the number of threads that work at the same time: that of the command line, or that of
/// the processors.
pub fn count() -> usize {
    let jobs = JOBS.get().copied().map(usize::from);
    jobs.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from))
}

/// Starts a thread in a scope. Returns `None`, without a call of `work`, if the system refuses it.
pub fn start<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Option<ScopedJoinHandle<'scope, T>> {
    Builder::new().spawn_scoped(scope, work).ok()
}

/// Starts a thread that may outlive the caller. Returns whether the system allows it.
pub fn start_detached(name: &str, work: impl FnOnce() + Send + 'static) -> bool {
    Builder::new().name(name.to_owned()).spawn(work).is_ok()
}

/// Calls `work` with each item on its own thread, and with the first item on the calling thread. An
/// item for which there is no thread is left out, so `work` must take its tasks from a common list.
pub fn share<T: Send>(items: &mut [T], work: impl Fn(&mut T) + Sync) {
    let Some((own, others)) = items.split_first_mut() else { return };
    thread::scope(|scope| {
        for item in others {
            start(scope, || work(item));
        }
        work(own);
    });
}

/// Runs `aside` on another thread, and `main` on the calling thread. Without another thread,
/// `aside` comes first.
pub fn both<A: Send, B>(aside: impl Fn() -> A + Sync, main: impl FnOnce() -> B) -> (thread::Result<A>, B) {
    thread::scope(|scope| match start(scope, &aside) {
        Some(started) => {
            let done = main();
            (started.join(), done)
        }
        None => (Ok(aside()), main()),
    })
}
