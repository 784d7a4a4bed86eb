//! The arrays of a surface that a GPU can read from the bytes of the file, without conversion.

use crate::array::{Array, Packed, Strided};
use crate::decode::{ByteOrder, EndianFloats, MinMax16};
use crate::error::Result;
use crate::error::debug::short_debug;
use crate::gpu::{Semantic, VertexFormat};
use crate::model::{
    ColorEncoding, Colors, IndexEncoding, Indices, NormalEncoding, Normals, PositionEncoding, Positions, Surface,
    TangentFrameEncoding, TangentFrames, UvEncoding, Uvs,
};

/// The largest distance of two vertices that every implementation of WebGPU supports, in bytes.
const MAX_VERTEX_STRIDE: usize = 2048;

/// An attribute of a surface that a GPU can read from the bytes of the file.
///
/// Item *i* starts at byte `offset + stride * i` of `bytes`. A program uploads `bytes` unchanged.
/// A shader then either calls [`function`](Self::function) for each vertex, or gets the attribute
/// from a vertex buffer of the [`format`](Self::format). An upload of WebGPU needs a length that is
/// a multiple of 4 bytes, so the program pads the bytes with zeros.
///
/// Attributes of interleaved vertices have the same `bytes`, which have to be uploaded once.
///
/// Positions are selected by the index stream of [`Surface::indices`], and all other attributes by
/// that of [`Surface::attribute_indices`].
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::gpu::{Semantic, StoredAttribute, VertexFormat};
/// use meshpeek::Model;
///
/// let model = Model::open(meshpeek::read("data/unigine/cube_ms13.mesh")?)?;
/// let attributes = StoredAttribute::of(&model.surface(0)?)?;
/// let position = &attributes[0];
/// assert_eq!((position.semantic, position.count), (Semantic::Position, 8));
/// assert_eq!((position.format, position.stride, position.is_aligned()), (Some(VertexFormat::Float32x3), 12, true));
/// let tangent = &attributes[2];
/// assert_eq!((tangent.semantic, tangent.format), (Semantic::Tangent, None));
/// assert_eq!((tangent.function, tangent.stride), ("meshpeek_unpack_quat8_tangent", 8));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct StoredAttribute<'a> {
    /// The meaning of the attribute.
    pub semantic: Semantic,
    /// The bytes of the file that contain all items.
    pub bytes: &'a [u8],
    /// Offset of the first item in `bytes`, in bytes.
    pub offset: usize,
    /// The distance from the start of an item to the start of the next, in bytes.
    pub stride: usize,
    /// The number of items.
    pub count: usize,
    /// The format in which a vertex buffer can contain the attribute, or `None` if only
    /// [`function`](Self::function) can decode it.
    ///
    /// The vertex buffer also needs an aligned offset and stride: see
    /// [`is_aligned`](Self::is_aligned).
    pub format: Option<VertexFormat>,
    /// The name of the function in [`wgsl::SOURCE`](crate::gpu::wgsl::SOURCE) that decodes an item.
    pub function: &'static str,
    /// The value of code 0, and the difference between the values of the largest code and of code
    /// 0, for each component. `None` if the encoding has no such constants.
    ///
    /// [`function`](Self::function) takes the two vectors as its second and third argument. The
    /// shader of a vertex buffer computes `fetched * scale + offset`.
    pub offset_scale: Option<[[f32; 4]; 2]>,
}

