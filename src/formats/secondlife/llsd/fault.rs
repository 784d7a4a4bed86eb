//! What is wrong with bytes that should be LLSD.

use crate::error::ErrorKind;

/// What is wrong with bytes that should be LLSD, and where.
#[derive(Clone, Debug, thiserror::Error)]
#[error("byte {at}: {kind}")]
pub struct LlsdFault {
    /// Offset of the byte at fault, from the first of the bytes.
    pub at: u64,
    /// What is wrong with it.
    pub kind: ErrorKind,
}

impl LlsdFault {
    /// Tells whether the bytes are sound as far as they go, and only end too soon: with more of them there may be a value.
    #[must_use]
    pub const fn needs_more(&self) -> bool {
        matches!(self.kind, ErrorKind::UnexpectedEnd { .. } | ErrorKind::Count { .. })
    }
}
