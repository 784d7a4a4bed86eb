//! The scheduler: decides what is loaded and evicted. It starts no thread and reads no file.

use std::collections::VecDeque;
use std::sync::Arc;

use super::buckets::Buckets;
use super::clock::Clock;
use super::content::Content;
use super::items::{Items, Place, Waits};
use super::job::{Job, Stage};
use super::lease::{Lease, Leases};
use super::log::Log;
use super::memory::reserved;
use super::options::StreamOptions;
use super::pool::Jobs;
use super::request::{Event, ItemRange, Outcome, Priority, Slot};
use super::slots::{Progress, Slots};
use super::statistics::{Statistics, Work};
use crate::error::{Cause, Error, Field, Result};
use crate::math::{as_index, as_u64};

/// The number of waits for each slot for which memory is allocated, on average.
const WAITS_PER_REQUEST: usize = 16;

/// The greatest number of items that one poll examines in vain to find one to evict.
const PATIENCE: u32 = 512;

/// The greatest number of requests that one poll starts.
const STARTS_PER_POLL: u32 = 128;

/// The state of a streamer, without its workers.
pub(super) struct Scheduler<C: Content> {
    content: Arc<C>,
    pub(super) clock: Arc<dyn Clock>,
    options: StreamOptions,
    pub(super) items: Items<C::Value>,
    slots: Slots,
    waits: Waits,
    queue: Buckets,
    idle_jobs: Vec<Box<Job<C::Value>>>,
    /// Jobs whose bytes are fetched and that wait for room in the budget, the most urgent first.
    fetched: Jobs<C::Value>,
    /// The number of jobs that publish or evict.
    publishing: u32,
    /// Whether the last poll found no room for the first of the fetched jobs.
    is_full: bool,
    pub(super) events: VecDeque<Event>,
    pub(super) statistics: Statistics,
    pub(super) frame: u32,
    leases: Leases,
    pub(super) log: Log,
}

