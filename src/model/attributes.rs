//! The array types of a surface. Each type is an enum with one variant for each encoding that the
//! file formats use for the array.
//!
//! The methods [`for_each`](Array::for_each) and [`decode_into`](Array::decode_into) match the
//! variant of the enum once and then loop over the items. The method `get` matches the variant of
//! the enum on each call. To call `get` many times without matching the variant each time, match
//! the variant once and use the [`Packed`] array inside the variant.

use std::fmt;
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

/// Evaluates `$body` with the array inside a variant of `Indices`. The variant is matched once,
/// before `$body` is evaluated.
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
        #[derive(Clone, Copy)]
        #[non_exhaustive]
        pub enum $name<'a> {
            $($(#[$variant_doc])* $variant($array),)+
        }

        impl fmt::Debug for $name<'_> {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { $(Self::$variant(array) => write!(out, "{}({array:?})", stringify!($variant)),)+ }
            }
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
    /// Positions: x, y, z as stored in the file.
    ///
    /// [`Space`](crate::model::Space) contains the axes, the unit and the placement of the
    /// positions. Some meshes are placed by a scale and an origin outside the mesh, such as in a
    /// script.
    Positions of [f32; 3] {
        /// Three floats for each position.
        F32(Packed<'a, Floats<3>>),
        /// Three integers of 11, 11 and 10 bits for each position.
        Packed32(Packed<'a, Packed32>),
        /// Three 16-bit integers for each position.
        Packed64(Packed<'a, Packed64>),
        /// Three 16-bit integers for each position. The values 0 to 65535 are mapped linearly to
        /// the extent of a bounding box that the file stores.
        MinMax16(Packed<'a, MinMax16<3>>),
        /// Three floats for each position, in vertex records with a fixed stride.
        Strided(Strided<'a, EndianFloats<3>>),
    }
}

impl Positions<'_> {
    /// Returns the bounding box of all positions, computed with the fastest code for the encoding
    /// of the positions.
    ///
    /// `Positions::bounds` returns the same bounding box as [`Array::bounds`].
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
    /// Tangent frames, one for each attribute vertex.
    TangentFrames of TangentFrame {
        /// A tangent frame as a quaternion in eight bytes.
        Quat8(Packed<'a, Quat8>),
        /// A tangent frame as a quaternion in seven bytes.
        Quat7(Packed<'a, Quat7>),
    }
}

array_enum! {
    /// Normals, which are stored as vectors or decoded from tangent frames.
    ///
    /// The normals have unit length, or nearly unit length if the file stores rounded components.
    Normals of [f32; 3] {
        /// The normal of a tangent frame that is stored as a quaternion in eight bytes.
        Quat8(Packed<'a, NormalOf<Quat8>>),
        /// The normal of a tangent frame that is stored as a quaternion in seven bytes.
        Quat7(Packed<'a, NormalOf<Quat7>>),
        /// Three 16-bit integers for each normal.
        Unit16(Packed<'a, Unit16>),
        /// Three floats for each normal.
        F32(Packed<'a, Floats<3>>),
        /// Three floats for each normal, in vertex records with a fixed stride.
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
    /// The influences on one vertex: the bones that move the vertex, with their weights.
    Influences of Influence {
        /// Records of four bytes: a bone index and a weight.
        Influence4(Packed<'a, Influence4>),
        /// Records of three bytes: a bone index and a weight.
        Influence3(Packed<'a, Influence3>),
        /// Influences from the four slots of a vertex, with the weights already decoded to floats.
        Fixed(FixedInfluences),
    }
}

impl Influences<'_> {
    /// Returns the stored integers of influence `index`: the bone index, and the weight multiplied
    /// by 65535.
    ///
    /// Returns `None` if the format stores weights as floats, or if the index is out of range.
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
    /// Texture coordinates: u points to the right, and 1 is the width or height of the image.
    /// [`Space::uv_origin`](crate::model::Space) is the direction of v.
    Uvs of [f32; 2] {
        /// Two floats for each texture coordinate.
        F32(Packed<'a, Floats<2>>),
        /// Two bytes of UV for each triangle corner, in the record of the triangle. The byte value
        /// 255 is decoded to the coordinate 1.
        Polygon255(CornerArray<'a, PolygonUvs<255>>),
        /// Two bytes of UV for each triangle corner, in the record of the triangle. A byte is
        /// decoded to its value divided by 256, so the greatest coordinate is 255 / 256.
        Polygon256(CornerArray<'a, PolygonUvs<256>>),
        /// Two 16-bit integers for each texture coordinate. The values 0 to 65535 are mapped
        /// linearly to an interval that the file stores.
        MinMax16(Packed<'a, MinMax16<2>>),
        /// Two floats for each texture coordinate, in vertex records with a fixed stride.
        Strided(Strided<'a, EndianFloats<2>>),
    }
}

impl Uvs<'_> {
    /// Returns the two stored bytes of texture coordinate `index`.
    ///
    /// Returns `None` if the format does not store a texture coordinate in two bytes, or if the
    /// index is out of range.
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
    /// Vertex colours: red, green, blue, alpha, each 0 to 1, in the colour space that the author of
    /// the file used.
    Colors of [f32; 4] {
        /// Four bytes for each colour, in the order red, green, blue, alpha.
        Unorm8(Packed<'a, Unorm8<4>>),
        /// One 32-bit word for each colour: alpha, red, green and blue, from the highest byte to
        /// the lowest.
        Argb8(Packed<'a, Argb8>),
        /// One 32-bit word for each colour: alpha, red, green and blue, in vertex records with a
        /// fixed stride.
        Strided(Strided<'a, Argb8>),
    }
}

array_enum! {
    /// Indices of vertices. Reading a vertex index does not check whether it is in range; reading
    /// the indexed array does.
    Indices of u32 {
        /// Indices of one byte each.
        U8(Packed<'a, Index<u8>>),
        /// Indices of two bytes each.
        U16(Packed<'a, Index<U16>>),
        /// Indices of four bytes each. A negative index is decoded as a number above 2,147,483,647,
        /// which is out of range.
        U32(Packed<'a, Index<U32>>),
        /// One index of two bytes for each triangle corner, in the record of the triangle.
        Polygon(CornerArray<'a, PolygonIndices>),
        /// Indices of four bytes each, in the byte order of the file.
        Endian(Packed<'a, EndianIndex>),
        /// The indices 0, 1, 2 and so on, which are not stored in the file. With consecutive
        /// indices, no two corners share an attribute vertex.
        Consecutive(Consecutive),
    }
}

impl Indices<'_> {
    /// Finds the first index that is not below `count`, and returns its position in the array and
    /// its value.
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

    /// Returns whether `self` and `other` are the same array of the file, or are both empty. No
    /// item is read.
    ///
    /// Arrays at different offsets are not the same array, even if their items are equal. Arrays of
    /// corners of polygon records are always reported as different.
    pub(super) fn is_same_array(&self, other: &Self) -> bool {
        if self.is_empty() && other.is_empty() {
            return true;
        }
        match (self, other) {
            (Self::U8(one), Self::U8(other)) => std::ptr::eq(one.raw(), other.raw()),
            (Self::U16(one), Self::U16(other)) => std::ptr::eq(one.raw(), other.raw()),
            (Self::U32(one), Self::U32(other)) => std::ptr::eq(one.raw(), other.raw()),
            (Self::Endian(one), Self::Endian(other)) => {
                std::ptr::eq(one.raw(), other.raw()) && one.decoder().0 == other.decoder().0
            }
            (Self::Consecutive(one), Self::Consecutive(other)) => one == other,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::ByteOrder;
    use crate::decode::endian::RawWord;

    #[test]
    fn an_array_is_the_same_as_itself_only() {
        let stored = [RawWord([1; 4]); 3];
        let other = stored;
        let words = |raw, order| Indices::Endian(Packed::new(raw, EndianIndex(order)));
        let one = words(&stored[..], ByteOrder::Little);
        assert!(one.is_same_array(&one.clone()));
        assert!(!one.is_same_array(&words(&other, ByteOrder::Little)), "equal items at another offset");
        assert!(!one.is_same_array(&words(&stored[..2], ByteOrder::Little)), "fewer items");
        assert!(!one.is_same_array(&words(&stored, ByteOrder::Big)), "another byte order");
        let halves = [1, 1].map(U16::new);
        let [first, second] = [&halves[..1], &halves[1..]].map(|raw| Indices::U16(Packed::new(raw, Index::new())));
        assert!(first.is_same_array(&first) && !first.is_same_array(&second) && !first.is_same_array(&one));
        let bytes = [[1_u8; 4]; 2];
        let small = |raw| Indices::U8(Packed::new(raw, Index::new()));
        assert!(
            small(&bytes[0]).is_same_array(&small(&bytes[0])) && !small(&bytes[0]).is_same_array(&small(&bytes[1]))
        );
        let wide = [U32::new(1)];
        let wide = Indices::U32(Packed::new(&wide, Index::new()));
        assert!(wide.is_same_array(&wide));
        let [two, three] = [2, 3].map(|count| Indices::Consecutive(Consecutive::new(count)));
        assert!(two.is_same_array(&two) && !two.is_same_array(&three));
        let nothing = Indices::Consecutive(Consecutive::new(0));
        assert!(small(&[]).is_same_array(&nothing) && !small(&[]).is_same_array(&two));
    }
}
