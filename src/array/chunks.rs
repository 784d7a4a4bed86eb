//! The items of an array in chunks that stay in the nearest cache of the processor.

use std::fmt;

use crate::array::access::Array;
use crate::array::chunk_buffer::ChunkBuffer;

/// Decodes the items of an array in chunks of up to 8 KiB.
///
/// Each chunk is borrowed from the buffer of this `Chunks` value until the next chunk is decoded.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::Array;
///
/// let mesh = meshpeek::open("data/unigine/cube_ms13.mesh")?;
/// let mut chunks = mesh.surface(0)?.indices()?.chunks();
/// let mut count = 0;
/// while let Some(values) = chunks.next() {
///     count += values.len();
/// }
/// assert_eq!(count, 36);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Chunks<A> {
    rest: A,
    buffer: ChunkBuffer,
}

impl<A: Array> fmt::Debug for Chunks<A> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Chunks").field("remaining", &self.remaining()).finish_non_exhaustive()
    }
}

impl<A: Array> Chunks<A> {
    #[inline]
    pub(super) const fn new(array: A) -> Self {
        Self { rest: array, buffer: ChunkBuffer::EMPTY }
    }

    /// Returns the number of items that the method `next` has not decoded yet.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Decodes the next chunk of items, or returns `None` after the last chunk.
    ///
    /// All chunks have the same number of items, except that the last chunk may be shorter.
    #[allow(clippy::should_implement_trait, reason = "an `Iterator` cannot return items that borrow from it")]
    pub fn next(&mut self) -> Option<&mut [A::Item]> {
        let room = self.buffer.values();
        let count = self.rest.len().min(room.len());
        let (chunk, rest) = (self.rest.slice(0..count)?, self.rest.slice(count..self.rest.len())?);
        let items = room.get_mut(..count).filter(|items| !items.is_empty())?;
        self.rest = rest;
        chunk.fill(items);
        Some(items)
    }
}
