//! The check of vertex indices.

use super::Tally;
use crate::array::Array as _;
use crate::error::Result;
use crate::math::{as_index, as_u64};
use crate::model::Indices;
use crate::parse::filled;

/// Checks the vertex indices of triangles, in the order of the file.
#[derive(Debug, Default)]
pub struct IndexCheck {
    vertices: u32,
    /// The number of complete triangles.
    triangles: u64,
    /// The first indices of the next triangle, and their number.
    corners: ([u32; 3], u8),
    /// A bit for each vertex that an index refers to. The list is empty if no such vertex is found.
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

    /// Allows degenerate triangles with three indices 0.
    pub(crate) fn with_placeholders(self, has_placeholders: bool) -> Self {
        Self { has_placeholders, ..self }
    }

    /// Checks all indices of an array, after those of earlier arrays.
    pub fn add_all(&mut self, indices: &Indices<'_>) {
        indices.for_each_chunk(|_, chunk| self.add_chunk(chunk));
    }

    /// Checks the next indices.
    pub fn add_chunk(&mut self, indices: &[u32]) {
        let mut indices = indices;
        while self.corners.1 > 0
            && let Some((index, others)) = indices.split_first()
        {
            self.add(*index);
            indices = others;
        }
        let (triangles, rest) = indices.as_chunks::<3>();
        let (mut used, vertices) = (std::mem::take(&mut self.used), self.vertices);
        let (mut least, mut greatest) = (self.least, self.greatest);
        for (number, triangle) in (0..).zip(triangles) {
            let [a, b, c] = *triangle;
            let highest = a.max(b).max(c);
            (least, greatest) = (least.min(a).min(b).min(c), greatest.max(highest));
            if highest >= vertices || a == b || b == c || c == a {
                self.check_triangle(*triangle, self.triangles.saturating_add(number));
            }
            for index in triangle {
                mark(&mut used, *index);
            }
        }
        self.triangles = self.triangles.saturating_add(as_u64(triangles.len()));
        (self.used, self.least, self.greatest) = (used, least, greatest);
        for index in rest {
            self.add(*index);
        }
    }

    /// Checks the next index, which is part of an incomplete triangle.
    fn add(&mut self, index: u32) {
        let (corners, corner) = self.corners;
        self.check_range(self.triangles.saturating_mul(3).saturating_add(corner.into()), index);
        (self.least, self.greatest) = (self.least.min(index), self.greatest.max(index));
        mark(&mut self.used, index);
        let [_, b, c] = corners;
        self.corners = ([b, c, index], corner.saturating_add(1));
        if let (triangle, 3) = self.corners {
            self.check_corners(triangle, self.triangles);
            (self.corners, self.triangles) = (<_>::default(), self.triangles.saturating_add(1));
        }
    }

    fn check_range(&mut self, number: u64, index: u32) {
        if index >= self.vertices {
            self.first_beyond = if self.beyond.any() { self.first_beyond } else { index };
            self.beyond.add(number, true);
        }
    }

    fn check_corners(&mut self, triangle: [u32; 3], number: u64) {
        let ([a, b, c], is_placeholder) = (triangle, self.has_placeholders && triangle == [0; 3]);
        self.degenerate.add(number, (a == b || b == c || c == a) && !is_placeholder);
    }

    /// Counts the faults of a triangle.
    #[cold]
    fn check_triangle(&mut self, triangle: [u32; 3], number: u64) {
        for (corner, index) in (number.saturating_mul(3)..).zip(triangle) {
            self.check_range(corner, index);
        }
        self.check_corners(triangle, number);
    }

    /// Returns the vertices that no index refers to.
    pub(crate) fn unused(&self) -> Tally {
        let word = |vertex: u32| self.used.get(as_index(vertex / 64)).copied().unwrap_or_default();
        Tally::of(0..self.vertices, |vertex| word(vertex) & 1_u64.wrapping_shl(vertex % 64) == 0)
    }
}

fn mark(used: &mut [u64], index: u32) {
    if let Some(word) = used.get_mut(as_index(index / 64)) {
        *word |= 1_u64.wrapping_shl(index % 64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_a_loop_over_triangles_counts() {
        let indices = [0, 1, 2, 2, 2, 70, 0, 0, 0, 65, 3, 1, 9];
        for (size, has_placeholders) in (1..14).flat_map(|size| [(size, false), (size, true)]) {
            let check = IndexCheck::new(66).with_unused("test").unwrap();
            let mut check = check.with_placeholders(has_placeholders);
            for chunk in indices.chunks(size) {
                check.add_chunk(chunk);
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
