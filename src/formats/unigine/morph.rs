//! Access to the shapes (base shape and morph targets) of a surface, and blending of these shapes.

use super::layout::Generation;
use super::reader::arrays::{ArrayKind, Arrays, SurfaceArray};
use super::reader::fields::{FieldReader, NoRegions};
use super::surface::SurfaceView;
use crate::array::{Array, Packed};
use crate::decode::Floats;
use crate::error::{Cause, Error, Field, Result};
use crate::math::{as_index, as_u64};
use crate::model::TangentFrames;
use crate::parse::{Name, room};

/// The number of shapes between two stored places.
const STEP: u32 = 16;

impl<'a> SurfaceView<'a> {
    /// Returns the number of shapes of the surface, including the base shape.
    #[must_use]
    pub fn target_count(&self) -> usize {
        as_index(self.head.targets)
    }

    /// Returns the shape with the index `target`.
    ///
    /// Shape 0 is the base shape. The other shapes are morph targets: complete shapes that can be
    /// blended with the base shape. Locating a shape, or an array of a shape, reads the names and
    /// counts of up to 16 shapes before this shape. The first call for shape 16 or a later one
    /// reads those of all shapes.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`] if the surface has no shape `target`, or the first error in
    /// the header entries of the shapes up to shape `target`.
    ///
    /// [`ErrorKind::NoSuch`]: crate::ErrorKind::NoSuch
    pub fn target(&self, target: usize) -> Result<MorphTarget<'a>> {
        let Some(number) = u32::try_from(target).ok().filter(|number| *number < self.head.targets) else {
            let kind = Cause::NoSuch { count: self.head.targets.into(), index: as_u64(target) };
            let field = Field::new("").in_list("surface", self.index).in_inner_list("target", as_u64(target));
            return Err(Error::without_offset(self.generation.format(), field, kind));
        };
        let (known, entry) = match self.near_target(number)? {
            Some((known, place)) => (known, place.entry),
            None => (0, self.head.target_names),
        };
        let mut names = self.reader(entry)?;
        names.targets(self.generation, known..number)?;
        Ok(MorphTarget { name: names.target(self.generation)?.0, surface: *self, number })
    }

    /// Locates an array. An array of a shape is located from the nearest shape before it whose
    /// place is known.
    pub(crate) fn find(&self, kind: ArrayKind) -> Result<SurfaceArray<'a>> {
        let mut arrays = self.arrays()?;
        if let Some((target, place)) = self.near_target(kind.target())? {
            arrays.skip_to(target, place)?;
        }
        arrays.find(kind)
    }

    /// Returns the nearest shape up to `target` whose place is known, and its place. The first call
    /// for a surface with many shapes reads the counts of all shapes. Returns `None` for one of the
    /// first shapes.
    fn near_target(&self, target: u32) -> Result<Option<(u32, TargetPlace)>> {
        if TargetIndex::is_near(target) {
            return Ok(None);
        }
        if let Some(index) = self.cache.targets.get() {
            return Ok(index.nearest(target));
        }
        let entries = self.reader(self.head.target_names)?;
        let index = TargetIndex::new(entries, self.arrays()?, self.head.targets, self.generation)?;
        Ok(self.cache.targets.get_or_init(|| index).nearest(target))
    }

    /// Blends the positions of all shapes of the surface and writes the result to `out`.
    ///
    /// The result is the base shape, plus `weights[k]` times the difference between shape *k* + 1
    /// and the base shape, for each *k*. If `weights` is shorter than the number of morph targets,
    /// the missing weights are 0. `blend` runs on the calling thread and allocates no memory.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::NoSuch`] if `weights` is longer than the number of morph targets.
    /// - [`ErrorKind::Value`] if a morph target with a non-zero weight does not have the same
    ///   number of positions as the base shape.
    /// - [`ErrorKind::Buffer`] if the length of `out` is not the number of positions of the base
    ///   shape.
    ///
    /// [`ErrorKind::NoSuch`]: crate::ErrorKind::NoSuch
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    /// [`ErrorKind::Buffer`]: crate::ErrorKind::Buffer
    pub fn blend(&self, weights: &[f32], out: &mut [[f32; 3]]) -> Result<()> {
        let base = self.positions()?;
        base.decode_into(out)?;
        self.target(weights.len())?;
        let mut arrays = self.arrays()?;
        for (target, &weight) in (1..).zip(weights) {
            // Skips the positions and the tangent frames of the previous shape.
            arrays.next()?;
            arrays.next()?;
            let Some(shape) = arrays.clone().next()? else { break };
            if weight == 0.0 {
                continue;
            }
            if as_index(shape.count) != base.len() {
                let expected = format!("{} positions, the same number as the base shape", base.len());
                let kind = Cause::value(expected, shape.count.to_string());
                let field =
                    Field::new("positions.count").in_list("surface", self.index).in_inner_list("target", target);
                return Err(Error::new(self.generation.format_name(), field, shape.count_at, kind));
            }
            let shape: Packed<'a, Floats<3>> = Packed::new(self.cast(&shape)?, Floats);
            shape.prefetch();
            for (out, (from, to)) in out.iter_mut().zip(base.iter().zip(shape.iter())) {
                for (out, (from, to)) in out.iter_mut().zip(from.into_iter().zip(to)) {
                    *out += weight * (to - from);
                }
            }
        }
        Ok(())
    }
}

