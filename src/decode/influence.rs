//! The influence of a bone on a vertex, decoded to a bone number and a weight.

use bytemuck::{Pod, Zeroable};
use zerocopy::little_endian::U16;

use crate::decode::divisor::BY_65535;

/// The influence of one bone on a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Influence {
    /// Index of the bone in the bone list of the file. A damaged file may hold any value.
    pub bone: i32,
    /// The weight of the bone, 0 to 1.
    pub weight: f32,
}

/// Decodes a stored weight to 0..1.
#[inline(always)]
pub(super) fn weight<const FUSED: bool>(raw: U16) -> f32 {
    BY_65535.divide::<FUSED>(f32::from(raw.get()))
}
