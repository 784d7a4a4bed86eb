//! Measures the processor time of a thread. Time limits in tests then also hold on a busy machine.

use std::time::{Duration, Instant};

/// Measures from its start: processor time of this thread on Unix, elapsed time elsewhere.
pub struct Stopwatch {
    processor: Option<Duration>,
    wall: Instant,
}

impl Stopwatch {
    pub fn start() -> Self {
        Self { processor: processor_time(), wall: Instant::now() }
    }

    pub fn elapsed(&self) -> Duration {
        match (self.processor, processor_time()) {
            (Some(start), Some(now)) => now.saturating_sub(start),
            _ => self.wall.elapsed(),
        }
    }
}

/// Returns the processor time that this thread has taken.
#[cfg(all(unix, not(miri)))]
#[allow(unsafe_code, reason = "reading this clock is an unsafe call")]
fn processor_time() -> Option<Duration> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call fills the variable.
    let found = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    let parts = (time.tv_sec.try_into(), time.tv_nsec.try_into());
    let (Ok(seconds), Ok(nanoseconds)) = parts else { return None };
    (found == 0).then(|| Duration::new(seconds, nanoseconds))
}

#[cfg(not(all(unix, not(miri))))]
fn processor_time() -> Option<Duration> {
    None
}

/// Expects that the time of `work` grows with a count, and not with its square: eight times the
/// count takes at most 24 times the time and 20 ms. `make` makes an input with a count.
pub fn expect_linear<T>(what: &str, count: usize, make: impl Fn(usize) -> T, work: impl Fn(&T)) {
    let measure = |count: usize| {
        let input = make(count);
        let watch = Stopwatch::start();
        work(&input);
        watch.elapsed()
    };
    // The first run also touches code and memory for the first time.
    let few = measure(count).min(measure(count));
    let many = measure(8 * count);
    assert!(many <= few * 24 + Duration::from_millis(20), "{what}: {few:?} for {count}, {many:?} for 8 times as many");
}
