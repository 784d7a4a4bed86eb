//! The array types of a surface. Each type is an enum with one variant for each encoding that the
//! file formats use for the array.
//!
//! The methods [`for_each`](Array::for_each) and [`decode_into`](Array::decode_into) match the
//! variant of the enum once and then loop over the items. The method `get` matches the variant on
//! each call. To call `get` many times without matching the variant each time, match the variant
//! once and use the [`Packed`] array inside the variant.

use std::fmt;
use std::ops::Range;

use bytemuck::Pod;
use zerocopy::little_endian::{U16, U32};

use crate::array::bulk::ChunkBuffer;
use crate::array::gather::Gather;
use crate::array::iter::impl_into_iter;
use crate::array::out_of_range::first_out_of_range;
use crate::array::rebase::Rebase;
use crate::array::{Array, Bounds, Consecutive, CornerArray, Packed, Strided};
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
            Indices($crate::model::attributes::IndexEncoding::U8($array)) => $body,
            Indices($crate::model::attributes::IndexEncoding::U16($array)) => $body,
            Indices($crate::model::attributes::IndexEncoding::U32($array)) => $body,
            Indices($crate::model::attributes::IndexEncoding::Polygon($array)) => $body,
            Indices($crate::model::attributes::IndexEncoding::Consecutive($array)) => $body,
            Indices($crate::model::attributes::IndexEncoding::Endian($array)) => $body,
        }
    };
}
pub(super) use with_width;

/// Declares an array type and the enum of its encodings, and implements [`Array`] for the type.
macro_rules! array_enum {
    ($(#[$doc:meta])* $name:ident of $value:ty, stored as $encoding:ident $(with $option:ident = $setting:literal)? { $($(#[$variant_doc:meta])* $variant:ident($array:ty),)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $name<'a>(
            #[cfg(feature = "internals")] pub $encoding<'a>,
            #[cfg(not(feature = "internals"))] pub(crate) $encoding<'a>,
        );

        /// The encodings of the array type.
        #[derive(Clone, Copy)]
        pub enum $encoding<'a> {
            $($(#[$variant_doc])* $variant($array),)+
        }

        impl fmt::Debug for $name<'_> {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                match &self.0 { $($encoding::$variant(array) => write!(out, "{}({array:?})", stringify!($variant)),)+ }
            }
        }

        impl Array for $name<'_> {
            type Item = $value;

            $(const $option: bool = $setting;)?

            #[inline]
            fn len(&self) -> usize {
                match &self.0 { $($encoding::$variant(array) => array.len(),)+ }
            }

            #[inline]
            fn get(&self, index: usize) -> Option<$value> {
                match &self.0 { $($encoding::$variant(array) => array.get(index),)+ }
            }

            fn slice(&self, range: Range<usize>) -> Option<Self> {
                match &self.0 { $($encoding::$variant(array) => array.slice(range).map($encoding::$variant).map(Self),)+ }
            }

            fn as_bytes<'b>(&self) -> &'b [u8]
            where
                Self: 'b,
            {
                match &self.0 { $($encoding::$variant(array) => array.as_bytes(),)+ }
            }

            fn byte_offset(&self, index: usize) -> usize {
                match &self.0 { $($encoding::$variant(array) => array.byte_offset(index),)+ }
            }

            #[inline]
            fn prefetch_to_cache(&self, index: usize) {
                match &self.0 { $($encoding::$variant(array) => array.prefetch_to_cache(index),)+ }
            }

            fn as_slice<'b, T: Pod>(&self) -> Option<&'b [T]>
            where
                Self: 'b,
            {
                match &self.0 { $($encoding::$variant(array) => Array::as_slice(array),)+ }
            }

            #[inline]
            fn fold<B, F: FnMut(B, $value) -> B>(&self, first: B, fold: F) -> B {
                match &self.0 { $($encoding::$variant(array) => array.fold(first, fold),)+ }
            }

            #[inline]
            fn rfold<B, F: FnMut(B, $value) -> B>(&self, last: B, fold: F) -> B {
                match &self.0 { $($encoding::$variant(array) => array.rfold(last, fold),)+ }
            }

            fn fill(&self, out: &mut [$value]) {
                match &self.0 { $($encoding::$variant(array) => array.fill(out),)+ }
            }

            fn decode_into(&self, out: &mut [$value]) -> Result<()> {
                match &self.0 { $($encoding::$variant(array) => array.decode_into(out),)+ }
            }

            fn gather(&self, indices: &[u32], out: &mut [$value]) -> Result<()> {
                match &self.0 { $($encoding::$variant(array) => array.gather(indices, out),)+ }
            }

            fn for_each_chunk(&self, visit: impl FnMut(usize, &mut [$value])) {
                match &self.0 { $($encoding::$variant(array) => array.for_each_chunk(visit),)+ }
            }
        }

        impl Gather for $name<'_> {
            fn gather_with(&self, indices: &[u32], records: &mut ChunkBuffer, out: &mut [$value]) -> Option<()> {
                match &self.0 { $($encoding::$variant(array) => array.gather_with(indices, records, out),)+ }
            }
        }

        impl Rebase for $name<'_> {
            type Over<'b> = $name<'b> where Self: 'b;

            fn over<'b>(&self, bytes: &'b [u8]) -> Option<$name<'b>>
            where
                Self: 'b,
            {
                match &self.0 { $($encoding::$variant(array) => array.over(bytes).map($encoding::$variant).map($name),)+ }
            }

            fn is_interleaved(&self) -> bool {
                match &self.0 { $($encoding::$variant(array) => array.is_interleaved(),)+ }
            }
        }

        impl_into_iter!(['a] $name<'a>);
    };
}

