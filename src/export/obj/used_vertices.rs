//! Finds the vertices that triangles use: the others are not written.

use crate::error::Result;
use crate::math::as_index;
use crate::parse::filled;

/// The vertices of a pool that triangles use, numbered without the others.
pub(super) struct UsedVertices {
    /// A bit for each vertex.
    words: Vec<u64>,
    /// The number of used vertices before each word. Empty if all vertices are used.
    before: Vec<u32>,
    vertices: usize,
}

impl UsedVertices {
    /// Makes a set for a pool of `vertices` vertices, of which none is used.
    pub(super) fn new(vertices: usize) -> Result<Self> {
        let words = filled("scene", "vertices", vertices.div_ceil(64), 0_u64)?;
        Ok(Self { words, before: Vec::new(), vertices })
    }

    /// Adds a vertex.
    pub(super) fn add(&mut self, vertex: u32) {
        let word = self.words.get_mut(as_index(vertex / 64)).filter(|_| as_index(vertex) < self.vertices);
        if let Some(word) = word {
            *word |= 1_u64.wrapping_shl(vertex % 64);
        }
    }

    /// Numbers the used vertices, after all are added.
    pub(super) fn number(&mut self) -> Result<()> {
        if self.count() == self.vertices {
            self.words = Vec::new();
            return Ok(());
        }
        self.before = filled("scene", "vertices", self.words.len(), 0)?;
        let mut sum = 0_u32;
        for (before, word) in self.before.iter_mut().zip(&self.words) {
            *before = sum;
            sum = sum.saturating_add(word.count_ones());
        }
        Ok(())
    }

    fn count(&self) -> usize {
        self.words.iter().map(|word| as_index(word.count_ones())).fold(0, usize::saturating_add)
    }

    /// Returns the number of used vertices.
    pub(super) fn len(&self) -> usize {
        if self.before.is_empty() { self.vertices } else { self.count() }
    }

    /// Returns the number of a used vertex among the used ones, or `None` if the vertex is not
    /// used.
    pub(super) fn get(&self, vertex: u32) -> Option<u32> {
        if self.before.is_empty() {
            return Some(vertex);
        }
        let (word, bit) = (self.words.get(as_index(vertex / 64))?, 1_u64.wrapping_shl(vertex % 64));
        let before = (word & bit.wrapping_sub(1)).count_ones();
        (word & bit != 0).then(|| self.before.get(as_index(vertex / 64)).map(|all| all.saturating_add(before)))?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_the_used_vertices() {
        let mut used = UsedVertices::new(200).unwrap();
        let vertices = [0, 1, 63, 64, 130, 199];
        vertices.iter().rev().for_each(|vertex| used.add(*vertex));
        used.add(200);
        used.number().unwrap();
        assert_eq!(vertices.map(|vertex| used.get(vertex)), [0, 1, 2, 3, 4, 5].map(Some));
        assert_eq!((used.len(), [2, 65, 198, 256].map(|vertex| used.get(vertex))), (6, [None; 4]));
        let mut all = UsedVertices::new(3).unwrap();
        (0..3).for_each(|vertex| all.add(vertex));
        all.number().unwrap();
        assert_eq!((all.len(), all.get(2)), (3, Some(2)));
    }
}
