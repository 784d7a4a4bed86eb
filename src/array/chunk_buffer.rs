//! A buffer that the nearest cache holds: whatever reads the values in it does not wait for memory.

use bytemuck::Pod;

/// Bytes of a chunk: a sixth of the smallest first-level cache in use. A chunk of the file and one of its converted values
/// fit there too.
pub(crate) const CHUNK_BYTES: usize = 8 << 10;

/// Room for a chunk of values.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct ChunkBuffer([u8; CHUNK_BYTES]);

impl ChunkBuffer {
    pub(crate) const EMPTY: Self = Self([0; CHUNK_BYTES]);

    /// Returns how many values of a type a chunk has: whole cache lines, and at least one; 0 if the type takes no room or
    /// more than there is.
    pub(crate) const fn capacity<V>() -> usize {
        let fits = match CHUNK_BYTES.checked_div(size_of::<V>()) {
            Some(fits) if align_of::<V>() <= align_of::<Self>() => fits,
            _ => 0,
        };
        if fits > 16 { fits.saturating_sub(fits % 16) } else { fits }
    }

    /// Returns the room as values.
    #[inline]
    pub(crate) fn values<V: Pod>(&mut self) -> &mut [V] {
        let bytes = Self::capacity::<V>().saturating_mul(size_of::<V>());
        let room = self.0.get_mut(..bytes).filter(|room| !room.is_empty());
        room.and_then(|room| bytemuck::try_cast_slice_mut(room).ok()).unwrap_or_default()
    }
}
