//! Arrays of a surface, each in one of the encodings that formats have for it.
//!
//! The encoding is an `enum`, matched once per array where it matters: [`for_each`](Array::for_each) and
//! [`decode_into`](Array::decode_into) match first and loop inside. The [`Packed`] array within each variant can be used as
//! it is; `get` matches on each call.

use std::ops::Range;

use zerocopy::little_endian::{U16, U32};

use crate::array::out_of_range::first_out_of_range;
use crate::array::{Array, ArrayIter, Bounds, Consecutive, CornerArray, Packed, Strided};
use crate::decode::{
    Argb8, EndianFloats, EndianIndex, Floats, Index, Influence, Influence3, Influence4, MinMax16, NormalOf, Packed32,
    Packed64, PolygonIndices, PolygonUvs, Quat7, Quat8, TangentFrame, Unit16, Unorm8,
};
use crate::error::Result;
use crate::model::fixed_influences::FixedInfluences;

/// Evaluates `$body` with the array inside an `Indices`. The encoding is matched here, once.
macro_rules! with_width {
    ($indices:expr, $array:ident => $body:expr) => {
        match $indices {
            Indices::U8($array) => $body,
            Indices::U16($array) => $body,
            Indices::U32($array) => $body,
            Indices::Polygon($array) => $body,
            Indices::Consecutive($array) => $body,
            Indices::Endian($array) => $body,
        }
    };
}
pub(super) use with_width;

/// Declares an enum of arrays in several encodings, and implements [`Array`] for it.
macro_rules! array_enum {
    ($(#[$doc:meta])* $name:ident of $value:ty { $($(#[$variant_doc:meta])* $variant:ident($array:ty),)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        #[non_exhaustive]
        pub enum $name<'a> {
            $($(#[$variant_doc])* $variant($array),)+
        }

        impl Array for $name<'_> {
            type Item = $value;

            #[inline]
            fn len(&self) -> usize {
                match self { $(Self::$variant(array) => array.len(),)+ }
            }

            #[inline]
            fn get(&self, index: usize) -> Option<$value> {
                match self { $(Self::$variant(array) => array.get(index),)+ }
            }

            fn slice(&self, range: Range<usize>) -> Option<Self> {
                match self { $(Self::$variant(array) => array.slice(range).map(Self::$variant),)+ }
            }

            fn as_bytes<'b>(&self) -> &'b [u8]
            where
                Self: 'b,
            {
                match self { $(Self::$variant(array) => array.as_bytes(),)+ }
            }

            fn byte_offset(&self, index: usize) -> usize {
                match self { $(Self::$variant(array) => array.byte_offset(index),)+ }
            }

            #[inline]
            fn fold<B, F: FnMut(B, $value) -> B>(&self, first: B, fold: F) -> B {
                match self { $(Self::$variant(array) => array.fold(first, fold),)+ }
            }

            fn fill(&self, out: &mut [$value]) {
                match self { $(Self::$variant(array) => array.fill(out),)+ }
            }

            fn decode_into(&self, out: &mut [$value]) -> Result<()> {
                match self { $(Self::$variant(array) => array.decode_into(out),)+ }
            }

            fn for_each_chunk(&self, visit: impl FnMut(usize, &mut [$value])) {
                match self { $(Self::$variant(array) => array.for_each_chunk(visit),)+ }
            }
        }

        #[allow(clippy::into_iter_without_iter, reason = "`Array` has it")]
        impl<'a> IntoIterator for &$name<'a> {
            type Item = $value;
            type IntoIter = ArrayIter<$name<'a>>;

            #[inline]
            fn into_iter(self) -> ArrayIter<$name<'a>> {
                ArrayIter::new(*self)
            }
        }
    };
}

