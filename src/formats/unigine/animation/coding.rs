//! The three encodings of animation keys. A key stores the transform of one bone at one animation
//! frame.

use zerocopy::little_endian::{F32, I16, U16};

use crate::decode::OffsetScale16;
use crate::error::debug::{items, short_debug};
use crate::model::Transform;
use crate::parse::Record;

/// The encoding of the keys of an animation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Coding {
    /// The encoding of embedded animations: components are floats. A component that a key does not
    /// store keeps its value from the previous animation frame.
    Changes,
    /// The encoding of an10: positions and scales are 16-bit codes, relative to a quantization box
    /// for positions and a quantization box for scales. A component that a key does not store keeps
    /// its value from the previous animation frame.
    Quantized([OffsetScale16; 2]),
    /// The encoding of an11 to an13: components are floats. A component that a key does not store
    /// has its default value.
    Whole,
}

/// The key of one bone at one animation frame: the flags, and the raw bytes of the components that
/// the flags mark as stored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct AnimationKey<'a> {
    /// The flags of the key: each set bit means that the key stores a component.
    pub flags: u8,
    /// The bytes of the components that the key stores, in the order of their flag bits.
    pub components: &'a [u8],
    /// Offset of the flags byte, in bytes from the start of the file.
    pub offset: u64,
}

short_debug!(AnimationKey<'_>: |key| { flags: key.flags, components: items(key.components), offset: key.offset });

/// For each value of the flags byte of a key, the number of component bytes that follow the flags.
pub(super) type Sizes = [u8; 256];

/// Returns, for each value of the flags byte, the total component size of a key that stores each
/// axis of a position or scale as a separate component of `width` bytes.
#[allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "evaluated by the compiler: at most 6 * 4 + 8 bytes for flags of 8 bits"
)]
const fn sizes_by_axis(width: u32) -> Sizes {
    let mut sizes = [0; 256];
    let mut flags = 0_usize;
    while flags < 256 {
        let axes = (flags & 0x77).count_ones();
        sizes[flags] = (axes * width) as u8 + (flags & 8) as u8;
        flags += 1;
    }
    sizes
}

/// Returns, for each value of the flags byte, the total component size of a key that stores whole
/// vectors: 12 bytes for a position, 16 bytes for a rotation and 12 bytes for a scale.
#[allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "evaluated by the compiler: at most 40 bytes for flags of 8 bits"
)]
const fn sizes_whole() -> Sizes {
    let mut sizes = [0; 256];
    let mut flags = 0_usize;
    while flags < 256 {
        sizes[flags] = ((flags & 1) * 12 + (flags & 2) * 8 + (flags & 4) * 3) as u8;
        flags += 1;
    }
    sizes
}

static CHANGES: Sizes = sizes_by_axis(4);
static QUANTIZED: Sizes = sizes_by_axis(2);
static WHOLE: Sizes = sizes_whole();

impl Coding {
    /// Returns a mask of the flag bits of a key that have no known meaning in this encoding.
    #[must_use]
    pub const fn unknown(&self) -> u8 {
        match self {
            Self::Changes | Self::Quantized(_) => 0x80,
            Self::Whole => 0xf8,
        }
    }

    /// Returns whether a component that a key does not store keeps its value from the previous
    /// animation frame.
    #[must_use]
    pub const fn is_delta(&self) -> bool {
        !matches!(self, Self::Whole)
    }

    /// Returns the number of component bytes that follow the flags byte of a key with the given
    /// flags.
    #[must_use]
    pub fn key_size(&self, flags: u8) -> u64 {
        self.sizes().get(usize::from(flags)).copied().unwrap_or_default().into()
    }

    /// Returns the table of the total component size of a key for all 256 values of its flags byte.
    ///
    /// A scan of many keys calls `sizes` once to get the table, instead of once per key.
    pub(super) const fn sizes(&self) -> &'static Sizes {
        match self {
            Self::Changes => &CHANGES,
            Self::Quantized(_) => &QUANTIZED,
            Self::Whole => &WHOLE,
        }
    }

    /// Replaces components of the transform `bone` by the decoded components of a key.
    #[inline]
    pub(crate) fn apply(&self, flags: u8, components: &[u8], bone: &mut Transform) {
        match self {
            Self::Changes => {
                let float = |rest: &mut _| take(rest).map(F32::get);
                apply_axes(flags, components, bone, |_, rest| float(rest), |_, rest| float(rest));
            }
            Self::Quantized([positions, scales]) => {
                let code = |rest: &mut _| take(rest).map(U16::get);
                apply_axes(
                    flags,
                    components,
                    bone,
                    |axis, rest| Some(positions.component(axis, code(rest)?)),
                    |axis, rest| Some(scales.component(axis, code(rest)?)),
                );
            }
            Self::Whole => {
                let mut rest = components;
                // In an11 to an13, most keys store a position and a rotation, and no scale.
                if flags & 7 == 3
                    && let Some([x, y, z, turn @ ..]) = take::<[F32; 7]>(&mut rest)
                {
                    bone.position = [x, y, z].map(F32::get);
                    bone.rotation = turn.map(F32::get);
                    return;
                }
                read(flags & 1, &mut rest, &mut bone.position);
                read(flags & 2, &mut rest, &mut bone.rotation);
                read(flags & 4, &mut rest, &mut bone.scale);
            }
        }
    }
}

