//! The cached results of reading the weights and the shapes of a surface. Without this cache, the
//! weights would be read again for each access to an array after the weights, and all shapes before
//! a shape for each access to that shape.

use std::sync::OnceLock;

use super::target_index::TargetIndex;
use crate::array::runs::{RunIndex, RunTotals};

/// The cached results of reading the weights and the shapes of a surface.
#[derive(Debug, Default)]
pub(crate) struct SurfaceCache {
    /// The total size of all weight lists of the surface in bytes, the total number of influences,
    /// and the longest weight list.
    pub(crate) totals: OnceLock<RunTotals>,
    /// The index for random access to the weight lists.
    pub(crate) index: OnceLock<Option<RunIndex>>,
    /// The places of the shapes, if a shape was requested that is not among the first ones.
    pub(crate) targets: OnceLock<TargetIndex>,
}

// The documentation of `Mesh` states the number of bytes of memory per surface, so this check
// limits the size of the cache.
const _: () = assert!(size_of::<SurfaceCache>() <= 96);
