//! Views of one surface: located, not read. Each array is found when it is asked for.

use zerocopy::FromBytes as _;
use zerocopy::little_endian::{F32, U16, U32};

use super::blocks::inflated::InflatedBlock;
use super::header::SurfaceHeader;
use super::layout::{FRAME_7, Generation, INFLUENCES};
use super::reader::arrays::{ArrayKind, Arrays, HeaderCounts, SurfaceArray};
use super::reader::fields::{FieldReader, NoRegions};
use super::reader::surface_cache::SurfaceCache;
use crate::array::runs::CountedRuns;
use crate::array::{Bounds, Packed, Sphere};
use crate::decode::influence4::RawInfluence4;
use crate::decode::{Floats, Index, Quat7, Quat8, Unorm8};
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::{as_index, as_u64};
use crate::model::{Counts, Indices, TangentFrames, Weights};
use crate::parse::{Cursor, Name, Record, Region};

/// One surface of a [`Mesh`](super::Mesh), borrowed from the file.
///
/// Making it looks at the surface's header entry; asking for an array looks at the counts before that array, one page
/// each where arrays are large, and at none of their items. So the first position of a mesh costs the pages of the
/// header and no other.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceView<'a> {
    bytes: &'a [u8],
    start: u64,
    access_log: Option<&'a crate::parse::AccessLog>,
    pub(super) generation: Generation,
    pub(super) index: u64,
    pub(super) head: SurfaceHeader<'a>,
    cache: &'a SurfaceCache,
    /// The block that the geometry is in, in compressed generations.
    block: Option<&'a InflatedBlock>,
}

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

    /// Returns the name, without its closing NUL.
    #[must_use]
    pub const fn name(&self) -> Name<'a> {
        self.head.name
    }

    /// Returns the box as stored.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        self.head.bounds.bounds()
    }

    /// Returns the sphere as stored.
    #[must_use]
    pub fn sphere(&self) -> Sphere {
        self.head.bounds.sphere()
    }

    pub(crate) const fn header(&self) -> &SurfaceHeader<'a> {
        &self.head
    }

    /// Returns the offset of its geometry from the start of the file; in ms14 and ms15, of the block that it is in.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.start
    }

    /// Returns the UV set that lightmaps use, and the code of their resolution, 32·2^code texels: from ms12 on.
    #[must_use]
    pub const fn lightmap(&self) -> Option<[u8; 2]> {
        self.head.lightmap
    }

    /// Locates the positions of the base shape: x, y, z in scene units (1 is a metre by the engine's convention).
    ///
    /// # Errors
    ///
    /// A fault on the way, by field and offset.
    pub fn positions(&self) -> Result<Packed<'a, Floats<3>>> {
        self.positions_of(0)
    }

    /// Locates the tangent frames of the base shape: one per attribute vertex, not per position.
    ///
    /// # Errors
    ///
    /// A fault on the way, by field and offset.
    pub fn tangent_frames(&self) -> Result<TangentFrames<'a>> {
        self.tangent_frames_of(0)
    }

    /// Locates the bone weights: a list of up to four per position. `None` where the surface is not skinned.
    ///
    /// # Errors
    ///
    /// A fault on the way; [`ErrorKind::Value`] where there is not one list per position, or a list is longer than four.
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
        // Unless it is of these weights, what a sidecar has of a surface leads to none of them.
        let known = self.cache.totals.get().filter(|totals| {
            totals.matches(count, size_of::<RawInfluence4>()) && totals.bytes == as_u64(array.bytes.len())
        });
        if let Some(totals) = known
            && let (into, count) = totals.longest
            && count > INFLUENCES
            && usize::try_from(into).ok().and_then(|into| array.bytes.get(into)) == Some(&count)
        {
            let found = format!("{count}").into();
            let kind = ErrorKind::Value { expected: "0 to 4 influences on a vertex".into(), found };
            return Err(self.error("weights", array.at.saturating_add(into), kind));
        }
        Ok(Some(Weights::from_counted(CountedRuns::new(array.bytes, count), known.map(|_| &self.cache.index))))
    }

    /// Locates UV set 0 or 1: u to the right, v downwards. `None` where the surface does not have it.
    ///
    /// # Errors
    ///
    /// A fault on the way; [`ErrorKind::Value`] where there is not one pair per attribute vertex.
    pub fn uvs(&self, set: usize) -> Result<Option<Packed<'a, Floats<2>>>> {
        let (kind, name) = match set {
            0 => (ArrayKind::Uv0, "uv0.count"),
            1 => (ArrayKind::Uv1, "uv1.count"),
            _ => return Ok(None),
        };
        let raw = self.attributes::<[F32; 2]>(kind, name)?;
        Ok(raw.map(|raw| Packed::new(raw, Floats)))
    }

    /// Locates the vertex colours: red, green, blue, alpha. `None` where the surface has none.
    ///
    /// # Errors
    ///
    /// A fault on the way; [`ErrorKind::Value`] where there is not one per attribute vertex.
    pub fn colors(&self) -> Result<Option<Packed<'a, Unorm8<4>>>> {
        let raw = self.attributes::<[u8; 4]>(ArrayKind::Colors, "colors.count")?;
        Ok(raw.map(|raw| Packed::new(raw, Unorm8)))
    }

    /// Locates the coordinate indices: for each corner, its position and weights.
    ///
    /// # Errors
    ///
    /// A fault on the way, by field and offset.
    pub fn indices(&self) -> Result<Indices<'a>> {
        self.index_stream(ArrayKind::Indices)
    }

    /// Locates the triangle indices: for each corner, its frame, UVs and colour.
    ///
    /// # Errors
    ///
    /// A fault on the way, by field and offset.
    pub fn attribute_indices(&self) -> Result<Indices<'a>> {
        self.index_stream(ArrayKind::AttributeIndices)
    }

    /// Counts what the surface has: looks at every count, and at no item.
    ///
    /// # Errors
    ///
    /// A fault on the way, by field and offset.
    pub fn counts(&self) -> Result<Counts> {
        let mut counts = Counts { targets: self.head.targets, ..Counts::default() };
        let mut arrays = self.arrays()?;
        while let Some(SurfaceArray { kind, count, element, .. }) = arrays.next()? {
            let some = count > 0;
            let width = u8::try_from(element.size).unwrap_or_default();
            match kind {
                ArrayKind::Positions(0) => counts.vertices = count,
                ArrayKind::TangentFrames(0) => counts.attribute_vertices = count,
                ArrayKind::Positions(_) | ArrayKind::TangentFrames(_) => {}
                ArrayKind::Weights => counts.weights = some,
                ArrayKind::Uv0 | ArrayKind::Uv1 => counts.uv_sets = counts.uv_sets.saturating_add(some.into()),
                ArrayKind::Colors => counts.colors = some,
                ArrayKind::Indices => (counts.corners, counts.index_widths[0]) = (count, width),
                ArrayKind::AttributeIndices => counts.index_widths[1] = width,
            }
        }
        Ok(counts)
    }

    /// Returns where a region of the geometry starts, by its name.
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

    /// Returns what the block of a compressed generation inflates to.
    pub(crate) fn inflated_bytes(&self) -> Option<&'a [u8]> {
        self.block?.inflated_bytes()
    }

    /// Names the arrays of inflated geometry, and their counts.
    pub(crate) fn regions(&self, see: &mut dyn FnMut(Region)) -> Result<()> {
        let arrays = self.arrays()?;
        let reader = FieldReader { cursor: arrays.reader.cursor.clone(), sink: |region| see(region) };
        let mut arrays = arrays.with_reader(reader);
        while arrays.next()?.is_some() {}
        Ok(())
    }

    /// Starts finding the arrays from the first.
    pub(crate) fn arrays(&self) -> Result<Arrays<'a, NoRegions>> {
        let counts = match self.head.corners {
            Some(corners) => Some(HeaderCounts { targets: self.reader(self.head.target_names)?, corners }),
            None => None,
        };
        let reader = FieldReader { cursor: self.cursor()?, sink: NoRegions };
        Ok(Arrays::new(reader, self.generation, self.index, self.head.targets, self.cache).with_counts(counts))
    }

    pub(super) fn positions_of(&self, target: u32) -> Result<Packed<'a, Floats<3>>> {
        let array = self.arrays()?.find(ArrayKind::Positions(target))?;
        Ok(Packed::new(self.cast(&array)?, Floats))
    }

    pub(super) fn tangent_frames_of(&self, target: u32) -> Result<TangentFrames<'a>> {
        self.cast_tangent_frames(&self.arrays()?.find(ArrayKind::TangentFrames(target))?)
    }

    pub(crate) fn cast_tangent_frames(&self, array: &SurfaceArray<'a>) -> Result<TangentFrames<'a>> {
        Ok(if array.element == FRAME_7 {
            TangentFrames::Quat7(Packed::new(self.cast(array)?, Quat7))
        } else {
            TangentFrames::Quat8(Packed::new(self.cast(array)?, Quat8))
        })
    }

    /// Finds an array that has one item per attribute vertex, or none.
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
        let array = self.arrays()?.find(kind)?;
        Ok(match array.element.size {
            1 => Indices::U8(Packed::new(self.cast::<u8>(&array)?, Index::new())),
            2 => Indices::U16(Packed::new(self.cast::<U16>(&array)?, Index::new())),
            _ => Indices::U32(Packed::new(self.cast::<U32>(&array)?, Index::new())),
        })
    }

    /// Types the bytes of an array: every bit pattern is a record, and the length was multiplied from its size.
    pub(crate) fn cast<T: Record>(&self, array: &SurfaceArray<'a>) -> Result<&'a [T]> {
        <[T]>::ref_from_bytes(array.bytes).map_err(|_| {
            let (needed, left) = (as_u64(size_of::<T>()), as_u64(array.bytes.len()));
            self.error("array", array.at, ErrorKind::UnexpectedEnd { needed, left })
        })
    }

    fn expect_count(&self, array: &SurfaceArray<'a>, name: &'static str, expected: u32, of: &str) -> Result<()> {
        if array.count == expected {
            return Ok(());
        }
        let expected = format!("0 or {expected}, the number of {of}").into();
        Err(self.error(name, array.count_at, ErrorKind::Value { expected, found: array.count.to_string().into() }))
    }

    fn error(&self, name: &'static str, offset: u64, kind: ErrorKind) -> Error {
        let field = Field::new(name).in_list("surface", self.index);
        match self.inflated_from() {
            Some(block) => Error::new(self.generation.format(), field, block, kind).at_inflated(offset),
            None => Error::new(self.generation.format(), field, offset, kind),
        }
    }

    /// Makes an error about the region `name`, `into` bytes from its start.
    pub(crate) fn fault(&self, name: &'static str, into: u64, kind: ErrorKind) -> Error {
        let start = self.offset_of(name).unwrap_or(self.start);
        self.error(name, start.saturating_add(into), kind)
    }

    /// Returns the offset of the block that the geometry was inflated from: other offsets are then inside of it.
    pub(crate) fn inflated_from(&self) -> Option<u64> {
        self.block?.inflated_from()
    }

    /// Starts reading the geometry.
    fn cursor(&self) -> Result<Cursor<'a>> {
        match self.block {
            Some(block) => {
                let access_log = self.access_log.filter(|_| block.inflated_from().is_none());
                Ok(block.cursor(self.bytes, self.generation.format())?.with_access_log(access_log))
            }
            None => {
                Ok(Cursor::new(self.bytes, self.generation.format()).with_access_log(self.access_log).at(self.start)?)
            }
        }
    }

    pub(super) fn reader(&self, offset: u64) -> Result<FieldReader<'a, NoRegions>> {
        let mut cursor =
            Cursor::new(self.bytes, self.generation.format()).with_access_log(self.access_log).at(offset)?;
        cursor.set_place(Field::new("").in_list("surface", self.index));
        Ok(FieldReader { cursor, sink: NoRegions })
    }
}
