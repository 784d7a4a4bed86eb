//! Writing vertices of a welded surface whose arrays have separate indices, in one pass: a position
//! of three floats, a normal of four bytes and texture coordinates of two half floats.
//!
//! The items of eight vertices are loaded to registers, decoded there and stored. Other attributes
//! and encodings are gathered to a column first.

#![allow(clippy::inline_always, reason = "the loops must be compiled for each way of placing vertices")]

use bytemuck::{Pod, cast};
use half::f16;
use zerocopy::little_endian::{F32, I16};
use zerocopy::transmute;

use super::input::{AttributeArray, Number};
use super::source::{SourceAttribute, VertexSource};
use crate::decode::ByteOrder;
use crate::decode::narrow::narrow;
use crate::decode::tangent_frame::normal8_to_snorm8x4;
use crate::math::as_index;
use crate::model::{Corner, NormalEncoding, PositionEncoding, UvEncoding};
use crate::simd::kernel;

/// The number of bytes of the three attributes.
const SIZE: usize = 20;
/// The number of bytes of a vertex that also has four joints and four weights of one byte each.
const SKINNED: usize = 28;

/// The records from which the three attributes are decoded. There are as many normals as texture
/// coordinates.
#[derive(Clone, Copy)]
pub(super) struct GatheredArrays<'a> {
    positions: &'a [[F32; 3]],
    normals: &'a [[I16; 4]],
    uvs: &'a [[F32; 2]],
}

impl<'a> GatheredArrays<'a> {
    /// Returns the records if a position, a normal and texture coordinates follow each other in
    /// `attributes`, and are stored and written as the function [`write`] expects.
    pub(super) fn find(source: &VertexSource<'a>, attributes: &[SourceAttribute<'a>]) -> Option<Self> {
        let [position, normal, uv] = attributes.first_chunk()?;
        if source.conversion.is_some() || position.words < 2 || ByteOrder::NATIVE != ByteOrder::Little {
            return None;
        }
        let numbers = [position, normal, uv].map(|attribute| attribute.number);
        let arrays = match (&position.array, &normal.array, &uv.array) {
            (AttributeArray::Position(positions), AttributeArray::Normal(normals), AttributeArray::Uv(uvs)) => {
                (&positions.0, &normals.0, &uvs.0)
            }
            _ => return None,
        };
        match (arrays, numbers) {
            (
                (PositionEncoding::F32(positions), NormalEncoding::Quat8(normals), UvEncoding::F32(uvs)),
                [Number::Float, Number::Snorm8, Number::Half],
            ) => {
                let (normals, uvs) = (normals.raw(), uvs.raw());
                let count = normals.len().min(uvs.len());
                Some(Self { positions: positions.raw(), normals: normals.get(..count)?, uvs: uvs.get(..count)? })
            }
            _ => None,
        }
    }

    /// Returns the bytes of the attributes of one vertex, or `None` if an index is out of range.
    #[inline(always)]
    fn vertex(&self, corner: Corner) -> Option<[u8; SIZE]> {
        let attribute = as_index(corner.attribute);
        let position: [[u8; 4]; 3] = transmute!(*self.positions.get(as_index(corner.position))?);
        let normal = normal8_to_snorm8x4(self.normals.get(attribute)?);
        let uv: [f16; 2] = self.uvs.get(attribute)?.map(|part| narrow(part.get()));
        let [x, y, z] = position;
        Some(cast([x, y, z, cast(normal), cast(uv)]))
    }
}

kernel! {
    /// Writes the attributes to the bytes at `offset` of each vertex. Returns `None` if an index is
    /// out of range.
    pub(super) fn write(
        arrays: GatheredArrays<'_>,
        corners: &[Corner],
        vertices: &mut [u8],
        stride: usize,
        offset: usize,
    ) -> Option<()> {
        avx512 | avx2 => x86::write(arrays, corners, vertices, stride, offset),
        _ => write_eights(arrays, corners, vertices, stride, offset, no_eight, no_eight, no_eight),
    }
}

/// The attributes of eight vertices: the position and the four bytes after it in the file, and the
/// normal and the texture coordinates. `P` and `W` have 16 and 64 bytes.
type Eight<P, W> = ([P; 8], W);

