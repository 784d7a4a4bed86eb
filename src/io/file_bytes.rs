//! The bytes of a file, from a map or from memory.

use std::fmt;
use std::sync::Arc;

use super::map::Map;
use super::range_source::{RangeRead, RangeSource};
use crate::error::Result;
use crate::math::as_u64;

/// The bytes of a file: a memory map, a copy in memory, or bytes that several owners share.
///
/// `FileBytes` is the type of the bytes of a file that [`open`](crate::open) opens, so a program
/// can store files from different sources in one type. Cloning copies a `Vec<u8>` and shares the
/// other two.
///
/// ```
/// use meshpeek::io::FileBytes;
/// let bytes = FileBytes::from(vec![1, 2, 3]);
/// assert_eq!(bytes.as_ref(), [1, 2, 3]);
/// assert!(bytes.check().is_ok());
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub enum FileBytes {
    /// A memory-mapped file.
    Map(Arc<Map>),
    /// A copy in memory.
    Vec(Vec<u8>),
    /// Bytes in memory that several owners share.
    Shared(Arc<[u8]>),
}

impl FileBytes {
    /// Returns an error if a mapped file has changed since it was mapped. Bytes in memory cannot
    /// change.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Map::check`].
    pub fn check(&self) -> Result<()> {
        match self {
            Self::Map(map) => map.check(),
            Self::Vec(_) | Self::Shared(_) => Ok(()),
        }
    }

    /// Releases the physical memory of mapped pages, like [`Map::release`]. Bytes in memory are
    /// kept.
    pub fn release(&self, bytes: &[u8]) {
        if let Self::Map(map) = self {
            map.release(bytes);
        }
    }
}

impl AsRef<[u8]> for FileBytes {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Map(map) => (**map).as_ref(),
            Self::Vec(bytes) => bytes,
            Self::Shared(bytes) => bytes,
        }
    }
}

/// Reads from the map, or copies the bytes in memory.
impl RangeSource for FileBytes {
    fn byte_len(&self) -> u64 {
        as_u64(self.as_ref().len())
    }

    fn read_ranges(&self, reads: &mut [RangeRead<'_>]) -> Result<()> {
        match self {
            Self::Map(map) => map.read_ranges(reads),
            Self::Vec(bytes) => bytes.read_ranges(reads),
            Self::Shared(bytes) => bytes.read_ranges(reads),
        }
    }
}

impl fmt::Debug for FileBytes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            Self::Map(_) => "Map",
            Self::Vec(_) => "Vec",
            Self::Shared(_) => "Shared",
        };
        write!(out, "FileBytes::{kind}({} bytes)", self.as_ref().len())
    }
}

impl From<Map> for FileBytes {
    fn from(map: Map) -> Self {
        Self::Map(Arc::new(map))
    }
}

impl From<Arc<Map>> for FileBytes {
    fn from(map: Arc<Map>) -> Self {
        Self::Map(map)
    }
}

impl From<Vec<u8>> for FileBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Vec(bytes)
    }
}

impl From<Arc<[u8]>> for FileBytes {
    fn from(bytes: Arc<[u8]>) -> Self {
        Self::Shared(bytes)
    }
}
