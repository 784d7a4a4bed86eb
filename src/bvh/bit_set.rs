//! A set of whole numbers below a limit, stored with one bit for each number.

use crate::bvh::reserve::try_with_capacity;
use crate::error::Result;

/// A set of whole numbers below a limit.
pub(crate) struct BitSet {
    words: Vec<u64>,
    limit: usize,
    len: usize,
}

impl BitSet {
    /// Creates an empty set that can contain the numbers from 0 to `limit` - 1. Returns an error if
    /// there is not enough memory.
    pub(crate) fn new(limit: usize) -> Result<Self> {
        let mut words = try_with_capacity(limit.div_ceil(64))?;
        words.resize(limit.div_ceil(64), 0);
        Ok(Self { words, limit, len: 0 })
    }

    /// Adds a number to the set. Returns `false` if the number is not below the set's limit, or if
    /// the set already contains this number.
    pub(crate) fn insert(&mut self, number: usize) -> bool {
        let Some(word) = self.words.get_mut(number / 64).filter(|_| number < self.limit) else { return false };
        let bit = 1_u64.wrapping_shl(u32::try_from(number % 64).unwrap_or_default());
        let is_new = *word & bit == 0;
        *word |= bit;
        self.len = self.len.wrapping_add(usize::from(is_new));
        is_new
    }

    /// Returns whether the set contains every number from 0 to its limit - 1.
    pub(crate) const fn is_full(&self) -> bool {
        self.len == self.limit
    }
}
