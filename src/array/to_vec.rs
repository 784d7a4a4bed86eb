//! Decoding of an array into new memory.

use crate::array::access::Array;
use crate::io;

/// The number of bytes of new memory that are requested and filled at once. They are still in the
/// cache when they are filled, because the operating system has just filled them with zeros.
const NEW_BYTES: usize = 256 << 10;

/// Decodes all items of an array into a new vector.
pub(crate) fn to_vec<A: Array>(array: &A) -> Vec<A::Item> {
    let mut list = bytemuck::zeroed_vec(array.len());
    let step = NEW_BYTES.checked_div(size_of::<A::Item>()).unwrap_or(usize::MAX).max(1);
    for (number, out) in list.chunks_mut(step).enumerate() {
        let start = number.saturating_mul(step);
        if let Some(items) = array.slice(start..start.saturating_add(out.len())) {
            io::populate(out);
            items.fill(out);
        }
    }
    list
}