/// Converts an i16 component of a key's rotation quaternion to a float from -1 to 1.
#[inline]
fn unit(component: I16) -> f32 {
    f32::from(component.get()) / 32767.0
}

/// Removes one component from the start of a key's remaining bytes, and returns it. Returns `None`
/// if the key has too few remaining bytes for the component.
#[inline]
pub(super) fn take<T: Record + Copy>(rest: &mut &[u8]) -> Option<T> {
    let (value, after) = T::read_from_prefix(rest).ok()?;
    *rest = after;
    Some(value)
}

/// Reads the position, rotation or scale of a key into `out`, if `flag` is not 0.
#[inline]
fn read<const N: usize>(flag: u8, rest: &mut &[u8], out: &mut [f32; N]) {
    if flag != 0
        && let Some(floats) = take::<[F32; N]>(rest)
    {
        *out = floats.map(F32::get);
    }
}

#[inline]
fn apply_axes<'k>(
    flags: u8,
    components: &'k [u8],
    bone: &mut Transform,
    position: impl Fn(usize, &mut &'k [u8]) -> Option<f32>,
    scale: impl Fn(usize, &mut &'k [u8]) -> Option<f32>,
) {
    let mut rest = components;
    // In embedded animations and an10, most keys store only a rotation.
    if flags == 8 {
        if let Some(rotation) = take::<[I16; 4]>(&mut rest) {
            bone.rotation = rotation.map(unit);
        }
        return;
    }
    for (axis, (bit, out)) in [1, 2, 4].into_iter().zip(&mut bone.position).enumerate() {
        if flags & bit != 0
            && let Some(value) = position(axis, &mut rest)
        {
            *out = value;
        }
    }
    if flags & 8 != 0
        && let Some(rotation) = take::<[I16; 4]>(&mut rest)
    {
        bone.rotation = rotation.map(unit);
    }
    for (axis, (bit, out)) in [0x10, 0x20, 0x40].into_iter().zip(&mut bone.scale).enumerate() {
        if flags & bit != 0
            && let Some(value) = scale(axis, &mut rest)
        {
            *out = value;
        }
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "small whole numbers are exact")]
mod tests {
    use super::*;

    #[test]
    fn sizes_follow_the_flags() {
        let boxed = OffsetScale16 { min: [0.0; 3], size: [65535.0; 3] };
        let quantized = Coding::Quantized([boxed; 2]);
        for (flags, changes, codes) in [(0, 0, 0), (1, 4, 2), (7, 12, 6), (15, 20, 14), (0x77, 24, 12), (0x7f, 32, 20)]
        {
            assert_eq!((Coding::Changes.key_size(flags), quantized.key_size(flags)), (changes, codes), "{flags:#x}");
            assert_eq!(Coding::Changes.key_size(flags | 0x80), changes);
        }
        for (flags, whole) in [(0, 0), (1, 12), (2, 16), (3, 28), (4, 12), (7, 40), (0xf8, 0), (0xff, 40)] {
            assert_eq!(Coding::Whole.key_size(flags), whole, "{flags:#x}");
        }
    }

    #[test]
    fn applies_only_what_is_there() {
        // `Coding::apply` has a separate code path, which is tested here, for the most common keys
        // of an11 to an13: a position and a rotation.
        let floats: Vec<u8> = (1..8_u8).flat_map(|value| f32::from(value).to_le_bytes()).collect();
        let mut bone = Transform::default();
        Coding::Whole.apply(3, &floats, &mut bone);
        assert_eq!((bone.position, bone.rotation), ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]));
        let boxed = OffsetScale16 { min: [0.0; 3], size: [65535.0; 3] };
        let mut bone = Transform { position: [9.0; 3], ..Transform::default() };
        Coding::Quantized([boxed; 2]).apply(0x42, &[5, 0, 7, 0], &mut bone);
        assert_eq!((bone.position, bone.scale), ([9.0, 5.0, 9.0], [1.0, 1.0, 7.0]));
        Coding::Changes.apply(8, &[0, 0, 0, 0, 0xff, 0x7f, 0, 0], &mut bone);
        assert_eq!(bone.rotation, [0.0, 0.0, 1.0, 0.0]);
        // Applying a key that ends within its first component leaves the transform unchanged. A
        // truncated key can occur if another process changes the mapped file.
        Coding::Changes.apply(0x0f, &[0, 0], &mut bone);
        assert_eq!(bone.position, [9.0, 5.0, 9.0]);
    }
}
