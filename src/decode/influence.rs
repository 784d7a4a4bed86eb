//! A decoded influence of a bone on a vertex.

use bytemuck::{Pod, Zeroable};
use zerocopy::little_endian::U16;

use crate::decode::divisor::BY_65535;

/// How much one bone moves a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Influence {
    /// The bone's number in the file's list; a damaged file may hold any.
    pub bone: i32,
    /// Its weight, 0 to 1.
    pub weight: f32,
}

/// Decodes a weight.
#[inline(always)]
pub(super) fn weight<const FUSED: bool>(raw: U16) -> f32 {
    BY_65535.divide::<FUSED>(f32::from(raw.get()))
}
