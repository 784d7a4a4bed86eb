//! The view of one surface of a mesh.
//!
//! A [`SurfaceView`] locates each array when the caller requests that array. Locating an array does
//! not read the items of the array.

use zerocopy::FromBytes as _;
use zerocopy::little_endian::{F32, U16, U32};

use super::blocks::inflated::InflatedBlock;
use super::header::SurfaceHeader;
use super::layout::{FRAME_7, Generation, INFLUENCES};
use super::reader::arrays::{ArrayKind, Arrays, HeaderCounts, SurfaceArray, SurfaceCache};
use super::reader::fields::{FieldReader, NoRegions};
use crate::array::runs::CountedRuns;
use crate::array::{Bounds, Packed, Sphere};
use crate::decode::influence4::RawInfluence4;
use crate::decode::{Floats, Index, Quat7, Quat8, Unorm8};
use crate::error::debug::short_debug;
use crate::error::{Cause, Error, Field, Result};
use crate::math::{as_index, as_u64};
use crate::model::{Counts, IndexEncoding, Indices, TangentFrameEncoding, TangentFrames, Weights};
use crate::parse::{Cursor, Name, Record, Region};

/// One surface of a [`Mesh`](super::Mesh), borrowed from the file.
///
/// Creating a [`SurfaceView`] reads the header entry of the surface. Requesting an array reads the
/// item counts of the arrays before it, but not the items of these arrays. If the arrays before the
/// requested array are large, each item count lies in another memory page, so requesting an array
/// reads one memory page per count. In files before ms14 without embedded animations, the geometry
/// of the first surface follows the header, so reading the first position usually touches only the
/// memory pages of the header.
#[derive(Clone, Copy)]
pub struct SurfaceView<'a> {
    bytes: &'a [u8],
    start: u64,
    access_log: Option<&'a crate::parse::AccessLog>,
    pub(super) generation: Generation,
    pub(super) index: u64,
    pub(super) head: SurfaceHeader<'a>,
    pub(super) cache: &'a SurfaceCache,
    /// The geometry block of the surface, in ms14 and ms15.
    block: Option<&'a InflatedBlock>,
}

short_debug!(SurfaceView<'_>: |surface| {
    format: surface.generation.format(), index: surface.index, name: surface.head.name, offset: surface.start,
    targets: surface.head.targets,
});

impl<'a> SurfaceView<'a> {
    pub(super) fn new(
        reader: FieldReader<'a, NoRegions>,
        generation: Generation,
        index: u64,
        (head, block): (SurfaceHeader<'a>, Option<&'a InflatedBlock>),
        cache: &'a SurfaceCache,
    ) -> Self {
        let (bytes, start, access_log) = reader.cursor.into_parts();
        Self { bytes, start, access_log, generation, index, head, cache, block }
    }

