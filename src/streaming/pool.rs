//! The workers: threads that take jobs from a queue and return them.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::content::Content;
use super::job::{Job, JobStage};
use super::log::Clock;
use super::memory::{reserved, reserved_resident};
use super::streamer::StreamOptions;
use crate::error::Result;
use crate::io::lower_thread_priority;

/// The time after which a worker without a job looks for one, and the number of times that it does
/// so before it sleeps until it is woken. The thread that polls then wakes no thread while there
/// is something to load in each frame.
const NAP: Duration = Duration::from_micros(500);
const MAX_NAPS: u32 = 200;

/// A queue of jobs.
pub(super) type Jobs<V> = VecDeque<Box<Job<V>>>;

/// The queues that the scheduler and the workers share. A thread keeps the lock only while it moves
/// pointers of jobs.
#[derive(Debug)]
struct Queues<V> {
    /// Jobs that are done before those in `fetches`, because what they publish was read already.
    publications: Jobs<V>,
    fetches: Jobs<V>,
    returned: Jobs<V>,
    /// The number of workers that sleep until they are woken.
    asleep: usize,
    is_closed: bool,
}

#[derive(Debug)]
struct Shared<V> {
    queues: Mutex<Queues<V>>,
    has_jobs: Condvar,
    has_results: Condvar,
}

impl<V> Shared<V> {
    fn lock(&self) -> MutexGuard<'_, Queues<V>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<V> Queues<V> {
    /// Takes the next job. Appends to `prefetch` the items of all jobs whose bytes are not yet
    /// being read.
    fn take(&mut self, prefetch: &mut Vec<u32>) -> Option<Box<Job<V>>> {
        if let Some(job) = self.publications.pop_front() {
            return Some(job);
        }
        let job = self.fetches.pop_front()?;
        if !job.is_prefetched {
            prefetch.extend(&job.items);
            for other in self.fetches.iter_mut().filter(|other| !other.is_prefetched) {
                other.is_prefetched = true;
                prefetch.extend(&other.items);
            }
        }
        Some(job)
    }
}

/// The threads of a streamer.
pub(super) struct Pool<C: Content> {
    shared: Arc<Shared<C::Value>>,
    content: Arc<C>,
    clock: Arc<dyn Clock>,
    threads: Vec<JoinHandle<()>>,
    /// Whether the thread that polls does the jobs, because the system refuses all threads.
    is_alone: bool,
    prefetch: Vec<u32>,
}

impl<C: Content> Pool<C> {
    /// Starts the threads. `jobs` is the greatest number of jobs.
    ///
    /// If the system refuses a thread, the others do its jobs, or the thread that polls does them.
    pub(super) fn new(content: Arc<C>, clock: Arc<dyn Clock>, options: &StreamOptions, jobs: usize) -> Result<Self> {
        let queue = || reserved_resident(jobs).map(VecDeque::from);
        let queues =
            Queues { publications: queue()?, fetches: queue()?, returned: queue()?, asleep: 0, is_closed: false };
        let shared = Shared { queues: Mutex::new(queues), has_jobs: Condvar::new(), has_results: Condvar::new() };
        let (shared, threads, prefetch) = (Arc::new(shared), Vec::new(), reserved(jobs)?);
        let mut pool = Self { shared, content, clock, threads, is_alone: false, prefetch };
        let is_lower = options.lower_priority;
        for number in 0..options.workers {
            let (shared, content, clock) =
                (Arc::clone(&pool.shared), Arc::clone(&pool.content), Arc::clone(&pool.clock));
            let mut prefetch = reserved(jobs)?;
            let thread = std::thread::Builder::new().name(format!("meshpeek-stream-{number}"));
            let thread = thread.spawn(move || {
                if is_lower {
                    lower_thread_priority();
                }
                while let Some(job) = wait_for_job(&shared, &mut prefetch) {
                    do_job(&shared, &*content, &*clock, job, &mut prefetch);
                }
            });
            pool.threads.extend(thread);
        }
        pool.is_alone = options.workers > 0 && pool.threads.is_empty();
        Ok(pool)
    }

    /// Exchanges `results`, which is empty, with the returned jobs. Returns `false`, and changes
    /// nothing, if another thread has the lock.
    pub(super) fn take_results(&self, results: &mut Jobs<C::Value>) -> bool {
        self.try_with(|queues| std::mem::swap(&mut queues.returned, results))
    }

