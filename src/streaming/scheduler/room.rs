//! Making room in the budget.

use super::Scheduler;
use crate::error::{Cause, Error, Field};
use crate::streaming::content::Content;
use crate::streaming::job::{Job, JobStage};
use crate::streaming::pool::Jobs;

/// Whether a job fits in the budget.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Room {
    Found,
    /// No item may be evicted.
    Missing,
    /// The poll must end before enough items are evicted.
    Unknown,
}

impl<C: Content> Scheduler<C> {
    /// Evicts items for the fetched jobs, and starts to publish those that fit in the budget.
    pub(in crate::streaming) fn make_room(&mut self, jobs: &mut Jobs<C::Value>) {
        let mut bytes = 0_u64;
        self.is_full = false;
        while !self.is_late()
            && let Some(mut job) = self.fetched.pop_front()
        {
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
            let room = self.evict_for(&mut job);
            if room == Room::Unknown {
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

    /// Evicts items until the job fits in the budget.
    fn evict_for(&mut self, job: &mut Job<C::Value>) -> Room {
        let (frame, lease_frames, leased) = (self.frame, self.options.lease_frames, self.leases.first_frame());
        let is_leased = |used: u32| used.saturating_add(lease_frames) > frame || used >= leased;
        while self.statistics.resident.saturating_sub(job.freed).saturating_add(job.needed) > self.options.budget {
            if self.is_late() {
                return Room::Unknown;
            }
            if self.items.skip_used() {
                continue;
            }
            let Some((item, value, bytes)) = self.items.evict(is_leased) else { return Room::Missing };
            job.freed = job.freed.saturating_add(bytes);
            job.work.evicted = job.work.evicted.saturating_add(bytes);
            job.evicted.push(item);
            job.evicted_values.push(value);
        }
        Room::Found
    }
}
