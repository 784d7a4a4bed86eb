//! A flight: the frames, and what is measured in each.

// Rule: this file sorts and maps by copies only.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::bail;

use crate::program::bench::memory::{Usage, faults};
use crate::streaming::{Content, Statistics, Streamer};

/// The least and the greatest number of frames before the measured ones. In them, the first items
/// are loaded, and the memory of the program is accessed for the first time. They end when no item
/// is awaited.
const WARM_UP_FRAMES: [u32; 2] = [500, 10_000];
/// The number of frames of which one point of the plot is made.
pub const FRAMES_PER_POINT: usize = 50;

/// The time from the start of a frame to that of the next.
const FRAME_TIME: Duration = Duration::from_millis(2);

/// What a frame has drawn.
#[derive(Clone, Copy, Debug, Default)]
pub struct Drawn {
    pub visible: u64,
    /// The number of visible items of which nothing was resident.
    pub holes: u64,
    /// The number of items without which the camera should not start to move.
    pub awaited: u64,
    /// The time in which the requests of the frame were made and changed.
    pub update: Duration,
}

/// A scene that the camera flies over.
pub trait FlightScene {
    type Content: Content;

    /// Draws what is visible at `place` on the path, from 0 to 1, and requests what is missing.
    fn draw(&mut self, streamer: &mut Streamer<Self::Content>, place: f32) -> anyhow::Result<Drawn>;

    /// Processes the events of the streamer.
    fn take_events(&mut self, streamer: &mut Streamer<Self::Content>) -> anyhow::Result<()>;
}

/// What was measured in a flight.
#[derive(Clone, Debug)]
pub struct Flight {
    pub frames: u32,
    /// The number of frames before those.
    pub warm_up_frames: u32,
    pub minor_faults: Option<u64>,
    pub major_faults: Option<u64>,
    /// The time of the thread in `poll`, in microseconds, in the slowest of 1,000 polls.
    pub poll_us_p999: f64,
    pub poll_us_most: f64,
    /// The same as `poll_us_p999` of a loop without a poll, measured in the same frames.
    pub idle_us_p999: f64,
    /// The time of the thread to update 10,000 visible items, in microseconds: the mean.
    pub update_us_per_10000: f64,
    pub statistics: Statistics,
    /// The number of bytes that the process has read from the disk, as the system counts them.
    pub disk_bytes: Option<u64>,
    pub peak_resident: Option<u64>,
    pub holes: u64,
    pub most_visible: u64,
    pub idle: NeighbourReport,
    pub busy: NeighbourReport,
    /// For each point of the plot: the number of holes, the greatest poll in microseconds, and the
    /// resident bytes.
    pub points: Vec<(u64, f64, u64)>,
    pub elapsed: Duration,
}

/// Returns the time that the calling thread has run, or the time of the system if it is not known.
fn thread_time() -> Duration {
    #[cfg(target_os = "linux")]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::new(u64::try_from(time.tv_sec).unwrap_or_default(), u32::try_from(time.tv_nsec).unwrap_or_default())
    }
    #[cfg(not(target_os = "linux"))]
    {
        use std::sync::OnceLock;
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed()
    }
}

/// Returns the time that the calling thread runs in `work`, in microseconds.
fn timed(work: impl FnOnce()) -> f64 {
    let start = thread_time();
    work();
    thread_time().saturating_sub(start).as_secs_f64() * 1e6
}