    /// Moves all `jobs` to the queues of the workers. Does nothing if another thread has the lock.
    ///
    /// Waking a thread takes longer than all else in a poll. A worker is therefore woken only if
    /// all workers sleep, and it wakes the others.
    pub(super) fn start(&mut self, jobs: &mut Jobs<C::Value>) {
        let mut are_asleep = false;
        if jobs.is_empty() {
            return;
        }
        self.try_with(|queues| {
            for job in jobs.drain(..) {
                match job.stage {
                    JobStage::Fetch => queues.fetches.push_back(job),
                    JobStage::Publish | JobStage::Evict => queues.publications.push_back(job),
                }
            }
            are_asleep = queues.asleep == self.threads.len();
        });
        if are_asleep {
            self.shared.has_jobs.notify_one();
        }
        while self.is_alone && self.step() {}
    }

    fn try_with(&self, change: impl FnOnce(&mut Queues<C::Value>)) -> bool {
        match self.shared.queues.try_lock() {
            Ok(mut queues) => change(&mut queues),
            Err(TryLockError::Poisoned(poisoned)) => change(&mut poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => return false,
        }
        true
    }

    /// Does one job on the calling thread. Returns `false` if there is no job.
    pub(super) fn step(&mut self) -> bool {
        let job = self.shared.lock().take(&mut self.prefetch);
        let Some(job) = job else { return false };
        do_job(&self.shared, &*self.content, &*self.clock, job, &mut self.prefetch);
        true
    }

    /// Waits until no other thread has the lock of the queues.
    pub(super) fn wait_for_lock(&self) {
        drop(self.shared.lock());
    }

    /// Starts a thread that keeps the lock of the queues for a time. Waits until it has the lock.
    #[cfg(test)]
    pub(super) fn keep_lock(&self, time: Duration) {
        let shared = Arc::clone(&self.shared);
        let (tell, told) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let queues = shared.lock();
            tell.send(()).unwrap();
            std::thread::sleep(time);
            drop(queues);
        });
        told.recv().unwrap();
    }

    /// Waits until a worker has returned a job, at most for `timeout`.
    pub(super) fn wait(&self, timeout: Duration) {
        let queues = self.shared.lock();
        let none = |queues: &mut Queues<C::Value>| queues.returned.is_empty();
        drop(self.shared.has_results.wait_timeout_while(queues, timeout, none));
    }
}

fn wait_for_job<V>(shared: &Shared<V>, prefetch: &mut Vec<u32>) -> Option<Box<Job<V>>> {
    let mut queues = shared.lock();
    let mut naps = 0_u32;
    while !queues.is_closed {
        if let Some(job) = queues.take(prefetch) {
            let wakes_other = queues.asleep > 0 && !(queues.publications.is_empty() && queues.fetches.is_empty());
            drop(queues);
            if wakes_other {
                shared.has_jobs.notify_one();
            }
            return Some(job);
        }
        if naps < MAX_NAPS {
            naps = naps.saturating_add(1);
            drop(queues);
            std::thread::sleep(NAP);
            queues = shared.lock();
        } else {
            queues.asleep = queues.asleep.saturating_add(1);
            queues = shared.has_jobs.wait(queues).unwrap_or_else(PoisonError::into_inner);
            queues.asleep = queues.asleep.saturating_sub(1);
            naps = 0;
        }
    }
    None
}

fn do_job<C: Content>(
    shared: &Shared<C::Value>,
    content: &C,
    clock: &dyn Clock,
    mut job: Box<Job<C::Value>>,
    prefetch: &mut Vec<u32>,
) {
    if !prefetch.is_empty() {
        // Items that are not prefetched are read by `fetch`.
        let _ = catch_unwind(AssertUnwindSafe(|| content.prefetch(prefetch)));
        prefetch.clear();
    }
    job.run(content, clock);
    shared.lock().returned.push_back(job);
    shared.has_results.notify_all();
}

impl<C: Content> Drop for Pool<C> {
    /// Waits for the jobs that the workers are doing. Other jobs are not done.
    fn drop(&mut self) {
        self.shared.lock().is_closed = true;
        self.shared.has_jobs.notify_all();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