/// A shape of a surface (the base shape or a morph target), borrowed from the file.
#[derive(Clone, Copy, Debug)]
pub struct MorphTarget<'a> {
    name: Name<'a>,
    surface: SurfaceView<'a>,
    number: u32,
}

impl<'a> MorphTarget<'a> {
    /// Returns the name of the shape, which is empty in every known file.
    #[must_use]
    pub const fn name(&self) -> Name<'a> {
        self.name
    }

    /// Locates the vertex positions of the shape.
    ///
    /// # Errors
    ///
    /// Returns an error with a field name and a byte offset if the data before the array is
    /// damaged.
    pub fn positions(&self) -> Result<Packed<'a, Floats<3>>> {
        self.surface.positions_of(self.number)
    }

    /// Locates the tangent frames of the shape.
    ///
    /// # Errors
    ///
    /// Returns an error with a field name and a byte offset if the data before the array is
    /// damaged.
    pub fn tangent_frames(&self) -> Result<TangentFrames<'a>> {
        self.surface.tangent_frames_of(self.number)
    }
}

/// The offsets of one shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TargetPlace {
    /// Offset of the header entry of the shape.
    pub(crate) entry: u64,
    /// Offset of the positions of the shape, or of their count.
    pub(crate) positions: u64,
}

/// The place of every 16th shape of a surface, without shape 0. It takes 1 byte per shape.
#[derive(Debug)]
pub(crate) struct TargetIndex(Box<[TargetPlace]>);

impl TargetIndex {
    /// Returns whether locating a shape from the first shape takes few steps.
    pub(crate) const fn is_near(target: u32) -> bool {
        target < STEP
    }

    /// Reads the header entries and the array counts of all shapes, up to the first damaged one.
    /// `entries` is at the first entry in the header, and `arrays` at the first array.
    pub(crate) fn new(
        mut entries: FieldReader<'_, NoRegions>,
        mut arrays: Arrays<'_, NoRegions>,
        targets: u32,
        generation: Generation,
    ) -> Result<Self> {
        let count = targets.saturating_sub(1).checked_div(STEP).unwrap_or_default();
        let mut places = room(generation.format(), "targets", as_index(count))?;
        for target in 0..targets {
            if target > 0 && target % STEP == 0 {
                let positions = arrays.reader.cursor.offset();
                places.push(TargetPlace { entry: entries.cursor.offset(), positions });
            }
            let passed = entries.target(generation).and_then(|_| arrays.next()).and_then(|_| arrays.next());
            if passed.is_err() {
                break;
            }
        }
        Ok(Self(places.into()))
    }

    /// Returns the last shape up to `target` whose place is stored, and its place.
    pub(crate) fn nearest(&self, target: u32) -> Option<(u32, TargetPlace)> {
        let known = as_index(target.checked_div(STEP)?).min(self.0.len());
        let place = self.0.get(known.checked_sub(1)?)?;
        Some((u32::try_from(known).ok()?.checked_mul(STEP)?, *place))
    }
}