short_debug!(['a] StoredAttribute<'a>: |attribute| {
    semantic: attribute.semantic, offset: attribute.offset, stride: attribute.stride, count: attribute.count,
    format: attribute.format, function: attribute.function, offset_scale: attribute.offset_scale,
});

impl<'a> StoredAttribute<'a> {
    /// Lists the attributes of the base shape of a surface that its file stores: the positions,
    /// normals, tangents, UV sets and colours. No item is read.
    ///
    /// Normals and tangents of the same tangent frames are two attributes with the same bytes.
    ///
    /// Texture coordinates in records of triangles are left out, because they have no stride. Bone
    /// weights are left out, because their lists have different lengths.
    /// [`Weights::as_bytes`](crate::Weights::as_bytes) is their bytes.
    ///
    /// # Errors
    ///
    /// Returns the error of the method of [`Surface`] that finds an array.
    pub fn of(surface: &Surface<'a>) -> Result<Vec<Self>> {
        let mut found = vec![positions(&surface.positions()?)];
        found.extend(surface.normals()?.map(|array| normals(&array)));
        found.extend(surface.tangent_frames()?.map(|array| tangents(&array)));
        for set in 0..surface.counts()?.uv_sets {
            let Some(array) = surface.uvs(usize::try_from(set).unwrap_or(usize::MAX))? else { continue };
            found.extend(uvs(set, &array));
        }
        found.extend(surface.colors()?.map(|array| colors(&array)));
        Ok(found)
    }

    /// Returns whether a vertex buffer of WebGPU can contain the attribute.
    ///
    /// This is so if the attribute has a format, its offset and stride are multiples of 4, and its
    /// stride is at most 2048.
    #[must_use]
    pub const fn is_aligned(&self) -> bool {
        self.format.is_some()
            && self.offset.is_multiple_of(4)
            && self.stride.is_multiple_of(4)
            && self.stride <= MAX_VERTEX_STRIDE
    }

    fn new<A: Array + 'a>(semantic: Semantic, array: &A, function: &'static str) -> Self {
        let (offset, next) = (array.byte_offset(0), array.byte_offset(1));
        let (bytes, count, stride) = (array.as_bytes(), array.len(), next.saturating_sub(offset));
        Self { semantic, bytes, offset, stride, count, format: None, function, offset_scale: None }
    }

    const fn with_format(self, format: VertexFormat) -> Self {
        Self { format: Some(format), ..self }
    }

    /// Describes floats in vertex records.
    fn strided<const N: usize>(
        semantic: Semantic,
        array: &Strided<'a, EndianFloats<N>>,
        [little, big]: [&'static str; 2],
        format: VertexFormat,
    ) -> Self {
        match array.decoder().0 {
            ByteOrder::Little => Self::new(semantic, array, little).with_format(format),
            ByteOrder::Big => Self::new(semantic, array, big),
        }
    }

    /// Describes codes of an interval for each component.
    fn min_max<const N: usize>(semantic: Semantic, array: &Packed<'a, MinMax16<N>>, function: &'static str) -> Self {
        let decoder = array.decoder();
        let mut constants = [[0.0; 4]; 2];
        let [offset, scale] = &mut constants;
        let places = offset.iter_mut().zip(scale);
        for ((offset, scale), (min, max)) in places.zip(decoder.min().into_iter().zip(decoder.max())) {
            (*offset, *scale) = (min, max - min);
        }
        Self { offset_scale: Some(constants), ..Self::new(semantic, array, function) }
    }
}

/// The functions for two and three floats in vertex records: little-endian and big-endian.
const F32X2: [&str; 2] = ["meshpeek_unpack_f32x2", "meshpeek_unpack_f32x2_big_endian"];
const F32X3: [&str; 2] = ["meshpeek_unpack_f32x3", "meshpeek_unpack_f32x3_big_endian"];

fn positions<'a>(positions: &Positions<'a>) -> StoredAttribute<'a> {
    let semantic = Semantic::Position;
    match positions {
        Positions(PositionEncoding::F32(array)) => {
            StoredAttribute::new(semantic, array, "meshpeek_unpack_f32x3").with_format(VertexFormat::Float32x3)
        }
        Positions(PositionEncoding::Packed32(array)) => {
            StoredAttribute::new(semantic, array, "meshpeek_unpack_packed32")
        }
        Positions(PositionEncoding::Packed64(array)) => {
            StoredAttribute::new(semantic, array, "meshpeek_unpack_packed64")
        }
        Positions(PositionEncoding::MinMax16(array)) => {
            StoredAttribute::min_max(semantic, array, "meshpeek_unpack_min_max16x3")
        }
        Positions(PositionEncoding::Strided(array)) => {
            StoredAttribute::strided(semantic, array, F32X3, VertexFormat::Float32x3)
        }
    }
}

fn normals<'a>(normals: &Normals<'a>) -> StoredAttribute<'a> {
    let semantic = Semantic::Normal;
    match normals {
        Normals(NormalEncoding::Quat8(array)) => StoredAttribute::new(semantic, array, "meshpeek_unpack_quat8_normal"),
        Normals(NormalEncoding::Quat7(array)) => StoredAttribute::new(semantic, array, "meshpeek_unpack_quat7_normal"),
        Normals(NormalEncoding::Unit16(array)) => StoredAttribute::new(semantic, array, "meshpeek_unpack_unit16"),
        Normals(NormalEncoding::F32(array)) => {
            StoredAttribute::new(semantic, array, "meshpeek_unpack_f32x3").with_format(VertexFormat::Float32x3)
        }
        Normals(NormalEncoding::Strided(array)) => {
            StoredAttribute::strided(semantic, array, F32X3, VertexFormat::Float32x3)
        }
    }
}

