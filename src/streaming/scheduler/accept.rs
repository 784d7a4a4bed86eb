//! Processing jobs that workers have returned.

use super::Scheduler;
use crate::error::Error;
use crate::streaming::content::Content;
use crate::streaming::items::Place;
use crate::streaming::job::{Job, JobStage};
use crate::streaming::log::Work;
use crate::streaming::pool::Jobs;
use crate::streaming::request::StreamOutcome;

impl<C: Content> Scheduler<C> {
    /// Processes a job that a worker has returned.
    pub(in crate::streaming) fn accept(&mut self, mut job: Box<Job<C::Value>>, jobs: &mut Jobs<C::Value>) {
        self.statistics.work.add(&job.work);
        if let Some(slot) = self.slots.live(job.owner) {
            slot.work.add(&job.work);
        }
        job.work = Work::default();
        if job.stage != JobStage::Fetch {
            self.publishing = self.publishing.saturating_sub(1);
            // `publish` and `evict_for` have counted the greater of both.
            let counted = std::mem::take(&mut job.needed).max(std::mem::take(&mut job.freed));
            self.statistics.resident = self.statistics.resident.saturating_sub(counted);
        }
        for item in job.evicted.drain(..) {
            self.items.set_place(item, Place::Absent);
        }
        match (job.stage, job.error.take()) {
            (JobStage::Evict, _) => {
                self.evicting = self.evicting.saturating_sub(1);
                self.recycle(job);
            }
            (JobStage::Fetch, None) => self.accept_fetched(job, jobs),
            (JobStage::Publish, None) => self.accept_published(job),
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
                    self.end(number, StreamOutcome::Done);
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
    pub(super) fn fail(&mut self, job: Box<Job<C::Value>>, error: &Error, jobs: &mut Jobs<C::Value>) {
        if self.slots.live(job.owner).is_some() {
            self.end(job.owner.number, StreamOutcome::Failed(error.clone()));
        }
        self.put_back(job, jobs);
    }

    /// Ends a job before its items are resident. If it has items to evict, a worker evicts them.
    pub(super) fn put_back(&mut self, mut job: Box<Job<C::Value>>, jobs: &mut Jobs<C::Value>) {
        self.give_up(&job);
        if job.evicted.is_empty() {
            self.recycle(job);
        } else {
            job.needed = 0;
            self.evict_alone(job, jobs);
        }
    }

    /// Gives a worker a job that only evicts.
    pub(super) fn evict_alone(&mut self, mut job: Box<Job<C::Value>>, jobs: &mut Jobs<C::Value>) {
        job.stage = JobStage::Evict;
        self.publishing = self.publishing.saturating_add(1);
        self.evicting = self.evicting.saturating_add(1);
        jobs.push_back(job);
    }

    fn recycle(&mut self, mut job: Box<Job<C::Value>>) {
        job.reset();
        self.idle_jobs.push_back(job);
    }
}
