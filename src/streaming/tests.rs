//! Tests of the streamer with a content without files.

use std::collections::HashMap;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::test_content::{Faults, FaultyContent, LateClock};
use super::*;
use crate::error::ErrorKind;

const FAULTS: Faults = Faults { fetch_errors: 20, publish_errors: 20, panics: 20, slow: 5 };

fn random(seed: &mut u64) -> u32 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    u32::try_from(*seed >> 33).unwrap()
}

/// Silences the message of panics that a test provokes.
fn silence_panics() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !info.to_string().contains("a panic in") {
                print(info);
            }
        }));
    });
}

/// Makes random requests, and checks that each ends exactly once.
struct Storm {
    streamer: Streamer<FaultyContent>,
    content: Arc<FaultyContent>,
    seed: u64,
    next_tag: u64,
    /// The items of the requests that have not ended.
    live: HashMap<u64, (Slot, Vec<ItemRange>)>,
    counts: [u64; 3],
    leases: Vec<Lease>,
    pinned: Vec<u32>,
}

impl Storm {
    fn new(content: FaultyContent, options: &StreamOptions, clock: Arc<dyn Clock>, seed: u64) -> Self {
        silence_panics();
        let content = Arc::new(content);
        let streamer = Streamer::with_clock(Arc::clone(&content), options, clock).unwrap();
        let live = HashMap::new();
        Self { streamer, content, seed, next_tag: 0, live, counts: [0; 3], leases: Vec::new(), pinned: Vec::new() }
    }

    fn request(&mut self) {
        let mut ranges = Vec::new();
        for _ in 0..=random(&mut self.seed) % 3 {
            let first = random(&mut self.seed) % (self.content.items - 4);
            let end = first + random(&mut self.seed) % 4;
            ranges.push(ItemRange { first, end, skipped: 1, cut: 2 });
        }
        let priority = Priority::new(u8::try_from(random(&mut self.seed) % 64).unwrap());
        let pins = random(&mut self.seed).is_multiple_of(500) && self.pinned.len() < 20;
        let slot = if pins {
            self.streamer.request_pinned(&ranges, priority, self.next_tag)
        } else {
            self.streamer.request(&ranges, priority, self.next_tag)
        };
        match slot {
            Ok(slot) => {
                if pins {
                    self.pinned.extend(ranges.iter().flat_map(ItemRange::items));
                }
                assert!(self.live.insert(self.next_tag, (slot, ranges)).is_none());
                self.next_tag += 1;
            }
            Err(error) => assert_eq!(error.kind(), ErrorKind::Refused),
        }
    }

    /// Draws a frame: changes some requests, polls, and takes the events.
    fn frame(&mut self) {
        self.streamer.begin_frame();
        if self.leases.len() < 4 && random(&mut self.seed).is_multiple_of(50) {
            self.leases.extend(self.streamer.lease());
        }
        if random(&mut self.seed).is_multiple_of(20) {
            self.leases.pop();
        }
        let some: Vec<Slot> = self.live.values().take(2).map(|(slot, _)| *slot).collect();
        for slot in some {
            match random(&mut self.seed) % 4 {
                0 => assert!(self.streamer.cancel(slot) || !self.is_queued(slot)),
                1 => {
                    let _ = self.streamer.set_priority(slot, Priority::new(9));
                }
                _ => {}
            }
        }
        self.streamer.poll();
        self.take_events();
        for _ in 0..8 {
            let item = random(&mut self.seed) % self.content.items;
            assert!(self.streamer.get(item).is_none_or(|value| value.0 == item));
        }
    }

    /// Returns whether the event of a request has not been taken. Such a request may have ended.
    fn is_queued(&self, slot: Slot) -> bool {
        self.streamer.scheduler_events().all(|event| event.slot != slot)
    }

    fn take_events(&mut self) {
        while let Some(event) = self.streamer.next_event() {
            let (slot, ranges) = self.live.remove(&event.tag).expect("each request ends once");
            assert_eq!(slot, event.slot);
            let kind = match event.outcome {
                StreamOutcome::Done => {
                    // The frame that takes the event can use all items of the request.
                    assert!(self.streamer.are_resident(&ranges), "{event}");
                    0
                }
                StreamOutcome::Failed(error) => {
                    assert!(matches!(error.kind(), ErrorKind::Io | ErrorKind::Value | ErrorKind::Panicked));
                    1
                }
                StreamOutcome::Cancelled => 2,
            };
            self.counts[kind] += 1;
            assert!(!self.streamer.cancel(slot) && !self.streamer.set_priority(slot, Priority::MOST));
        }
    }

