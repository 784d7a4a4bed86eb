//! Arrays that are borrowed from the bytes of a file. The items of an array are decoded one at a
//! time, all together, or in chunks.

mod access;
#[cfg(test)]
pub(crate) mod arbitrary;
pub(crate) mod bounds;
pub(crate) mod bulk;
pub(crate) mod chunk_buffer;
mod consecutive;
mod corner_array;
pub(crate) mod out_of_range;
mod packed;
pub mod runs;
mod strided;

pub use access::{Array, ArrayIter, Chunks};
pub use bounds::{Bounds, Sphere};
pub use consecutive::Consecutive;
pub use corner_array::CornerArray;
pub use packed::Packed;
pub use strided::Strided;
