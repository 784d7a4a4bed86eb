//! A buffer for a chunk of values that fits in the first-level cache. Reading values from there
//! does not wait for main memory.

use bytemuck::Pod;

/// Size of a chunk in bytes: a quarter of a first-level cache of 32 KiB.
///
/// The first-level cache then also has room for the chunk's raw bytes of the file and for a chunk
/// of converted values.
pub(crate) const CHUNK_BYTES: usize = 8 << 10;

/// A buffer for one chunk of values, aligned to a cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct ChunkBuffer([u8; CHUNK_BYTES]);

impl ChunkBuffer {
    pub(crate) const EMPTY: Self = Self([0; CHUNK_BYTES]);

    /// Returns the number of values of type `V` in a chunk.
    ///
    /// If more than 16 values fit, the number is a multiple of 16, which makes the values fill
    /// whole cache lines. Returns 0 if the size of `V` is 0 or larger than a chunk.
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
