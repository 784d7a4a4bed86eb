//! Reads the regions of two files at the same time. A list of all regions might not fit into
//! memory.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use super::both::Both;
use crate::program::input::bytes::Data;
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
    source: RegionSource<'m>,
    ahead: VecDeque<Region>,
}

/// Where regions come from.
enum RegionSource<'m> {
    /// A walk on another thread.
    Thread(Receiver<Vec<Region>>),
    /// Several walks on the calling thread, because the system refuses a thread. The next walk
    /// skips the first `done` regions.
    Walks(RepeatedWalk<'m>),
}

/// Walks over the regions of a file, each of which skips the regions that are done.
struct RepeatedWalk<'m> {
    model: &'m Model<Data>,
    source: usize,
    done: usize,
    error: Option<Error>,
}

impl RepeatedWalk<'_> {
    fn next(&mut self) -> Vec<Region> {
        let (mut batch, mut number) = (Vec::new(), 0_usize);
        let walked = walk(self.model, self.source, &mut |region| {
            if number >= self.done && batch.len() < KEPT {
                batch.push(region);
            }
            number = number.saturating_add(1);
        });
        self.error = walked.err();
        self.done = self.done.saturating_add(batch.len());
        batch
    }
}

impl RegionSource<'_> {
    /// Returns the next regions, or `None` at the end.
    fn next(&mut self) -> Option<Vec<Region>> {
        match self {
            Self::Thread(batches) => batches.recv().ok(),
            Self::Walks(walk) => Some(walk.next()).filter(|batch| !batch.is_empty()),
        }
    }
}

impl<'m> RegionStream<'m> {
    const fn new(source: RegionSource<'m>) -> Self {
        Self { source, ahead: VecDeque::new() }
    }

    /// Returns the error of the walks on the calling thread.
    fn into_error(self) -> Option<Error> {
        match self.source {
            RegionSource::Thread(_) => None,
            RegionSource::Walks(walk) => walk.error,
        }
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
            let Some(batch) = self.source.next() else { break };
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
    thread::scope(|scope| {
        let start = |model| {
            let (sender, batches) = sync_channel(WAITING);
            match threads::start(scope, move || send_all(model, source, &sender)) {
                Some(thread) => (Some(thread), RegionSource::Thread(batches)),
                None => (None, RegionSource::Walks(RepeatedWalk { model, source, done: 0, error: None })),
            }
        };
        let [(thread_a, a), (thread_b, b)] = [models.a, models.b].map(start);
        let mut streams = Both::new(RegionStream::new(a), RegionStream::new(b));
        compare(&mut streams);
        // A walk that waits for a receiver ends when the receiver is gone.
        let walked = streams.map(RegionStream::into_error);
        let joined = Both::new(thread_a, thread_b).map(|thread| thread.and_then(|thread| thread.join().ok()?.err()));
        let errors = Both::new(walked.a.or(joined.a), walked.b.or(joined.b));
        if errors.a.is_none() && errors.b.is_none() { Ok(()) } else { Err(errors) }
    })
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