    /// Returns the name of the surface, without its closing NUL byte.
    #[must_use]
    pub const fn name(&self) -> Name<'a> {
        self.head.name
    }

    /// Returns the bounding box of the surface, as stored in the header.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        self.head.bounds.bounds()
    }

    /// Returns the bounding sphere of the surface, as stored in the header.
    #[must_use]
    pub fn sphere(&self) -> Sphere {
        self.head.bounds.sphere()
    }

    pub(crate) const fn header(&self) -> &SurfaceHeader<'a> {
        &self.head
    }

    /// Returns the offset of the surface's geometry, in bytes from the start of the file.
    ///
    /// In ms14 and ms15, the returned offset is the offset of the geometry block.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.start
    }

    /// Returns the two lightmap bytes: the index of the UV set for lightmaps, and the code of the
    /// lightmap resolution, which is 32 * 2^code texels.
    ///
    /// Returns `None` for files before ms12, which have no lightmap bytes.
    #[must_use]
    pub const fn lightmap(&self) -> Option<[u8; 2]> {
        self.head.lightmap
    }

    /// Locates the vertex positions of the base shape.
    ///
    /// Each position is x, y, z in scene units. By the engine's convention, one scene unit is a
    /// metre.
    ///
    /// # Errors
    ///
    /// Returns an error with a field name and a byte offset if the data before the array is
    /// damaged.
    pub fn positions(&self) -> Result<Packed<'a, Floats<3>>> {
        self.positions_of(0)
    }

    /// Locates the tangent frames of the base shape.
    ///
    /// The number of tangent frames may differ from the number of positions.
    ///
    /// # Errors
    ///
    /// Returns an error with a field name and a byte offset if the data before the array is
    /// damaged.
    pub fn tangent_frames(&self) -> Result<TangentFrames<'a>> {
        self.tangent_frames_of(0)
    }

    /// Locates the bone weights: for each position, a list of up to four influences (a bone index
    /// and a weight each).
    ///
    /// Returns `None` if the surface is not skinned.
    ///
    /// # Errors
    ///
    /// Returns an error if the data before the array is damaged, or [`ErrorKind::Value`] if the
    /// number of weight lists is not the number of positions, or if a weight list has more than
    /// four influences.
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn weights(&self) -> Result<Option<Weights<'a>>> {
        let mut arrays = self.arrays()?;
        let positions = arrays.next()?.map_or(0, |array| array.count);
        if !self.generation.has_bones() {
            return Ok(None);
        }
        let array = arrays.find(ArrayKind::Weights)?;
        if array.count == 0 {
            return Ok(None);
        }
        self.expect_count(&array, "weights.count", positions, "positions")?;
        let count = as_index(array.count);
        // The weight totals that a sidecar stores may belong to another file. The totals of another
        // file are ignored, because they would lead to wrong weight lists.
        let known = self.cache.totals.get().filter(|totals| {
            totals.matches(count, size_of::<RawInfluence4>()) && totals.bytes == as_u64(array.bytes.len())
        });
        if let Some(totals) = known
            && let (into, count) = totals.longest
            && count > INFLUENCES
            && usize::try_from(into).ok().and_then(|into| array.bytes.get(into)) == Some(&count)
        {
            let kind = Cause::value("0 to 4 influences on a vertex", count.to_string());
            return Err(self.error("weights", array.at.saturating_add(into), kind));
        }
        Ok(Some(Weights::from_counted(CountedRuns::new(array.bytes, count), known.map(|_| &self.cache.index))))
    }

    /// Locates the texture coordinates of UV set 0 or 1.
    ///
    /// The u coordinate increases to the right, and the v coordinate increases downwards. Returns
    /// `None` if the surface does not have the requested UV set.
    ///
    /// # Errors
    ///
    /// Returns an error if the data before the array is damaged, or [`ErrorKind::Value`] if the
    /// number of (u, v) pairs is not the number of tangent frames.
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn uvs(&self, set: usize) -> Result<Option<Packed<'a, Floats<2>>>> {
        let (kind, name) = match set {
            0 => (ArrayKind::Uv0, "uv0.count"),
            1 => (ArrayKind::Uv1, "uv1.count"),
            _ => return Ok(None),
        };
        let raw = self.attributes::<[F32; 2]>(kind, name)?;
        Ok(raw.map(|raw| Packed::new(raw, Floats)))
    }

    /// Locates the vertex colours. Each colour is red, green, blue, alpha.
    ///
    /// Returns `None` if the surface has no colours.
    ///
    /// # Errors
    ///
    /// Returns an error if the data before the array is damaged, or [`ErrorKind::Value`] if the
    /// number of colours is not the number of tangent frames.
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn colors(&self) -> Result<Option<Packed<'a, Unorm8<4>>>> {
        let raw = self.attributes::<[u8; 4]>(ArrayKind::Colors, "colors.count")?;
        Ok(raw.map(|raw| Packed::new(raw, Unorm8)))
    }

    /// Locates the first index stream: for each triangle corner, the index of its position and
    /// weights.
    ///
    /// UNIGINE calls the indices into positions and weights *coordinate indices*.
    ///
    /// # Errors
    ///
    /// Returns an error with a field name and a byte offset if the data before the array is
    /// damaged.
    pub fn indices(&self) -> Result<Indices<'a>> {
        self.index_stream(ArrayKind::Indices)
    }

    /// Locates the second index stream: for each triangle corner, the index of its tangent frame,
    /// UVs and colour.
    ///
    /// UNIGINE calls the indices into tangent frames, UVs and colours *triangle indices*.
    ///
    /// # Errors
    ///
    /// Returns an error with a field name and a byte offset if the data before the array is
    /// damaged.
    pub fn attribute_indices(&self) -> Result<Indices<'a>> {
        self.index_stream(ArrayKind::AttributeIndices)
    }

    /// Returns how many vertices, triangle corners and other items the surface has.
    ///
    /// The method reads the count of every array of the surface, but no array item.
    ///
    /// # Errors
    ///
    /// Returns an error with a field name and a byte offset if the data before the array is
    /// damaged.
    pub fn counts(&self) -> Result<Counts> {
        let mut counts = Counts { targets: self.head.targets, ..Counts::default() };
        let mut arrays = self.arrays()?;
        while let Some(SurfaceArray { kind, count, element, .. }) = arrays.next()? {
            kind.add_to(&mut counts, count, element);
        }
        Ok(counts)
    }

    /// Returns the byte offset of the array, or of the array count, with the field name `name`. If
    /// the geometry is stored compressed, the offset is relative to the inflated bytes.
    pub(crate) fn offset_of(&self, name: &str) -> Result<u64> {
        let mut arrays = self.arrays()?;
        while let Some(array) = arrays.next()? {
            match array.kind.names() {
                (of_array, _) if of_array == name => return Ok(array.at),
                (_, of_count) if of_count == name => return Ok(array.count_at),
                _ => {}
            }
        }
        Ok(self.start)
    }

    /// Returns the inflated bytes of the geometry block, or `None` if the geometry is stored
    /// uncompressed.
    pub(crate) fn inflated_bytes(&self) -> Option<&'a [u8]> {
        self.block?.inflated_bytes()
    }

    /// Calls `see` with one [`Region`] for each array of the surface's geometry and for each array
    /// count.
    pub(crate) fn regions(&self, see: &mut dyn FnMut(Region)) -> Result<()> {
        let arrays = self.arrays()?;
        let reader = FieldReader { cursor: arrays.reader.cursor.clone(), sink: |region| see(region) };
        let mut arrays = arrays.with_reader(reader);
        while arrays.next()?.is_some() {}
        Ok(())
    }

    /// Returns an [`Arrays`] value that locates the arrays of the surface, from the first array on.
    pub(crate) fn arrays(&self) -> Result<Arrays<'a, NoRegions>> {
        let counts = match self.head.corners {
            Some(corners) => Some(HeaderCounts { targets: self.reader(self.head.target_names)?, corners }),
            None => None,
        };
        let reader = FieldReader { cursor: self.cursor()?, sink: NoRegions };
        Ok(Arrays::new(reader, self.generation, self.index, self.head.targets, self.cache).with_counts(counts))
    }

    pub(super) fn positions_of(&self, target: u32) -> Result<Packed<'a, Floats<3>>> {
        let array = self.find(ArrayKind::Positions(target))?;
        Ok(Packed::new(self.cast(&array)?, Floats))
    }

    pub(super) fn tangent_frames_of(&self, target: u32) -> Result<TangentFrames<'a>> {
        self.cast_tangent_frames(&self.find(ArrayKind::TangentFrames(target))?)
    }

    pub(crate) fn cast_tangent_frames(&self, array: &SurfaceArray<'a>) -> Result<TangentFrames<'a>> {
        Ok(if array.element == FRAME_7 {
            TangentFrames(TangentFrameEncoding::Quat7(Packed::new(self.cast(array)?, Quat7)))
        } else {
            TangentFrames(TangentFrameEncoding::Quat8(Packed::new(self.cast(array)?, Quat8)))
        })
    }

    /// Locates an array that has one item per tangent frame (UVs or colours). Returns `None` if the
    /// array is empty.
    fn attributes<T: Record>(&self, kind: ArrayKind, count_name: &'static str) -> Result<Option<&'a [T]>> {
        let mut arrays = self.arrays()?;
        arrays.next()?;
        let frames = arrays.next()?.map_or(0, |array| array.count);
        let array = arrays.find(kind)?;
        if array.count == 0 {
            return Ok(None);
        }
        self.expect_count(&array, count_name, frames, "tangents")?;
        self.cast(&array).map(Some)
    }

    fn index_stream(&self, kind: ArrayKind) -> Result<Indices<'a>> {
        let array = self.find(kind)?;
        Ok(match array.element.size {
            1 => Indices(IndexEncoding::U8(Packed::new(self.cast::<u8>(&array)?, Index::new()))),
            2 => Indices(IndexEncoding::U16(Packed::new(self.cast::<U16>(&array)?, Index::new()))),
            _ => Indices(IndexEncoding::U32(Packed::new(self.cast::<U32>(&array)?, Index::new()))),
        })
    }

    /// Casts the bytes of an array to a slice of records.
    ///
    /// The cast is safe, because every bit pattern is allowed in a record, and the number of bytes
    /// is a multiple of the record size.
    pub(crate) fn cast<T: Record>(&self, array: &SurfaceArray<'a>) -> Result<&'a [T]> {
        <[T]>::ref_from_bytes(array.bytes).map_err(|_| {
            let (needed, left) = (as_u64(size_of::<T>()), as_u64(array.bytes.len()));
            self.error("array", array.at, Cause::UnexpectedEnd { needed, left })
        })
    }

    fn expect_count(&self, array: &SurfaceArray<'a>, name: &'static str, expected: u32, of: &str) -> Result<()> {
        if array.count == expected {
            return Ok(());
        }
        let expected = format!("0 or {expected}, the number of {of}");
        Err(self.error(name, array.count_at, Cause::value(expected, array.count.to_string())))
    }

    fn error(&self, name: &'static str, offset: u64, kind: Cause) -> Error {
        let field = Field::new(name).in_list("surface", self.index);
        match self.inflated_from() {
            Some(block) => Error::new(self.generation.format_name(), field, block, kind).at_inflated(offset),
            None => Error::new(self.generation.format_name(), field, offset, kind),
        }
    }

    /// Creates an error at the byte offset `into` from the start of the array `name`.
    pub(crate) fn fault(&self, name: &'static str, into: u64, kind: Cause) -> Error {
        let start = self.offset_of(name).unwrap_or(self.start);
        self.error(name, start.saturating_add(into), kind)
    }

    /// Returns the file offset of the compressed geometry block, or `None` if the geometry is
    /// stored uncompressed.
    ///
    /// For a compressed geometry block, the array offsets are relative to the start of the inflated
    /// bytes.
    pub(crate) fn inflated_from(&self) -> Option<u64> {
        self.block?.inflated_from()
    }

    /// Returns a cursor at the first byte of the surface's geometry, either in the file or in the
    /// inflated bytes.
    fn cursor(&self) -> Result<Cursor<'a>> {
        match self.block {
            Some(block) => {
                let access_log = self.access_log.filter(|_| block.inflated_from().is_none());
                Ok(block.cursor(self.bytes, self.generation.format_name())?.with_access_log(access_log))
            }
            None => Ok(Cursor::new(self.bytes, self.generation.format_name())
                .with_access_log(self.access_log)
                .at(self.start)?),
        }
    }

    pub(super) fn reader(&self, offset: u64) -> Result<FieldReader<'a, NoRegions>> {
        let mut cursor =
            Cursor::new(self.bytes, self.generation.format_name()).with_access_log(self.access_log).at(offset)?;
        cursor.set_place(Field::new("").in_list("surface", self.index));
        Ok(FieldReader { cursor, sink: NoRegions })
    }
}
