//! A surface's arrays, in file order. The one function that reads them serves views, checks and the map alike.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::header::CornerCounts;
use super::layout::{COLOR, Generation, POSITION, UV, WEIGHTS, index_element};
use super::read::{Reader, Sink, Unseen};
use crate::array::runs::{CountedRuns, RunIndex, RunTotals};
use crate::decode::influence4::RawInfluence4;
use crate::error::{ErrorKind, Field, Result};
use crate::math::as_index;
use crate::parse::Element;

/// An array of a surface. They come in this order, the first two once per target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Positions(u32),
    Frames(u32),
    Weights,
    Uv0,
    Uv1,
    Colors,
    Indices,
    AttributeIndices,
}

impl Part {
    /// Returns the names of the array and of its count.
    pub(crate) const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Positions(_) => ("positions", "positions.count"),
            Self::Frames(_) => ("tangents", "tangents.count"),
            Self::Weights => ("weights", "weights.count"),
            Self::Uv0 => ("uv0", "uv0.count"),
            Self::Uv1 => ("uv1", "uv1.count"),
            Self::Colors => ("colors", "colors.count"),
            Self::Indices => ("indices", "indices.count"),
            Self::AttributeIndices => ("attribute_indices", "attribute_indices.count"),
        }
    }

    /// Returns the part that follows in a surface of so many targets.
    fn next(self, targets: u32, generation: Generation) -> Option<Self> {
        Some(match self {
            Self::Positions(target) => Self::Frames(target),
            Self::Frames(target) => match target.checked_add(1).filter(|next| *next < targets) {
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

/// What the reader remembers of a surface, because finding it again means walking its weights.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    /// Where the weights end, and the longest list among them.
    pub(crate) totals: OnceLock<RunTotals>,
    /// The index that makes them random-access.
    pub(crate) index: OnceLock<Option<RunIndex>>,
}

// What `Mesh` says that a surface costs.
const _: () = assert!(size_of::<Memo>() <= 72);

/// Offsets found so far; 0, which is inside the magic, for those not yet found. Finding is repeatable, so two
/// threads that look for the same one store the same number and need no lock.
#[derive(Debug)]
pub(crate) struct Starts(Box<[AtomicU64]>);

impl Starts {
    /// Makes room for `count` offsets, the first of which is known. `None` where there is no memory for them.
    pub(crate) fn new(count: usize, first: u64) -> Option<Self> {
        let starts = Self(defaults(count)?);
        starts.set(0, first);
        Some(starts)
    }

    /// Returns a start that is known.
    pub(crate) fn get(&self, index: usize) -> Option<u64> {
        self.0.get(index).map(|start| start.load(Ordering::Relaxed)).filter(|start| *start != 0)
    }

    pub(crate) fn set(&self, index: usize, offset: u64) {
        if let Some(start) = self.0.get(index) {
            start.store(offset, Ordering::Relaxed);
        }
    }

    /// Returns the last start known at or before `index`.
    pub(crate) fn nearest(&self, index: usize) -> (usize, u64) {
        let known = self.0.iter().take(index.saturating_add(1)).enumerate().rev();
        let mut known = known.map(|(index, start)| (index, start.load(Ordering::Relaxed)));
        known.find(|(_, start)| *start != 0).unwrap_or_default()
    }
}

/// Makes a list of `count` empty items; `None` where there is no memory for it.
pub(crate) fn defaults<T: Default>(count: usize) -> Option<Box<[T]>> {
    let mut list = Vec::new();
    list.try_reserve_exact(count).ok()?;
    list.resize_with(count, T::default);
    Some(list.into())
}

/// An array found in the file: counted, measured, and not looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Array<'a> {
    pub(crate) part: Part,
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
pub(crate) struct Told<'a> {
    /// Reads what the header says of one target after another.
    pub(crate) targets: Reader<'a, Unseen>,
    pub(crate) corners: CornerCounts,
}

impl Told<'_> {
    /// Returns the number of items of an array, and where the header says so; `None` where it does not.
    fn count(&mut self, part: Part, generation: Generation) -> Result<Option<(u32, u64)>> {
        let CornerCounts { counts: [indices, attributes], places: [first, second] } = self.corners;
        Ok(match part {
            Part::Positions(_) => {
                let at = self.targets.cursor.offset();
                self.targets.target(generation)?.1.map(|count| (count, at))
            }
            Part::Indices => Some((indices, first)),
            Part::AttributeIndices => Some((attributes, second)),
            _ => None,
        })
    }
}

/// Finds a surface's arrays one after another.
#[derive(Clone, Debug)]
pub(crate) struct Arrays<'a, S> {
    pub(crate) reader: Reader<'a, S>,
    generation: Generation,
    targets: u32,
    memo: &'a Memo,
    surface: u64,
    next: Option<Part>,
    /// What the header says of counts, in compressed generations.
    told: Option<Told<'a>>,
    /// Positions and frames of target 0: index widths and array lengths follow from them.
    positions: u32,
    frames: u32,
}

