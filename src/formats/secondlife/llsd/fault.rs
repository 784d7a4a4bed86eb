//! Errors that readers of binary LLSD return.

use crate::error::ErrorKind;

/// An error in bytes that must be binary LLSD, with the offset of the error.
#[derive(Clone, Debug, thiserror::Error)]
#[error("byte {at}: {kind}")]
pub struct LlsdFault {
    /// Offset of the byte with the error, counted from the first byte that the reader was given.
    pub at: u64,
    /// The kind of the error.
    pub kind: ErrorKind,
}

impl LlsdFault {
    /// Returns whether the bytes are valid but end too early.
    ///
    /// If this function returns true, the bytes may become a complete LLSD value when more bytes
    /// are appended.
    #[must_use]
    pub const fn needs_more(&self) -> bool {
        matches!(self.kind, ErrorKind::UnexpectedEnd { .. } | ErrorKind::Count { .. })
    }
}
