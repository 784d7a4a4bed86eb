//! Tests of [`SourceRegions`] with sources in memory, in a file, and with a source that fails.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use meshpeek::io::{FileSource, RangeRead, RangeSource};
use meshpeek::streaming::{ItemRange, ManualClock, Priority, SourceRegions, StreamOptions, StreamOutcome, Streamer};
use meshpeek::{Error, ErrorKind};

use crate::finish;
use crate::support::files::file_on_disk;
use crate::support::random::Random;

const REGION: u32 = 4096;

fn bytes() -> Vec<u8> {
    let mut random = Random::new(1);
    (0..REGION * 200 + 77).map(|_| random.next() as u8).collect()
}

/// A source that waits before each read, and cannot read some regions.
struct FailingSource {
    bytes: Vec<u8>,
    wait: Duration,
}

/// Returns whether a [`FailingSource`] cannot read the region at an offset.
fn is_broken(offset: u64) -> bool {
    offset / u64::from(REGION) % 9 == 4
}

impl RangeSource for FailingSource {
    fn byte_len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_ranges(&self, reads: &mut [RangeRead<'_>]) -> meshpeek::Result<()> {
        std::thread::sleep(self.wait);
        match reads.iter().find(|read| is_broken(read.offset)) {
            Some(read) => Err(Error::custom(ErrorKind::Io, format!("expected bytes, found none at {}", read.offset))),
            None => self.bytes.read_ranges(reads),
        }
    }
}

/// Makes random requests in a small budget, and cancels some. Each must end once, and each value
/// must equal the bytes of its region. Returns the numbers of requests that were done and failed.
fn check<S: RangeSource + 'static>(source: S, bytes: &[u8], workers: usize) -> [usize; 2] {
    const REQUESTS: u64 = 600;
    let content = Arc::new(SourceRegions::new(source, REGION).unwrap());
    let options = StreamOptions::default().with_workers(workers).with_budget(u64::from(REGION) * 50);
    let mut streamer = Streamer::new(Arc::clone(&content), &options).unwrap();
    let (mut random, mut slots, mut ended) = (Random::new(2), Vec::new(), vec![None; REQUESTS as usize]);
    while slots.len() < ended.len() || ended.contains(&None) {
        streamer.begin_frame();
        for _ in 0..random.below(9).min(ended.len() - slots.len()) {
            let start = random.below(bytes.len()) as u64;
            let range = content.items(start..start + random.below(REGION as usize * 4) as u64);
            let priority = Priority::new(random.below(64) as u8);
            let slot = streamer.request(&[range], priority, slots.len() as u64).unwrap();
            slots.push((slot, range));
        }
        if random.one_in(4) && !slots.is_empty() {
            streamer.cancel(random.pick(&slots).0);
        }
        streamer.poll();
        while let Some(event) = streamer.next_event() {
            let (slot, range) = slots[event.tag as usize];
            let items = range.first..range.end;
            assert_eq!(event.slot, slot);
            if matches!(event.outcome, StreamOutcome::Done) {
                for item in items.clone() {
                    let at = content.range(item);
                    let expected = &bytes[at.start as usize..at.end as usize];
                    assert!(streamer.get(item).is_some_and(|value| **value == *expected), "{at:?}");
                }
            }
            if let StreamOutcome::Failed(error) = &event.outcome {
                assert!(items.clone().any(|item| is_broken(content.range(item).start)), "{range:?}");
                assert!(error.to_string().contains("found none at "), "{error}");
                assert_eq!(error.kind(), ErrorKind::Io);
            }
            let outcome = match event.outcome {
                StreamOutcome::Done => 0,
                StreamOutcome::Failed(_) => 1,
                StreamOutcome::Cancelled => 2,
            };
            assert_eq!(ended[event.tag as usize].replace(outcome), None, "a request ends once");
        }
        if workers > 0 {
            streamer.wait(Duration::from_millis(1));
        } else {
            streamer.step();
        }
    }
    assert!(finish(&mut streamer, workers).is_empty());
    let counts = streamer.statistics();
    assert_eq!((counts.requests, counts.done + counts.failed + counts.cancelled), (REQUESTS, REQUESTS));
    assert!(counts.peak_resident <= options.budget && counts.work.evicted > 0, "{counts:?}");
    [0, 1].map(|outcome| ended.iter().filter(|ended| **ended == Some(outcome)).count())
}

