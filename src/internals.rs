//! The types of the single formats, for the tests, benches and fuzz targets of this repository.
//!
//! The feature `internals` makes this module and the modules of the formats public. They may change
//! in every release.

pub use crate::formats::FormatFile;
use crate::formats::Model;

/// Returns the opened file of a model with the type of its format.
#[must_use]
pub fn format_file<D: AsRef<[u8]> + Send + Sync>(model: &Model<D>) -> &FormatFile<D> {
    model.format_file()
}
