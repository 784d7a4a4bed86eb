//! Reads the regions of two files at the same time. A list of all regions might not fit into
//! memory.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use super::both::Both;
use crate::program::input::bytes::Data;
use crate::{Error, Field, Model, Region, Result};

/// The number of regions that a thread passes on at a time.
const BATCH: usize = 256;
/// The number of batches that wait for the comparison.
const WAITING: usize = 2;

/// The regions of one file, in file order.
pub struct RegionStream {
    batches: Receiver<Vec<Region>>,
    ahead: VecDeque<Region>,
}

impl RegionStream {
    const fn new(batches: Receiver<Vec<Region>>) -> Self {
        Self { batches, ahead: VecDeque::new() }
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
            let Ok(batch) = self.batches.recv() else { break };
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
    compare: impl FnOnce(&mut Both<RegionStream>),
) -> Result<(), Both<Option<Error>>> {
    thread::scope(|scope| {
        let (channel_a, channel_b) = (sync_channel(WAITING), sync_channel(WAITING));
        let senders = Both::new(channel_a.0, channel_b.0);
        let Both { a: sender_a, b: sender_b } = senders;
        let walk_a = thread::Builder::new().spawn_scoped(scope, move || walk(models.a, source, &sender_a));
        let walk_b = thread::Builder::new().spawn_scoped(scope, move || walk(models.b, source, &sender_b));
        let mut streams = Both::new(RegionStream::new(channel_a.1), RegionStream::new(channel_b.1));
        compare(&mut streams);
        // A walk that waits for a receiver ends when the receiver is gone.
        drop(streams);
        let errors = Both::new(walk_a, walk_b).map(|walk| match walk {
            Ok(walk) => walk.join().ok().and_then(Result::err),
            Err(error) => Some(Error::from(error)),
        });
        if errors.a.is_none() && errors.b.is_none() { Ok(()) } else { Err(errors) }
    })
}

/// Sends all regions of a file to a channel, in batches.
fn walk(model: &Model<Data>, source: usize, sender: &SyncSender<Vec<Region>>) -> Result<()> {
    let file = model.file();
    if source >= file.source_count() {
        return Ok(());
    }
    let mut batch = Vec::with_capacity(BATCH);
    let send = |batch: &mut Vec<Region>| {
        // If the receiver is gone, the comparison has ended.
        let _ = sender.send(std::mem::replace(batch, Vec::with_capacity(BATCH)));
    };
    let walked = file.regions(source, &mut |region| {
        batch.push(region);
        if batch.len() >= BATCH {
            send(&mut batch);
        }
    });
    send(&mut batch);
    walked
}
