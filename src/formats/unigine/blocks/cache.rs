//! Caches the inflated blocks of a mesh, and the file offsets of blocks that are already known.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::inflated::InflatedBlock;
use super::tree::InflatedTree;
use crate::error::{Error, ErrorKind, Result};
use crate::formats::unigine::reader::locate::{Sections, slots};
use crate::model::Counts;
use crate::parse::MemoryBudget;

/// The cached results for the blocks of a mesh.
#[derive(Debug)]
pub(crate) struct BlockState {
    pub(crate) surfaces: Box<[BlockCache]>,
    /// Offset of the table of blocks, or `None` if the file has no such table. The first search for
    /// the table sets this field.
    pub(crate) table: OnceLock<Option<u64>>,
    /// The offsets of the geometry blocks that were found by reading one block after another. These
    /// offsets are used if the table is missing or does not agree with the blocks.
    pub(crate) walk: OnceLock<Sections>,
    /// The number of bytes of memory that the cached inflated blocks hold.
    pub(crate) alive: AtomicU64,
}

/// The cached results for the blocks of one surface.
#[derive(Debug, Default)]
pub(crate) struct BlockCache {
    /// Locked while a block of this surface is inflated, which avoids inflating the same block
    /// twice.
    pub(crate) busy: Mutex<()>,
    pub(crate) geometry: OnceLock<Box<Result<InflatedBlock>>>,
    pub(crate) tree: OnceLock<Box<Result<InflatedTree>>>,
    /// The array counts of the geometry. The counts are cached even if the inflated geometry is not
    /// cached.
    pub(crate) counts: OnceLock<Counts>,
}

const _: () = assert!(size_of::<BlockCache>() <= 88);

impl BlockState {
    pub(crate) fn new(format: &'static str, surfaces: usize) -> Result<Self> {
        let (table, walk, alive) = (OnceLock::new(), OnceLock::new(), AtomicU64::new(0));
        Ok(Self { surfaces: slots(format, "surfaces", surfaces)?, table, walk, alive })
    }

    /// Returns the number of surfaces that are stored in blocks, which is 0 in generations before
    /// ms14.
    pub(crate) const fn len(&self) -> usize {
        self.surfaces.len()
    }

    /// Returns the number of bytes of memory that the cached inflated blocks hold.
    pub(crate) fn inflated_bytes(&self) -> u64 {
        self.alive.load(Ordering::Relaxed)
    }
}

/// Stores the result of inflating a block in the cache, and keeps the memory of the block reserved
/// in the budget.
///
/// An error that was caused by a lack of memory is not cached, because a later attempt may succeed.
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
    // No other thread sets `place` while the lock is held.
    drop(place.set(Box::new(new)));
    Ok(())
}

/// Locks a mutex and ignores poisoning, because a panic in another thread leaves no incomplete
/// state.
pub(crate) fn lock(busy: &Mutex<()>) -> MutexGuard<'_, ()> {
    busy.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns a reference to the cached result of inflating a block. Returns the error `none` if no
/// result is cached.
pub(crate) fn lend<T>(place: &OnceLock<Box<Result<T>>>, none: impl FnOnce() -> Error) -> Result<&T> {
    match place.get().map(|kept| &**kept) {
        Some(Ok(content)) => Ok(content),
        Some(Err(error)) => Err(error.clone()),
        None => Err(none()),
    }
}
