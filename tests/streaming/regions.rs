//! Tests of [`MapRegions`]: bytes, residency and statistics. The tests say that they are skipped
//! where the system does not drop a file from memory.

use std::sync::Arc;
use std::time::{Duration, Instant};

use meshpeek::Map;
use meshpeek::io::{Eviction, ResidencyState};
use meshpeek::streaming::{Content as _, ItemRange, MapRegions, Priority, StreamOptions, StreamOutcome, Streamer};

use crate::support::allocations::most_held;
use crate::support::files::file_on_disk;
use crate::support::process::own_test;
use crate::support::random::Random;
use crate::support::{PATIENCE, skip};
use crate::{finish, map};

const LENGTH: usize = (6 << 20) + 777;
const REGION: u32 = 128 << 10;
const BUDGET: u64 = 1 << 20;

fn bytes() -> Vec<u8> {
    (0..LENGTH as u64).map(|at| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect()
}

/// Removes the file from memory. Returns whether the system reports this.
#[track_caller]
fn is_evicted(map: &Map) -> bool {
    map.evict(0..u64::MAX, Eviction::Uncache);
    let is_evicted = map.residency(0..u64::MAX).cached == Some(0);
    if !is_evicted {
        skip("the system keeps the file in memory, or does not report it");
    }
    is_evicted
}

/// Checks the bytes of a resident region, and that its pages are mapped.
fn check_resident(content: &MapRegions, item: u32, copy: &[u8]) {
    let range = content.range(item);
    let residency = content.map().residency(range.clone());
    assert!(residency.mapped.is_none() || residency.state() == ResidencyState::Mapped, "{item}: {residency:?}");
    let bytes = range.start as usize..range.end as usize;
    assert!((**content.map()).as_ref()[bytes.clone()] == copy[bytes], "{item}");
}

/// Makes random requests for a number of frames. Returns the streamer, in which nothing is being
/// loaded or evicted.
fn run(content: &Arc<MapRegions>, copy: &[u8], workers: usize, frames: u64) -> Streamer<MapRegions> {
    let options = StreamOptions::default().with_workers(workers).with_budget(BUDGET).with_requests(frames as u32 * 3);
    let mut streamer = Streamer::new(Arc::clone(content), &options).unwrap();
    let (mut random, mut ranges, mut done) = (Random::new(7), Vec::new(), 0);
    for frame in 0..frames {
        streamer.begin_frame();
        for _ in 0..random.below(3) {
            let start = random.below(LENGTH) as u64;
            let range = content.items(start..start + random.below(REGION as usize * 2) as u64);
            streamer.request(&[range], Priority::new((frame % 64) as u8), ranges.len() as u64).unwrap();
            ranges.push(range);
        }
        streamer.poll();
        while let Some(event) = streamer.next_event() {
            assert!(matches!(event.outcome, StreamOutcome::Done), "{event:?}");
            let range = ranges[event.tag as usize];
            assert!(streamer.are_resident(&[range]), "{event:?}");
            (range.first..range.end).for_each(|item| check_resident(content, item, copy));
            done += 1;
        }
        if workers > 0 {
            streamer.wait(Duration::from_millis(1));
        } else {
            streamer.step();
        }
    }
    done += finish(&mut streamer, workers).len();
    assert_eq!(done, ranges.len());
    // The last evictions are still in progress.
    let started = Instant::now();
    let mut rounds = 0;
    let counts = loop {
        streamer.poll();
        streamer.step();
        rounds += 1;
        let resident = (0..content.item_count()).filter(|item| streamer.is_resident(*item));
        let resident: u64 = resident.map(|item| content.item_bytes(item)).sum();
        let counts = streamer.statistics();
        if counts.resident == resident && rounds > 100 {
            break counts;
        }
        assert!(started.elapsed() < PATIENCE, "{counts:?}, and {resident} bytes are resident");
        streamer.wait(Duration::from_millis(u64::from(workers > 0)));
    };
    assert!(counts.peak_resident <= BUDGET && counts.work.evicted > BUDGET, "{counts:?}");
    streamer
}

#[test]
fn resident_regions_are_mapped_and_equal_the_file() {
    let copy = bytes();
    let file = file_on_disk(&copy);
    for workers in [0, 2] {
        let map = Arc::new(map(file.path()).unwrap());
        map.evict(0..u64::MAX, Eviction::Uncache);
        let content = Arc::new(MapRegions::new(map, REGION).unwrap());
        let streamer = run(&content, &copy, workers, 300);
        for item in 0..content.item_count() {
            if streamer.is_resident(item) {
                check_resident(&content, item, &copy);
                continue;
            }
            let residency = content.map().residency(content.range(item));
            if residency.mapped.is_none() {
                skip("the system does not report mapped pages");
                break;
            }
            assert_ne!(residency.state(), ResidencyState::Mapped, "{item}: {residency:?}");
        }
        // An evicted region has the same bytes.
        assert!((**content.map()).as_ref() == copy);
    }
}

#[test]
fn regions_leave_the_page_cache_with_the_eviction_uncache() {
    let copy = bytes();
    let file = file_on_disk(&copy);
    for workers in [0, 2] {
        let map = Arc::new(map(file.path()).unwrap());
        if !is_evicted(&map) {
            return;
        }
        let content = Arc::new(MapRegions::new(map, REGION).unwrap().with_eviction(Eviction::Uncache));
        let streamer = run(&content, &copy, workers, 200);
        for item in (0..content.item_count()).filter(|item| !streamer.is_resident(*item)) {
            let residency = content.map().residency(content.range(item));
            assert_eq!(residency.state(), ResidencyState::Absent, "{item}: {residency:?}");
        }
        assert!((**content.map()).as_ref() == copy);
    }
}

/// Requests every third region alone, and some neighbours together. Returns the number of bytes of
/// these regions and the number that the streamer reports as read.
#[cfg(target_os = "linux")]
fn read_some(map: &Arc<Map>, copy: &[u8], workers: usize) -> [u64; 2] {
    let content = Arc::new(MapRegions::new(Arc::clone(map), REGION).unwrap());
    let options = StreamOptions::default().with_workers(workers);
    let mut streamer = Streamer::new(Arc::clone(&content), &options).unwrap();
    let last = content.item_count() - 1;
    let mut ranges: Vec<_> = (0..20).step_by(3).map(ItemRange::one).collect();
    ranges.extend([content.items(3_000_000..3_400_000), content.items(4_100_000..5_000_000), ItemRange::one(last)]);
    for (tag, range) in (0..).zip(&ranges) {
        streamer.request(&[*range], Priority::new(tag as u8), tag).unwrap();
    }
    for event in finish(&mut streamer, workers) {
        assert!(matches!(event.outcome, StreamOutcome::Done), "{event:?}");
    }
    let resident: Vec<_> = (0..=last).filter(|item| streamer.is_resident(*item)).collect();
    for item in &resident {
        check_resident(&content, *item, copy);
    }
    [resident.iter().map(|item| content.item_bytes(*item)).sum(), streamer.statistics().work.read]
}

/// Returns how many bytes this process has caused the system to read from disks.
#[cfg(target_os = "linux")]
fn bytes_from_disk() -> Option<u64> {
    let counts = std::fs::read_to_string("/proc/self/io").ok()?;
    counts.lines().find_map(|line| line.strip_prefix("read_bytes: "))?.parse().ok()
}

/// The counts and the switches of system calls are for all threads. The other tests are in the
/// same process, and therefore this test starts a child process.
#[cfg(target_os = "linux")]
#[test]
fn counted_bytes_are_read_from_the_disk_on_old_systems_too() {
    if std::env::var_os("MESHPEEK_TEST_CHILD").is_none() {
        let mut child = own_test("regions::counted_bytes_are_read_from_the_disk_on_old_systems_too");
        assert!(child.env("MESHPEEK_TEST_CHILD", "1").status().unwrap().success());
        return;
    }
    let copy = bytes();
    let file = file_on_disk(&copy);
    let map = Arc::new(map(file.path()).unwrap());
    // Without the feature, all calls are used.
    for mask in 0..if cfg!(feature = "internals") { 8 } else { 1 } {
        for workers in [0, 2] {
            if !is_evicted(&map) {
                return;
            }
            #[cfg(feature = "internals")]
            meshpeek::internals::disable_system_calls(mask);
            let before = bytes_from_disk();
            let [needed, counted] = read_some(&map, &copy, workers);
            let read = bytes_from_disk().zip(before).map(|(after, before)| after - before);
            #[cfg(feature = "internals")]
            meshpeek::internals::disable_system_calls(0);
            // Without `cachestat`, all bytes count. With it, whole pages of a cold file count.
            assert!((needed..needed + 4096).contains(&counted), "{mask}: {counted} of {needed}");
            match read {
                None | Some(0) => skip("the system does not count the bytes that are read"),
                Some(read) => assert!(counted.abs_diff(read) * 20 <= read, "{mask}: counted {counted}, read {read}"),
            }
        }
    }
    // A file in memory is not read again, which only `cachestat` reports.
    assert!((*map).as_ref() == copy);
    assert_eq!(read_some(&map, &copy, 2)[1], 0);
}

/// The system maps up to 64 KiB for a page fault, or 2 MiB of a file that was just written. The
/// pages next to a region would count nowhere.
#[test]
fn only_resident_regions_are_mapped() {
    let copy = bytes();
    let file = file_on_disk(&copy);
    // The first and last pages of the regions are anywhere.
    let ranges: Vec<_> = (0..LENGTH as u64).step_by(100_000).map(|start| start..start + 50_000).collect();
    for (workers, is_just_written) in [(0, true), (2, true), (0, false), (2, false)] {
        let map = Arc::new(map(file.path()).unwrap());
        if !is_just_written {
            map.evict(0..u64::MAX, Eviction::Uncache);
            map.load_ranges(std::slice::from_ref(&(0..u64::MAX))).unwrap();
        }
        let content = Arc::new(MapRegions::with_ranges(map, REGION, &ranges).unwrap());
        let streamer = run(&content, &copy, workers, 300);
        let Some(mapped) = content.map().residency(0..u64::MAX).mapped else {
            return skip("the system does not report mapped pages");
        };
        let resident = (0..content.item_count()).filter(|item| streamer.is_resident(*item));
        let pages: u64 = resident.map(|item| content.map().residency(content.range(item)).pages).sum();
        assert_eq!(mapped, pages, "{workers} workers, just written: {is_just_written}");
    }
}

/// The tables of a streamer grow with the number of regions. The bytes of the file are never read.
#[test]
fn the_tables_for_a_gigabyte_take_little_memory() {
    let file = file_on_disk(&[]);
    file.as_file().set_len(1 << 30).unwrap();
    let map = Arc::new(map(file.path()).unwrap());
    let make = |region: u32| {
        let content = Arc::new(MapRegions::new(Arc::clone(&map), region).unwrap());
        most_held(|| Streamer::new(Arc::clone(&content), &StreamOptions::default().with_workers(0)).unwrap()).1
    };
    let [few, many] = [256 << 10, 64 << 10].map(make);
    assert!(few < 4 << 20 && many < 5 << 20, "{few} and {many} bytes");
}

#[test]
fn items_are_found_by_offsets_and_by_bytes() {
    let file = file_on_disk(&bytes());
    let content = MapRegions::new(Arc::new(map(file.path()).unwrap()), REGION).unwrap();
    let all = (**content.map()).as_ref();
    let region = u64::from(REGION);
    let items = content.items(region - 1..region + 1);
    assert_eq!((items.first, items.end), (0, 2));
    assert_eq!(content.items_of(&all[REGION as usize..][..10]), Some(content.items(region..region + 10)));
    assert_eq!(content.items_of(&all[LENGTH - 1..]).map(|range| range.end), Some(content.item_count()));
    assert_eq!(content.items_of(b"elsewhere"), None);
}
