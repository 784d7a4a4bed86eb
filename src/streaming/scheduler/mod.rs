//! The scheduler: decides what is loaded and evicted. It starts no thread and reads no file.

mod accept;
mod room;

use std::collections::VecDeque;
use std::sync::Arc;

use crate::error::{Cause, Error, Field, Result};
use crate::math::{as_index, as_u64};
use crate::streaming::content::Content;
use crate::streaming::items::{ItemTable, Lease, Leases, Place, Waits};
use crate::streaming::job::Job;
use crate::streaming::lists::Buckets;
use crate::streaming::log::{Clock, Log, Statistics, Work};
use crate::streaming::memory::{filled, reserved_resident};
use crate::streaming::pool::Jobs;
use crate::streaming::request::{ItemRange, Priority, Slot, StreamEvent, StreamOutcome};
use crate::streaming::slots::{Progress, Slots};
use crate::streaming::streamer::StreamOptions;

/// The number of waits for each item range for which memory is allocated, on average.
const WAITS_PER_RANGE: usize = 2;
/// The greatest number of requests that one poll starts.
const STARTS_PER_POLL: u32 = 128;

/// Returns the greatest number of waits of requests for items.
fn waits_of(options: &StreamOptions) -> usize {
    let ranges = as_index(options.requests).saturating_mul(as_index(options.ranges_per_request));
    ranges.saturating_mul(WAITS_PER_RANGE)
}

/// The state of a streamer, without its workers.
pub(super) struct Scheduler<C: Content> {
    content: Arc<C>,
    pub(super) clock: Arc<dyn Clock>,
    options: StreamOptions,
    pub(super) items: ItemTable<C::Value>,
    slots: Slots,
    waits: Waits,
    queue: Buckets,
    idle_jobs: Jobs<C::Value>,
    /// Jobs whose bytes are fetched and that wait for room in the budget, the most urgent first.
    fetched: Jobs<C::Value>,
    /// The number of jobs that publish or evict.
    publishing: u32,
    /// The number of jobs that only evict.
    evicting: u32,
    /// Whether the last poll found no room for the first of the fetched jobs.
    is_full: bool,
    pub(super) events: VecDeque<StreamEvent>,
    pub(super) statistics: Statistics,
    pub(super) frame: u32,
    leases: Leases,
    /// The time at which the poll should end. Each poll takes at least one result, publishes or
    /// evicts for one fetched job, and starts one request. All requests therefore end, also if each
    /// poll is late.
    poll_end: u64,
    /// Whether the next poll has work for which no worker has to do anything.
    pub(super) has_more: bool,
    pub(super) log: Log,
}

impl<C: Content> Scheduler<C> {
    pub(super) fn new(content: Arc<C>, clock: Arc<dyn Clock>, options: &StreamOptions) -> Result<Self> {
        let requests = as_index(options.requests);
        let loads = as_index(options.loads.max(1));
        let mut idle_jobs: Jobs<C::Value> = reserved_resident(loads).map(VecDeque::from)?;
        for _ in 0..loads {
            idle_jobs.push_back(Job::new()?);
        }
        let mut scheduler = Self {
            items: ItemTable::new(content.item_count())?,
            content,
            clock,
            slots: Slots::new(options.requests, options.ranges_per_request)?,
            waits: Waits::new(waits_of(options))?,
            queue: Buckets::new(requests)?,
            idle_jobs,
            fetched: reserved_resident(loads).map(VecDeque::from)?,
            publishing: 0,
            evicting: 0,
            is_full: false,
            events: filled(requests, StreamEvent::EMPTY).map(VecDeque::from)?,
            statistics: Statistics::default(),
            frame: 1,
            leases: Leases::new(),
            poll_end: 0,
            has_more: false,
            log: Log::default(),
            options: options.clone(),
        };
        // The pages of the list are in memory before the first event.
        scheduler.events.clear();
        Ok(scheduler)
    }

