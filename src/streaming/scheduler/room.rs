//! Making room in the budget.

use super::Scheduler;
use crate::error::{Cause, Error, Field};
use crate::streaming::content::Content;
use crate::streaming::job::{ITEMS, Job, JobStage};
use crate::streaming::pool::Jobs;

/// Whether a job fits in the budget.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Room {
    Found,
    /// No item may be evicted.
    Missing,
    /// The time ends before enough items are evicted, or a worker is still freeing items.
    Unknown,
}

impl<C: Content> Scheduler<C> {
    /// Evicts items for the fetched jobs, and starts to publish those that fit in the budget.
    ///
    /// After the first job, the method takes at most half of the time that the poll has left. The
    /// poll can then start more urgent requests even during a long search for items to evict.
    pub(in crate::streaming) fn make_room(&mut self, jobs: &mut Jobs<C::Value>) {
        let mut bytes = 0_u64;
        let now = self.clock.now();
        let end = now.saturating_add(self.poll_end.saturating_sub(now) / 2);
        self.is_full = false;
        for number in 0..self.fetched.len() {
            if number > 0 && self.clock.now() > end {
                self.has_more = true;
                return;
            }
            let Some(mut job) = self.fetched.pop_front() else { return };
            if bytes > 0 && bytes.saturating_add(job.needed) > self.options.bytes_per_poll {
                self.fetched.push_front(job);
                return;
            }
            let budget = self.budget_for(&job);
            let allowed = budget.min(self.options.budget.saturating_sub(self.items.pinned_bytes()));
            if job.needed > allowed {
                let cause = Cause::Limit { name: "budget", allowed, asked: job.needed };
                self.fail(job, &Error::without_offset("streaming", Field::new("request"), cause), jobs);
                continue;
            }
            let room = self.evict_for(&mut job, budget, end, jobs);
            if room == Room::Unknown {
                self.has_more = self.evicting == 0;
                self.fetched.push_front(job);
                return;
            }
            if room == Room::Missing {
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
                    self.has_more = true;
                }
                return;
            }
            bytes = bytes.saturating_add(job.needed);
            // The bytes of evicted items count until a worker has freed them.
            let statistics = &mut self.statistics;
            statistics.resident = statistics.resident.saturating_add(job.needed.saturating_sub(job.freed));
            statistics.peak_resident = statistics.peak_resident.max(statistics.resident);
            self.log.write(&*self.clock, || format!("publish {} evicts {:?}", job.owner, job.evicted));
            job.stage = JobStage::Publish;
            self.publishing = self.publishing.saturating_add(1);
            jobs.push_back(job);
        }
    }

    /// Returns the number of bytes that all items may take while a job becomes resident. For items
    /// that will not be pinned, this leaves room for those that will.
    fn budget_for(&mut self, job: &Job<C::Value>) -> u64 {
        let is_pinning = self.slots.live(job.owner).is_some_and(|slot| slot.is_pinning);
        let kept = if is_pinning { 0 } else { self.options.pinned_budget.saturating_sub(self.items.pinned_bytes()) };
        self.options.budget.saturating_sub(kept)
    }

    /// Evicts items until all items, with those of the job, take at most `budget` bytes. After
    /// the time `end`, the search takes at most one step.
    fn evict_for(&mut self, job: &mut Job<C::Value>, budget: u64, end: u64, jobs: &mut Jobs<C::Value>) -> Room {
        let (frame, lease_frames, leased) = (self.frame, self.options.lease_frames, self.leases.first_frame());
        let is_leased = |used: u32| used.saturating_add(lease_frames) > frame || used >= leased;
        let mut is_late = false;
        while self.statistics.resident.saturating_sub(job.freed).saturating_add(job.needed) > budget {
            // The items that a worker is freeing may be enough.
            if self.evicting > 0 || is_late {
                return Room::Unknown;
            }
            is_late = self.clock.now() > end;
            if self.items.skip_used() {
                continue;
            }
            if job.evicted.len() >= ITEMS && self.evict_early(job, jobs) {
                return Room::Unknown;
            }
            let Some((item, value, bytes)) = self.items.evict(is_leased) else { return Room::Missing };
            job.freed = job.freed.saturating_add(bytes);
            job.work.evicted = job.work.evicted.saturating_add(bytes);
            job.evicted.push(item);
            job.evicted_values.push(value);
        }
        Room::Found
    }

    /// Moves the evicted items of a job, whose lists are full, to a job that only evicts.
    ///
    /// If no other job is idle, the least urgent one is put back, and a later poll tries again.
    /// Returns `false` if there is no other job.
    fn evict_early(&mut self, job: &mut Job<C::Value>, jobs: &mut Jobs<C::Value>) -> bool {
        if self.options.loads <= 1 {
            return false;
        }
        let Some(mut other) = self.idle_jobs.pop_back() else {
            if let Some(last) = self.fetched.pop_back() {
                self.put_back(last, jobs);
            }
            return true;
        };
        std::mem::swap(&mut job.evicted, &mut other.evicted);
        std::mem::swap(&mut job.evicted_values, &mut other.evicted_values);
        std::mem::swap(&mut job.freed, &mut other.freed);
        self.log.write(&*self.clock, || format!("evict {:?}", other.evicted));
        self.evict_alone(other, jobs);
        true
    }
}