#[test]
fn each_region_of_memory_and_of_a_file_equals_its_bytes() {
    let bytes = bytes();
    let file = file_on_disk(&bytes);
    for workers in [0, 2] {
        let [done, failed] = check(bytes.clone(), &bytes, workers);
        assert!(done > 300 && failed == 0, "{done} {failed}");
        let [done, failed] = check(FileSource::open(file.path()).unwrap(), &bytes, workers);
        assert!(done > 300 && failed == 0, "{done} {failed}");
    }
}

#[test]
fn a_broken_region_fails_only_the_requests_for_it() {
    let bytes = bytes();
    for (workers, wait) in [(0, 0), (2, 300), (4, 50)] {
        let source = FailingSource { bytes: bytes.clone(), wait: Duration::from_micros(wait) };
        let [done, failed] = check(source, &bytes, workers);
        assert!(done > 150 && failed > 50, "{done} {failed}");
    }
}

/// A file that was shortened after it was opened is an error of the source.
#[test]
fn a_shortened_file_fails_the_requests_after_its_end() {
    let bytes = bytes();
    let file = file_on_disk(&bytes);
    let content = Arc::new(SourceRegions::new(FileSource::open(file.path()).unwrap(), REGION).unwrap());
    file.as_file().set_len(u64::from(REGION) * 100).unwrap();
    let mut streamer = Streamer::new(Arc::clone(&content), &StreamOptions::default()).unwrap();
    for item in [0, 99, 100, 200] {
        streamer.request(&[ItemRange::one(item)], Priority::MOST, item.into()).unwrap();
    }
    let events = finish(&mut streamer, 2);
    assert!(events[..2].iter().all(|event| matches!(event.outcome, StreamOutcome::Done)), "{events:?}");
    for event in &events[2..] {
        let StreamOutcome::Failed(error) = &event.outcome else { panic!("{event:?}") };
        assert_eq!((error.kind(), error.path()), (ErrorKind::Truncated, Some(file.path())), "{error}");
        assert_eq!(streamer.get(u32::try_from(event.tag).unwrap()), None);
    }
}

/// Returns the log of a run without workers.
fn log(bytes: &[u8], seed: u64) -> String {
    let clock = ManualClock::default();
    let source = FailingSource { bytes: bytes.to_vec(), wait: Duration::ZERO };
    let content = Arc::new(SourceRegions::new(source, REGION).unwrap());
    let options = StreamOptions::default().with_workers(0).with_budget(u64::from(REGION) * 20).with_requests(64);
    let mut streamer = Streamer::with_clock(Arc::clone(&content), &options, Arc::new(clock.clone())).unwrap();
    let text = Arc::new(Mutex::new(String::new()));
    let lines = Arc::clone(&text);
    streamer.set_log(move |line| {
        let mut text = lines.lock().unwrap();
        text.push_str(line);
        text.push('\n');
    });
    let mut random = Random::new(seed);
    for tag in 0..400 {
        let start = random.below(bytes.len()) as u64;
        let range = content.items(start..start + 10_000);
        let slot = streamer.request(&[range], Priority::new(random.below(64) as u8), tag);
        if let Ok(slot) = slot
            && random.one_in(5)
        {
            streamer.cancel(slot);
        }
        streamer.begin_frame();
        streamer.poll();
        while streamer.next_event().is_some() {}
        (0..random.below(5)).for_each(|_| _ = streamer.step());
        clock.advance(16_667);
    }
    drop(streamer);
    Arc::into_inner(text).unwrap().into_inner().unwrap()
}

#[test]
fn two_runs_without_workers_have_the_same_log() {
    let bytes = bytes();
    let first = log(&bytes, 8);
    for word in ["request", "fetched", "published", "evicts", "done", "cancelled", ErrorKind::Io.id()] {
        assert!(first.contains(word), "{word}: {first}");
    }
    assert!(first.lines().count() > 1500, "{}", first.lines().count());
    assert!(first == log(&bytes, 8), "the logs differ");
    assert!(first != log(&bytes, 9), "another seed makes other requests");
}
