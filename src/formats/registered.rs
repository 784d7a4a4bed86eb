//! A format that a test adds to those of the crate, and that the program then reads like them.

use std::fmt::Debug;

use super::description::FormatDescription;
use crate::error::Result;
use crate::model::MeshFile;
use crate::parse::OpenOptions;

/// A format outside the crate, such as that of a test.
pub trait FileFormat {
    /// The names, the file names, the rules and the extra arrays of the format.
    const DESCRIPTION: &'static FormatDescription;

    /// Opens a file of the format.
    ///
    /// # Errors
    ///
    /// Returns the error of the first field of the header that is damaged.
    fn open<D: FileData>(data: D, options: &OpenOptions) -> Result<impl RegisteredFile<Data = D> + 'static>;
}

/// The bytes of a file.
pub trait FileData: AsRef<[u8]> + Debug + Send + Sync + 'static {}

impl<D: AsRef<[u8]> + Debug + Send + Sync + 'static> FileData for D {}

/// The traits that an open file of a [`FileFormat`] implements.
pub trait RegisteredFile: MeshFile + Debug {}

impl<F: MeshFile + Debug> RegisteredFile for F {}