    pub(super) fn request(&mut self, ranges: &[ItemRange], priority: Priority, tag: u64, pins: bool) -> Result<Slot> {
        let count = self.items.len();
        if let Some(range) = ranges.iter().find(|range| range.end > count || range.first > range.end) {
            let index = as_u64(as_index(range.first.max(range.end.saturating_sub(1))));
            let cause = Cause::NoSuch { count: u64::from(count), index };
            return Err(Error::without_offset("streaming", Field::new("item"), cause));
        }
        let refused = |field, expected: String, found: String| {
            let cause = Cause::Refused { expected: expected.into(), found: found.into() };
            Error::without_offset("streaming", Field::new(field), cause)
        };
        let (most, items) =
            (as_index(self.options.ranges_per_request), ranges.iter().map(ItemRange::len).sum::<usize>());
        if ranges.len() > most {
            let expected = format!("at most {most} item ranges (`ranges_per_request`)");
            return Err(refused("ranges", expected, ranges.len().to_string()));
        }
        let waits = waits_of(&self.options);
        if items > waits {
            return Err(refused(
                "ranges",
                format!("at most {waits} items (`requests` and `ranges_per_request`)"),
                items.to_string(),
            ));
        }
        let Some(number) = self.slots.take() else {
            let expected = format!("at most {} requests (`requests`) whose event was not taken", self.options.requests);
            return Err(refused("requests", expected, String::from("one more")));
        };
        self.slots.set_ranges(number, ranges);
        if let Some(slot) = self.slots.get_mut(number) {
            slot.progress = Progress::Queued;
            slot.priority = priority;
            slot.tag = tag;
            slot.is_pinning = pins;
            slot.must_retry = false;
            slot.work = Work::default();
        }
        self.queue.push(number, priority);
        self.has_more = true;
        self.statistics.requests = self.statistics.requests.saturating_add(1);
        let slot = self.slots.identity(number);
        self.log.write(&*self.clock, || format!("request {slot} priority {} tag {tag} {ranges:?}", priority.get()));
        Ok(slot)
    }

    pub(super) fn set_priority(&mut self, slot: Slot, priority: Priority) -> bool {
        let Some(state) = self.slots.live(slot) else { return false };
        let before = std::mem::replace(&mut state.priority, priority);
        if before != priority && state.progress == Progress::Queued {
            self.queue.remove(slot.number, before);
            self.queue.push(slot.number, priority);
        }
        true
    }

    pub(super) fn cancel(&mut self, slot: Slot) -> bool {
        let is_live = self.slots.live(slot).is_some();
        if is_live {
            self.end(slot.number, StreamOutcome::Cancelled);
        }
        is_live
    }

    pub(super) fn begin_poll(&mut self) {
        self.poll_end = self.clock.now().saturating_add(self.options.poll_time);
        self.has_more = false;
    }

    /// Returns whether the rest of the work is left to the next poll.
    pub(super) fn is_late(&self) -> bool {
        self.clock.now() > self.poll_end
    }

    pub(super) fn lease(&self) -> Option<Lease> {
        self.leases.make(self.frame)
    }

    /// Takes the next event, and makes its slot free.
    pub(super) fn next_event(&mut self) -> Option<StreamEvent> {
        let event = self.events.pop_front()?;
        self.slots.free(event.slot.number);
        Some(event)
    }

    /// Calls `visit` for each item of a request. `visit` returns `false` to end the loop.
    fn for_each_item(&mut self, number: u32, mut visit: impl FnMut(&mut Self, u32, &ItemRange) -> bool) -> bool {
        let mut index = 0_usize;
        while let Some(range) = self.slots.range(number, index) {
            if !range.items().all(|item| visit(self, item, &range)) {
                return false;
            }
            index = index.saturating_add(1);
        }
        true
    }

    /// Ends a request.
    fn end(&mut self, number: u32, outcome: StreamOutcome) {
        let Some(slot) = self.slots.get_mut(number) else { return };
        let (progress, priority) = (slot.progress, slot.priority);
        let pins = slot.is_pinning && matches!(outcome, StreamOutcome::Done);
        if progress == Progress::Queued {
            self.queue.remove(number, priority);
        } else {
            self.stop_waiting(number);
            self.for_each_item(number, |this, item, _| {
                if pins {
                    this.items.pin(item);
                }
                this.items.release(item, this.frame);
                true
            });
        }
        let statistics = &mut self.statistics;
        let count = match outcome {
            StreamOutcome::Done => &mut statistics.done,
            StreamOutcome::Failed(_) => &mut statistics.failed,
            StreamOutcome::Cancelled => &mut statistics.cancelled,
        };
        *count = count.saturating_add(1);
        let identity = self.slots.identity(number);
        let Some(slot) = self.slots.get_mut(number) else { return };
        slot.progress = Progress::Ended;
        let event = StreamEvent { slot: identity, tag: slot.tag, outcome, work: slot.work };
        self.log.write(&*self.clock, || format!("end {event}"));
        self.events.push_back(event);
    }

