//! Opens input files, also those of a format that a test registered.

use std::path::Path;
use std::sync::OnceLock;

use super::bytes::Data;
use crate::formats::{FileFormat, is_registered, open_named, register};
use crate::{Model, OpenOptions};

/// Opens a file of the registered format.
type OpenData = fn(Data, &OpenOptions) -> crate::Result<Model<Data>>;

/// How a file of the registered format is opened.
static OPEN: OnceLock<OpenData> = OnceLock::new();

/// Adds a format to those that the program reads. A process adds one format, before it calls
/// [`run`](crate::run).
pub fn register_format<F: FileFormat>() {
    register(F::DESCRIPTION);
    OPEN.get_or_init(|| Model::open_registered::<F>);
}

/// Opens the only file of a mesh, of any format.
pub(super) fn open_data(data: Data, path: &Path, options: &OpenOptions) -> crate::Result<Model<Data>> {
    match OPEN.get().filter(|_| is_registered(data.as_ref())) {
        Some(open) => open(data, options),
        None => open_named(data, path, options),
    }
}
