//! A buffer for a chunk of decoded values that fits in the first-level cache of the processor.
//! Reading values from the first-level cache does not wait for main memory.

use bytemuck::Pod;

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
