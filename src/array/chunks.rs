//! The items of an array in chunks that fit in the first-level cache of the processor. Reading
//! values from this cache does not wait for main memory.

use std::fmt;

use bytemuck::Pod;

use crate::array::access::Array;

/// Maximum size of a chunk of values in bytes: a quarter of a first-level cache of 32 KiB.
///
/// The other three quarters of the first-level cache have room for the encoded bytes of the chunk
/// and for a chunk of converted values.
pub(crate) const CHUNK_BYTES: usize = 8 << 10;

/// A buffer for one chunk of values, aligned to a cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct ChunkBuffer([u8; CHUNK_BYTES]);

impl ChunkBuffer {
    pub(crate) const EMPTY: Self = Self([0; CHUNK_BYTES]);

    /// Returns the maximum number of values of type `V` in a chunk.
    ///
    /// If more than 16 values fit in a chunk, the returned number is a multiple of 16, because 16
    /// values usually fill whole cache lines of 64 bytes. Returns 0 if the size of `V` is 0 or more
    /// than 8 KiB.
    pub(crate) const fn capacity<V>() -> usize {
        let fits = match CHUNK_BYTES.checked_div(size_of::<V>()) {
            Some(fits) if align_of::<V>() <= align_of::<Self>() => fits,
            _ => 0,
        };
        if fits > 16 { fits.saturating_sub(fits % 16) } else { fits }
    }

    /// Returns the whole buffer as a mutable slice of values of type `V`.
    #[inline]
    pub(crate) fn values<V: Pod>(&mut self) -> &mut [V] {
        let bytes = Self::capacity::<V>().saturating_mul(size_of::<V>());
        let room = self.0.get_mut(..bytes).filter(|room| !room.is_empty());
        room.and_then(|room| bytemuck::try_cast_slice_mut(room).ok()).unwrap_or_default()
    }
}

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

    internal_fn! {
        /// Returns the number of items that the method `next` has not decoded yet.
        #[must_use]
        fn remaining(&self) -> usize {
            self.rest.len()
        }
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
