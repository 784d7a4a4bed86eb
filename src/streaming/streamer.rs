//! The streamer and its options: loads items on workers and is polled by the thread that draws.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use super::content::Content;
use super::items::{Lease, Place};
use super::log::{Clock, Log, Statistics, SystemClock};
use super::memory::reserved_resident;
use super::pool::{Jobs, Pool};
use super::request::{ItemRange, Priority, Slot, StreamEvent};
use super::scheduler::Scheduler;
use crate::error::Result;
use crate::error::debug::short_debug;
use crate::math::as_index;
use crate::parse::options;

options! {
    /// The options of a [`Streamer`](super::Streamer). All memory that depends on them is allocated
    /// when the streamer is made.
    ///
    /// ```
    /// use meshpeek::streaming::StreamOptions;
    /// let options = StreamOptions::default().with_workers(4).with_budget(256 << 20);
    /// # let _ = options;
    /// ```
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct StreamOptions {
        /// The greatest number of bytes that resident items take: 512 MiB by default.
        budget: u64 = 512 << 20, pub with_budget;
        /// The part of `budget` that only pinned items take, in bytes: 0 by default. Coarse levels
        /// then find room although detailed ones that are drawn take the rest. Make the requests
        /// for them more urgent than others, because a less urgent request waits.
        pinned_budget: u64 = 0, pub with_pinned_budget;
        /// The number of threads that load items: 2 by default. With 0, no thread is started, and
        /// [`Streamer::step`](super::Streamer::step) loads the items.
        workers: usize = 2, pub with_workers;
        /// Whether the workers run with a lower priority than the thread that made the streamer:
        /// `true` by default. On a busy processor, the thread that draws then runs first. Only
        /// Linux has such a priority.
        lower_priority: bool = true, pub with_lower_priority;
        /// The greatest number of requests that have not ended, or whose event was not taken: 4,096
        /// by default.
        requests: u32 = 4096, pub with_requests;
        /// The greatest number of item ranges of a request: 8 by default.
        ranges_per_request: u32 = 8, pub with_ranges_per_request;
        /// The greatest number of loads that are started before the first of them has ended: 64 by
        /// default. The disk reads this many items at once. More loads make a change of priorities
        /// take effect later.
        loads: u32 = 64, pub with_loads;
        /// The number of frames that an item stays resident after its last use: 3 by default. A GPU
        /// still draws earlier frames while the program makes the next.
        lease_frames: u32 = 3, pub with_lease_frames;
        /// The greatest number of bytes that become resident after one poll: 32 MiB by default. A
        /// single larger item is not held back.
        bytes_per_poll: u64 = 32 << 20, pub with_bytes_per_poll;
        /// The time after which a poll leaves the rest of its work to the next poll, in
        /// microseconds: 16 by default. Each poll takes at least one
        /// step of its work. With few polls per second, a longer time lets the workers load more.
        poll_time: u64 = 16, pub with_poll_time;
    }
}

/// Loads items of a [`Content`] in the order of their priority, within a budget of memory.
///
/// The thread that draws owns the streamer. It makes requests, calls [`poll`](Self::poll) once per
/// frame, takes the events, and reads resident items with [`get`](Self::get). None of these calls
/// waits for the disk or for another thread, and none allocates memory. The workers read, inflate,
/// decode, map and free memory.
///
/// An item is not evicted while a request in progress needs it, while it is pinned, within
/// [`lease_frames`](StreamOptions::with_lease_frames) of the last `get`, and while a [`Lease`] from
/// before that `get` exists.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use std::sync::Arc;
/// use meshpeek::streaming::{StreamOutcome, Priority, SourceRegions, StreamOptions, Streamer};
///
/// let regions = Arc::new(SourceRegions::new(vec![7_u8; 300_000], 64 << 10)?);
/// let options = StreamOptions::default().with_workers(1).with_budget(1 << 20);
/// let mut streamer = Streamer::new(Arc::clone(&regions), &options)?;
/// let wanted = regions.items(100_000..200_000);
/// let slot = streamer.request(&[wanted], Priority::MOST, 0)?;
/// loop {
///     streamer.begin_frame();
///     streamer.poll();
///     if let Some(event) = streamer.next_event() {
///         assert!(event.slot == slot && matches!(event.outcome, StreamOutcome::Done));
///         break;
///     }
///     std::thread::yield_now(); // a program draws a frame here
/// }
/// assert_eq!(streamer.get(wanted.first).map(|bytes| bytes.len()), Some(64 << 10));
/// # Ok(())
/// # }
/// ```
pub struct Streamer<C: Content> {
    // Dropped first, which ends the threads.
    pool: Pool<C>,
    scheduler: Scheduler<C>,
    results: Jobs<C::Value>,
    jobs: Jobs<C::Value>,
}

