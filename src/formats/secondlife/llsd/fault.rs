//! [`LlsdFault`]: the error type for reading binary LLSD.

use crate::error::Cause;

/// An error in binary LLSD, with the byte offset at which the error was detected.
#[derive(Clone, Debug, thiserror::Error)]
#[error("byte {at}: {kind}")]
pub struct LlsdFault {
    /// Byte offset of the error in the LLSD data, counted from the first byte of the slice that was
    /// passed to the reading function.
    pub at: u64,
    pub(crate) kind: Cause,
}

impl LlsdFault {
    /// Returns the kind of the error.
    #[cfg(feature = "internals")]
    #[must_use]
    pub const fn kind(&self) -> crate::error::ErrorKind {
        self.kind.kind()
    }

    /// Returns whether the only error is that the LLSD data ends too early.
    ///
    /// LLSD data that only ends too early may become a complete LLSD value when more bytes are
    /// appended.
    #[must_use]
    pub const fn needs_more(&self) -> bool {
        matches!(self.kind, Cause::UnexpectedEnd { .. } | Cause::Count { .. })
    }

    /// Returns the number of bytes that are missing at the end of the LLSD data: at least 1.
    pub(crate) fn missing(&self) -> u64 {
        let missing = match self.kind {
            Cause::UnexpectedEnd { needed, left } => needed.saturating_sub(left),
            Cause::Count { count, size, left } => count.saturating_mul(size).saturating_sub(left),
            _ => 1,
        };
        missing.max(1)
    }
}
