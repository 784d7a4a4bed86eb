//! A thread that maps and unmaps memory, as another part of a program would, and measures how long
//! it waits.

// Rule: this file sorts and maps by copies only.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::flight::percentile;
use crate::program::bench::memory::Usage;

/// The time between two measurements.
const PAUSE: Duration = Duration::from_micros(500);
/// The number of measurements after which the memory of the process is measured.
const MEMORY_STEP: usize = 20;

/// What the thread has measured.
#[derive(Clone, Copy, Debug, Default)]
pub struct NeighbourReport {
    /// The time of an `mmap` and a `munmap` in microseconds, in the slowest of 1,000.
    pub map_us_p999: f64,
    /// The greatest resident memory of the process in bytes.
    pub peak_resident: Option<u64>,
}

/// The running thread, or nothing if the system refuses it.
pub struct Neighbour {
    must_end: Arc<AtomicBool>,
    thread: Option<JoinHandle<NeighbourReport>>,
}

impl Neighbour {
    pub fn start() -> Self {
        let must_end = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&must_end);
        let thread = std::thread::Builder::new().name("neighbour".into()).spawn(move || measure(&flag));
        Self { must_end, thread: thread.ok() }
    }

    pub fn finish(self) -> NeighbourReport {
        self.must_end.store(true, Relaxed);
        self.thread.and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}

fn measure(must_end: &AtomicBool) -> NeighbourReport {
    let (mut times, mut peak) = (Vec::with_capacity(1 << 17), None);
    while !must_end.load(Relaxed) {
        let start = Instant::now();
        let map = memmap2::MmapMut::map_anon(1 << 20);
        drop(map);
        times.push(start.elapsed().as_secs_f64() * 1e6);
        if times.len() % MEMORY_STEP == 0 {
            let usage = Usage::now();
            let resident = usage.anonymous.zip(usage.file).map(|(one, other)| one.saturating_add(other));
            peak = peak.max(resident);
        }
        std::thread::sleep(PAUSE);
    }
    times.sort_unstable_by(f64::total_cmp);
    NeighbourReport { map_us_p999: percentile(&times, 999), peak_resident: peak }
}
