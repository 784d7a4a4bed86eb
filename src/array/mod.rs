//! Arrays lent from a file's bytes: decoded on access, in bulk, or in chunks.

#[cfg(test)]
pub(crate) mod arbitrary;
mod bounds;
pub(crate) mod chunks;
mod consecutive;
mod corner_array;
pub(crate) mod out_of_range;
mod packed;
pub mod runs;
mod strided;

pub use bounds::{Bounds, Sphere};
pub use chunks::Chunks;
pub use consecutive::Consecutive;
pub use corner_array::CornerArray;
pub use packed::Packed;
pub use strided::Strided;