#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "one decoder for each way of placing vertices")]
fn write_eights<P: Pod, W: Pod>(
    arrays: GatheredArrays<'_>,
    corners: &[Corner],
    vertices: &mut [u8],
    stride: usize,
    offset: usize,
    tight: impl Fn(&[Corner; 8]) -> Option<Eight<P, W>>,
    skinned: impl Fn(&[Corner; 8]) -> Option<Eight<P, W>>,
    spaced: impl Fn(&[Corner; 8]) -> Option<Eight<P, W>>,
) -> Option<()> {
    let (eights, rest) = corners.as_chunks::<8>();
    // The loop is faster if the compiler knows the stride.
    match (stride, offset) {
        (SIZE, 0) => write_groups(arrays, eights, known_places::<SIZE>(vertices), tight)?,
        (SKINNED, 0) => write_groups(arrays, eights, known_places::<SKINNED>(vertices), skinned)?,
        _ => {
            let mut places = places(vertices, stride, offset);
            let mut next = || places.next();
            let groups =
                std::iter::from_fn(|| Some([next()?, next()?, next()?, next()?, next()?, next()?, next()?, next()?]));
            write_groups(arrays, eights, groups, spaced)?;
        }
    }
    let done = eights.as_flattened().len().saturating_mul(stride);
    write_each(arrays, rest, places(vertices.get_mut(done..).unwrap_or_default(), stride, offset))
}

/// Decodes nothing, so the vertices are written one by one.
fn no_eight(_: &[Corner; 8]) -> Option<Eight<[u8; 16], [u8; 64]>> {
    None
}

/// Returns the bytes of the attributes of each vertex.
#[inline(always)]
fn places(vertices: &mut [u8], stride: usize, offset: usize) -> impl Iterator<Item = &mut [u8; SIZE]> {
    let vertices = vertices.get_mut(offset..).unwrap_or_default().chunks_mut(stride);
    vertices.filter_map(|vertex| vertex.first_chunk_mut())
}

/// Returns the bytes of each group of eight vertices.
#[inline(always)]
fn known_places<const STRIDE: usize>(vertices: &mut [u8]) -> impl Iterator<Item = [&mut [u8; STRIDE]; 8]> {
    vertices.as_chunks_mut().0.as_chunks_mut::<8>().0.iter_mut().map(<[_; 8]>::each_mut)
}

/// Writes groups of eight vertices that `eight` can decode, and the others one by one.
#[inline(always)]
fn write_groups<'o, const STRIDE: usize, P: Pod, W: Pod>(
    arrays: GatheredArrays<'_>,
    corners: &[[Corner; 8]],
    places: impl Iterator<Item = [&'o mut [u8; STRIDE]; 8]>,
    eight: impl Fn(&[Corner; 8]) -> Option<Eight<P, W>>,
) -> Option<()> {
    for (corners, places) in corners.iter().zip(places) {
        let Some((positions, words)) = eight(corners) else {
            write_each(arrays, corners, places.into_iter())?;
            continue;
        };
        let words: [[u8; 8]; 8] = cast(words);
        for ((position, words), place) in positions.into_iter().zip(words).zip(places) {
            // Storing 16 bytes takes one instruction, and storing 12 bytes takes two. The words
            // then overwrite the last four bytes.
            if let Some(start) = place.first_chunk_mut::<16>() {
                *start = cast(position);
            }
            if let Some(end) = place.first_chunk_mut::<SIZE>().and_then(|all| all.last_chunk_mut()) {
                *end = words;
            }
        }
    }
    Some(())
}

