//! Compares the rate at which a streamer makes regions of a cold file resident with that of plain
//! direct reads, and measures the memory and the polls of a flight over a file that is larger than
//! the budget, and how long a change of all priorities takes.
//!
//! Run it with `cargo bench --bench stream -- --folder FOLDER`. The folder must be on a disk, and
//! not in memory.
#![allow(
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::unchecked_time_subtraction,
    clippy::indexing_slicing,
    clippy::large_stack_arrays,
    reason = "a panic is how a bench fails"
)]

mod support;

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use meshpeek::streaming::{ItemRange, MapRegions, Priority, SourceRegions, StreamOptions, StreamOutcome, Streamer};
use support::claims::{Bar, Contestant, claim, race, rounds, skipped, testing, title};
use support::memory;

/// The size of a page in bytes.
const PAGE: usize = meshpeek::PAGE as usize;
/// The size of a region in bytes.
const REGION: usize = 64 << 10;
/// The number of regions of the file, in a measurement and in a test. Every second is read.
const REGIONS: [usize; 2] = [16_384, 256];
/// The number of direct reads at a time.
const DEPTH: usize = 64;
/// The budgets of a flight, the number of bytes that the process may take besides, and the size of
/// the parts that the flight requests.
const BUDGETS: [u64; 2] = [64 << 20, 256 << 20];
const BESIDES: f64 = 16.0 * 1_048_576.0;
const PART: u64 = 100_000;
/// The time between two frames of a flight.
const PAUSE: Duration = Duration::from_micros(100);
/// The number of visible items whose priorities change.
const VISIBLE: u32 = 10_000;

fn main() {
    let folder = support::folder();
    let path = folder.path().join("regions");
    let [full, small] = REGIONS;
    let regions = if testing() { small } else { full };
    write(&path, regions);
    // The first, because memory that another part has freed would not be counted.
    for budget in BUDGETS {
        fly(&path, budget);
    }
    cold_regions(&path, regions);
    priorities();
}

fn write(path: &Path, regions: usize) {
    let mut file = std::io::BufWriter::new(File::create(path).unwrap());
    let mut number = 1_u64;
    for _ in 0..regions * REGION / 8 {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        file.write_all(&number.to_le_bytes()).unwrap();
    }
    file.into_inner().unwrap().sync_all().unwrap();
}

/// Returns the wanted regions in an irregular order: each second one, because neighbours could be
/// read together.
fn wanted(regions: usize) -> Vec<u32> {
    let half = regions as u32 / 2;
    (0..half).map(|number| number.wrapping_mul(7919) % half * 2).collect()
}

/// Returns a sum of one number of each page.
fn sum(bytes: &[u8]) -> u64 {
    bytes.chunks(PAGE).fold(0, |sum, page| sum.wrapping_add(u64::from_le_bytes(*page.first_chunk().unwrap())))
}

fn cold_regions(path: &Path, regions: usize) {
    title("random regions of 64 KiB of a cold file");
    memory::evict(path);
    let Some(direct) = open_direct(path) else {
        return skipped("rate of a streamer / that of direct reads", "the system has no direct reads of this file");
    };
    let order = wanted(regions);
    let contestants = [
        Contestant::new("direct", || (read_directly(&direct, &order), ())),
        Contestant::new("streamer", || {
            memory::evict(path);
            stream(path, &order)
        }),
    ];
    let [direct_time, streamed] = race(7, &contestants);
    let bytes = (order.len() * REGION) as f64 / 1e6;
    claim("direct reads, 64 at a time", direct_time.rate(bytes), "MB/s", Bar::None);
    claim("streamer", streamed.rate(bytes), "MB/s", Bar::None);
    claim("rate of a streamer / that of direct reads", direct_time.over(&streamed), "", Bar::AtLeast(0.75));
}

#[cfg(target_os = "linux")]
fn open_direct(path: &Path) -> Option<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let file = File::options().read(true).custom_flags(libc::O_DIRECT).open(path).ok()?;
    let mut page = AlignedBuffer([0; REGION]);
    read_at(&file, &mut page.0, 0).then_some(file)
}

#[cfg(not(target_os = "linux"))]
fn open_direct(_: &Path) -> Option<File> {
    None
}

#[repr(align(4096))]
struct AlignedBuffer([u8; REGION]);

fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> bool {
    #[cfg(unix)]
    {
        std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset).is_ok()
    }
    #[cfg(not(unix))]
    {
        let _ = (file, buffer, offset);
        false
    }
}

/// Reads the regions with many threads, each of which reads one region at a time.
fn read_directly(file: &File, order: &[u32]) -> u64 {
    let (next, total) = (AtomicUsize::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..DEPTH {
            scope.spawn(|| {
                let mut buffer = Box::new(AlignedBuffer([0; REGION]));
                while let Some(region) = order.get(next.fetch_add(1, Relaxed)) {
                    assert!(read_at(file, &mut buffer.0, u64::from(*region) * REGION as u64));
                    total.fetch_add(sum(&buffer.0), Relaxed);
                }
            });
        }
    });
    total.into_inner()
}

