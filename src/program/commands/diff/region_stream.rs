//! Reads the regions of two files at the same time. A list of all regions might not fit into
//! memory.

use std::collections::VecDeque;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{self, Scope, ScopedJoinHandle};

use super::both::Both;
use crate::program::input::Data;
use crate::program::threads;
use crate::{Error, Field, Model, Region, Result};

/// The number of regions that a thread passes on at a time.
const BATCH: usize = 256;
/// The number of batches that wait for the comparison.
const WAITING: usize = 2;
/// The number of regions that are kept of each walk, if the walks are on the calling thread.
const KEPT: usize = 1 << 16;

/// The regions of one file, in file order.
pub struct RegionStream<'m> {
    /// Returns the next regions, or an empty list at the end.
    more: Box<dyn FnMut() -> Vec<Region> + 'm>,
    ahead: VecDeque<Region>,
}

impl<'m> RegionStream<'m> {
    fn new(more: impl FnMut() -> Vec<Region> + 'm) -> Self {
        Self { more: Box::new(more), ahead: VecDeque::new() }
    }

    /// Returns the next region without removing it.
    pub fn peek(&mut self) -> Option<Region> {
        self.fill(1);
        self.ahead.front().copied()
    }

    /// Returns and removes the next region.
    pub fn next(&mut self) -> Option<Region> {
        self.fill(1);
        self.ahead.pop_front()
    }

    /// Returns whether one of the next `count` regions has the name `field`.
    pub fn has_within(&mut self, count: usize, field: &Field) -> bool {
        self.fill(count);
        self.ahead.iter().take(count).any(|region| region.field == *field)
    }

    /// Receives regions until `count` of them are held, or until the end of the file.
    fn fill(&mut self, count: usize) {
        while self.ahead.len() < count {
            let batch = (self.more)();
            if batch.is_empty() {
                break;
            }
            self.ahead.extend(batch);
        }
    }
}

/// Calls a function with the regions of the file `source` of two meshes. A mesh without this file
/// has no regions.
///
/// # Errors
///
/// Returns the errors of the walks over the two files. The regions before an error are passed on.
pub fn with_streams(
    models: Both<&Model<Data>>,
    source: usize,
    compare: impl FnOnce(&mut Both<RegionStream<'_>>),
) -> Result<(), Both<Option<Error>>> {
    let mut errors = Both::<Option<Error>>::default();
    thread::scope(|scope| {
        let (thread_a, a) = start(scope, models.a, source, &mut errors.a);
        let (thread_b, b) = start(scope, models.b, source, &mut errors.b);
        // A walk that waits for a receiver ends when the receiver is gone.
        compare(&mut Both::new(a, b));
        let joined = |thread: Option<ScopedJoinHandle<'_, Result<()>>>| thread?.join().ok()?.err();
        errors = Both::new(errors.a.take().or(joined(thread_a)), errors.b.take().or(joined(thread_b)));
    });
    if errors.a.is_none() && errors.b.is_none() { Ok(()) } else { Err(errors) }
}

/// Starts a walk over the regions of a file on another thread. If the system refuses a thread, the
/// calling thread walks over the file several times, and the error of a walk is put in `error`.
fn start<'s: 'e, 'e>(
    scope: &'s Scope<'s, '_>,
    model: &'s Model<Data>,
    source: usize,
    error: &'e mut Option<Error>,
) -> (Option<ScopedJoinHandle<'s, Result<()>>>, RegionStream<'e>) {
    let (sender, batches) = sync_channel(WAITING);
    if let Some(thread) = threads::start(scope, move || send_all(model, source, &sender)) {
        return (Some(thread), RegionStream::new(move || batches.recv().unwrap_or_default()));
    }
    let mut done = 0_usize;
    let walks = RegionStream::new(move || {
        let (mut batch, mut number) = (Vec::new(), 0_usize);
        let walked = walk(model, source, &mut |region| {
            if number >= done && batch.len() < KEPT {
                batch.push(region);
            }
            number = number.saturating_add(1);
        });
        *error = walked.err();
        done = done.saturating_add(batch.len());
        batch
    });
    (None, walks)
}

/// Passes all regions of a file to `visit`.
fn walk(model: &Model<Data>, source: usize, visit: &mut dyn FnMut(Region)) -> Result<()> {
    let file = model.file();
    if source >= file.source_count() { Ok(()) } else { file.regions(source, visit) }
}

/// Sends all regions of a file to a channel, in batches.
fn send_all(model: &Model<Data>, source: usize, sender: &SyncSender<Vec<Region>>) -> Result<()> {
    let mut batch = Vec::with_capacity(BATCH);
    let send = |batch: &mut Vec<Region>| {
        // If the receiver is gone, the comparison has ended.
        let _ = sender.send(std::mem::replace(batch, Vec::with_capacity(BATCH)));
    };
    let walked = walk(model, source, &mut |region| {
        batch.push(region);
        if batch.len() >= BATCH {
            send(&mut batch);
        }
    });
    send(&mut batch);
    walked
}
