//! How large a tree may be.

use crate::parse::Limits;

/// What a tree may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LlsdLimits {
    /// Arrays and maps that stand in each other; no more than 256 are ever allowed.
    pub depth: u32,
    /// Values in the whole tree.
    pub items: u64,
}

impl From<&Limits> for LlsdLimits {
    fn from(limits: &Limits) -> Self {
        Self { depth: limits.depth, items: limits.items }
    }
}

impl Default for LlsdLimits {
    fn default() -> Self {
        Self::from(&Limits::default())
    }
}
