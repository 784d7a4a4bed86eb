//! A job: what a worker does for a request.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::content::Content;
use super::log::{Clock, Work};
use super::memory::reserved_resident;
use super::request::{Priority, Slot};
use crate::error::{Error, ErrorKind, Field, Result};

/// The number of items of a job, and of evictions, for which memory is allocated in advance.
pub(super) const ITEMS: usize = 64;

/// What a worker does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JobStage {
    /// Reads the bytes of the items.
    Fetch,
    /// Evicts items, and then makes the items of the job resident.
    Publish,
    /// Only evicts items.
    Evict,
}

/// A job travels from the scheduler to a worker and back, with all its memory.
#[derive(Debug)]
pub(super) struct Job<V> {
    pub(super) stage: JobStage,
    /// The request that started the job. It may have ended.
    pub(super) owner: Slot,
    pub(super) priority: Priority,
    pub(super) items: Vec<u32>,
    /// The values of `items`, with the number of bytes that they take.
    pub(super) values: Vec<(V, u64)>,
    /// The items to evict. The worker takes their values.
    pub(super) evicted: Vec<u32>,
    pub(super) evicted_values: Vec<V>,
    /// The number of bytes that the items will take from the budget.
    pub(super) needed: u64,
    /// The number of bytes that the evicted items took from the budget.
    pub(super) freed: u64,
    pub(super) work: Work,
    pub(super) error: Option<Error>,
    /// Whether the bytes of the items are being read in the background.
    pub(super) is_prefetched: bool,
}

impl<V> Job<V> {
    pub(super) fn new() -> Result<Box<Self>> {
        Ok(Box::new(Self {
            stage: JobStage::Fetch,
            owner: Slot { number: u32::MAX, generation: 0 },
            priority: Priority::LEAST,
            items: reserved_resident(ITEMS)?,
            values: reserved_resident(ITEMS)?,
            evicted: reserved_resident(ITEMS)?,
            evicted_values: reserved_resident(ITEMS)?,
            needed: 0,
            freed: 0,
            work: Work::default(),
            error: None,
            is_prefetched: false,
        }))
    }

    /// Makes the job ready for another request.
    pub(super) fn reset(&mut self) {
        self.stage = JobStage::Fetch;
        self.items.clear();
        self.values.clear();
        self.evicted.clear();
        self.evicted_values.clear();
        self.needed = 0;
        self.freed = 0;
        self.work = Work::default();
        self.error = None;
        self.is_prefetched = false;
    }

    /// Does the work of the stage.
    pub(super) fn run<C: Content<Value = V>>(&mut self, content: &C, clock: &dyn Clock) {
        for (item, value) in self.evicted.iter().zip(self.evicted_values.drain(..)) {
            // The memory of a value whose eviction panics is lost, and the item is not resident.
            let _ = catch_unwind(AssertUnwindSafe(|| content.evict(*item, value)));
        }
        let result = match self.stage {
            JobStage::Fetch => self.fetch(content, clock),
            JobStage::Publish => self.publish(content),
            JobStage::Evict => Ok(()),
        };
        self.error = result.err();
    }

    fn fetch<C: Content<Value = V>>(&mut self, content: &C, clock: &dyn Clock) -> Result<()> {
        let start = clock.now();
        let fetched = caught(|| content.fetch(&self.items, &mut self.work));
        self.work.stalled = self.work.stalled.saturating_add(clock.now().saturating_sub(start));
        self.needed = fetched?;
        Ok(())
    }

    fn publish<C: Content<Value = V>>(&mut self, content: &C) -> Result<()> {
        let published = caught(|| content.publish(&self.items, &mut self.values, &mut self.work));
        let [expected, found] = [self.items.len(), self.values.len()];
        let result = published.and_then(|()| {
            let message = || format!("expected {expected} values from `Content::publish`, found {found}");
            if expected == found { Ok(()) } else { Err(fault(message())) }
        });
        if result.is_err() {
            for (item, (value, _)) in self.items.iter().zip(self.values.drain(..)) {
                let _ = catch_unwind(AssertUnwindSafe(|| content.evict(*item, value)));
            }
        }
        result
    }
}

/// Calls a method of a content, and returns an error if it panics.
fn caught<T>(call: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
        Err(fault(format!("expected the item to be loaded, found a panic: {text}")))
    })
}

fn fault(message: String) -> Error {
    Error::custom(ErrorKind::Panicked, message).located("streaming", Field::new("item"), None)
}