#[cold]
#[inline(never)]
fn write_each<'o, const STRIDE: usize>(
    arrays: GatheredArrays<'_>,
    corners: &[Corner],
    places: impl Iterator<Item = &'o mut [u8; STRIDE]>,
) -> Option<()> {
    for (corner, place) in corners.iter().zip(places) {
        if let Some(start) = place.first_chunk_mut() {
            *start = arrays.vertex(*corner)?;
        }
    }
    Some(())
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod x86 {
    use std::arch::x86_64::{
        __m128i, __m256i, _MM_FROUND_TO_NEAREST_INT, _mm_set_epi64x, _mm_unpackhi_epi32, _mm_unpacklo_epi32,
        _mm256_castsi256_ps, _mm256_cvtps_ph, _mm256_set_m128i,
    };

    use bytemuck::cast;
    use zerocopy::little_endian::F32;
    use zerocopy::transmute;

    use super::{Eight, GatheredArrays, write_eights};
    use crate::decode::tangent_frame::{EightNormals, eight_from_floats};
    use crate::math::as_index;
    use crate::model::Corner;

    struct Tight;
    struct Skinned;
    struct Spaced;

    #[target_feature(enable = "avx2,fma,f16c")]
    pub(super) fn write(
        arrays: GatheredArrays<'_>,
        corners: &[Corner],
        vertices: &mut [u8],
        stride: usize,
        offset: usize,
    ) -> Option<()> {
        let tight = |corners: &_| eight::<Tight>(arrays, corners);
        let skinned = |corners: &_| eight::<Skinned>(arrays, corners);
        let spaced = |corners: &_| eight::<Spaced>(arrays, corners);
        write_eights(arrays, corners, vertices, stride, offset, tight, skinned, spaced)
    }

    /// Loads a position and the four bytes after it, or returns `None` if there are fewer.
    #[inline(always)]
    fn position(positions: &[[F32; 3]], corner: Corner) -> Option<[F32; 4]> {
        let start = as_index(corner.position).wrapping_mul(3);
        positions.as_flattened().get(start..start.wrapping_add(4))?.first_chunk().copied()
    }

    /// Decodes the attributes of eight vertices. Returns `None` if an index is out of range, or if
    /// fewer than 16 bytes follow the start of a position.
    ///
    /// The compiler inlines a function that has one caller. Each caller therefore passes its own
    /// type `Way`.
    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    #[allow(clippy::many_single_char_names, reason = "eight vertices")]
    fn eight<Way>(arrays: GatheredArrays<'_>, corners: &[Corner; 8]) -> Option<Eight<__m128i, [__m128i; 4]>> {
        let mut raw = [[0; 8]; 2];
        let [normals, uvs] = &mut raw;
        for ((normal, uv), corner) in normals.iter_mut().zip(uvs).zip(corners) {
            let attribute = as_index(corner.attribute);
            *normal = transmute!(*arrays.normals.get(attribute)?);
            *uv = transmute!(*arrays.uvs.get(attribute)?);
        }
        let two = |first, second| _mm_set_epi64x(second, first);
        let vectors = |[a, b, c, d, e, f, g, h]: [i64; 8]| {
            [_mm256_set_m128i(two(c, d), two(a, b)), _mm256_set_m128i(two(g, h), two(e, f))]
        };
        let half = |four: __m256i| _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(_mm256_castsi256_ps(four));
        let uvs = vectors(raw[1]).map(half);
        let raw = vectors(raw[0]);
        let normals = EightNormals::new(raw).bytes().unwrap_or_else(|| eight_from_floats(raw));
        let normals: [__m128i; 2] = cast(normals);
        let pairs = |normals, uvs| [_mm_unpacklo_epi32(normals, uvs), _mm_unpackhi_epi32(normals, uvs)];
        let words = [pairs(normals[0], uvs[0]), pairs(normals[1], uvs[1])];
        let [a, b, c, d, e, f, g, h] = *corners;
        let positions = [
            transmute!(position(arrays.positions, a)?),
            transmute!(position(arrays.positions, b)?),
            transmute!(position(arrays.positions, c)?),
            transmute!(position(arrays.positions, d)?),
            transmute!(position(arrays.positions, e)?),
            transmute!(position(arrays.positions, f)?),
            transmute!(position(arrays.positions, g)?),
            transmute!(position(arrays.positions, h)?),
        ];
        Some((positions, cast(words)))
    }
}

#[cfg(test)]
mod tests {
    use zerocopy::FromBytes;

    use super::*;
    use crate::array::arbitrary::any_bytes;
    use crate::simd::at_each_level;

    const COUNT: usize = 300;

    #[test]
    fn each_level_writes_what_single_vertices_are() {
        let bytes = any_bytes(COUNT * 28);
        let (positions, rest) = <[[F32; 3]]>::ref_from_prefix_with_elems(&bytes, COUNT).unwrap();
        let (normals, rest) = <[[I16; 4]]>::ref_from_prefix_with_elems(rest, COUNT).unwrap();
        let arrays = GatheredArrays { positions, normals, uvs: <_>::ref_from_bytes(rest).unwrap() };
        // Each index is used, including the last, whose position has no bytes after it.
        let number = |index: usize, factor: usize| u32::try_from(index * factor % COUNT).unwrap();
        let corners: Vec<_> =
            (0..COUNT).map(|index| Corner { position: number(index, 7), attribute: number(index, 11) }).collect();
        at_each_level(|level| {
            for (stride, offset) in [(SIZE, 0), (SKINNED, 0), (SIZE + 4, 0), (SIZE + 4, 4), (61, 41), (61, 3)] {
                for count in (0..40).chain([COUNT]) {
                    let (mut found, mut expected) = (vec![1; count * stride], vec![1; count * stride]);
                    write(arrays, &corners[..count], &mut found, stride, offset).unwrap();
                    for (vertex, corner) in expected.chunks_exact_mut(stride).zip(&corners) {
                        vertex[offset..][..SIZE].copy_from_slice(&arrays.vertex(*corner).unwrap());
                    }
                    assert!(found == expected, "{level:?} {count} {stride} {offset}");
                }
            }
            let count = u32::try_from(COUNT).unwrap();
            for wrong in [
                Corner { position: count, attribute: 0 },
                Corner { position: u32::MAX, attribute: 0 },
                Corner { position: 0, attribute: count },
            ] {
                for place in [0, 9, 19] {
                    let mut corners = corners[..20].to_vec();
                    corners[place] = wrong;
                    assert!(write(arrays, &corners, &mut [0; 20 * SIZE], SIZE, 0).is_none(), "{level:?} {place}");
                }
            }
        });
    }
}
