//! Locates the arrays of a surface, in file order.
//!
//! Surface views, structure checks and the listing of regions all use [`Arrays`] to read the
//! arrays.

use std::sync::OnceLock;

use super::fields::{FieldReader, NoRegions, RegionSink};
use crate::array::runs::{CountedRuns, RunIndex, RunTotals};
use crate::decode::influence4::RawInfluence4;
use crate::error::{Cause, Field, Result};
use crate::formats::unigine::header::CornerCounts;
use crate::formats::unigine::layout::{COLOR, Generation, POSITION, UV, WEIGHTS, index_element};
use crate::formats::unigine::morph::{TargetIndex, TargetPlace};
use crate::math::as_index;
use crate::model::Counts;
use crate::parse::ElementType;

/// The cached results of reading the weights and the shapes of a surface. Without this cache, the
/// weights would be read again for each access to an array after the weights, and all shapes before
/// a shape for each access to that shape.
#[derive(Debug, Default)]
pub(crate) struct SurfaceCache {
    /// The total size of all weight lists of the surface in bytes, the total number of influences,
    /// and the longest weight list.
    pub(crate) totals: OnceLock<RunTotals>,
    /// The index for random access to the weight lists.
    pub(crate) index: OnceLock<Option<RunIndex>>,
    /// The places of the shapes, if a shape was requested that is not among the first ones.
    pub(crate) targets: OnceLock<TargetIndex>,
}

// The documentation of `Mesh` states the number of bytes of memory per surface, so this check
// limits the size of the cache.
const _: () = assert!(size_of::<SurfaceCache>() <= 96);

/// The content of an array of a surface. The arrays of a surface are stored in the order of the
/// variants of this enum. For each shape (target) of a surface, the file stores an array of
/// positions and an array of tangent frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArrayKind {
    Positions(u32),
    TangentFrames(u32),
    Weights,
    Uv0,
    Uv1,
    Colors,
    Indices,
    AttributeIndices,
}

impl ArrayKind {
    /// Returns two field names: the name of the array and the name of its item count.
    pub(crate) const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Positions(_) => ("positions", "positions.count"),
            Self::TangentFrames(_) => ("tangents", "tangents.count"),
            Self::Weights => ("weights", "weights.count"),
            Self::Uv0 => ("uv0", "uv0.count"),
            Self::Uv1 => ("uv1", "uv1.count"),
            Self::Colors => ("colors", "colors.count"),
            Self::Indices => ("indices", "indices.count"),
            Self::AttributeIndices => ("attribute_indices", "attribute_indices.count"),
        }
    }

    /// Returns the index of the shape (target) of the array, or 0 for an array that no shape has.
    pub(crate) const fn target(self) -> u32 {
        match self {
            Self::Positions(target) | Self::TangentFrames(target) => target,
            _ => 0,
        }
    }

    /// Returns the kind of the array that follows this array in the file, in a surface with the
    /// given number of shapes (targets). Returns `None` if `self` is the last array of the surface.
    pub(crate) fn next(self, targets: u32, generation: Generation) -> Option<Self> {
        Some(match self {
            Self::Positions(target) => Self::TangentFrames(target),
            Self::TangentFrames(target) => match target.checked_add(1).filter(|next| *next < targets) {
                Some(next) => Self::Positions(next),
                None if generation.has_bones() => Self::Weights,
                None => Self::Uv0,
            },
            Self::Weights => Self::Uv0,
            Self::Uv0 => Self::Uv1,
            Self::Uv1 => Self::Colors,
            Self::Colors => Self::Indices,
            Self::Indices => Self::AttributeIndices,
            Self::AttributeIndices => return None,
        })
    }

    /// Returns the type of an item of the array. The numbers of positions and of tangent frames of
    /// shape 0 determine the widths of the indices.
    pub(crate) const fn element(self, generation: Generation, [positions, frames]: [u32; 2]) -> ElementType {
        match self {
            Self::Positions(_) => POSITION,
            Self::TangentFrames(_) => generation.frame(),
            Self::Weights => WEIGHTS,
            Self::Uv0 | Self::Uv1 => UV,
            Self::Colors => COLOR,
            Self::Indices => index_element(positions),
            Self::AttributeIndices => index_element(frames),
        }
    }

    /// Adds the array, which has `count` items of the type `element`, to the lengths of the arrays
    /// of its surface.
    pub(crate) fn add_to(self, counts: &mut Counts, count: u32, element: ElementType) {
        let width = u8::try_from(element.size).unwrap_or_default();
        match self {
            Self::Positions(0) => counts.vertices = count,
            Self::TangentFrames(0) => counts.attribute_vertices = count,
            Self::Positions(_) | Self::TangentFrames(_) => {}
            Self::Weights => counts.weights = count > 0,
            Self::Uv0 | Self::Uv1 => counts.uv_sets = counts.uv_sets.saturating_add((count > 0).into()),
            Self::Colors => counts.colors = count > 0,
            Self::Indices => (counts.corners, counts.index_widths[0]) = (count, width),
            Self::AttributeIndices => counts.index_widths[1] = width,
        }
    }
}