    fn resident(&self) -> i64 {
        (0..self.content.items).map(|item| i64::from(self.streamer.is_resident(item))).sum()
    }

    /// Ends all requests, and checks that nothing is left.
    fn finish(mut self) -> [u64; 3] {
        self.leases.clear();
        for _ in 0..1_000_000 {
            if self.live.is_empty() {
                break;
            }
            self.streamer.begin_frame();
            self.streamer.poll();
            if !self.streamer.step() {
                self.streamer.wait(Duration::from_millis(1));
            }
            self.take_events();
        }
        assert_eq!(self.live.len(), 0, "requests are lost: {:?}", self.streamer);
        // Jobs whose requests were cancelled may still be in progress.
        for _ in 0..1000 {
            self.streamer.poll();
            if !self.streamer.step() && self.resident() == self.content.alive.load(Relaxed) {
                break;
            }
            self.streamer.wait(Duration::from_millis(1));
        }
        assert_eq!(self.resident(), self.content.alive.load(Relaxed), "values are lost");
        let statistics = self.streamer.statistics();
        assert_eq!(i64::try_from(statistics.resident).unwrap(), self.content.alive_bytes.load(Relaxed));
        assert_eq!(statistics.requests, self.counts.iter().sum::<u64>());
        assert_eq!([statistics.done, statistics.failed, statistics.cancelled], self.counts);
        drop(self.streamer);
        self.counts
    }
}

fn storm(requests: u64, workers: usize, clock: Arc<dyn Clock>, seed: u64) {
    let options = StreamOptions::default().with_workers(workers).with_requests(256).with_budget(80_000).with_loads(24);
    let mut storm = Storm::new(FaultyContent::new(500, FAULTS), &options, clock, seed);
    while storm.next_tag < requests {
        for _ in 0..random(&mut storm.seed) % 40 {
            storm.request();
        }
        storm.frame();
        for _ in 0..random(&mut storm.seed) % 12 {
            if workers == 0 {
                storm.streamer.step();
            }
        }
    }
    let content = Arc::clone(&storm.content);
    let counts = storm.finish();
    assert!(counts.iter().all(|count| *count > requests / 100), "{counts:?}");
    assert!(content.most_alive_bytes.load(Relaxed) <= 80_000, "{content:?}");
}

