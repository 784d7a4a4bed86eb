//! Limits on the depth and the size of a tree of LLSD values.

use crate::parse::Limits;

/// Limits on the depth and the size of a tree of LLSD values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LlsdLimits {
    /// The maximum nesting depth of arrays and maps. A limit above 256 has the same effect as 256.
    pub depth: u32,
    /// The maximum number of values in the whole tree.
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