/// Flies over a scene.
pub fn fly<S: FlightScene>(scene: &mut S, streamer: &mut Streamer<S::Content>, frames: u32) -> anyhow::Result<Flight> {
    let neighbour = Neighbour::start();
    std::thread::sleep(Duration::from_secs(2));
    let idle = neighbour.finish();
    let neighbour = Neighbour::start();
    let usage = Usage::now();
    let count = usize::try_from(frames)?;
    // The allocator would give memory for zeros that causes a page fault at the first access.
    let [mut polls, mut idles] = [const { f64::NAN }; 2].map(|unknown| vec![unknown; count]);
    let mut points = vec![(0, f64::NAN, 0); count.div_ceil(FRAMES_PER_POINT)];
    let (mut holes, mut most_visible, mut visible, mut update) = (0_u64, 0_u64, 0_u64, Duration::ZERO);
    // The first call of each function that reads the numbers causes page faults itself.
    let mut before = faults("/proc/thread-self/stat");
    let start = Instant::now();
    let ([least_warm_up, most_warm_up], mut warm_up_frames) = (WARM_UP_FRAMES, None);
    for frame in 0_u32.. {
        let measured = warm_up_frames.map(|warm_up: u32| frame.saturating_sub(warm_up));
        if measured == Some(frames) {
            break;
        }
        streamer.begin_frame();
        // The first measurement after the sleep takes longer, so each is the first in half of the
        // frames.
        let is_first = frame % 2 == 0;
        let early = is_first.then(|| timed(|| streamer.poll()));
        let idle = timed(|| ());
        let poll = early.unwrap_or_else(|| timed(|| streamer.poll()));
        scene.take_events(streamer)?;
        let place = measured.map_or(0.0, |frame| fraction(frame, frames));
        let drawn = scene.draw(streamer, place)?;
        if let Some(frame) = measured {
            let frame = usize::try_from(frame)?;
            holes = holes.saturating_add(drawn.holes);
            most_visible = most_visible.max(drawn.visible);
            visible = visible.saturating_add(drawn.visible);
            update = update.saturating_add(drawn.update);
            for (times, time) in [(&mut polls, poll), (&mut idles, idle)] {
                if let Some(place) = times.get_mut(frame) {
                    *place = time;
                }
            }
            if let Some((point_holes, point_poll, resident)) =
                points.get_mut(frame.checked_div(FRAMES_PER_POINT).unwrap_or_default())
            {
                *point_holes = drawn.holes.saturating_add(*point_holes);
                *point_poll = poll.max(*point_poll);
                *resident = streamer.statistics().resident.max(*resident);
            }
        } else if frame >= least_warm_up && (drawn.awaited == 0 || frame >= most_warm_up) {
            warm_up_frames = Some(frame.saturating_add(1));
            before = faults("/proc/thread-self/stat");
        }
        let next = start.checked_add(FRAME_TIME.saturating_mul(frame.saturating_add(1)));
        if let Some(rest) = next.and_then(|next| next.checked_duration_since(Instant::now())) {
            std::thread::sleep(rest);
        }
    }
    let after = faults("/proc/thread-self/stat");
    let elapsed = start.elapsed();
    let disk_bytes = Usage::now().since(&usage).read;
    let busy = neighbour.finish();
    if polls.is_empty() {
        bail!("expected one frame or more");
    }
    for times in [&mut polls, &mut idles] {
        times.sort_unstable_by(f64::total_cmp);
    }
    let increase = |index: usize| Some(after?.get(index)?.saturating_sub(*before?.get(index)?));
    Ok(Flight {
        frames,
        warm_up_frames: warm_up_frames.unwrap_or_default(),
        minor_faults: increase(0),
        major_faults: increase(1),
        poll_us_p999: percentile(&polls, 999),
        poll_us_most: percentile(&polls, 1000),
        idle_us_p999: percentile(&idles, 999),
        update_us_per_10000: update.as_secs_f64() * 1e10 / crate::program::output::units::ratio(visible.max(1), 1),
        statistics: streamer.statistics(),
        disk_bytes,
        peak_resident: busy.peak_resident,
        holes,
        most_visible,
        idle,
        busy,
        points,
        elapsed,
    })
}

/// Returns the number of a sorted list that `thousandth` of 1,000 numbers do not exceed.
pub fn percentile(sorted: &[f64], thousandth: usize) -> f64 {
    let place = sorted.len().saturating_mul(thousandth).div_ceil(1000).saturating_sub(1);
    sorted.get(place).copied().unwrap_or_default()
}

#[allow(clippy::as_conversions, clippy::cast_precision_loss, reason = "a place on a path needs no more digits")]
fn fraction(frame: u32, frames: u32) -> f32 {
    frame as f32 / frames.max(1) as f32
}

/// The time between two measurements of a neighbour.
const PAUSE: Duration = Duration::from_micros(500);
/// The number of measurements after which the memory of the process is measured.
const MEMORY_STEP: usize = 20;

/// The measurements of a neighbour.
#[derive(Clone, Copy, Debug, Default)]
pub struct NeighbourReport {
    /// The time of an `mmap` and a `munmap` in microseconds, in the slowest of 1,000.
    pub map_us_p999: f64,
    /// The greatest resident memory of the process in bytes.
    pub peak_resident: Option<u64>,
}

/// A thread that maps and unmaps memory, as another part of a program would, and measures how long
/// it waits. It does not run if the system refuses it.
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
