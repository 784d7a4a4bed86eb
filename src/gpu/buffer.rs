//! Memory on the stack for the values of a block.

use bytemuck::Pod;

/// `BYTES` bytes that are aligned to a cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Buffer<const BYTES: usize>([u8; BYTES]);

impl<const BYTES: usize> Buffer<BYTES> {
    pub(super) const EMPTY: Self = Self([0; BYTES]);

    /// Returns the first `count` values of the buffer, or `None` if it has room for fewer.
    #[inline]
    pub(super) fn values<V: Pod>(&mut self, count: usize) -> Option<&mut [V]> {
        bytemuck::try_cast_slice_mut(self.0.get_mut(..count.checked_mul(size_of::<V>())?)?).ok()
    }
}
