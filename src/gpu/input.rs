//! The attributes of a surface: finding their arrays, and decoding blocks of them to columns.

use std::ops::Range;

use half::f16;

use super::interleave::MAX_VERTICES;
use super::layout::{self, Semantic, VertexFormat};
use super::output::Buffer;
use crate::array::bulk::ChunkBuffer;
use crate::array::gather::Gather;
use crate::array::{Array, Packed};
use crate::decode::convert::{HalfFloat, OutputFormat, Snorm, Unorm};
use crate::decode::narrow::pairs_to_half;
use crate::decode::snorm8x4::{self, Snorm8x4};
use crate::decode::tangent_frame::normals8_to_snorm8x4;
use crate::decode::{ByteOrder, Decode, TangentFrame};
use crate::error::Result;
use crate::math::as_index;
use crate::model::{
    Colors, IndexStream, NormalEncoding, Normals, Positions, SpaceConversion, Surface, TangentFrames, UvEncoding, Uvs,
    VertexArray,
};
use crate::simd::kernel;

/// The type of one number of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    Float,
    Half,
    Unorm8,
    Unorm16,
    Snorm8,
    Snorm16,
}

impl Number {
    /// Returns the type of the numbers of a format, or `None` for a format of integers.
    pub(super) const fn of(format: VertexFormat) -> Option<Self> {
        use VertexFormat as F;

        Some(match format {
            F::Float32 | F::Float32x2 | F::Float32x3 | F::Float32x4 => Self::Float,
            F::Float16x2 | F::Float16x4 => Self::Half,
            F::Unorm8x2 | F::Unorm8x4 => Self::Unorm8,
            F::Unorm16x2 | F::Unorm16x4 => Self::Unorm16,
            F::Snorm8x2 | F::Snorm8x4 => Self::Snorm8,
            F::Snorm16x2 | F::Snorm16x4 => Self::Snorm16,
            F::Uint8x4 | F::Uint16x2 | F::Uint16x4 | F::Uint32 => return None,
        })
    }

    /// Returns the size of a number in bytes.
    pub(super) const fn size(self) -> usize {
        match self {
            Self::Float => 4,
            Self::Half | Self::Unorm16 | Self::Snorm16 => 2,
            Self::Unorm8 | Self::Snorm8 => 1,
        }
    }

    /// Returns the bytes of a value of at most four floats. The rest of the bytes is 0.
    pub(super) fn bytes_of<const N: usize>(self, value: [f32; N]) -> [u8; 16] {
        let mut bytes = Aligned([0; 16]);
        let size = self.size().saturating_mul(N);
        self.put(&mut [value], bytes.0.get_mut(..size).unwrap_or_default());
        bytes.0
    }

    /// Converts floats to numbers of this type. The function may overwrite `values`.
    pub(super) fn put<const N: usize>(self, values: &mut [[f32; N]], out: &mut [u8]) {
        match self {
            Self::Float => {
                let bytes: &[u8] = bytemuck::cast_slice(values);
                out.iter_mut().zip(bytes).for_each(|(out, byte)| *out = *byte);
            }
            Self::Half => HalfFloat.convert_all(values, cast::<[f16; N]>(out)),
            Self::Unorm8 => Unorm::<u8>::new().convert_all(values, cast(out)),
            Self::Unorm16 => Unorm::<u16>::new().convert_all(values, cast(out)),
            Self::Snorm8 => Snorm::<i8>::new().convert_all(values, cast(out)),
            Self::Snorm16 => Snorm::<i16>::new().convert_all(values, cast(out)),
        }
    }
}

/// Bytes that are aligned for floats.
#[repr(align(16))]
struct Aligned([u8; 16]);

/// Returns the bytes as items. The slice is empty if the bytes are not aligned, or not whole items.
fn cast<T: bytemuck::Pod>(bytes: &mut [u8]) -> &mut [T] {
    bytemuck::try_cast_slice_mut(bytes).unwrap_or_default()
}