array_enum! {
    /// Positions: x, y, z as stored in the file.
    ///
    /// [`Space`](crate::model::Space) contains the axes, the unit and the placement of the
    /// positions. Some meshes are placed by a scale and an origin outside the mesh, such as in a
    /// script.
    Positions of [f32; 3], stored as PositionEncoding {
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
        match &self.0 {
            PositionEncoding::F32(array) => array.bounds(),
            PositionEncoding::Packed32(array) => array.bounds(),
            PositionEncoding::Packed64(array) => array.bounds(),
            PositionEncoding::MinMax16(array) => array.bounds(),
            PositionEncoding::Strided(array) => array.bounds(),
        }
    }
}

array_enum! {
    /// Tangent frames, one for each attribute vertex.
    TangentFrames of TangentFrame, stored as TangentFrameEncoding {
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
    Normals of [f32; 3], stored as NormalEncoding {
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
            TangentFrames(TangentFrameEncoding::Quat8(array)) => {
                Self(NormalEncoding::Quat8(Packed::new(array.raw(), NormalOf(Quat8))))
            }
            TangentFrames(TangentFrameEncoding::Quat7(array)) => {
                Self(NormalEncoding::Quat7(Packed::new(array.raw(), NormalOf(Quat7))))
            }
        }
    }
}

