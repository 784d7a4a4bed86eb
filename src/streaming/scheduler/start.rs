//! Starting requests.

use super::Scheduler;
use crate::streaming::content::Content;
use crate::streaming::items::Place;
use crate::streaming::pool::Jobs;
use crate::streaming::request::{Priority, StreamOutcome};
use crate::streaming::slots::Progress;

/// The greatest number of requests that one poll starts.
const STARTS_PER_POLL: u32 = 128;

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