/// The items of an array that belong to the vertices of a block.
#[derive(Clone, Copy, Debug)]
pub(super) enum Picks<'p> {
    /// Items that follow each other, from the start of the range.
    Range(usize, usize),
    /// The items with these indices.
    List(&'p [u32]),
}

impl Picks<'_> {
    fn fill<A: Gather>(self, array: &A, records: &mut Option<ChunkBuffer>, out: &mut [A::Item]) -> Option<()> {
        match self {
            Self::Range(start, end) => {
                array.slice(start..end)?.fill(out);
                Some(())
            }
            Self::List(indices) => array.gather_with(indices, records.get_or_insert_with(|| ChunkBuffer::EMPTY), out),
        }
    }

    /// Returns the encoded items. Items with indices in a list are copied to `memory`.
    fn records<'r, D: Decode>(
        self,
        array: &Packed<'r, D>,
        memory: &'r mut Option<ChunkBuffer>,
    ) -> Option<&'r [D::Raw]> {
        match self {
            Self::Range(start, end) => array.raw().get(start..end),
            Self::List(indices) => array.gather_records(indices, memory.get_or_insert_with(|| ChunkBuffer::EMPTY)),
        }
    }

    const fn len(&self) -> usize {
        match self {
            Self::Range(start, end) => end.saturating_sub(*start),
            Self::List(indices) => indices.len(),
        }
    }
}

/// Memory for the decoded values of a block, of which the largest are tangent frames, and for what
/// only some attributes need.
pub(super) struct Scratch {
    values: Buffer<{ MAX_VERTICES * size_of::<TangentFrame>() }>,
    /// Values that are computed from the decoded values.
    computed: Option<Buffer<{ MAX_VERTICES * 16 }>>,
    /// Encoded items that are not adjacent in the file.
    records: Option<ChunkBuffer>,
}

impl Scratch {
    /// Makes the memory. The parts that only some attributes need are not written.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "the memory must not be moved")]
    pub(super) const fn new() -> Self {
        Self { values: Buffer::EMPTY, computed: None, records: None }
    }
}