#[test]
fn each_request_ends_once_in_any_order_of_the_work() {
    (0..40).for_each(|seed| storm(2_000, 0, Arc::new(SystemClock::default()), seed));
    (0..10).for_each(|seed| storm(2_000, 0, Arc::new(LateClock::default()), seed));
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it")]
fn each_request_ends_once_with_four_workers() {
    let requests = if cfg!(miri) { 300 } else { 100_000 };
    storm(requests, 4, Arc::new(SystemClock::default()), 77);
}

/// Returns the log of a run without workers.
fn logged(seed: u64) -> String {
    silence_panics();
    let clock = ManualClock::default();
    let content = Arc::new(FaultyContent::new(300, Faults { slow: 0, ..FAULTS }));
    let options = StreamOptions::default().with_workers(0).with_budget(40_000).with_requests(64);
    let mut streamer = Streamer::with_clock(content, &options, Arc::new(clock.clone())).unwrap();
    let text = Arc::new(Mutex::new(String::new()));
    let lines = Arc::clone(&text);
    streamer.set_log(move |line| {
        let mut text = lines.lock().unwrap();
        text.push_str(line);
        text.push('\n');
    });
    let mut seed = seed;
    for frame in 0..500 {
        for _ in 0..3 {
            let first = random(&mut seed) % 290;
            let range = ItemRange { first, end: first + 1 + random(&mut seed) % 5, skipped: 0, cut: 0 };
            let _ = streamer.request(&[range], Priority::new(u8::try_from(frame % 64).unwrap()), frame);
        }
        streamer.begin_frame();
        streamer.poll();
        while let Some(event) = streamer.next_event() {
            assert!(event.work.stalled == 0);
        }
        (0..random(&mut seed) % 6).for_each(|_| {
            streamer.step();
        });
        clock.advance(16_667);
    }
    drop(streamer);
    Arc::into_inner(text).unwrap().into_inner().unwrap()
}

#[test]
fn two_runs_with_a_manual_clock_have_the_same_log() {
    let log = logged(5);
    assert!(log.lines().count() > 2_000, "{}", log.lines().count());
    for word in ["request", "fetch", "fetched", "publish", "published", "evicts", "end", "done", "panicked"] {
        assert!(log.contains(word), "{word}");
    }
    assert_eq!(log, logged(5));
    assert_ne!(log, logged(6));
}

fn run(streamer: &mut Streamer<FaultyContent>) -> Vec<StreamEvent> {
    let mut events = Vec::new();
    for _ in 0..50 {
        streamer.begin_frame();
        streamer.poll();
        while streamer.step() {}
        events.extend(std::iter::from_fn(|| streamer.next_event()));
    }
    events
}

fn quiet(budget: u64) -> Streamer<FaultyContent> {
    let options = StreamOptions::default().with_workers(0).with_budget(budget).with_requests(32);
    Streamer::new(Arc::new(FaultyContent::new(70, Faults::default())), &options).unwrap()
}

#[test]
fn urgent_requests_are_done_first() {
    let options = StreamOptions::default().with_workers(0).with_loads(1);
    let mut streamer = Streamer::new(Arc::new(FaultyContent::new(70, Faults::default())), &options).unwrap();
    let slots: Vec<_> = (0..4_u8)
        .map(|item| streamer.request(&[ItemRange::one(item.into())], Priority::new(item), item.into()).unwrap())
        .collect();
    assert!(streamer.set_priority(slots[1], Priority::MOST));
    let order: Vec<_> = run(&mut streamer).iter().map(|event| event.tag).collect();
    assert_eq!(order, [1, 3, 2, 0]);
}

#[test]
fn the_least_recently_used_item_is_evicted() {
    let mut streamer = quiet(3_000);
    for item in [0, 7, 14] {
        streamer.request(&[ItemRange::one(item)], Priority::MOST, 0).unwrap();
    }
    assert_eq!(run(&mut streamer).len(), 3);
    assert!(streamer.get(0).is_some() && streamer.get(14).is_some());
    streamer.request(&[ItemRange::one(21)], Priority::MOST, 0).unwrap();
    assert!(matches!(run(&mut streamer)[..], [StreamEvent { outcome: StreamOutcome::Done, .. }]));
    assert_eq!([0, 7, 14, 21].map(|item| streamer.is_resident(item)), [true, false, true, true]);
    assert_eq!(streamer.statistics().work.evicted, 1_000);
}

#[test]
fn what_a_frame_or_a_lease_uses_stays_resident() {
    let mut streamer = quiet(1_000);
    streamer.request(&[ItemRange::one(0)], Priority::MOST, 0).unwrap();
    run(&mut streamer);
    streamer.request(&[ItemRange::one(7)], Priority::MOST, 0).unwrap();
    for _ in 0..100 {
        streamer.begin_frame();
        assert!(streamer.get(0).is_some());
        streamer.poll();
        streamer.step();
    }
    assert!(streamer.statistics().full_polls > 90);
    let lease = streamer.lease().unwrap();
    assert!(streamer.get(0).is_some() && run(&mut streamer).is_empty());
    drop(lease);
    assert_eq!(run(&mut streamer).len(), 1);
    assert!(streamer.get(0).is_none() && streamer.get(7).is_some());
}

#[test]
fn pinned_items_stay_until_they_are_unpinned() {
    let mut streamer = quiet(2_000);
    streamer.request_pinned(&[ItemRange::one(0)], Priority::MOST, 0).unwrap();
    run(&mut streamer);
    for item in [7, 14, 21] {
        streamer.request(&[ItemRange::one(item)], Priority::MOST, 0).unwrap();
        run(&mut streamer);
    }
    assert!(streamer.is_resident(0) && streamer.is_resident(21) && !streamer.is_resident(14));
    let larger = ItemRange { first: 28, end: 30, skipped: 0, cut: 0 };
    streamer.request(&[larger], Priority::MOST, 0).unwrap();
    let [StreamEvent { outcome: StreamOutcome::Failed(error), .. }] = &run(&mut streamer)[..] else {
        panic!("it does not fit")
    };
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert!(error.to_string().contains("`budget`"), "{error}");
    assert!(streamer.unpin(0) && !streamer.unpin(0) && !streamer.unpin(5));
}

#[test]
fn a_part_of_the_budget_is_only_for_pinned_items() {
    let options = StreamOptions::default().with_workers(0).with_budget(4_000).with_pinned_budget(1_000);
    let mut streamer = Streamer::new(Arc::new(FaultyContent::new(70, Faults::default())), &options).unwrap();
    for item in [0, 7, 14, 21] {
        streamer.request(&[ItemRange::one(item)], Priority::LEAST, 0).unwrap();
    }
    let lease = streamer.lease().unwrap();
    assert_eq!(run(&mut streamer).len(), 3);
    // Nothing can be evicted, and a pinned item still finds room.
    streamer.request_pinned(&[ItemRange::one(28)], Priority::MOST, 9).unwrap();
    assert_eq!(run(&mut streamer).iter().map(|event| event.tag).collect::<Vec<_>>(), [9]);
    assert_eq!(streamer.statistics().resident, 4_000);
    drop(lease);
    assert_eq!(run(&mut streamer).len(), 1);
}

#[test]
fn a_request_may_evict_many_items() {
    let options = StreamOptions::default().with_workers(0).with_budget(200_000);
    for loads in [1, 2] {
        let content = Arc::new(FaultyContent::new(300, Faults::default()));
        let mut streamer = Streamer::new(Arc::clone(&content), &options.clone().with_loads(loads)).unwrap();
        for first in [0, 140] {
            let range = ItemRange { first, end: first + 140, skipped: 0, cut: 0 };
            streamer.request(&[range], Priority::MOST, 0).unwrap();
            let events = run(&mut streamer);
            assert!(matches!(events[..], [StreamEvent { outcome: StreamOutcome::Done, .. }]));
        }
        let statistics = streamer.statistics();
        assert!(statistics.work.evicted > 140_000 && statistics.peak_resident <= 200_000, "{statistics:?}");
        assert_eq!(statistics.resident, u64::try_from(content.alive_bytes.load(Relaxed)).unwrap());
    }
}

#[test]
fn requests_that_hold_the_items_of_each_other_are_done_one_after_another() {
    let mut streamer = quiet(4_000);
    for item in [0, 7, 14, 21] {
        streamer.request(&[ItemRange::one(item)], Priority::MOST, 0).unwrap();
    }
    run(&mut streamer);
    for (tag, pair) in [(1, [0, 28]), (2, [7, 35]), (3, [14, 42]), (4, [21, 49])] {
        streamer.request(&pair.map(ItemRange::one), Priority::MOST, tag).unwrap();
    }
    let mut tags: Vec<_> = run(&mut streamer).iter().map(|event| event.tag).collect();
    tags.sort_unstable();
    assert_eq!(tags, [1, 2, 3, 4]);
}

#[test]
fn wrong_requests_are_refused() {
    let mut streamer = quiet(2_000);
    let outside = ItemRange { first: 69, end: 71, skipped: 0, cut: 0 };
    assert_eq!(streamer.request(&[outside], Priority::MOST, 0).unwrap_err().kind(), ErrorKind::NoSuch);
    let many = [ItemRange::one(0); 9];
    let message = streamer.request(&many, Priority::MOST, 0).unwrap_err().to_string();
    assert!(message.contains("at most 8 item ranges") && message.contains("found 9"), "{message}");
    for tag in 0..32 {
        streamer.request(&[ItemRange::one(1)], Priority::LEAST, tag).unwrap();
    }
    let message = streamer.request(&[], Priority::MOST, 0).unwrap_err().to_string();
    assert!(message.contains("at most 32 requests"), "{message}");
    let tags: Vec<_> = run(&mut streamer).iter().map(|event| event.tag).collect();
    assert_eq!(tags.len(), 32, "requests for the same item share a load: {tags:?}");
    assert_eq!(streamer.statistics().work.read, 1_100);
    streamer.request(&[], Priority::MOST, 5).unwrap();
    assert!(matches!(run(&mut streamer)[..], [StreamEvent { outcome: StreamOutcome::Done, tag: 5, .. }]));
}
