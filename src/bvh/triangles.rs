//! The triangles of a surface, eight at a time, out of the file's own arrays.

use std::ops::Range;

use crate::array::Bounds;
use crate::bvh::fetch::{gather, pick, spread};
use crate::decode::divisor::BY_65535;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Indices, Positions, Surface};

/// Triangles that are looked at together.
pub(crate) const LANES: usize = 8;
/// The largest coordinate, 2^60: squares and products of what is within have room in an `f32`. No mesh is as large.
pub(crate) const LARGEST: f32 = 1_152_921_504_606_846_976.0;

/// The corners of eight triangles: of each corner and each axis, the coordinate of every triangle. NaN where there is no such
/// triangle.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct Block {
    pub(crate) corners: [[[f32; LANES]; 3]; 3],
}

/// The numbers of the corners of eight triangles.
pub(crate) type Numbers = [[u32; 3]; LANES];

/// The most triangles of a surface.
const MOST: u32 = 1 << 31;
/// What no vertex has as its number.
const NOWHERE: u32 = u32::MAX;

/// The triangles of a surface: positions and the indices into them, borrowed and undecoded.
///
/// A triangle counts where its three indices are in range and its coordinates finite, none beyond ±2^60; others are not
/// there for any query.
#[derive(Clone, Copy, Debug)]
pub struct Triangles<'a> {
    points: Points<'a>,
    indices: Indices<'a>,
    count: u32,
}