impl<'a, S: Sink> Arrays<'a, S> {
    pub(crate) const fn new(
        reader: Reader<'a, S>,
        generation: Generation,
        surface: u64,
        targets: u32,
        memo: &'a Memo,
    ) -> Self {
        let next = Some(Part::Positions(0));
        Self { reader, generation, targets, memo, surface, next, told: None, positions: 0, frames: 0 }
    }

    /// Goes on with another reader, which may tell somebody of what it passes.
    pub(crate) fn with_reader<T: Sink>(self, reader: Reader<'a, T>) -> Arrays<'a, T> {
        let Self { generation, targets, memo, surface, next, told, positions, frames, .. } = self;
        Arrays { reader, generation, targets, memo, surface, next, told, positions, frames }
    }

    /// Says which counts stand in the header, and not before their arrays.
    pub(crate) fn told(mut self, told: Option<Told<'a>>) -> Self {
        self.told = told;
        self
    }

    /// Finds how many items the next array has, and where the file says so.
    fn count(&mut self, part: Part, name: &'static str) -> Result<(u32, u64)> {
        if let Some(told) = &mut self.told
            && let Some(count) = told.count(part, self.generation)?
        {
            return Ok(count);
        }
        let at = self.reader.cursor.offset();
        Ok((self.reader.count(name)?, at))
    }

    /// Finds the next array; `None` after the last.
    pub(crate) fn next(&mut self) -> Result<Option<Array<'a>>> {
        let Some(part) = self.next else { return Ok(None) };
        let surface = Field::new("").in_list("surface", self.surface);
        self.reader.set_place(match part {
            Part::Positions(target) | Part::Frames(target) => surface.in_inner_list("target", target.into()),
            _ => surface,
        });
        let (name, count_name) = part.names();
        let (count, count_at) = self.count(part, count_name)?;
        match part {
            Part::Positions(0) => self.positions = count,
            Part::Frames(0) => self.frames = count,
            _ => {}
        }
        let element = self.element(part);
        let at = self.reader.cursor.offset();
        let bytes = match part {
            Part::Weights => self.weights(count)?,
            _ => self.reader.cursor.lend(count.into(), element.size.into(), name)?,
        };
        self.reader.report(name, at, element, count.into());
        self.next = part.next(self.targets, self.generation);
        Ok(Some(Array { part, count, count_at, at, bytes, element }))
    }

    /// Goes on until `part` is found.
    pub(crate) fn find(mut self, part: Part) -> Result<Array<'a>> {
        loop {
            match self.next()? {
                Some(array) if array.part == part => return Ok(array),
                Some(_) => {}
                // A target that does not exist: views refuse it before they come here.
                None => return Err(self.reader.cursor.error(part.names().0, ErrorKind::NoSuch { count: 0, index: 0 })),
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
        let [first, second] = self.told.as_ref()?.corners.counts;
        Some([(first, index_element(self.positions).size), (second, index_element(self.frames).size)])
    }

    fn element(&self, part: Part) -> Element {
        match part {
            Part::Positions(_) => POSITION,
            Part::Frames(_) => self.generation.frame(),
            Part::Weights => WEIGHTS,
            Part::Uv0 | Part::Uv1 => UV,
            Part::Colors => COLOR,
            Part::Indices => index_element(self.positions),
            Part::AttributeIndices => index_element(self.frames),
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
        if let Some(totals) = self.memo.totals.get().filter(fits) {
            return cursor.lend(totals.bytes, 1, "weights");
        }
        let totals = match CountedRuns::<RawInfluence4>::new(cursor.rest(), as_index(count)).measure() {
            Ok(totals) => {
                self.memo.totals.get_or_init(|| totals);
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
