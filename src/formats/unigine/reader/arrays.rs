//! A surface's arrays, in file order. The one function that reads them serves views, checks and the map alike.

use super::fields::{FieldReader, NoRegions, RegionSink};
use super::surface_cache::SurfaceCache;
use crate::array::runs::{CountedRuns, RunTotals};
use crate::decode::influence4::RawInfluence4;
use crate::error::{ErrorKind, Field, Result};
use crate::formats::unigine::header::CornerCounts;
use crate::formats::unigine::layout::{COLOR, Generation, POSITION, UV, WEIGHTS, index_element};
use crate::math::as_index;
use crate::parse::Element;

/// An array of a surface. They come in this order, the first two once per target.
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
    /// Returns the names of the array and of its count.
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

    /// Returns the kind that follows in a surface of so many targets.
    fn next(self, targets: u32, generation: Generation) -> Option<Self> {
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
}

/// An array found in the file: counted, measured, and not looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SurfaceArray<'a> {
    pub(crate) kind: ArrayKind,
    pub(crate) count: u32,
    /// Offset of the count.
    pub(crate) count_at: u64,
    /// Offset of the first item.
    pub(crate) at: u64,
    pub(crate) bytes: &'a [u8],
    pub(crate) element: Element,
}

/// Counts that stand in the header.
#[derive(Clone, Debug)]
pub(crate) struct HeaderCounts<'a> {
    /// Reads what the header says of one target after another.
    pub(crate) targets: FieldReader<'a, NoRegions>,
    pub(crate) corners: CornerCounts,
}

impl HeaderCounts<'_> {
    /// Returns the number of items of an array, and where the header says so; `None` where it does not.
    fn count(&mut self, kind: ArrayKind, generation: Generation) -> Result<Option<(u32, u64)>> {
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

/// Finds a surface's arrays one after another.
#[derive(Clone, Debug)]
pub(crate) struct Arrays<'a, S> {
    pub(crate) reader: FieldReader<'a, S>,
    generation: Generation,
    targets: u32,
    cache: &'a SurfaceCache,
    surface: u64,
    next: Option<ArrayKind>,
    /// What the header says of counts, in compressed generations.
    header_counts: Option<HeaderCounts<'a>>,
    /// Positions and frames of target 0: index widths and array lengths follow from them.
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

    /// Goes on with another reader, which may tell somebody of what it passes.
    pub(crate) fn with_reader<T: RegionSink>(self, reader: FieldReader<'a, T>) -> Arrays<'a, T> {
        let Self { generation, targets, cache, surface, next, header_counts, positions, frames, .. } = self;
        Arrays { reader, generation, targets, cache, surface, next, header_counts, positions, frames }
    }

    /// Takes the counts that are in the header, and not before their arrays.
    pub(crate) fn with_counts(self, header_counts: Option<HeaderCounts<'a>>) -> Self {
        Self { header_counts, ..self }
    }

    /// Finds how many items the next array has, and where the file says so.
    fn count(&mut self, kind: ArrayKind, name: &'static str) -> Result<(u32, u64)> {
        if let Some(counts) = &mut self.header_counts
            && let Some(count) = counts.count(kind, self.generation)?
        {
            return Ok(count);
        }
        let at = self.reader.cursor.offset();
        Ok((self.reader.count(name)?, at))
    }

    /// Finds the next array; `None` after the last.
    pub(crate) fn next(&mut self) -> Result<Option<SurfaceArray<'a>>> {
        let Some(kind) = self.next else { return Ok(None) };
        let surface = Field::new("").in_list("surface", self.surface);
        self.reader.set_place(match kind {
            ArrayKind::Positions(target) | ArrayKind::TangentFrames(target) => {
                surface.in_inner_list("target", target.into())
            }
            _ => surface,
        });
        let (name, count_name) = kind.names();
        let (count, count_at) = self.count(kind, count_name)?;
        match kind {
            ArrayKind::Positions(0) => self.positions = count,
            ArrayKind::TangentFrames(0) => self.frames = count,
            _ => {}
        }
        let element = self.element(kind);
        let at = self.reader.cursor.offset();
        let bytes = match kind {
            ArrayKind::Weights => self.weights(count)?,
            _ => self.reader.cursor.lend(count.into(), element.size.into(), name)?,
        };
        self.reader.report(name, at, element, count.into());
        self.next = kind.next(self.targets, self.generation);
        Ok(Some(SurfaceArray { kind, count, count_at, at, bytes, element }))
    }

    /// Goes on until `kind` is found.
    pub(crate) fn find(mut self, kind: ArrayKind) -> Result<SurfaceArray<'a>> {
        loop {
            match self.next()? {
                Some(array) if array.kind == kind => return Ok(array),
                Some(_) => {}
                // A target that does not exist: views refuse it before they come here.
                None => return Err(self.reader.cursor.error(kind.names().0, ErrorKind::NoSuch { count: 0, index: 0 })),
            }
        }
    }

    /// Passes the arrays that are left; returns where the surface ends.
    pub(crate) fn finish(mut self) -> Result<u64> {
        while self.next()?.is_some() {}
        Ok(self.reader.cursor.offset())
    }

    /// Passes the arrays that are left; they fill the block that they are in.
    pub(crate) fn finish_block(mut self) -> Result<()> {
        while self.next()?.is_some() {}
        self.reader.finish("attribute_indices", "the end of the block after the attribute indices")
    }

    /// Returns how many indices each stream has, where the header says so, and how many bytes each takes.
    pub(crate) fn index_streams(&self) -> Option<[(u32, u32); 2]> {
        let [first, second] = self.header_counts.as_ref()?.corners.counts;
        Some([(first, index_element(self.positions).size), (second, index_element(self.frames).size)])
    }

    fn element(&self, kind: ArrayKind) -> Element {
        match kind {
            ArrayKind::Positions(_) => POSITION,
            ArrayKind::TangentFrames(_) => self.generation.frame(),
            ArrayKind::Weights => WEIGHTS,
            ArrayKind::Uv0 | ArrayKind::Uv1 => UV,
            ArrayKind::Colors => COLOR,
            ArrayKind::Indices => index_element(self.positions),
            ArrayKind::AttributeIndices => index_element(self.frames),
        }
    }

    /// Passes the weights: by walking their counts the first time, by what that walk found from then on.
    fn weights(&mut self, count: u32) -> Result<&'a [u8]> {
        let cursor = &mut self.reader.cursor;
        cursor.can_hold(cursor.offset(), count.into(), 1, "weights")?;
        let start = cursor.offset();
        // What a sidecar says may be of other weights.
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
                let kind = ErrorKind::UnexpectedEnd { needed: left.saturating_add(1), left };
                return Err(cursor.error_at(start.saturating_add(run), "weights", kind));
            }
        };
        let bytes = cursor.lend(totals.bytes, 1, "weights")?;
        cursor.record_partial(start, count.into());
        Ok(bytes)
    }
}
