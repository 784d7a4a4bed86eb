//! The check of vertex indices.

use super::Tally;
use crate::error::Result;
use crate::math::as_index;
use crate::parse::filled;

/// Checks the vertex indices of triangles, one index after another.
#[derive(Debug, Default)]
pub struct IndexCheck {
    vertices: u32,
    number: u64,
    triangle: [u32; 3],
    /// The number of indices of the current triangle that were checked.
    corner: u8,
    triangles: u64,
    /// One bit for each vertex that an index refers to, or nothing if unused vertices do not
    /// matter.
    used: Vec<u64>,
    /// Whether a triangle with three indices 0 may be degenerate.
    has_placeholders: bool,
    /// The indices that are not below the number of vertices.
    pub beyond: Tally,
    /// The value of the first index that is not below the number of vertices.
    pub first_beyond: u32,
    /// The least index, or `u32::MAX` if there is none.
    pub least: u32,
    /// The greatest index, or 0 if there is none.
    pub greatest: u32,
    /// The triangles that use a vertex twice.
    pub degenerate: Tally,
}

impl IndexCheck {
    /// Makes a check of indices that refer to `vertices` vertices.
    #[must_use]
    pub fn new(vertices: u32) -> Self {
        Self { vertices, least: u32::MAX, ..Self::default() }
    }

    /// Lets the check find the vertices that no index refers to.
    pub(crate) fn with_unused(mut self, format: &'static str) -> Result<Self> {
        self.used = filled(format, "indices", as_index(self.vertices.div_ceil(64)), 0)?;
        Ok(self)
    }

    /// Sets whether a triangle with three indices 0 is a placeholder, which may be degenerate.
    pub(crate) fn with_placeholders(self, has_placeholders: bool) -> Self {
        Self { has_placeholders, ..self }
    }

    /// Checks the next index.
    #[inline]
    pub fn add(&mut self, index: u32) {
        if index >= self.vertices {
            self.first_beyond = if self.beyond.any() { self.first_beyond } else { index };
            self.beyond.add(self.number, true);
        }
        (self.least, self.greatest) = (self.least.min(index), self.greatest.max(index));
        if let Some(word) = self.used.get_mut(as_index(index / 64)) {
            *word |= 1_u64.wrapping_shl(index % 64);
        }
        let [_, a, b] = self.triangle;
        self.triangle = [a, b, index];
        self.corner = self.corner.wrapping_add(1);
        if self.corner == 3 {
            let is_placeholder = self.has_placeholders && self.triangle == [0; 3];
            self.degenerate.add(self.triangles, (a == b || b == index || index == a) && !is_placeholder);
            self.corner = 0;
            self.triangles = self.triangles.saturating_add(1);
        }
        self.number = self.number.saturating_add(1);
    }

    /// Returns the vertices that no index refers to.
    pub(crate) fn unused(&self) -> Tally {
        let word = |vertex: u32| self.used.get(as_index(vertex / 64)).copied().unwrap_or_default();
        Tally::of(0..self.vertices, |vertex| word(vertex) & 1_u64.wrapping_shl(vertex % 64) == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_a_loop_over_triangles_counts() {
        let indices = [0, 1, 2, 2, 2, 70, 0, 0, 0, 65, 3, 1, 9];
        for has_placeholders in [false, true] {
            let check = IndexCheck::new(66).with_unused("test").unwrap();
            let mut check = check.with_placeholders(has_placeholders);
            for index in indices {
                check.add(index);
            }
            assert_eq!((check.beyond.count, check.beyond.first, check.first_beyond), (1, 5, 70));
            assert_eq!((check.least, check.greatest), (0, 70));
            let degenerate = if has_placeholders { 1 } else { 2 };
            assert_eq!((check.degenerate.count, check.degenerate.first), (degenerate, 1));
            let unused = check.unused();
            assert_eq!((unused.count, unused.first), (60, 4));
        }
    }
}
