//! The key of a mesh file: the file metadata that identifies the file and its current content.

use std::fs::Metadata;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use zerocopy::little_endian::I64;

use crate::error::Result;
use crate::io::{FileStamp, regular_metadata};
use crate::sidecar::layout::RawKey;

/// The identity of a mesh file: its size, modification time, status-change time, device and inode.
///
/// Three values in a `Key` are compared only for trusted sidecars, which are in the cache folder of
/// the user: the device, the inode and the status-change time. No program can set the status-change
/// time. If a sidecar and its mesh file are copied together, the device, the inode and the
/// status-change time of the copied mesh file differ from the values in the sidecar. Operating
/// systems other than Unix provide no status-change time and no inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    pub(super) raw: RawKey,
}

impl From<&FileStamp> for Key {
    fn from(stamp: &FileStamp) -> Self {
        Self::of(stamp.metadata())
    }
}

impl Key {
    /// Makes the key of a mesh file from the metadata of the file.
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

    /// Makes the key of the mesh file at `path`. Symbolic links are followed.
    ///
    /// Take the key before the file is opened: if the file changes later, it has another key.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NotRegular`](crate::ErrorKind::NotRegular) if the path is not a regular
    /// file, and [`ErrorKind::Io`](crate::ErrorKind::Io) if the operating system cannot report the
    /// metadata of the file.
    pub fn of_path(path: impl AsRef<Path>) -> Result<Self> {
        regular_metadata(path.as_ref()).map(|metadata| Self::of(&metadata))
    }

    /// Returns whether `raw`, the key that is stored in a sidecar, matches this key of a mesh file.
    ///
    /// If `here` is `true`, all values of the keys are compared. If `here` is `false`, only the
    /// file size and the modification time are compared, because the sidecar may have been copied
    /// together with its mesh file.
    pub(super) fn matches(&self, raw: &RawKey, here: bool) -> bool {
        if here { self.raw == *raw } else { self.raw.size == raw.size && self.raw.modified == raw.modified }
    }

    /// Returns the time since the last change of the mesh file. A time in the future is ignored.
    pub(crate) fn age(&self) -> Option<Duration> {
        // Systems other than Unix have no status-change time.
        [self.raw.changed, self.raw.modified].into_iter().filter_map(age).min()
    }

    /// Returns the size of the mesh file in bytes.
    #[doc(hidden)]
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.raw.size.get()
    }
}

/// Converts a time to seconds and nanoseconds since 1970-01-01 00:00 UTC.
fn parts(time: SystemTime) -> [I64; 2] {
    let split = |since: Duration| [i64::try_from(since.as_secs()).ok(), Some(since.subsec_nanos().into())];
    let parts = match time.duration_since(UNIX_EPOCH) {
        Ok(since) => split(since),
        Err(before) => split(before.duration()).map(|part| part.and_then(i64::checked_neg)),
    };
    parts.map(|part| I64::new(part.unwrap_or(i64::MAX)))
}

/// Returns how long ago a time was, which is given in seconds and nanoseconds since 1970-01-01
/// 00:00 UTC. Returns `None` for a time before 1970 or in the future.
fn age([seconds, nanoseconds]: [I64; 2]) -> Option<Duration> {
    let since = Duration::new(u64::try_from(seconds.get()).ok()?, u32::try_from(nanoseconds.get()).ok()?);
    UNIX_EPOCH.checked_add(since)?.elapsed().ok()
}
