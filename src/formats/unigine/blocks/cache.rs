//! Caches the inflated blocks of a mesh, and the file offsets of the blocks that were already
//! located.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use super::inflated::InflatedBlock;
use super::tree::InflatedTree;
use crate::error::{Cause, Error, Result};
use crate::formats::unigine::reader::file_reader::{Sections, slots};
use crate::model::Counts;
use crate::parse::MemoryBudget;

/// The cached data about the blocks of a mesh.
#[derive(Debug)]
pub(crate) struct BlockState {
    pub(crate) surfaces: Box<[BlockCache]>,
    /// File offset of the table of block offsets, or `None` if the file has no such table. The
    /// first search for the table sets the field.
    pub(crate) table: OnceLock<Option<u64>>,
    /// The offsets of the geometry blocks that were found by reading one block after another. The
    /// offsets in `walk` are used if the table of block offsets is missing or does not agree with
    /// the sizes of the blocks.
    pub(crate) walk: OnceLock<Sections>,
    /// The number of bytes of memory that all cached inflated blocks of the mesh occupy.
    pub(crate) alive: AtomicU64,
}

/// The cached data about the two blocks of one surface.
#[derive(Debug, Default)]
pub(crate) struct BlockCache {
    /// The inflated geometry that is lent to callers, while at least one of them holds it.
    ///
    /// The mutex is locked while a thread inflates a block of the surface. Other threads that need
    /// the block wait, and do not inflate the same block again.
    pub(crate) shared: Mutex<Weak<InflatedBlock>>,
    pub(crate) geometry: OnceLock<Box<Result<InflatedBlock>>>,
    pub(crate) tree: OnceLock<Box<Result<InflatedTree>>>,
    /// The numbers of vertices, triangle corners and other array items of the surface, which are
    /// cached even if the inflated geometry is not cached.
    pub(crate) counts: OnceLock<Counts>,
}

const _: () = assert!(size_of::<BlockCache>() <= 88);

impl BlockState {
    pub(crate) fn new(format: &'static str, surfaces: usize) -> Result<Self> {
        let (table, walk, alive) = (OnceLock::new(), OnceLock::new(), AtomicU64::new(0));
        Ok(Self { surfaces: slots(format, "surfaces", surfaces)?, table, walk, alive })
    }

    /// Returns the number of surfaces that are stored in blocks. In format versions before ms14, no
    /// surface is stored in blocks, and the number is 0.
    pub(crate) const fn len(&self) -> usize {
        self.surfaces.len()
    }

    /// Returns the number of bytes of memory that all cached inflated blocks of the mesh occupy.
    pub(crate) fn inflated_bytes(&self) -> u64 {
        self.alive.load(Ordering::Relaxed)
    }
}

/// Stores the result of inflating a block in the cache entry `place`. The size of the inflated
/// block in the cache stays reserved in the memory budget.
///
/// If inflating failed because memory or the memory budget was exhausted, the error is returned and
/// not cached, because a later attempt may succeed.
pub(crate) fn keep<T>(
    place: &OnceLock<Box<Result<T>>>,
    new: Result<T>,
    size: fn(&T) -> u64,
    budget: MemoryBudget<'_>,
) -> Result<()> {
    if let Err(error) = &new
        && matches!(error.cause(), Cause::Limit { name: "asset", .. } | Cause::OutOfMemory { .. })
    {
        return Err(error.clone());
    }
    budget.commit(new.as_ref().map_or(0, size));
    // The caller of `keep` has locked the mutex `shared` of the surface, so no other thread sets
    // `place` at the same time.
    drop(place.set(Box::new(new)));
    Ok(())
}

/// Locks a mutex. Poisoning of the mutex is ignored, because the mutex protects no data that a
/// panic could leave incomplete.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns a reference to the cached inflated block, or the cached error if inflating the block
/// failed.
///
/// If the cache entry is empty, returns the error that the closure `none` creates.
pub(crate) fn lend<T>(place: &OnceLock<Box<Result<T>>>, none: impl FnOnce() -> Error) -> Result<&T> {
    match place.get().map(|kept| &**kept) {
        Some(Ok(content)) => Ok(content),
        Some(Err(error)) => Err(error.clone()),
        None => Err(none()),
    }
}