array_enum! {
    /// The influences on one vertex: the bones that move the vertex, with their weights.
    Influences of Influence, stored as InfluenceEncoding with PREFETCHED = false {
        /// Records of four bytes: a bone index and a weight.
        Influence4(Packed<'a, Influence4>),
        /// Records of three bytes: a bone index and a weight.
        Influence3(Packed<'a, Influence3>),
        /// Influences from the four slots of a vertex, with the weights already decoded to floats.
        Fixed(FixedInfluences),
    }
}

impl Influences<'_> {
    /// Returns the stored integers of influence `index`: the bone index, and the weight
    /// multiplied by 65535.
    ///
    /// Returns `None` if the format stores weights as floats, or if the index is out of range.
    #[doc(hidden)]
    #[must_use]
    pub fn raw(&self, index: usize) -> Option<(i16, u16)> {
        match &self.0 {
            InfluenceEncoding::Influence4(array) => {
                array.raw().get(index).map(|raw| (raw.bone.get(), raw.weight.get()))
            }
            InfluenceEncoding::Influence3(array) => {
                array.raw().get(index).map(|raw| (raw.bone.into(), raw.weight.get()))
            }
            InfluenceEncoding::Fixed(_) => None,
        }
    }
}

array_enum! {
    /// Texture coordinates: u points to the right, and 1 is the width or height of the image.
    /// [`Space::uv_origin`](crate::model::Space) is the direction of v.
    Uvs of [f32; 2], stored as UvEncoding {
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
    #[doc(hidden)]
    #[must_use]
    pub fn raw_bytes(&self, index: usize) -> Option<[u8; 2]> {
        let (polygon, corner) = match &self.0 {
            UvEncoding::F32(_) | UvEncoding::MinMax16(_) | UvEncoding::Strided(_) => return None,
            UvEncoding::Polygon255(array) => array.raw(index)?,
            UvEncoding::Polygon256(array) => array.raw(index)?,
        };
        polygon.uvs.get(corner).copied()
    }
}

array_enum! {
    /// Vertex colours: red, green, blue, alpha, each 0 to 1, in the colour space that the author of
    /// the file used.
    Colors of [f32; 4], stored as ColorEncoding {
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
    Indices of u32, stored as IndexEncoding {
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
        match &self.0 {
            IndexEncoding::U8(array) => first_out_of_range(array.raw(), count),
            IndexEncoding::U16(array) => first_out_of_range(array.raw(), count),
            IndexEncoding::U32(array) => first_out_of_range(array.raw(), count),
            IndexEncoding::Polygon(array) => find(array.iter(), count),
            IndexEncoding::Consecutive(array) => find(array.iter(), count),
            IndexEncoding::Endian(array) => find(array.iter(), count),
        }
    }

    /// Returns the vertex indices of each complete triangle.
    pub(crate) fn triangles(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        let firsts = (0..self.len() / 3).map(|triangle| triangle.saturating_mul(3));
        firsts.map(|first| [0, 1, 2].map(|corner| self.get(first.saturating_add(corner)).unwrap_or(u32::MAX)))
    }

    /// Returns whether `self` and `other` are the same array of the file, or are both empty. No
    /// item is read.
    ///
    /// Arrays at different offsets are not the same array, even if their items are equal. Arrays of
    /// corners of polygon records are always reported as different.
    pub(crate) fn is_same_array(&self, other: &Self) -> bool {
        if self.is_empty() && other.is_empty() {
            return true;
        }
        match (&self.0, &other.0) {
            (IndexEncoding::U8(one), IndexEncoding::U8(other)) => std::ptr::eq(one.raw(), other.raw()),
            (IndexEncoding::U16(one), IndexEncoding::U16(other)) => std::ptr::eq(one.raw(), other.raw()),
            (IndexEncoding::U32(one), IndexEncoding::U32(other)) => std::ptr::eq(one.raw(), other.raw()),
            (IndexEncoding::Endian(one), IndexEncoding::Endian(other)) => {
                std::ptr::eq(one.raw(), other.raw()) && one.decoder().0 == other.decoder().0
            }
            (IndexEncoding::Consecutive(one), IndexEncoding::Consecutive(other)) => one == other,
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
        let words = |raw, order| Indices(IndexEncoding::Endian(Packed::new(raw, EndianIndex(order))));
        let one = words(&stored[..], ByteOrder::Little);
        assert!(one.is_same_array(&one.clone()));
        assert!(!one.is_same_array(&words(&other, ByteOrder::Little)), "equal items at another offset");
        assert!(!one.is_same_array(&words(&stored[..2], ByteOrder::Little)), "fewer items");
        assert!(!one.is_same_array(&words(&stored, ByteOrder::Big)), "another byte order");
        let halves = [1, 1].map(U16::new);
        let [first, second] =
            [&halves[..1], &halves[1..]].map(|raw| Indices(IndexEncoding::U16(Packed::new(raw, Index::new()))));
        assert!(first.is_same_array(&first) && !first.is_same_array(&second) && !first.is_same_array(&one));
        let bytes = [[1_u8; 4]; 2];
        let small = |raw| Indices(IndexEncoding::U8(Packed::new(raw, Index::new())));
        assert!(
            small(&bytes[0]).is_same_array(&small(&bytes[0])) && !small(&bytes[0]).is_same_array(&small(&bytes[1]))
        );
        let wide = [U32::new(1)];
        let wide = Indices(IndexEncoding::U32(Packed::new(&wide, Index::new())));
        assert!(wide.is_same_array(&wide));
        let [two, three] = [2, 3].map(|count| Indices(IndexEncoding::Consecutive(Consecutive::new(count))));
        assert!(two.is_same_array(&two) && !two.is_same_array(&three));
        let nothing = Indices(IndexEncoding::Consecutive(Consecutive::new(0)));
        assert!(small(&[]).is_same_array(&nothing) && !small(&[]).is_same_array(&two));
    }
}