short_debug!([C: Content] Streamer<C>: |streamer| { statistics: streamer.statistics() });

impl<C: Content> Streamer<C> {
    /// Makes a streamer, and starts its workers. If the system refuses some of the threads, the
    /// others do their work. If it refuses all, [`poll`](Self::poll) loads the items itself, and
    /// may then wait for the disk.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::OutOfMemory`] if the memory of the queues cannot be allocated.
    ///
    /// [`ErrorKind::OutOfMemory`]: crate::ErrorKind::OutOfMemory
    pub fn new(content: Arc<C>, options: &StreamOptions) -> Result<Self> {
        Self::with_clock(content, options, Arc::new(SystemClock::default()))
    }

    /// Makes a streamer whose statistics and log use another clock.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`new`](Self::new).
    #[doc(hidden)]
    pub fn with_clock(content: Arc<C>, options: &StreamOptions, clock: Arc<dyn Clock>) -> Result<Self> {
        let jobs = as_index(options.loads.max(1));
        let scheduler = Scheduler::new(Arc::clone(&content), Arc::clone(&clock), options)?;
        let pool = Pool::new(content, clock, options, jobs)?;
        let queue = || reserved_resident(jobs).map(VecDeque::from);
        Ok(Self { pool, scheduler, results: queue()?, jobs: queue()? })
    }

    /// Passes a line of text to `line` for each decision: each request, load, eviction and event.
    /// The log allocates memory.
    pub fn set_log(&mut self, line: impl FnMut(&str) + Send + Sync + 'static) {
        self.scheduler.log = Log::new(line);
    }

    /// Requests items. The request starts with the next [`poll`](Self::poll), and ends with one
    /// [`StreamEvent`], which has the same `tag`.
    ///
    /// All items of a request become resident together. Items that are resident already, or that
    /// another request is loading, are not loaded again.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`] if an item is out of range, and [`ErrorKind::Refused`] if all
    /// slots are used or if the request has too many ranges: see [`StreamOptions`].
    ///
    /// [`ErrorKind::NoSuch`]: crate::ErrorKind::NoSuch
    /// [`ErrorKind::Refused`]: crate::ErrorKind::Refused
    pub fn request(&mut self, ranges: &[ItemRange], priority: Priority, tag: u64) -> Result<Slot> {
        self.scheduler.request(ranges, priority, tag, false)
    }

    /// Requests items like [`request`](Self::request), and pins each item when the request is done,
    /// for example coarse levels of detail.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`request`](Self::request).
    pub fn request_pinned(&mut self, ranges: &[ItemRange], priority: Priority, tag: u64) -> Result<Slot> {
        self.scheduler.request(ranges, priority, tag, true)
    }

    /// Changes the priority of a request. Returns `false` if the request has ended.
    ///
    /// The time does not depend on the number of requests.
    pub fn set_priority(&mut self, slot: Slot, priority: Priority) -> bool {
        self.scheduler.set_priority(slot, priority)
    }

    /// Cancels a request, which ends with [`StreamOutcome::Cancelled`](super::StreamOutcome::Cancelled).
    /// Returns `false` if the request has ended already.
    pub fn cancel(&mut self, slot: Slot) -> bool {
        self.scheduler.cancel(slot)
    }

    /// Removes a pin of [`request_pinned`](Self::request_pinned). Returns `false` if the item is
    /// not pinned.
    pub fn unpin(&mut self, item: u32) -> bool {
        self.scheduler.items.unpin(item, self.scheduler.frame)
    }

    /// Begins the next frame, and returns its number.
    pub fn begin_frame(&mut self) -> u32 {
        self.scheduler.frame = self.scheduler.frame.saturating_add(1);
        self.scheduler.frame
    }

    /// Processes the results of the workers and gives them new work. The method does not wait.
    ///
    /// Call it at least once per frame, and then take the events.
    pub fn poll(&mut self) {
        let Self { pool, scheduler, results, jobs } = self;
        if results.is_empty() && !pool.take_results(results) {
            let contended = &mut scheduler.statistics.contended_polls;
            *contended = contended.saturating_add(1);
        }
        scheduler.begin_poll();
        while let Some(job) = results.pop_front() {
            scheduler.accept(job, jobs);
            if scheduler.is_late() {
                break;
            }
        }
        scheduler.make_room(jobs);
        scheduler.start_requests(jobs);
        pool.start(jobs);
    }

    /// Takes the next event.
    pub fn next_event(&mut self) -> Option<StreamEvent> {
        self.scheduler.next_event()
    }