/// An array of a surface from which an attribute is made.
#[derive(Clone, Copy, Debug)]
pub(super) enum AttributeArray<'a> {
    Position(Positions<'a>),
    Normal(Normals<'a>),
    OctahedralNormal(Normals<'a>),
    Tangent(TangentFrames<'a>),
    Uv(Uvs<'a>),
    Color(Colors<'a>),
}

impl<'a> AttributeArray<'a> {
    /// Finds the array of an attribute in the base shape. Returns `None` if the surface does not
    /// have the attribute, and for joints and weights.
    pub(super) fn find(surface: &Surface<'a>, semantic: Semantic) -> Result<Option<Self>> {
        Ok(match semantic {
            Semantic::Position => Some(Self::Position(surface.positions()?)),
            Semantic::Normal => surface.normals()?.map(Self::Normal),
            Semantic::OctahedralNormal => surface.normals()?.map(Self::OctahedralNormal),
            Semantic::Tangent => surface.tangent_frames()?.map(Self::Tangent),
            Semantic::Uv(set) => surface.uvs(as_index(set))?.map(Self::Uv),
            Semantic::Color => surface.colors()?.map(Self::Color),
            Semantic::Joints | Semantic::Weights => None,
        })
    }

    /// Replaces the array by the same array of a morph target, if the attribute is part of a shape.
    pub(super) fn set_target(&mut self, surface: &Surface<'a>, target: usize) -> Result<()> {
        match self {
            Self::Position(array) => *array = surface.target_positions(target)?,
            Self::Normal(array) | Self::OctahedralNormal(array) => {
                *array = surface.target_normals(target)?.unwrap_or(*array);
            }
            Self::Tangent(array) => *array = surface.target_tangent_frames(target)?.unwrap_or(*array),
            Self::Uv(_) | Self::Color(_) => {}
        }
        Ok(())
    }

    /// Returns the index stream that refers to the array.
    pub(super) const fn stream(&self) -> IndexStream {
        match self {
            Self::Position(_) => Positions::STREAM,
            _ => IndexStream::Attributes,
        }
    }

    /// Returns the name of the array in errors.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Position(_) => "positions",
            Self::Normal(_) | Self::OctahedralNormal(_) => "normals",
            Self::Tangent(_) => "tangent_frames",
            Self::Uv(_) => "uvs",
            Self::Color(_) => "colors",
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Position(array) => array.len(),
            Self::Normal(array) | Self::OctahedralNormal(array) => array.len(),
            Self::Tangent(array) => array.len(),
            Self::Uv(array) => array.len(),
            Self::Color(array) => array.len(),
        }
    }

    /// Returns the bytes of the items in `range`, or of all items.
    pub(super) fn bytes(&self, range: Option<&Range<usize>>) -> &'a [u8] {
        fn bytes<'b, A: Array + 'b>(array: &A, range: Option<&Range<usize>>) -> &'b [u8] {
            range.and_then(|range| array.slice(range.clone())).unwrap_or(*array).as_bytes()
        }
        match self {
            Self::Position(array) => bytes(array, range),
            Self::Normal(array) | Self::OctahedralNormal(array) => bytes(array, range),
            Self::Tangent(array) => bytes(array, range),
            Self::Uv(array) => bytes(array, range),
            Self::Color(array) => bytes(array, range),
        }
    }

    /// Returns the number of bytes that a column has for each vertex.
    pub(super) const fn width(&self, number: Number) -> usize {
        let numbers: usize = match (self, number) {
            (Self::Normal(_), Number::Snorm8) | (Self::Tangent(_) | Self::Color(_), _) => 4,
            (Self::Position(_) | Self::Normal(_), _) => 3,
            (Self::OctahedralNormal(_) | Self::Uv(_), _) => 2,
        };
        numbers.saturating_mul(number.size())
    }

    /// Decodes the attribute of the vertices of a block and writes it to a column. Returns `None`
    /// if an index is out of range.
    pub(super) fn write(
        &self,
        picks: Picks<'_>,
        number: Number,
        conversion: Option<&SpaceConversion>,
        scratch: &mut Scratch,
        out: &mut [u8],
    ) -> Option<()> {
        match self {
            Self::Position(array) => {
                let convert = conversion.map(|conversion| |value| conversion.position(value));
                column(array, picks, number, convert.as_ref(), scratch, out)
            }
            Self::Normal(array) => {
                let convert = conversion.map(|conversion| |value| conversion.normal(value));
                if number == Number::Snorm8 {
                    return normal_bytes(array, picks, convert.as_ref(), scratch, cast(out).get_mut(..picks.len())?);
                }
                column(array, picks, number, convert.as_ref(), scratch, out)
            }
            Self::Uv(array) => {
                let convert = conversion.filter(|conversion| conversion.flips_v());
                let convert = convert.map(|conversion| |value| conversion.uv(value));
                if number == Number::Half
                    && convert.is_none()
                    && half_uvs(array, picks, scratch, cast(out).get_mut(..picks.len())?)?
                {
                    return Some(());
                }
                column(array, picks, number, convert.as_ref(), scratch, out)
            }
            Self::Color(array) => column(array, picks, number, None::<&fn([f32; 4]) -> [f32; 4]>, scratch, out),
            Self::OctahedralNormal(array) => {
                let Scratch { values, computed, records } = scratch;
                let normals = values.values::<[f32; 3]>(picks.len())?;
                let convert = conversion.map(|conversion| |value| conversion.normal(value));
                decode(array, picks, convert.as_ref(), records, normals)?;
                let points = computed.get_or_insert_with(|| Buffer::EMPTY).values::<[f32; 2]>(picks.len())?;
                layout::encode_octahedral(normals, points);
                number.put(points, out);
                Some(())
            }
            Self::Tangent(array) => {
                let Scratch { values, computed, records } = scratch;
                let frames = values.values(picks.len())?;
                let convert = conversion.map(|conversion| |frame| conversion.tangent_frame(&frame));
                decode(array, picks, convert.as_ref(), records, frames)?;
                let tangents = computed.get_or_insert_with(|| Buffer::EMPTY).values::<[f32; 4]>(picks.len())?;
                tangents_of(frames, tangents);
                number.put(tangents, out);
                Some(())
            }
        }
    }
}

kernel! {
    /// Computes the tangent and the handedness of each tangent frame.
    fn tangents_of(frames: &[TangentFrame], out: &mut [[f32; 4]]) {
        for (out, frame) in out.iter_mut().zip(frames) {
            let [x, y, z] = frame.tangent();
            *out = [x, y, z, frame.handedness];
        }
    }
}

/// Writes the normals of a block as four signed bytes each. Some encodings are converted without an
/// array of floats.
fn normal_bytes(
    array: &Normals<'_>,
    picks: Picks<'_>,
    convert: Option<&impl Fn([f32; 3]) -> [f32; 3]>,
    scratch: &mut Scratch,
    out: &mut [Snorm8x4],
) -> Option<()> {
    match (&array.0, picks, convert) {
        (NormalEncoding::Quat8(array), _, None) => {
            normals8_to_snorm8x4(picks.records(array, &mut scratch.records)?, out);
        }
        (NormalEncoding::Unit16(array), _, None) => {
            snorm8x4::from_unit16(picks.records(array, &mut scratch.records)?, out);
        }
        (NormalEncoding::Strided(array), Picks::Range(start, end), None) if array.decoder().0 == ByteOrder::Little => {
            let (fields, stride) = array.slice(start..end)?.fields();
            snorm8x4::from_fields(fields, stride, out);
        }
        _ => {
            let Scratch { values, records, .. } = scratch;
            let normals = values.values(picks.len())?;
            decode(array, picks, convert, records, normals)?;
            snorm8x4::from_floats(normals, out);
        }
    }
    Some(())
}

/// Writes the texture coordinates of a block as half floats, without an array of floats. Returns
/// `Some(false)`, and writes nothing, if the encoding has no kernel for this, and `None` if an
/// index is out of range.
fn half_uvs(array: &Uvs<'_>, picks: Picks<'_>, scratch: &mut Scratch, out: &mut [[f16; 2]]) -> Option<bool> {
    match (&array.0, picks) {
        (UvEncoding::MinMax16(array), _) => {
            array.decoder().decode_to_half(picks.records(array, &mut scratch.records)?, out);
        }
        (UvEncoding::Strided(array), Picks::Range(start, end)) if array.decoder().0 == ByteOrder::Little => {
            let (fields, stride) = array.slice(start..end)?.fields();
            pairs_to_half(fields, stride, out);
        }
        _ => return Some(false),
    }
    Some(true)
}

/// Decodes the values of a block, and converts them to other conventions if `convert` is given.
fn decode<A: Gather>(
    array: &A,
    picks: Picks<'_>,
    convert: Option<&impl Fn(A::Item) -> A::Item>,
    records: &mut Option<ChunkBuffer>,
    values: &mut [A::Item],
) -> Option<()> {
    picks.fill(array, records, values)?;
    if let Some(convert) = convert {
        for value in values.iter_mut() {
            *value = convert(*value);
        }
    }
    Some(())
}

/// Decodes the values of a block, converts them to other conventions if `convert` is given, and
/// writes them to a column.
fn column<const N: usize, A: Gather<Item = [f32; N]>>(
    array: &A,
    picks: Picks<'_>,
    number: Number,
    convert: Option<&impl Fn([f32; N]) -> [f32; N]>,
    scratch: &mut Scratch,
    out: &mut [u8],
) -> Option<()> {
    let Scratch { values, records, .. } = scratch;
    if number == Number::Float {
        return decode(array, picks, convert, records, cast(out).get_mut(..picks.len())?);
    }
    let values = values.values(picks.len())?;
    decode(array, picks, convert, records, values)?;
    number.put(values, out);
    Some(())
}
