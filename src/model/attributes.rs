//! Arrays of a surface, each in one of the encodings that formats have for it.
//!
//! The encoding is an `enum`, matched once per array where it matters: [`for_each`](Indices::for_each) and `decode_into`
//! match first and loop inside. The [`Packed`] array within each variant can be used as it is; `get` matches on each call.

use zerocopy::little_endian::{U16, U32};

use crate::array::{Bounds, Consecutive, CornerArray, Packed, Strided, out_of_range};
use crate::decode::influence3::RawInfluence3;
use crate::decode::influence4::RawInfluence4;
use crate::decode::{
    Argb8, Decode as _, EndianFloats, EndianIndex, Floats, Frame, Index, Influence, Influence3, Influence4, MinMax16,
    NormalOf, Packed32, Packed64, PolygonIndices, PolygonUvs, Quat7, Quat8, Unit16, Unorm8,
};
use crate::error::Result;
use crate::model::fixed_influences::FixedInfluences;

/// CountedRuns `$body` with the array inside an `Indices`: what it is made of is matched here, once.
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

/// Gives an enum of packed arrays what all of them can do.
macro_rules! packed_array {
    ($(#[$doc:meta])* $name:ident of $value:ty { $($(#[$variant_doc:meta])* $variant:ident($array:ty),)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        #[non_exhaustive]
        pub enum $name<'a> {
            $($(#[$variant_doc])* $variant($array),)+
        }

        impl<'a> $name<'a> {
            /// Returns the number of items.
            #[must_use]
            pub const fn len(&self) -> usize {
                match self { $(Self::$variant(array) => array.len(),)+ }
            }

            /// Tells whether there are no items.
            #[must_use]
            pub const fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Decodes item `index`; `None` where there is none.
            #[inline]
            #[must_use]
            pub fn get(&self, index: usize) -> Option<$value> {
                match self { $(Self::$variant(array) => array.get(index),)+ }
            }

            /// Decodes all items in order, after prefetching them.
            #[inline]
            pub fn for_each(&self, visit: impl FnMut($value)) {
                match self { $(Self::$variant(array) => array.for_each(visit),)+ }
            }

            /// Visits all items in order in pieces of 8 KiB, each with the number of its first item: nothing is allocated.
            pub fn for_each_chunk(&self, visit: impl FnMut(usize, &[$value])) {
                match self { $(Self::$variant(array) => array.for_each_chunk(visit),)+ }
            }

            /// Decodes all items into `out`.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Buffer`](crate::error::ErrorKind::Buffer) where `out` is not of this length.
            pub fn decode_into(&self, out: &mut [$value]) -> Result<()> {
                match self { $(Self::$variant(array) => array.decode_into(out),)+ }
            }

            /// Returns the items of `range`, still undecoded; `None` where some of them do not exist.
            #[must_use]
            pub fn slice(&self, range: std::ops::Range<usize>) -> Option<Self> {
                match self { $(Self::$variant(array) => array.slice(range).map(Self::$variant),)+ }
            }

            /// Returns the bytes of the file that the items lie in: no others, except where a format interleaves arrays.
            #[must_use]
            pub fn as_bytes(&self) -> &'a [u8] {
                match self { $(Self::$variant(array) => array.as_bytes(),)+ }
            }

            /// Returns where item `index` lies, in bytes from the first of [`as_bytes`](Self::as_bytes).
            #[must_use]
            pub fn place(&self, index: usize) -> usize {
                match self { $(Self::$variant(array) => array.place(index),)+ }
            }
        }
    };
}

packed_array! {
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
    /// Returns the box around all positions, computed from the file's bytes in one pass that stores nothing. NaNs are
    /// passed over; [`Bounds::EMPTY`] where there is no number.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        let bounds = match self {
            Self::F32(array) => array.bounds(),
            Self::Packed32(array) => array.bounds(),
            Self::Packed64(array) => array.bounds(),
            Self::MinMax16(array) => array.bounds(),
            Self::Strided(array) => array.bounds(),
        };
        bounds.map_or(Bounds::EMPTY, |[min, max]| Bounds { min, max })
    }
}

packed_array! {
    /// Tangent frames.
    Frames of Frame {
        /// A quaternion in eight bytes.
        Quat8(Packed<'a, Quat8>),
        /// A quaternion in seven bytes.
        Quat7(Packed<'a, Quat7>),
    }
}

packed_array! {
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

impl<'a> From<Frames<'a>> for Normals<'a> {
    fn from(frames: Frames<'a>) -> Self {
        match frames {
            Frames::Quat8(array) => Self::Quat8(Packed::new(array.raw(), NormalOf(Quat8))),
            Frames::Quat7(array) => Self::Quat7(Packed::new(array.raw(), NormalOf(Quat7))),
        }
    }
}

packed_array! {
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

impl<'a> Influences<'a> {
    /// Decodes all influences, in order. `for_each` and `fold` match the encoding once; `next` on each call.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> InfluencesIter<'a> {
        InfluencesIter(match self {
            Self::Influence4(array) => Left::Influence4(array.raw().iter()),
            Self::Influence3(array) => Left::Influence3(array.raw().iter()),
            Self::Fixed(lanes) => Left::Fixed { lanes: *lanes, at: 0 },
        })
    }

    /// Returns the stored numbers of influence `index`, where the weight is one: the bone's, and its weight of 65535.
    #[must_use]
    pub fn stored(&self, index: usize) -> Option<(i16, u16)> {
        match self {
            Self::Influence4(array) => array.raw().get(index).map(|raw| (raw.bone.get(), raw.weight.get())),
            Self::Influence3(array) => array.raw().get(index).map(|raw| (raw.bone.into(), raw.weight.get())),
            Self::Fixed(_) => None,
        }
    }
}

impl<'a> IntoIterator for &Influences<'a> {
    type Item = Influence;
    type IntoIter = InfluencesIter<'a>;

    fn into_iter(self) -> InfluencesIter<'a> {
        self.iter()
    }
}

/// Decodes influences one at a time.
#[derive(Clone, Debug)]
pub struct InfluencesIter<'a>(Left<'a>);

