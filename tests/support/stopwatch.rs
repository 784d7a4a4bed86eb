//! Measures the processor time of a thread. Time limits in tests then also hold on a busy machine.

use std::time::{Duration, Instant};

/// Measures from its start: processor time of this thread on Linux, elapsed time elsewhere.
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

/// Returns the processor time that this thread has taken, to a few milliseconds.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
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
