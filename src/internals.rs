//! The types of the single formats, for the tests, benches and fuzz targets of this repository.
//!
//! The feature `internals` makes this module and the modules of the formats public. They may change
//! in every release.

pub use crate::copying_loader::{FlatWeights, Lists, PositionList, SurfaceLists, TargetLists, bounds};
use crate::error::Result;
pub use crate::error::{Cause, FormatName, expect_only, no_such};
use crate::formats::Model;
pub use crate::formats::{FileData, FileFormat, FormatDescription, FormatFile, RegisteredFile};
pub use crate::model::byte_ranges::RangeList;
pub use crate::model::contents::bytes_of;
use crate::model::{Omitted, Surface, Welded};
pub use crate::parse::Walk;
#[cfg(feature = "images")]
pub use crate::render::images::{ImageKind, decode as decode_image};
pub use crate::validate::{IndexCheck, Report, Tally};

/// Runs the closure `job` with the kernels for AVX2. Returns `None`, and does not run it, if the
/// processor does not support AVX-512.
///
/// The benches compare each kernel for AVX-512 with its twin for AVX2.
pub fn without_avx512<T>(job: impl FnOnce() -> T) -> Option<T> {
    crate::simd::without_avx512(job)
}

/// Returns the opened file of a model with the type of its format.
#[must_use]
pub fn format_file<D: AsRef<[u8]> + Send + Sync>(model: &Model<D>) -> &FormatFile<D> {
    model.format_file()
}

/// Welds a surface without its damaged triangles, with a report of what was left out.
///
/// # Errors
///
/// Returns the errors of [`Surface::weld_lossy`].
pub fn weld_reported(surface: &Surface<'_>) -> Result<(Welded, Omitted)> {
    surface.weld_reported()
}

/// Makes the library behave as if the operating system did not have some newer system calls, in all
/// threads. `mask` is a sum of 1 for `cachestat`, 2 for `preadv2` and 4 for the file
/// `/proc/self/pagemap`.
pub fn disable_system_calls(mask: u8) {
    crate::io::disable_system_calls(mask);
}