impl<C: Content> Scheduler<C> {
    pub(super) fn new(content: Arc<C>, clock: Arc<dyn Clock>, options: &StreamOptions) -> Result<Self> {
        let requests = as_index(options.requests);
        let loads = as_index(options.loads.max(1));
        let mut idle_jobs = reserved(loads)?;
        for _ in 0..loads {
            idle_jobs.push(Job::new()?);
        }
        Ok(Self {
            items: Items::new(content.item_count())?,
            content,
            clock,
            slots: Slots::new(options.requests, options.ranges_per_request)?,
            waits: Waits::new(requests.saturating_mul(WAITS_PER_REQUEST))?,
            queue: Buckets::new(requests)?,
            idle_jobs,
            fetched: reserved(loads).map(VecDeque::from)?,
            publishing: 0,
            is_full: false,
            events: reserved(requests).map(VecDeque::from)?,
            statistics: Statistics::default(),
            frame: 1,
            leases: Leases::new(),
            log: Log::default(),
            options: options.clone(),
        })
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
        let waits = as_index(self.options.requests).saturating_mul(WAITS_PER_REQUEST);
        if items > waits {
            return Err(refused(
                "ranges",
                format!("at most {waits} items (16 for each of `requests`)"),
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
            slot.wanted = 0;
            slot.work = Work::default();
        }
        self.queue.push(number, priority);
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
            self.end(slot.number, Outcome::Cancelled);
        }
        is_live
    }

    pub(super) fn lease(&self) -> Option<Lease> {
        self.leases.make(self.frame)
    }

    /// Takes the next event, and makes its slot free.
    pub(super) fn next_event(&mut self) -> Option<Event> {
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
    fn end(&mut self, number: u32, outcome: Outcome) {
        let Some(slot) = self.slots.get_mut(number) else { return };
        let (progress, priority) = (slot.progress, slot.priority);
        let pins = slot.is_pinning && matches!(outcome, Outcome::Done);
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
            Outcome::Done => &mut statistics.done,
            Outcome::Failed(_) => &mut statistics.failed,
            Outcome::Cancelled => &mut statistics.cancelled,
        };
        *count = count.saturating_add(1);
        let identity = self.slots.identity(number);
        let Some(slot) = self.slots.get_mut(number) else { return };
        slot.progress = Progress::Ended;
        let event = Event { slot: identity, tag: slot.tag, outcome, wanted: slot.wanted, work: slot.work };
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

    /// Starts a request of the queue, and adds a job for its absent items to `jobs`. Returns `false`
    /// if the request cannot be started now.
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
        let Some(mut job) = self.idle_jobs.pop() else { return false };
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
        self.statistics.wanted = self.statistics.wanted.saturating_add(wanted);
        let owner = self.slots.identity(number);
        let Some(slot) = self.slots.get_mut(number) else { return false };
        slot.progress = Progress::Loading;
        slot.wanted = slot.wanted.saturating_add(wanted);
        let is_done = slot.waits.is_empty();
        if job.items.is_empty() {
            self.idle_jobs.push(job);
        } else {
            job.owner = owner;
            job.priority = priority;
            self.log.write(&*self.clock, || format!("fetch {owner} {:?}", job.items));
            jobs.push_back(job);
        }
        if is_done {
            self.end(number, Outcome::Done);
        }
        true
    }

    /// Starts requests, the most urgent first.
    pub(super) fn start_requests(&mut self, jobs: &mut Jobs<C::Value>) {
        for _ in 0..STARTS_PER_POLL {
            let Some((number, priority)) = self.queue.first() else { return };
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

    /// Processes a job that a worker has returned.
    pub(super) fn accept(&mut self, mut job: Box<Job<C::Value>>, jobs: &mut Jobs<C::Value>) {
        self.statistics.work.add(&job.work);
        if let Some(slot) = self.slots.live(job.owner) {
            slot.work.add(&job.work);
        }
        job.work = Work::default();
        if job.stage != Stage::Fetch {
            self.publishing = self.publishing.saturating_sub(1);
            // `publish` and `evict_for` have counted the greater of both.
            let counted = std::mem::take(&mut job.needed).max(std::mem::take(&mut job.freed));
            self.statistics.resident = self.statistics.resident.saturating_sub(counted);
        }
        for item in job.evicted.drain(..) {
            self.items.set_place(item, Place::Absent);
        }
        match (job.stage, job.error.take()) {
            (Stage::Evict, _) => self.recycle(job),
            (Stage::Fetch, None) => self.accept_fetched(job, jobs),
            (Stage::Publish, None) => self.accept_published(job),
            (_, Some(error)) => self.fail(job, &error, jobs),
        }
    }

    fn accept_fetched(&mut self, job: Box<Job<C::Value>>, jobs: &mut Jobs<C::Value>) {
        self.log.write(&*self.clock, || format!("fetched {} needs {}", job.owner, job.needed));
        if !job.items.iter().any(|item| self.items.first_wait(*item).is_some()) {
            // All requests for the items were cancelled.
            self.put_back(job, jobs);
            return;
        }
        let place = self.fetched.partition_point(|other| other.priority >= job.priority);
        self.fetched.insert(place, job);
    }

    fn accept_published(&mut self, mut job: Box<Job<C::Value>>) {
        let statistics = &mut self.statistics;
        for (item, (value, bytes)) in job.items.iter().zip(job.values.drain(..)) {
            statistics.resident = statistics.resident.saturating_add(bytes);
            self.items.publish(*item, value, bytes, self.frame);
        }
        statistics.peak_resident = statistics.peak_resident.max(statistics.resident);
        self.log.write(&*self.clock, || format!("published {:?}", job.items));
        for item in job.items.iter().copied() {
            self.end_waits(item, |_, _| {});
        }
        self.recycle(job);
    }

    /// Ends all waits for an item. A request without further waits is done, or is started again.
    fn end_waits(&mut self, item: u32, note: impl Fn(&mut Self, u32)) {
        while let Some(wait) = self.items.first_wait(item) {
            let number = self.waits.slot(wait);
            note(self, number);
            let (Some(slot), Some(of_item)) = (self.slots.get_mut(number), self.items.waits(item)) else { return };
            self.waits.remove(wait, &mut slot.waits, of_item);
            if slot.waits.is_empty() {
                if slot.must_retry {
                    self.requeue(number);
                } else {
                    self.end(number, Outcome::Done);
                }
            }
        }
    }

    /// Makes the items of a job absent. Requests that need them are started again.
    fn give_up(&mut self, job: &Job<C::Value>) {
        for item in job.items.iter().copied() {
            self.items.set_place(item, Place::Absent);
            self.end_waits(item, |this, number| {
                if let Some(slot) = this.slots.get_mut(number) {
                    slot.must_retry = true;
                }
            });
        }
    }

    /// Ends the request that started a failed job. Other requests load the items themselves.
    fn fail(&mut self, job: Box<Job<C::Value>>, error: &Error, jobs: &mut Jobs<C::Value>) {
        if self.slots.live(job.owner).is_some() {
            self.end(job.owner.number, Outcome::Failed(error.clone()));
        }
        self.put_back(job, jobs);
    }

    /// Ends a job before its items are resident. If it has items to evict, a worker evicts them.
    fn put_back(&mut self, mut job: Box<Job<C::Value>>, jobs: &mut Jobs<C::Value>) {
        self.give_up(&job);
        if job.evicted.is_empty() {
            self.recycle(job);
        } else {
            job.stage = Stage::Evict;
            job.needed = 0;
            self.publishing = self.publishing.saturating_add(1);
            jobs.push_back(job);
        }
    }

    fn recycle(&mut self, mut job: Box<Job<C::Value>>) {
        job.reset();
        self.idle_jobs.push(job);
    }

    /// Evicts items for the fetched jobs, and starts to publish those that fit in the budget.
    pub(super) fn make_room(&mut self, jobs: &mut Jobs<C::Value>) {
        let (mut patience, mut bytes) = (PATIENCE, 0_u64);
        self.is_full = false;
        while let Some(mut job) = self.fetched.pop_front() {
            if bytes > 0 && bytes.saturating_add(job.needed) > self.options.bytes_per_poll {
                self.fetched.push_front(job);
                return;
            }
            let allowed = self.options.budget.saturating_sub(self.items.pinned_bytes());
            if job.needed > allowed {
                let cause = Cause::Limit { name: "budget", allowed, asked: job.needed };
                self.fail(job, &Error::without_offset("streaming", Field::new("request"), cause), jobs);
                continue;
            }
            if !self.evict_for(&mut job, &mut patience) {
                self.statistics.full_polls = self.statistics.full_polls.saturating_add(1);
                self.is_full = true;
                self.fetched.push_front(job);
                // The requests may hold items of each other. Without the least urgent one, the
                // others may find room.
                if self.publishing == 0
                    && !self.items.has_evictable()
                    && self.fetched.len() > 1
                    && let Some(last) = self.fetched.pop_back()
                {
                    self.put_back(last, jobs);
                }
                return;
            }
            bytes = bytes.saturating_add(job.needed);
            // The bytes of evicted items count until a worker has freed them.
            let statistics = &mut self.statistics;
            statistics.resident = statistics.resident.saturating_add(job.needed.saturating_sub(job.freed));
            statistics.peak_resident = statistics.peak_resident.max(statistics.resident);
            self.log.write(&*self.clock, || format!("publish {} evicts {:?}", job.owner, job.evicted));
            job.stage = Stage::Publish;
            self.publishing = self.publishing.saturating_add(1);
            jobs.push_back(job);
        }
    }

    /// Evicts items until the job fits in the budget. Returns whether it fits.
    fn evict_for(&mut self, job: &mut Job<C::Value>, patience: &mut u32) -> bool {
        let (frame, lease_frames, leased) = (self.frame, self.options.lease_frames, self.leases.first_frame());
        let is_leased = |used: u32| used.saturating_add(lease_frames) > frame || used >= leased;
        let kept = |job: &Job<C::Value>| self.statistics.resident.saturating_sub(job.freed);
        while kept(job).saturating_add(job.needed) > self.options.budget {
            let Some((item, value, bytes)) = self.items.evict(patience, is_leased) else { return false };
            job.freed = job.freed.saturating_add(bytes);
            job.work.evicted = job.work.evicted.saturating_add(bytes);
            job.evicted.push(item);
            job.evicted_values.push(value);
        }
        true
    }
}
