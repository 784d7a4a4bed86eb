//! The properties of files that cannot be opened as a mesh, but can be read in part.

use std::io;
use std::path::Path;

use super::{secondlife, unreal};
use crate::error::Error;
use crate::model::Properties;

/// Passes the property `properties` of the file at `path`, which could not be opened because of
/// `error`. Passes nothing if nothing of the file can be read.
///
/// # Errors
///
/// Returns the errors of the sink of `out`.
pub(crate) fn unopened_properties(path: &Path, error: &Error, out: &mut Properties<'_>) -> io::Result<()> {
    unreal::script::properties::of_unopened(path, out)?;
    secondlife::unopened_properties(path, error, out)
}
