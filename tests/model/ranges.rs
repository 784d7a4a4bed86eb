//! Byte ranges of maps: where their pages are, reading them ahead, and removing them from memory.
//!
//! The tests say that they are skipped where the system does not drop the file from memory.
#![allow(clippy::single_range_in_vec_init, reason = "the methods take lists of ranges")]

use crate::support::files::file_on_disk;
use crate::support::skip;
use meshpeek::Map;
use meshpeek::io::{Eviction, FileSource, RangeRead, RangeSource, ResidencyState};

const LENGTH: usize = (4 << 20) + 777;

/// Writes a file of a few MiB to a folder on a disk.
fn write_file() -> tempfile::NamedTempFile {
    let bytes: Vec<u8> = (0..LENGTH as u64).map(|at| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect();
    file_on_disk(&bytes)
}

fn open(file: &tempfile::NamedTempFile) -> Map {
    // SAFETY: No process writes to the file of this test.
    unsafe { meshpeek::Map::open(file.path()).unwrap() }
}

/// Removes the file from memory. Returns whether the system reports this.
#[track_caller]
fn is_evicted(map: &Map) -> bool {
    let is_evicted = (0..100).any(|_| {
        map.evict(0..u64::MAX, Eviction::Uncache);
        let cached = map.residency(0..u64::MAX).cached;
        if cached.is_some_and(|cached| cached > 0) {
            // The system keeps pages that it is still reading.
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        cached == Some(0)
    });
    if !is_evicted {
        skip("the system keeps the file in memory, or does not report it");
    }
    is_evicted
}

#[test]
fn ranges_are_loaded_mapped_and_evicted() {
    let file = write_file();
    let (map, copy) = (open(&file), std::fs::read(file.path()).unwrap());
    if !is_evicted(&map) {
        return;
    }
    let state = |range| map.residency(range).state();
    // The range ends in the last page of the file, which is not a whole page.
    for range in [(1 << 20)..(2 << 20), (3 << 20) + 5..u64::MAX] {
        assert_eq!(state(range.clone()), ResidencyState::Absent);
        map.load_ranges(std::slice::from_ref(&range)).unwrap();
        assert_eq!(state(range.clone()), ResidencyState::Cached);
        assert_eq!(map.load_ranges(std::slice::from_ref(&range)).unwrap(), 0);
        map.populate(range.clone());
        assert_eq!(state(range.clone()), ResidencyState::Mapped);
        map.evict(range.clone(), Eviction::Unmap);
        assert_eq!(state(range.start + 8192..range.end), ResidencyState::Cached);
        assert_eq!(map.residency(range.start + 8192..range.end).mapped, Some(0));
        map.evict(range.clone(), Eviction::Uncache);
        assert_eq!(state(range.clone()), ResidencyState::Absent);
    }
    assert!(map.as_ref() == copy);
}

/// A range is cached after the wait, and not merely requested.
#[test]
fn waiting_means_that_no_access_reads_the_disk() {
    let file = write_file();
    let map = open(&file);
    if !is_evicted(&map) {
        return;
    }
    let ranges: Vec<_> = (0..40_u64).rev().map(|piece| piece * 100_000..piece * 100_000 + 30_000).collect();
    map.prefetch_ranges(&ranges);
    for range in &ranges {
        map.wait_cached(range.clone()).unwrap();
    }
    #[cfg(target_os = "linux")]
    {
        let before = super::cold::major_faults();
        for range in &ranges {
            let bytes = &map.as_ref()[range.start as usize..range.end as usize];
            bytes.iter().step_by(512).for_each(|byte| _ = std::hint::black_box(*byte));
        }
        assert_eq!(super::cold::major_faults() - before, 0);
    }
}

#[test]
fn ranges_outside_of_the_file_are_empty() {
    let file = write_file();
    let map = open(&file);
    let length = LENGTH as u64;
    #[expect(clippy::reversed_empty_ranges, reason = "a reversed range is empty")]
    for range in [0..0, length..length, length..u64::MAX, u64::MAX - 1..u64::MAX, 9000..4000, 5..5] {
        map.prefetch_ranges(&[range.clone(), range.clone()]);
        map.wait_cached(range.clone()).unwrap();
        assert_eq!(map.load_ranges(std::slice::from_ref(&range)).unwrap(), 0);
        map.populate(range.clone());
        map.evict(range.clone(), Eviction::Uncache);
        let residency = map.residency(range);
        assert_eq!((residency.pages, residency.state()), (0, ResidencyState::Mapped));
    }
    assert_eq!(map.range_of(&map.as_ref()[7..LENGTH]), Some(7..length));
    assert_eq!(map.range_of(&map.as_ref()[LENGTH..]), Some(length..length));
    assert_eq!(map.range_of(&[0; 4]), None);

    let empty = tempfile::NamedTempFile::new().unwrap();
    let map = open(&empty);
    assert_eq!(map.load_ranges(&[0..10]).unwrap(), 0);
    map.evict(0..10, Eviction::Uncache);
    assert_eq!(map.residency(0..10).pages, 0);
}

#[test]
fn a_shortened_file_is_an_error_of_a_wait() {
    let file = write_file();
    let map = open(&file);
    file.as_file().set_len(100_000).unwrap();
    map.wait_cached(0..90_000).unwrap();
    for error in [map.wait_cached(0..200_000), map.load_ranges(&[150_000..160_000]).map(|_| ())] {
        let error = error.unwrap_err();
        assert_eq!((error.kind(), error.path()), (meshpeek::ErrorKind::Truncated, Some(file.path())));
    }
}

#[test]
fn a_map_and_a_file_have_the_same_ranges() {
    let file = write_file();
    let (map, source) = (open(&file), FileSource::open(file.path()).unwrap());
    map.evict(0..u64::MAX, Eviction::Uncache);
    let read = |source: &dyn RangeSource| {
        let mut buffers = vec![vec![0; 70_000]; 50];
        let mut reads: Vec<_> = (0..).zip(&mut buffers).map(|(at, buffer)| (at * 80_000 % 3_999_999, buffer)).collect();
        reads.reverse();
        let mut reads: Vec<_> = reads.into_iter().map(|(offset, buffer)| RangeRead { offset, buffer }).collect();
        source.read_ranges(&mut reads).unwrap();
        buffers
    };
    assert!(read(&source) == read(&map));
    for source in [&map as &dyn RangeSource, &source] {
        let read = RangeRead { offset: LENGTH as u64 - 1, buffer: &mut [0; 2] };
        let error = source.read_ranges(&mut [read]).unwrap_err();
        assert_eq!((error.kind(), error.path()), (meshpeek::ErrorKind::UnexpectedEnd, Some(file.path())));
    }
}

/// Returns how many bytes this thread has caused the system to read from disks.
#[cfg(target_os = "linux")]
fn bytes_from_disk() -> Option<u64> {
    let counts = std::fs::read_to_string("/proc/thread-self/io").ok()?;
    counts.lines().find_map(|line| line.strip_prefix("read_bytes: "))?.parse().ok()
}

#[cfg(target_os = "linux")]
#[test]
fn counted_bytes_are_read_from_the_disk() {
    let file = write_file();
    let map = open(&file);
    let (true, Some(_)) = (is_evicted(&map), bytes_from_disk()) else {
        skip("the system does not count the bytes that a thread reads");
        return;
    };
    let scattered: Vec<_> = (0..30_u64).map(|piece| piece * 130_000..piece * 130_000 + 10_000).collect();
    for ranges in [scattered, vec![0..1_000_000, 900_000..2_000_000], vec![0..u64::MAX]] {
        // Some pages are cached before.
        map.wait_cached(0..4096).unwrap();
        let before = bytes_from_disk().unwrap();
        let counted = map.load_ranges(&ranges).unwrap();
        let read = bytes_from_disk().unwrap() - before;
        if read == 0 {
            skip("the file is not on a disk");
            return;
        }
        assert!(counted.abs_diff(read) * 20 <= read, "counted {counted} bytes, and {read} were read");
        map.evict(0..u64::MAX, Eviction::Uncache);
    }
}

/// The switches are for all threads. The other tests in this file can only get other answers from
/// the calls in a child process, so this test starts one.
#[cfg(all(feature = "internals", target_os = "linux"))]
#[test]
fn older_systems_have_the_same_bytes() {
    if std::env::var_os("MESHPEEK_TEST_CHILD").is_none() {
        let mut child = crate::support::process::own_test("ranges::older_systems_have_the_same_bytes");
        assert!(child.env("MESHPEEK_TEST_CHILD", "1").status().unwrap().success());
        return;
    }
    let file = write_file();
    let (map, copy) = (open(&file), std::fs::read(file.path()).unwrap());
    if !is_evicted(&map) {
        return;
    }
    let range = 100_000..1_000_000;
    let pages = map.residency(range.clone()).pages;
    for mask in 0..8 {
        let has = |call: u8| mask & call == 0;
        let is_evicted = || {
            meshpeek::internals::disable_system_calls(0);
            let is_evicted = is_evicted(&map);
            meshpeek::internals::disable_system_calls(mask);
            is_evicted
        };
        if !is_evicted() {
            return;
        }
        assert_eq!(map.residency(0..u64::MAX).cached, has(1).then_some(0), "{mask}");
        let before = map.residency(range.clone());
        assert_eq!(before.cached.is_some(), has(1) || has(2), "{mask}");
        // Without the call, pages are examined one by one, which makes the system read them.
        assert!(!has(1) || before.cached == Some(0), "{mask}: {before:?}");
        let size = pages * 4096;
        if !is_evicted() {
            return;
        }
        let scattered = [range.start..500_000, 900_000..range.end, 500_000..900_000, 3_000_000..3_000_001];
        assert_eq!(map.load_ranges(&scattered).unwrap(), size + 4096, "{mask}");
        let loaded = map.residency(range.clone());
        assert_eq!(loaded.cached, (has(1) || has(2)).then_some(pages), "{mask}");
        assert_eq!(loaded.mapped, has(4).then_some(0), "{mask}");
        map.populate(range.clone());
        let mapped = map.residency(range.clone());
        assert_eq!(mapped.mapped, has(4).then_some(pages), "{mask}");
        let expected = match (has(4), has(1) || has(2)) {
            (true, _) => ResidencyState::Mapped,
            (false, true) => ResidencyState::Cached,
            (false, false) => ResidencyState::Unknown,
        };
        assert_eq!(mapped.state(), expected, "{mask}");
        assert!(map.as_ref()[100_000..1_000_000] == copy[100_000..1_000_000]);
        meshpeek::internals::disable_system_calls(0);
    }
    assert!(map.as_ref() == copy);
}
