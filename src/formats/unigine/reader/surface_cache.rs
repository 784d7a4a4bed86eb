//! The cached results for a surface. Without this cache, the weights of the surface would be read
//! again each time.

use std::sync::OnceLock;

use crate::array::runs::{RunIndex, RunTotals};

/// The cached results of reading the weights of a surface.
#[derive(Debug, Default)]
pub(crate) struct SurfaceCache {
    /// The size of the weights in bytes, and the longest weight list.
    pub(crate) totals: OnceLock<RunTotals>,
    /// The index for random access to the weight lists.
    pub(crate) index: OnceLock<Option<RunIndex>>,
}

// The documentation of `Mesh` states the memory per surface.
const _: () = assert!(size_of::<SurfaceCache>() <= 72);