fn tangents<'a>(frames: &TangentFrames<'a>) -> StoredAttribute<'a> {
    let semantic = Semantic::Tangent;
    match frames {
        TangentFrames(TangentFrameEncoding::Quat8(array)) => {
            StoredAttribute::new(semantic, array, "meshpeek_unpack_quat8_tangent")
        }
        TangentFrames(TangentFrameEncoding::Quat7(array)) => {
            StoredAttribute::new(semantic, array, "meshpeek_unpack_quat7_tangent")
        }
    }
}

fn uvs<'a>(set: u32, uvs: &Uvs<'a>) -> Option<StoredAttribute<'a>> {
    let semantic = Semantic::Uv(set);
    match uvs {
        Uvs(UvEncoding::F32(array)) => {
            Some(StoredAttribute::new(semantic, array, "meshpeek_unpack_f32x2").with_format(VertexFormat::Float32x2))
        }
        Uvs(UvEncoding::MinMax16(array)) => {
            let stored = StoredAttribute::min_max(semantic, array, "meshpeek_unpack_min_max16x2");
            Some(stored.with_format(VertexFormat::Unorm16x2))
        }
        Uvs(UvEncoding::Strided(array)) => {
            Some(StoredAttribute::strided(semantic, array, F32X2, VertexFormat::Float32x2))
        }
        Uvs(UvEncoding::Polygon255(_) | UvEncoding::Polygon256(_)) => None,
    }
}

fn colors<'a>(colors: &Colors<'a>) -> StoredAttribute<'a> {
    let semantic = Semantic::Color;
    let argb8 = |order| match order {
        ByteOrder::Little => "meshpeek_unpack_argb8",
        ByteOrder::Big => "meshpeek_unpack_argb8_big_endian",
    };
    match colors {
        Colors(ColorEncoding::Unorm8(array)) => {
            StoredAttribute::new(semantic, array, "meshpeek_unpack_unorm8x4").with_format(VertexFormat::Unorm8x4)
        }
        Colors(ColorEncoding::Argb8(array)) => StoredAttribute::new(semantic, array, argb8(array.decoder().0)),
        Colors(ColorEncoding::Strided(array)) => StoredAttribute::new(semantic, array, argb8(array.decoder().0)),
    }
}

impl Indices<'_> {
    /// Returns the size in bytes of each little-endian index that a GPU can read from
    /// [`as_bytes`](Array::as_bytes), or `None` if the file stores the indices big-endian or in
    /// records of triangles, or does not store them. No index is read.
    ///
    /// 2 and 4 are sizes of index buffers. An index of 1 byte has to be widened, or read by
    /// `meshpeek_unpack_u8` of [`wgsl::SOURCE`](crate::gpu::wgsl::SOURCE). In WebGPU, a copy needs a
    /// length that is a multiple of 4 bytes. If a surface has two index streams, an index buffer
    /// needs [`Surface::weld`], and a shader that reads both streams does not. The indices are not
    /// checked: [`first_out_of_range`](Self::first_out_of_range) finds an invalid index.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::{Array, Model};
    ///
    /// let model = Model::open(meshpeek::read("data/secondlife/quad.llmesh")?)?;
    /// let surface = model.surface(0)?;
    /// assert!(surface.is_single_stream()?); // one index buffer is enough
    /// let indices = surface.indices()?;
    /// assert_eq!((indices.stored_width(), indices.len(), indices.as_bytes().len()), (Some(2), 96, 192));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn stored_width(&self) -> Option<u8> {
        match self {
            Indices(IndexEncoding::U8(_)) => Some(1),
            Indices(IndexEncoding::U16(_)) => Some(2),
            Indices(IndexEncoding::U32(_)) => Some(4),
            Indices(IndexEncoding::Endian(array)) if matches!(array.decoder().0, ByteOrder::Little) => Some(4),
            Indices(IndexEncoding::Endian(_) | IndexEncoding::Polygon(_) | IndexEncoding::Consecutive(_)) => None,
        }
    }
}
