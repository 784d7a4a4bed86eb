//! Opens input files, also those of a format that a test registered.

use std::path::Path;
use std::sync::OnceLock;

use super::bytes::Data;
use crate::formats::{FileFormat, open_named, register};
use crate::{Model, OpenOptions};

/// Returns whether the first bytes of a file are those of the registered format.
type IsKnown = fn(&[u8]) -> bool;

/// Opens a file of the registered format.
type OpenData = fn(Data, &OpenOptions) -> crate::Result<Model<Data>>;

/// The functions of the registered format.
static REGISTERED: OnceLock<(IsKnown, OpenData)> = OnceLock::new();

/// Adds a format to those that the program reads. A process adds one format, before it calls
/// [`run`](crate::run).
pub fn register_format<F: FileFormat>() {
    register(F::DESCRIPTION);
    REGISTERED.get_or_init(|| (F::DESCRIPTION.is_known, Model::open_registered::<F>));
}

/// Opens the only file of a mesh, of any format.
pub(super) fn open_data(data: Data, path: &Path, options: &OpenOptions) -> crate::Result<Model<Data>> {
    match REGISTERED.get().filter(|(is_known, _)| is_known(data.as_ref())) {
        Some((_, open)) => open(data, options),
        None => open_named(data, path, options),
    }
}