/// An array that was located in the file. The size of a located array is known, but its items were
/// not read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SurfaceArray<'a> {
    pub(crate) kind: ArrayKind,
    pub(crate) count: u32,
    /// Offset of the field that contains the number of items of the array.
    pub(crate) count_at: u64,
    /// Offset of the first item of the array.
    pub(crate) at: u64,
    pub(crate) bytes: &'a [u8],
    pub(crate) element: ElementType,
}

/// The array lengths of a surface that the file header stores. An array whose length is stored in
/// the header has no length field directly before the array.
#[derive(Clone, Debug)]
pub(crate) struct HeaderCounts<'a> {
    /// A field reader for the header entries of the shapes (targets), at the start of the next
    /// entry.
    pub(crate) targets: FieldReader<'a, NoRegions>,
    pub(crate) corners: CornerCounts,
}

impl HeaderCounts<'_> {
    /// Returns the number of items of an array and the offset of that number, or `None` if the
    /// header does not store that number.
    pub(crate) fn count(&mut self, kind: ArrayKind, generation: Generation) -> Result<Option<(u32, u64)>> {
        let CornerCounts { counts: [indices, attributes], offsets: [first, second] } = self.corners;
        Ok(match kind {
            ArrayKind::Positions(_) => {
                let at = self.targets.cursor.offset();
                self.targets.target(generation)?.1.map(|count| (count, at))
            }
            ArrayKind::Indices => Some((indices, first)),
            ArrayKind::AttributeIndices => Some((attributes, second)),
            _ => None,
        })
    }
}

/// Locates the arrays of a surface, one after another, in file order.
#[derive(Clone, Debug)]
pub(crate) struct Arrays<'a, S> {
    pub(crate) reader: FieldReader<'a, S>,
    generation: Generation,
    targets: u32,
    cache: &'a SurfaceCache,
    surface: u64,
    next: Option<ArrayKind>,
    /// The array lengths that the header stores, in ms14 and ms15.
    header_counts: Option<HeaderCounts<'a>>,
    /// The number of positions of shape 0; the next field, `frames`, is the number of tangent
    /// frames of shape 0. The index widths and the expected array lengths are computed from the
    /// numbers of positions and tangent frames.
    positions: u32,
    frames: u32,
}

impl<'a, S: RegionSink> Arrays<'a, S> {
    pub(crate) const fn new(
        reader: FieldReader<'a, S>,
        generation: Generation,
        surface: u64,
        targets: u32,
        cache: &'a SurfaceCache,
    ) -> Self {
        let next = Some(ArrayKind::Positions(0));
        Self { reader, generation, targets, cache, surface, next, header_counts: None, positions: 0, frames: 0 }
    }

    /// Replaces the field reader of this [`Arrays`] value. The sink of the new field reader can
    /// receive the region of each array that is read.
    pub(crate) fn with_reader<T: RegionSink>(self, reader: FieldReader<'a, T>) -> Arrays<'a, T> {
        let Self { generation, targets, cache, surface, next, header_counts, positions, frames, .. } = self;
        Arrays { reader, generation, targets, cache, surface, next, header_counts, positions, frames }
    }

    /// Sets the array lengths that are stored in the header. `Arrays` reads the length of an array
    /// from the bytes before the array only if the header does not store this length.
    pub(crate) fn with_counts(self, header_counts: Option<HeaderCounts<'a>>) -> Self {
        Self { header_counts, ..self }
    }

    /// Returns the number of items of the next array, and the offset of that number in the file.
    fn count(&mut self, kind: ArrayKind, name: &'static str) -> Result<(u32, u64)> {
        if let Some(counts) = &mut self.header_counts
            && let Some(count) = counts.count(kind, self.generation)?
        {
            return Ok(count);
        }
        let at = self.reader.cursor.offset();
        Ok((self.reader.count(name)?, at))
    }

    /// Locates the next array and moves the reading position to its end. Returns `None` after the
    /// last array.
    pub(crate) fn next(&mut self) -> Result<Option<SurfaceArray<'a>>> {
        let Some(kind) = self.next else { return Ok(None) };
        let surface = || Field::new("").in_list("surface", self.surface);
        // Each other array has the same place as the array before it.
        match kind {
            ArrayKind::Positions(target) => self.reader.set_place(surface().in_inner_list("target", target.into())),
            ArrayKind::Weights | ArrayKind::Uv0 => self.reader.set_place(surface()),
            _ => {}
        }
        let (name, count_name) = kind.names();
        let (count, count_at) = self.count(kind, count_name)?;
        match kind {
            ArrayKind::Positions(0) => self.positions = count,
            ArrayKind::TangentFrames(0) => self.frames = count,
            _ => {}
        }
        let element = kind.element(self.generation, [self.positions, self.frames]);
        let at = self.reader.cursor.offset();
        let bytes = match kind {
            ArrayKind::Weights => self.weights(count)?,
            _ => self.reader.cursor.lend(count.into(), element.size.into(), name)?,
        };
        self.reader.report(name, at, element, count.into());
        self.next = kind.next(self.targets, self.generation);
        Ok(Some(SurfaceArray { kind, count, count_at, at, bytes, element }))
    }

