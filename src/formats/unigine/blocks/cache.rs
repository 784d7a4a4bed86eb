//! What was inflated of a mesh's blocks, and where they are, as far as that is known.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::inflated::InflatedBlock;
use super::tree::InflatedTree;
use crate::error::{Error, ErrorKind, Result};
use crate::formats::unigine::reader::locate::{Sections, slots};
use crate::model::Counts;
use crate::parse::MemoryBudget;

/// What a mesh remembers of its blocks.
#[derive(Debug)]
pub(crate) struct BlockState {
    pub(crate) surfaces: Box<[BlockCache]>,
    /// Offset of the table of blocks, or `None` if there is none, once it was searched for.
    pub(crate) table: OnceLock<Option<u64>>,
    /// Where a walk over the geometry's blocks comes to each, if the table does not say where they are.
    pub(crate) walk: OnceLock<Sections>,
    /// Bytes that inflated blocks hold.
    pub(crate) alive: AtomicU64,
}

/// What a mesh remembers of the blocks of one surface.
#[derive(Debug, Default)]
pub(crate) struct BlockCache {
    /// Locked while one of them is inflated, so that none is inflated twice.
    pub(crate) busy: Mutex<()>,
    pub(crate) geometry: OnceLock<Box<Result<InflatedBlock>>>,
    pub(crate) tree: OnceLock<Box<Result<InflatedTree>>>,
    /// The counts of the geometry, whether or not it is still kept.
    pub(crate) counts: OnceLock<Counts>,
}

const _: () = assert!(size_of::<BlockCache>() <= 88);

impl BlockState {
    pub(crate) fn new(format: &'static str, surfaces: usize) -> Result<Self> {
        let (table, walk, alive) = (OnceLock::new(), OnceLock::new(), AtomicU64::new(0));
        Ok(Self { surfaces: slots(format, "surfaces", surfaces)?, table, walk, alive })
    }

    /// Returns the number of surfaces with blocks: 0 in the generations before ms14.
    pub(crate) const fn len(&self) -> usize {
        self.surfaces.len()
    }

    /// Returns how many bytes inflated blocks hold.
    pub(crate) fn inflated_bytes(&self) -> u64 {
        self.alive.load(Ordering::Relaxed)
    }
}

/// Remembers what was made of a block, and leaves its bytes taken. What fails for want of room may succeed another time, so
/// that is not remembered.
pub(crate) fn keep<T>(
    place: &OnceLock<Box<Result<T>>>,
    new: Result<T>,
    size: fn(&T) -> u64,
    budget: MemoryBudget<'_>,
) -> Result<()> {
    if let Err(error) = &new
        && matches!(error.kind(), ErrorKind::Limit { name: "asset", .. } | ErrorKind::OutOfMemory { .. })
    {
        return Err(error.clone());
    }
    budget.commit(new.as_ref().map_or(0, size));
    // Nobody else sets it while the lock is held.
    drop(place.set(Box::new(new)));
    Ok(())
}

/// A panic elsewhere leaves nothing half-done behind the lock.
pub(crate) fn lock(busy: &Mutex<()>) -> MutexGuard<'_, ()> {
    busy.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lends what is remembered of a block.
pub(crate) fn lend<T>(place: &OnceLock<Box<Result<T>>>, none: impl FnOnce() -> Error) -> Result<&T> {
    match place.get().map(|kept| &**kept) {
        Some(Ok(content)) => Ok(content),
        Some(Err(error)) => Err(error.clone()),
        None => Err(none()),
    }
}