    /// Returns the value of an item if it is resident, and notes that the current frame uses it.
    #[must_use]
    pub fn get(&self, item: u32) -> Option<&C::Value> {
        self.scheduler.items.value(item, self.scheduler.frame)
    }

    /// Returns whether all items of the ranges are resident, and notes that the current frame
    /// uses those that are.
    #[doc(hidden)]
    #[must_use]
    pub fn are_resident(&self, ranges: &[ItemRange]) -> bool {
        // All items are used, also those after one that is not resident.
        let items = ranges.iter().flat_map(ItemRange::items);
        items.filter(|item| self.get(*item).is_none()).count() == 0
    }

    /// Returns whether an item is resident, without using it.
    #[must_use]
    pub fn is_resident(&self, item: u32) -> bool {
        self.scheduler.items.place(item) == Place::Resident
    }

    /// Makes a lease of the current frame, or returns `None` if there are 64 leases.
    #[must_use]
    pub fn lease(&self) -> Option<Lease> {
        self.scheduler.lease()
    }

    /// Returns what the streamer has done until now.
    #[must_use]
    pub const fn statistics(&self) -> Statistics {
        self.scheduler.statistics
    }

    /// Does the next work of a worker on the calling thread, which may wait for the disk. Returns
    /// `false` if there is no work.
    pub fn step(&mut self) -> bool {
        self.pool.step()
    }

    /// Waits until a worker has a result for the next [`poll`](Self::poll), at most for `timeout`.
    /// Returns earlier if the next `poll` has work without a result: new requests, or work for
    /// which the last `poll` had no time, or which it could not pass on to the workers.
    ///
    /// This method is for programs that wait for a load. A thread that draws does not call it.
    pub fn wait(&self, timeout: Duration) {
        if !self.results.is_empty() || self.scheduler.has_more {
            return;
        }
        if self.jobs.is_empty() {
            self.pool.wait(timeout);
        } else {
            // A worker had the lock when the last poll was to pass these jobs on. It may not run
            // while this thread does.
            self.pool.wait_for_lock();
        }
    }

    /// Returns the events that were not taken.
    #[cfg(test)]
    pub(super) fn scheduler_events(&self) -> impl Iterator<Item = &StreamEvent> {
        self.scheduler.events.iter()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::super::request::StreamOutcome;
    use super::super::test_content::{Faults, FaultyContent, LateClock};
    use super::*;

    #[test]
    fn a_wait_ends_when_a_worker_that_does_not_run_releases_the_lock() {
        let options = StreamOptions::default().with_workers(1).with_budget(40_000);
        let mut streamer = Streamer::new(Arc::new(FaultyContent::new(70, Faults::default())), &options).unwrap();
        streamer.request(&[ItemRange { first: 3, end: 4, skipped: 0, cut: 0 }], Priority::new(0), 7).unwrap();
        streamer.pool.keep_lock(Duration::from_millis(50));
        let mut polls = 0;
        let event = loop {
            streamer.begin_frame();
            streamer.poll();
            polls += 1;
            match streamer.next_event() {
                Some(event) => break event,
                None => streamer.wait(Duration::from_secs(60)),
            }
        };
        assert!(event.tag == 7 && polls < 100, "{polls} polls");
    }

    /// The test takes less than the time of one wait, so no wait is in vain.
    #[test]
    fn no_wait_delays_a_poll_that_has_work() {
        let options = StreamOptions::default().with_budget(4_000).with_lease_frames(0).with_requests(256);
        let (started, time) = (Instant::now(), Duration::from_secs(60));
        for workers in [0, 2] {
            let content = Arc::new(FaultyContent::new(210, Faults::default()));
            let options = options.clone().with_workers(workers);
            let mut streamer = Streamer::with_clock(content, &options, Arc::new(LateClock::default())).unwrap();
            // Each second request is for an item that is resident or being loaded.
            for tag in 0..200_u32 {
                streamer.request(&[ItemRange::one(tag / 2)], Priority::MOST, tag.into()).unwrap();
            }
            // The last request evicts several items, one in each poll.
            let last = ItemRange { first: 147, end: 150, skipped: 0, cut: 0 };
            streamer.request(&[last], Priority::LEAST, 200).unwrap();
            let mut events = 0;
            while events < 201 {
                streamer.begin_frame();
                streamer.poll();
                match streamer.next_event() {
                    Some(event) => {
                        assert!(matches!(event.outcome, StreamOutcome::Done), "{event}");
                        events += 1;
                    }
                    None if workers == 0 && streamer.step() => {}
                    None => streamer.wait(time),
                }
                assert!(started.elapsed() < time, "{streamer:?}");
            }
            assert!(streamer.statistics().work.evicted > 90_000);
        }
    }
}