array_enum! {
    /// Positions: x, y, z in scene units; of Unreal meshes in the file's own steps, until they are placed.
    Positions of [f32; 3] {
        /// Three floats.
        F32(Packed<'a, Floats<3>>),
        /// Whole numbers of 11, 11 and 10 bits.
        Packed32(Packed<'a, Packed32>),
        /// Whole numbers of 16 bits each.
        Packed64(Packed<'a, Packed64>),
        /// Codes of 16 bits each, over the box that the surface's file gives.
        MinMax16(Packed<'a, MinMax16<3>>),
        /// Three floats, apart from each other.
        Strided(Strided<'a, EndianFloats<3>>),
    }
}

impl Positions<'_> {
    /// Returns the box around all positions as [`Array::bounds`] does, by the kernel of the encoding.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        match self {
            Self::F32(array) => array.bounds(),
            Self::Packed32(array) => array.bounds(),
            Self::Packed64(array) => array.bounds(),
            Self::MinMax16(array) => array.bounds(),
            Self::Strided(array) => array.bounds(),
        }
    }
}

array_enum! {
    /// Tangent frames.
    TangentFrames of TangentFrame {
        /// A quaternion in eight bytes.
        Quat8(Packed<'a, Quat8>),
        /// A quaternion in seven bytes.
        Quat7(Packed<'a, Quat7>),
    }
}

array_enum! {
    /// Normals, without the rest of a tangent frame: unit length, or nearly so where each component was rounded.
    Normals of [f32; 3] {
        /// The normal of a quaternion in eight bytes.
        Quat8(Packed<'a, NormalOf<Quat8>>),
        /// The normal of a quaternion in seven bytes.
        Quat7(Packed<'a, NormalOf<Quat7>>),
        /// Three codes of 16 bits each.
        Unit16(Packed<'a, Unit16>),
        /// Three floats.
        F32(Packed<'a, Floats<3>>),
        /// Three floats, apart from each other.
        Strided(Strided<'a, EndianFloats<3>>),
    }
}

impl<'a> From<TangentFrames<'a>> for Normals<'a> {
    fn from(frames: TangentFrames<'a>) -> Self {
        match frames {
            TangentFrames::Quat8(array) => Self::Quat8(Packed::new(array.raw(), NormalOf(Quat8))),
            TangentFrames::Quat7(array) => Self::Quat7(Packed::new(array.raw(), NormalOf(Quat7))),
        }
    }
}

array_enum! {
    /// The influences of bones on one vertex.
    Influences of Influence {
        /// Four bytes each.
        Influence4(Packed<'a, Influence4>),
        /// Three bytes each.
        Influence3(Packed<'a, Influence3>),
        /// Four places in each vertex.
        Fixed(FixedInfluences),
    }
}

impl Influences<'_> {
    /// Returns the stored numbers of influence `index`, where the weight is one: the bone's, and its weight of 65535.
    #[must_use]
    pub fn raw(&self, index: usize) -> Option<(i16, u16)> {
        match self {
            Self::Influence4(array) => array.raw().get(index).map(|raw| (raw.bone.get(), raw.weight.get())),
            Self::Influence3(array) => array.raw().get(index).map(|raw| (raw.bone.into(), raw.weight.get())),
            Self::Fixed(_) => None,
        }
    }
}

array_enum! {
    /// Texture coordinates: u to the right, v downwards, 1 is the image's size.
    Uvs of [f32; 2] {
        /// Two floats.
        F32(Packed<'a, Floats<2>>),
        /// Two bytes, of which 255 is the image's size, in the record of a triangle.
        Polygon255(CornerArray<'a, PolygonUvs<255>>),
        /// Two bytes, of which 256 would be the image's size, in the record of a triangle.
        Polygon256(CornerArray<'a, PolygonUvs<256>>),
        /// Codes of 16 bits each, over an interval that the surface's file gives.
        MinMax16(Packed<'a, MinMax16<2>>),
        /// Two floats, apart from each other.
        Strided(Strided<'a, EndianFloats<2>>),
    }
}

impl Uvs<'_> {
    /// Returns the stored bytes of item `index`, where two bytes are what is stored.
    #[must_use]
    pub fn raw_bytes(&self, index: usize) -> Option<[u8; 2]> {
        let (polygon, corner) = match self {
            Self::F32(_) | Self::MinMax16(_) | Self::Strided(_) => return None,
            Self::Polygon255(array) => array.raw(index)?,
            Self::Polygon256(array) => array.raw(index)?,
        };
        polygon.uvs.get(corner).copied()
    }
}

array_enum! {
    /// Vertex colours: red, green, blue, alpha, 0 to 1, in the space that the file's author meant.
    Colors of [f32; 4] {
        /// Four bytes.
        Unorm8(Packed<'a, Unorm8<4>>),
        /// A word of alpha, red, green and blue, from the highest byte down.
        Argb8(Packed<'a, Argb8>),
        /// Such words, apart from each other.
        Strided(Strided<'a, Argb8>),
    }
}

array_enum! {
    /// Indices. One that is out of range is only found by using it.
    Indices of u32 {
        /// One byte each.
        U8(Packed<'a, Index<u8>>),
        /// Two bytes each.
        U16(Packed<'a, Index<U16>>),
        /// Four bytes each; negative ones widen to numbers that are out of any range.
        U32(Packed<'a, Index<U32>>),
        /// Two bytes each, in the record of a triangle.
        Polygon(CornerArray<'a, PolygonIndices>),
        /// Four bytes each, in the byte order that the file says.
        Endian(Packed<'a, EndianIndex>),
        /// Each its own number, and not stored: of attributes that stand one to a corner.
        Consecutive(Consecutive),
    }
}

impl Indices<'_> {
    /// Returns the first index that is not below `count`, with its position in the stream.
    #[must_use]
    pub fn first_out_of_range(&self, count: u32) -> Option<(usize, u32)> {
        fn find(indices: impl Iterator<Item = u32>, count: u32) -> Option<(usize, u32)> {
            indices.enumerate().find(|(_, index)| *index >= count)
        }
        match self {
            Self::U8(array) => first_out_of_range(array.raw(), count),
            Self::U16(array) => first_out_of_range(array.raw(), count),
            Self::U32(array) => first_out_of_range(array.raw(), count),
            Self::Polygon(array) => find(array.iter(), count),
            Self::Consecutive(array) => find(array.iter(), count),
            Self::Endian(array) => find(array.iter(), count),
        }
    }
}