    /// Passes the arrays of shape 0, and then continues at a later shape whose place is known.
    pub(crate) fn skip_to(&mut self, target: u32, place: TargetPlace) -> Result<()> {
        self.next()?;
        self.next()?;
        self.reader.cursor = self.reader.cursor.clone().at(place.positions)?;
        if let Some(counts) = &mut self.header_counts {
            counts.targets.cursor = counts.targets.cursor.clone().at(place.entry)?;
        }
        self.next = Some(ArrayKind::Positions(target));
        Ok(())
    }

    /// Locates the next arrays until it reaches the array `kind`, and returns that array.
    pub(crate) fn find(mut self, kind: ArrayKind) -> Result<SurfaceArray<'a>> {
        loop {
            match self.next()? {
                Some(array) if array.kind == kind => return Ok(array),
                Some(_) => {}
                // The array `kind` is missing only if its shape (target) does not exist. Surface
                // views check the index of the shape before they call `find`.
                None => {
                    let none = Cause::NoSuch { count: self.targets.into(), index: kind.target().into() };
                    return Err(self.reader.cursor.error(kind.names().0, none));
                }
            }
        }
    }

    /// Skips the remaining arrays of the surface and returns the offset of the end of the surface's
    /// geometry.
    pub(crate) fn finish(mut self) -> Result<u64> {
        while self.next()?.is_some() {}
        Ok(self.reader.cursor.offset())
    }

    /// Skips the remaining arrays of the surface. Returns an error if the arrays do not fill their
    /// geometry block exactly.
    pub(crate) fn finish_block(mut self) -> Result<()> {
        while self.next()?.is_some() {}
        self.reader.finish("attribute_indices", "the end of the block after the attribute indices")
    }

    /// Returns, for each of the two index streams, the number of indices and the size of one index
    /// in bytes.
    ///
    /// Returns `None` if the header does not store the numbers of indices.
    pub(crate) fn index_streams(&self) -> Option<[(u32, u32); 2]> {
        let [first, second] = self.header_counts.as_ref()?.corners.counts;
        Some([(first, index_element(self.positions).size), (second, index_element(self.frames).size)])
    }

    /// Skips the weight lists of all positions and returns their bytes. The first call for a
    /// surface reads the length byte of each weight list and caches the totals of the lists. Later
    /// calls for the surface use the cached totals of the weight lists.
    fn weights(&mut self, count: u32) -> Result<&'a [u8]> {
        let cursor = &mut self.reader.cursor;
        cursor.can_hold(cursor.offset(), count.into(), 1, "weights")?;
        let start = cursor.offset();
        // The cached weight totals are checked before use, because totals from a sidecar may belong
        // to another file.
        let fits = |totals: &&RunTotals| {
            totals.matches(as_index(count), size_of::<RawInfluence4>()) && totals.bytes <= cursor.left()
        };
        if let Some(totals) = self.cache.totals.get().filter(fits) {
            return cursor.lend(totals.bytes, 1, "weights");
        }
        let totals = match CountedRuns::<RawInfluence4>::new(cursor.rest(), as_index(count)).measure() {
            Ok(totals) => {
                self.cache.totals.get_or_init(|| totals);
                totals
            }
            Err(run) => {
                let left = cursor.left().saturating_sub(run);
                let kind = Cause::UnexpectedEnd { needed: left.saturating_add(1), left };
                return Err(cursor.error_at(start.saturating_add(run), "weights", kind));
            }
        };
        let bytes = cursor.lend(totals.bytes, 1, "weights")?;
        cursor.record_partial(start, count.into());
        Ok(bytes)
    }
}
