//! Maximum nesting depth and maximum number of values of a tree of LLSD values.

use crate::parse::Limits;

/// Maximum nesting depth and maximum number of values of a tree of LLSD values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LlsdLimits {
    /// The maximum nesting depth of arrays and maps. A maximum depth above 256 has the same effect
    /// as 256.
    pub depth: u32,
    /// The maximum number of LLSD values in the whole tree.
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
