//! What the reader remembers of a surface, because finding it again means walking its weights.

use std::sync::OnceLock;

use crate::array::runs::{RunIndex, RunTotals};

/// What was found of a surface's weights.
#[derive(Debug, Default)]
pub(crate) struct SurfaceCache {
    /// Where the weights end, and the longest list among them.
    pub(crate) totals: OnceLock<RunTotals>,
    /// The index that makes them random-access.
    pub(crate) index: OnceLock<Option<RunIndex>>,
}

// The documentation of `Mesh` has the memory of a surface.
const _: () = assert!(size_of::<SurfaceCache>() <= 72);
