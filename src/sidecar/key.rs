//! The key of a mesh file: the properties that identify the file and its current state.

use std::fs::Metadata;
use std::time::{SystemTime, UNIX_EPOCH};

use zerocopy::little_endian::I64;

use crate::sidecar::layout::RawKey;

/// The identity of a mesh file: its size, its times of modification and of status change, and its
/// inode.
///
/// The time of the status change, which no program can set, and the inode are only compared for
/// sidecars in the cache folder of the user. A sidecar that is copied together with its mesh file
/// cannot have the same values. Systems other than Unix provide neither of these two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    pub(super) raw: RawKey,
}

impl Key {
    /// Makes the key of a file from the metadata of the file.
    #[must_use]
    pub fn of(metadata: &Metadata) -> Self {
        let mut raw = RawKey { size: metadata.len().into(), ..RawKey::default() };
        raw.modified = metadata.modified().ok().map(parts).unwrap_or_default();
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            raw.changed = [metadata.ctime(), metadata.ctime_nsec()].map(I64::new);
            raw.device = metadata.dev().into();
            raw.inode = metadata.ino().into();
        }
        Self { raw }
    }

    /// Returns whether the key that is stored in a sidecar matches the key of this mesh file.
    ///
    /// If `here` is false, only the size and the time of modification are compared, because the
    /// sidecar may have been copied together with its mesh file.
    pub(super) fn matches(&self, raw: &RawKey, here: bool) -> bool {
        if here { self.raw == *raw } else { self.raw.size == raw.size && self.raw.modified == raw.modified }
    }

    /// Returns the size of the mesh file in bytes.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.raw.size.get()
    }
}

/// Converts a time to seconds and nanoseconds since 1970.
fn parts(time: SystemTime) -> [I64; 2] {
    let split = |since: std::time::Duration| [i64::try_from(since.as_secs()).ok(), Some(since.subsec_nanos().into())];
    let parts = match time.duration_since(UNIX_EPOCH) {
        Ok(since) => split(since),
        Err(before) => split(before.duration()).map(|part| part.and_then(i64::checked_neg)),
    };
    parts.map(|part| I64::new(part.unwrap_or(i64::MAX)))
}