/// The influences that are left.
#[derive(Clone, Debug)]
enum Left<'a> {
    Influence4(std::slice::Iter<'a, RawInfluence4>),
    Influence3(std::slice::Iter<'a, RawInfluence3>),
    Fixed { lanes: FixedInfluences, at: usize },
}

impl Iterator for InfluencesIter<'_> {
    type Item = Influence;

    #[inline]
    fn next(&mut self) -> Option<Influence> {
        match &mut self.0 {
            Left::Influence4(left) => left.next().map(|raw| Influence4.decode(raw)),
            Left::Influence3(left) => left.next().map(|raw| Influence3.decode(raw)),
            Left::Fixed { lanes, at } => {
                let next = lanes.get(*at)?;
                *at = at.saturating_add(1);
                Some(next)
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Left::Influence4(left) => left.size_hint(),
            Left::Influence3(left) => left.size_hint(),
            Left::Fixed { lanes, at } => {
                let left = lanes.len().saturating_sub(*at);
                (left, Some(left))
            }
        }
    }

    #[inline]
    fn fold<B, F: FnMut(B, Influence) -> B>(self, first: B, fold: F) -> B {
        match self.0 {
            Left::Influence4(left) => left.map(|raw| Influence4.decode(raw)).fold(first, fold),
            Left::Influence3(left) => left.map(|raw| Influence3.decode(raw)).fold(first, fold),
            Left::Fixed { lanes, at } => lanes.iter().skip(at).fold(first, fold),
        }
    }
}

impl ExactSizeIterator for InfluencesIter<'_> {}

packed_array! {
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
    pub fn stored_bytes(&self, index: usize) -> Option<[u8; 2]> {
        let (polygon, corner) = match self {
            Self::F32(_) | Self::MinMax16(_) | Self::Strided(_) => return None,
            Self::Polygon255(array) => array.raw(index)?,
            Self::Polygon256(array) => array.raw(index)?,
        };
        polygon.uvs.get(corner).copied()
    }
}

packed_array! {
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

packed_array! {
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

impl<'a> Indices<'a> {
    /// Decodes all indices in order. `for_each` and `fold` on it match the width once; `next` on each call.
    #[must_use]
    pub fn iter(&self) -> IndicesIter<'a> {
        IndicesIter { indices: *self, at: 0 }
    }

    /// Returns the first index that is not below `count`, with its position in the stream.
    #[must_use]
    pub fn first_beyond(&self, count: u32) -> Option<(usize, u32)> {
        fn find(indices: impl Iterator<Item = u32>, count: u32) -> Option<(usize, u32)> {
            indices.enumerate().find(|(_, index)| *index >= count)
        }
        match self {
            Self::U8(array) => out_of_range::first(array.raw(), count),
            Self::U16(array) => out_of_range::first(array.raw(), count),
            Self::U32(array) => out_of_range::first(array.raw(), count),
            Self::Polygon(array) => find(array.iter(), count),
            Self::Consecutive(array) => find(array.iter(), count),
            Self::Endian(array) => find(array.iter(), count),
        }
    }
}

impl<'a> IntoIterator for Indices<'a> {
    type Item = u32;
    type IntoIter = IndicesIter<'a>;

    fn into_iter(self) -> IndicesIter<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for &Indices<'a> {
    type Item = u32;
    type IntoIter = IndicesIter<'a>;

    fn into_iter(self) -> IndicesIter<'a> {
        self.iter()
    }
}

/// Decodes indices one at a time.
#[derive(Clone, Debug)]
pub struct IndicesIter<'a> {
    indices: Indices<'a>,
    at: usize,
}

impl Iterator for IndicesIter<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let index = self.indices.get(self.at)?;
        self.at = self.at.saturating_add(1);
        Some(index)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.indices.len().saturating_sub(self.at);
        (left, Some(left))
    }

    fn fold<B, F: FnMut(B, u32) -> B>(self, first: B, fold: F) -> B {
        match self.indices.slice(self.at..self.indices.len()) {
            Some(left) => with_width!(left, array => array.iter().fold(first, fold)),
            None => first,
        }
    }
}

impl ExactSizeIterator for IndicesIter<'_> {}
