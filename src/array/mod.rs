//! Arrays that are borrowed from the bytes of a file. The items of an array are decoded one at a
//! time, all together, or in chunks.

pub(crate) mod access;
#[cfg(test)]
pub(crate) mod arbitrary;
pub(crate) mod bounds;
pub(crate) mod bulk;
mod consecutive;
mod corner_array;
pub(crate) mod gather;
pub(crate) mod iter;
pub(crate) mod out_of_range;
mod packed;
#[cfg(feature = "rayon")]
mod par_iter;
pub(crate) mod rebase;
#[cfg(feature = "internals")]
pub mod runs;
#[cfg(not(feature = "internals"))]
pub(crate) mod runs;
mod strided;

pub use access::Array;
pub use bounds::{Bounds, Sphere};
pub use bulk::Chunks;
pub use iter::ArrayIter;

internal_use!(consecutive::Consecutive, corner_array::CornerArray, packed::Packed, strided::Strided);