/// Makes the regions resident with a streamer, and reads them from the map.
fn stream(path: &Path, order: &[u32]) -> (u64, Streamer<MapRegions>) {
    let map = Arc::new(support::map(path));
    let regions = Arc::new(MapRegions::new(Arc::clone(&map), REGION as u32).unwrap());
    let options = StreamOptions::default().with_budget(4 << 30).with_requests(order.len() as u32);
    let options = options.with_ranges_per_request(1).with_poll_time(1000);
    let mut streamer = Streamer::new(Arc::clone(&regions), &options).unwrap();
    for region in order {
        streamer.request(&[ItemRange::one(*region)], Priority::MOST, u64::from(*region)).unwrap();
    }
    let (mut left, mut total) = (order.len(), 0_u64);
    while left > 0 {
        streamer.begin_frame();
        streamer.poll();
        while let Some(event) = streamer.next_event() {
            assert!(matches!(event.outcome, StreamOutcome::Done), "{event}");
            let range = regions.range(event.tag as u32);
            total = total.wrapping_add(sum(&(*map).as_ref()[range.start as usize..range.end as usize]));
            left -= 1;
        }
        streamer.wait(Duration::from_millis(1));
    }
    (total, streamer)
}

/// Streams all parts of a file, of which few fit in the budget, and reads each when it is resident.
fn fly(path: &Path, budget: u64) {
    let length = path.metadata().unwrap().len();
    title(&format!("a flight over {} MB with a budget of {} MiB", length / 1_000_000, budget >> 20));
    memory::evict(path);
    let map = Arc::new(support::map(path));
    let floor = memory::reset_peak();
    let parts: Vec<_> = (0..length / PART).map(|part| part * PART..(part + 1) * PART).collect();
    let regions = Arc::new(MapRegions::with_ranges(Arc::clone(&map), 4 * REGION as u32, &parts).unwrap());
    let options = StreamOptions::default().with_budget(budget).with_requests(parts.len() as u32);
    let mut streamer = Streamer::new(Arc::clone(&regions), &options).unwrap();
    let mut order = (0..parts.len()).map(|number| &parts[number * 7919 % parts.len()]);
    let (mut left, mut polls, mut idles) = (parts.len(), Vec::new(), Vec::new());
    for frame in 0.. {
        if left == 0 {
            break;
        }
        streamer.begin_frame();
        for turn in [frame % 2, 1 - frame % 2] {
            let start = thread_time();
            if turn == 0 {
                streamer.poll();
            }
            let time = (thread_time() - start).as_secs_f64() * 1e6;
            if turn == 0 { &mut polls } else { &mut idles }.push(time);
        }
        while let Some(event) = streamer.next_event() {
            assert!(matches!(event.outcome, StreamOutcome::Done), "{event}");
            support::claims::keep(sum(&(*map).as_ref()[event.tag as usize..][..PART as usize]));
            left -= 1;
        }
        for part in order.by_ref().take(2) {
            streamer.request(&[regions.items(part.clone())], Priority::MOST, part.start).unwrap();
        }
        std::thread::sleep(PAUSE);
    }
    match memory::peak().zip(floor) {
        Some((peak, floor)) => {
            let most = Bar::AtMost((budget as f64 + BESIDES) / 1e6);
            claim("the process grows at most by", (peak - floor) / 1e6, "MB", most);
        }
        None => skipped("the process grows at most by", "the system does not report it"),
    }
    let [poll, idle] = [polls, idles].map(percentile_999);
    claim("poll, 99.9th percentile of processor time", poll, "µs", Bar::None);
    claim("the same loop without a poll", idle, "µs", Bar::None);
}

fn percentile_999(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times[(times.len() * 999).div_ceil(1000) - 1]
}

/// Returns the time that the calling thread has run, or the time of the system if it is not known.
fn thread_time() -> Duration {
    #[cfg(target_os = "linux")]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }
    #[cfg(not(target_os = "linux"))]
    {
        static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
        START.get_or_init(Instant::now).elapsed()
    }
}

/// Changes the priorities of many requests, as a new view does.
fn priorities() {
    title("a new view of 10,000 items");
    let source = vec![0_u8; VISIBLE as usize * PAGE];
    let regions = Arc::new(SourceRegions::new(source, PAGE as u32).unwrap());
    let options = StreamOptions::default().with_workers(0).with_requests(VISIBLE).with_ranges_per_request(1);
    let mut streamer = Streamer::new(regions, &options).unwrap();
    let slots: Vec<_> = (0..VISIBLE)
        .map(|item| streamer.request(&[ItemRange::one(item)], Priority::new((item % 64) as u8), 0).unwrap())
        .collect();
    let mut times = Vec::new();
    for round in 1..=rounds(50) {
        let start = Instant::now();
        for (slot, item) in slots.iter().zip(0..) {
            assert!(streamer.set_priority(*slot, Priority::new(((item + round) % 64) as u8)));
        }
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    claim("priorities changed", support::claims::Series(times), "ms", Bar::AtMost(1.0));
}
