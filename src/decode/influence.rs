//! The decoded influence of a bone on a vertex: a bone index and a weight.

use bytemuck::{Pod, Zeroable};
use zerocopy::little_endian::U16;

use crate::decode::divisor::BY_65535;

/// The influence of one bone on a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Influence {
    /// Index of the bone in the array of bones in the file. The bone index is not checked: in a
    /// damaged file, it may be negative or too large.
    pub bone: i32,
    /// The weight with which the bone moves the vertex, 0 to 1.
    pub weight: f32,
}

/// Decodes a stored 16-bit weight to a float in 0 to 1.
#[inline(always)]
pub(super) fn weight<const FUSED: bool>(raw: U16) -> f32 {
    BY_65535.divide::<FUSED>(f32::from(raw.get()))
}