    /// Removes all waits of a request.
    fn stop_waiting(&mut self, number: u32) {
        while let Some(slot) = self.slots.get_mut(number)
            && let Some(wait) = slot.waits.first()
        {
            let Some(of_item) = self.items.waits(self.waits.item(wait)) else { return };
            self.waits.remove(wait, &mut slot.waits, of_item);
        }
    }

    /// Puts a request that was started back into the queue.
    fn requeue(&mut self, number: u32) {
        self.stop_waiting(number);
        self.for_each_item(number, |this, item, _| {
            this.items.release(item, this.frame);
            true
        });
        let Some(slot) = self.slots.get_mut(number) else { return };
        slot.progress = Progress::Queued;
        slot.must_retry = false;
        self.queue.push(number, slot.priority);
    }
}

impl<C: Content> Scheduler<C> {
    /// Starts a request of the queue, and adds a job for its absent items to `jobs`. Returns
    /// `false` if the request cannot be started now.
    fn start(&mut self, number: u32, priority: Priority, jobs: &mut Jobs<C::Value>) -> bool {
        let mut unfinished = 0_u32;
        let is_possible = self.for_each_item(number, |this, item, _| {
            let place = this.items.place(item);
            unfinished = unfinished.saturating_add(u32::from(place != Place::Resident));
            place != Place::Evicting
        });
        if !is_possible || unfinished > self.waits.unused() {
            return false;
        }
        let Some(mut job) = self.idle_jobs.pop_back() else { return false };
        self.queue.remove(number, priority);
        let mut wanted = 0_u64;
        self.for_each_item(number, |this, item, range| {
            let place = this.items.place(item);
            if place == Place::Absent {
                this.items.set_place(item, Place::Loading);
                wanted = wanted.saturating_add(range.wanted(item, this.content.item_bytes(item)));
                job.items.push(item);
            }
            this.items.hold(item);
            if place != Place::Resident
                && let (Some(slot), Some(of_item)) = (this.slots.get_mut(number), this.items.waits(item))
            {
                this.waits.add(number, &mut slot.waits, item, of_item);
            }
            true
        });
        self.statistics.work.wanted = self.statistics.work.wanted.saturating_add(wanted);
        let owner = self.slots.identity(number);
        let Some(slot) = self.slots.get_mut(number) else { return false };
        slot.progress = Progress::Loading;
        slot.work.wanted = slot.work.wanted.saturating_add(wanted);
        let is_done = slot.waits.is_empty();
        if job.items.is_empty() {
            self.idle_jobs.push_back(job);
        } else {
            job.owner = owner;
            job.priority = priority;
            self.log.write(&*self.clock, || format!("fetch {owner} {:?}", job.items));
            jobs.push_back(job);
        }
        if is_done {
            self.end(number, StreamOutcome::Done);
        }
        true
    }

    /// Starts requests, the most urgent first.
    pub(in crate::streaming) fn start_requests(&mut self, jobs: &mut Jobs<C::Value>) {
        for started in 0..STARTS_PER_POLL {
            let Some((number, priority)) = self.queue.first() else { return };
            if started > 0 && self.is_late() {
                break;
            }
            // A request that is no more urgent could only hold items that must be evicted.
            if self.is_full && self.fetched.front().is_some_and(|first| first.priority >= priority) {
                return;
            }
            if self.idle_jobs.is_empty() && !self.make_idle_job(priority, jobs) {
                return;
            }
            if !self.start(number, priority, jobs) {
                return;
            }
        }
        self.has_more = true;
    }

    /// Returns a fetched job that is less urgent than `priority` to the queue. Returns whether this
    /// has made a job idle.
    fn make_idle_job(&mut self, priority: Priority, jobs: &mut Jobs<C::Value>) -> bool {
        if self.fetched.back().is_none_or(|job| job.priority >= priority) {
            return false;
        }
        let Some(job) = self.fetched.pop_back() else { return false };
        self.put_back(job, jobs);
        !self.idle_jobs.is_empty()
    }
}