/// Where the corners are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Points<'a> {
    /// In a file.
    Stored(Positions<'a>),
    /// Where a pose has put them.
    Posed(&'a [[f32; 3]]),
}

impl<'a> Triangles<'a> {
    /// Takes positions and the indices of corners, three to a triangle; what is left over is no triangle, and no more than
    /// 2^31 triangles are seen.
    #[must_use]
    pub fn over(positions: Positions<'a>, indices: Indices<'a>) -> Self {
        let count = u32::try_from(indices.len() / 3).unwrap_or(u32::MAX).min(MOST);
        Self { points: Points::Stored(positions), indices, count }
    }

    /// Locates the triangles of a surface, in its base shape.
    ///
    /// # Errors
    ///
    /// What locating the arrays fails with; [`ErrorKind::Value`] where there are more than 2^31 triangles.
    pub fn new(surface: &Surface<'a>) -> Result<Self> {
        Self::with(surface, Points::Stored(surface.positions()?))
    }

    /// Locates them with the positions of another shape of the same surface: a vertex frame, a morph target.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn shaped(surface: &Surface<'a>, positions: Positions<'a>) -> Result<Self> {
        Self::with(surface, Points::Stored(positions))
    }

    /// Locates them with positions that were computed: skinned, or blended.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn posed(surface: &Surface<'a>, positions: &'a [[f32; 3]]) -> Result<Self> {
        Self::with(surface, Points::Posed(positions))
    }

    fn with(surface: &Surface<'a>, points: Points<'a>) -> Result<Self> {
        let indices = surface.indices()?;
        let count = u32::try_from(indices.len() / 3).ok().filter(|count| *count <= MOST);
        let count = count.ok_or_else(|| -> Error {
            let found = format!("{} triangles", indices.len() / 3);
            let kind = ErrorKind::Value { expected: "at most 2^31 triangles".into(), found: found.into() };
            surface.fault("indices.count", kind)
        })?;
        Ok(Self { points, indices, count })
    }

    /// Returns how many there are, those that do not count included.
    #[must_use]
    pub const fn len(&self) -> u32 {
        self.count
    }

    /// Tells whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the indices of a triangle's corners; `None` where there is none.
    #[inline]
    #[must_use]
    pub fn corners(&self, triangle: u32) -> Option<[u32; 3]> {
        let first = usize::try_from(triangle).ok()?.checked_mul(3)?;
        Some([
            self.indices.get(first)?,
            self.indices.get(first.checked_add(1)?)?,
            self.indices.get(first.checked_add(2)?)?,
        ])
    }

    /// Returns the corners of a triangle, in scene units; `None` where it does not count.
    #[inline]
    #[must_use]
    pub fn get(&self, triangle: u32) -> Option<[[f32; 3]; 3]> {
        let [first, second, third] = self.corners(triangle)?.map(|corner| self.point(corner));
        Some([first?, second?, third?]).filter(is_sound)
    }

    /// Returns the position of a vertex.
    #[inline]
    #[must_use]
    pub fn point(&self, vertex: u32) -> Option<[f32; 3]> {
        let vertex = usize::try_from(vertex).ok()?;
        match self.points {
            Points::Stored(positions) => positions.get(vertex),
            Points::Posed(points) => points.get(vertex).copied(),
        }
    }

    /// Returns how many vertices there are.
    #[must_use]
    pub const fn vertex_count(&self) -> usize {
        match self.points {
            Points::Stored(positions) => positions.len(),
            Points::Posed(points) => points.len(),
        }
    }

    /// Returns the box around all positions, whether a triangle uses them or not, in one pass over them.
    pub(crate) fn bounds_of_points(&self) -> Bounds {
        match self.points {
            Points::Stored(positions) => positions.bounds(),
            Points::Posed(points) => points.iter().fold(Bounds::EMPTY, |bounds, point| including(bounds, *point)),
        }
    }

    /// Returns the box around the triangles of a range that count; empty where none does.
    pub(crate) fn bounds(&self, range: Range<u32>) -> Bounds {
        let mut bounds = Bounds::EMPTY;
        let mut first = range.start;
        while first < range.end {
            let last = range.end.min(first.saturating_add(8));
            bounds = bounds.union(&self.block::<false>(&self.numbers(first..last)).bounds());
            first = last;
        }
        bounds
    }

    /// Tells the system that all of it is about to be read: the indices in order, the positions as they say.
    pub(crate) fn prefetch(&self) {
        crate::io::prefetch(self.indices.as_bytes());
        if let Points::Stored(positions) = self.points {
            crate::io::prefetch(positions.as_bytes());
        }
    }

    /// Returns where the corners are.
    #[inline]
    #[cfg_attr(not(all(target_arch = "x86_64", not(miri))), allow(dead_code, reason = "kernels for AVX2 use it"))]
    pub(crate) const fn points(&self) -> &Points<'a> {
        &self.points
    }

    /// Returns the bytes of a file that a triangle's indices lie in, and those of a corner's position.
    pub(crate) fn see(&self, triangle: u32, see: &mut dyn FnMut(&'a [u8])) {
        let Some(first) = usize::try_from(triangle).ok().and_then(|triangle| triangle.checked_mul(3)) else { return };
        if let Some(part) = first.checked_add(3).and_then(|end| self.indices.slice(first..end)) {
            see(part.as_bytes());
        }
        let Points::Stored(positions) = self.points else { return };
        for corner in self.corners(triangle).into_iter().flatten() {
            let corner = usize::try_from(corner).unwrap_or(usize::MAX);
            if let Some(part) = corner.checked_add(1).and_then(|end| positions.slice(corner..end)) {
                see(part.as_bytes());
            }
        }
    }

    /// Returns the indices of up to eight triangles that stand together.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
    pub(crate) fn numbers(&self, range: Range<u32>) -> Numbers {
        let mut numbers = [[NOWHERE; 3]; LANES];
        let [start, end] =
            [range.start, range.end].map(|at| usize::try_from(at).unwrap_or(usize::MAX).saturating_mul(3));
        match &self.indices {
            Indices::U8(array) => spread(array, start..end, &mut numbers),
            Indices::U16(array) => spread(array, start..end, &mut numbers),
            Indices::U32(array) => spread(array, start..end, &mut numbers),
            Indices::Polygon(_) | Indices::Endian(_) | Indices::Consecutive(_) => {
                for (place, triangle) in numbers.iter_mut().zip(range) {
                    *place = self.corners(triangle).unwrap_or([NOWHERE; 3]);
                }
            }
        }
        numbers
    }

    /// Returns the indices of up to eight triangles that do not stand together.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
    pub(crate) fn numbers_of(&self, triangles: impl Iterator<Item = u32>) -> Numbers {
        let mut numbers = [[NOWHERE; 3]; LANES];
        match &self.indices {
            Indices::U8(array) => pick(array, triangles, &mut numbers),
            Indices::U16(array) => pick(array, triangles, &mut numbers),
            Indices::U32(array) => pick(array, triangles, &mut numbers),
            Indices::Polygon(_) | Indices::Endian(_) | Indices::Consecutive(_) => {
                for (place, triangle) in numbers.iter_mut().zip(triangles) {
                    *place = self.corners(triangle).unwrap_or([NOWHERE; 3]);
                }
            }
        }
        numbers
    }

    /// Decodes the positions of eight triangles.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
    pub(crate) fn block<const FUSED: bool>(&self, numbers: &Numbers) -> Block {
        match &self.points {
            Points::Posed(points) => gather(numbers, |at| points.get(at).copied()),
            Points::Stored(Positions::F32(array)) => gather(numbers, |at| array.get(at)),
            Points::Stored(Positions::Packed32(array)) => gather(numbers, |at| array.get(at)),
            Points::Stored(Positions::Packed64(array)) => gather(numbers, |at| array.get(at)),
            Points::Stored(Positions::Strided(array)) => gather(numbers, |at| array.get(at)),
            Points::Stored(Positions::MinMax16(array)) => {
                // The division of all lanes together: one for each vertex would take longer than the rest.
                let raw = array.raw();
                let mut block = gather(numbers, |at| raw.get(at).map(|codes| codes.map(|code| f32::from(code.get()))));
                let (min, max) = (array.decoder().min(), array.decoder().max());
                for corner in &mut block.corners {
                    for ((axis, min), max) in corner.iter_mut().zip(min).zip(max) {
                        for code in axis {
                            *code = BY_65535.divide::<FUSED>(*code) * (max - min) + min;
                        }
                    }
                }
                block
            }
        }
    }

    /// Asks for the indices of a triangle, which are about to be read.
    #[inline]
    pub(crate) fn fetch_indices(&self, triangle: u32) {
        let first = usize::try_from(triangle).unwrap_or(usize::MAX).saturating_mul(3);
        let bytes = match &self.indices {
            Indices::U8(array) => array.raw().get(first..).map(zerocopy::IntoBytes::as_bytes),
            Indices::U16(array) => array.raw().get(first..).map(zerocopy::IntoBytes::as_bytes),
            Indices::U32(array) => array.raw().get(first..).map(zerocopy::IntoBytes::as_bytes),
            Indices::Polygon(_) | Indices::Endian(_) | Indices::Consecutive(_) => None,
        };
        crate::simd::fetch(bytes.unwrap_or_default(), 2);
    }

    /// Asks for the positions of eight triangles, which are about to be read.
    #[inline]
    pub(crate) fn fetch_positions(&self, numbers: &Numbers) {
        fn each<T>(array: &[T], numbers: &Numbers) {
            for corner in numbers.iter().flatten() {
                crate::simd::fetch_item(array, *corner);
            }
        }
        match &self.points {
            Points::Posed(points) => each(points, numbers),
            Points::Stored(Positions::F32(array)) => each(array.raw(), numbers),
            Points::Stored(Positions::Packed32(array)) => each(array.raw(), numbers),
            Points::Stored(Positions::Packed64(array)) => each(array.raw(), numbers),
            Points::Stored(Positions::MinMax16(array)) => each(array.raw(), numbers),
            Points::Stored(Positions::Strided(_)) => {}
        }
    }
}

