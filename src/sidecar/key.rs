//! What tells the file that a sidecar speaks for from every other, and from itself once it was changed.

use std::fs::Metadata;
use std::time::{SystemTime, UNIX_EPOCH};

use zerocopy::little_endian::I64;

use crate::sidecar::layout::RawKey;

/// The identity of a file: its size, when it was written and changed last, and which file it is.
///
/// The time of the last change, which no program can set, and the file's number count for sidecars in the user's cache
/// alone: one that travels with its file cannot know them. Systems other than Unix have neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    pub(super) raw: RawKey,
}

impl Key {
    /// Takes the identity of a file from what the system says of it.
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

    /// Tells whether a sidecar's key is this one, as far as a sidecar can know it that travels with its file.
    pub(super) fn matches(&self, raw: &RawKey, here: bool) -> bool {
        if here { self.raw == *raw } else { self.raw.size == raw.size && self.raw.modified == raw.modified }
    }

    /// Returns the size of the file in bytes.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.raw.size.get()
    }
}

/// Splits a time in seconds and nanoseconds since 1970.
fn parts(time: SystemTime) -> [I64; 2] {
    let split = |since: std::time::Duration| [i64::try_from(since.as_secs()).ok(), Some(since.subsec_nanos().into())];
    let parts = match time.duration_since(UNIX_EPOCH) {
        Ok(since) => split(since),
        Err(before) => split(before.duration()).map(|part| part.and_then(i64::checked_neg)),
    };
    parts.map(|part| I64::new(part.unwrap_or(i64::MAX)))
}