impl Block {
    /// Returns triangle `lane`, whatever its coordinates are.
    #[inline]
    pub(crate) fn triangle(&self, lane: usize) -> [[f32; 3]; 3] {
        self.corners.map(|corner| corner.map(|axis| axis.get(lane).copied().unwrap_or(f32::NAN)))
    }

    /// Returns the box around those triangles that count.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
    pub(crate) fn bounds(&self) -> Bounds {
        let boxes = self.boxes();
        let fold = |lanes: [f32; LANES], with: fn(f32, f32) -> f32, first: f32| lanes.into_iter().fold(first, with);
        let [min, max] = boxes;
        Bounds {
            min: min.map(|lanes| fold(lanes, f32::min, f32::INFINITY)),
            max: max.map(|lanes| fold(lanes, f32::max, f32::NEG_INFINITY)),
        }
    }

    /// Returns the least and the greatest of each coordinate of each triangle: infinities the wrong way round of one that does
    /// not count.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
    pub(crate) fn boxes(&self) -> [[[f32; LANES]; 3]; 2] {
        let [a, b, c] = &self.corners;
        let mut sound = [true; LANES];
        for axis in self.corners.iter().flatten() {
            for (sound, value) in sound.iter_mut().zip(axis) {
                *sound &= value.abs() <= LARGEST;
            }
        }
        let mut boxes = [[[f32::INFINITY; LANES]; 3], [[f32::NEG_INFINITY; LANES]; 3]];
        let [min, max] = &mut boxes;
        for ((((min, max), a), b), c) in min.iter_mut().zip(max).zip(a).zip(b).zip(c) {
            let lanes = min.iter_mut().zip(max).zip(a.iter().zip(b).zip(c)).zip(&sound);
            for (((min, max), ((a, b), c)), sound) in lanes {
                *min = if *sound { least(least(*a, *b), *c) } else { f32::INFINITY };
                *max = if *sound { greatest(greatest(*a, *b), *c) } else { f32::NEG_INFINITY };
            }
        }
        boxes
    }
}

/// Tells whether a triangle counts.
#[inline]
pub(crate) fn is_sound(triangle: &[[f32; 3]; 3]) -> bool {
    triangle.iter().flatten().all(|part| part.abs() <= LARGEST)
}

/// Returns the smaller: one instruction, of numbers that are none.
#[inline]
pub(crate) const fn least(one: f32, other: f32) -> f32 {
    if one < other { one } else { other }
}

/// Returns the greater.
#[inline]
pub(crate) const fn greatest(one: f32, other: f32) -> f32 {
    if one > other { one } else { other }
}

/// Returns the box grown by a point; one that is not finite is passed over.
pub(crate) fn including(bounds: Bounds, point: [f32; 3]) -> Bounds {
    if point.iter().all(|part| part.abs() <= LARGEST) {
        bounds.union(&Bounds { min: point, max: point })
    } else {
        bounds
    }
}
