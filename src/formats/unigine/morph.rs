//! The shapes of a surface, and blending them.

use super::surface::SurfaceView;
use crate::array::{Array, Packed};
use crate::decode::Floats;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::{as_index, as_u64};
use crate::model::TangentFrames;
use crate::parse::Name;

impl<'a> SurfaceView<'a> {
    /// Returns the number of shapes, the base shape included.
    #[must_use]
    pub fn target_count(&self) -> usize {
        as_index(self.head.targets)
    }

    /// Returns shape `target`; 0 is the base shape, the others are whole shapes to blend it with. Finding it, and each
    /// of its arrays, looks at the names and counts of the shapes before it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`] where there is no such target, or a fault on the way to its name.
    pub fn target(&self, target: usize) -> Result<MorphTarget<'a>> {
        let Some(number) = u32::try_from(target).ok().filter(|number| *number < self.head.targets) else {
            let kind = ErrorKind::NoSuch { count: self.head.targets.into(), index: as_u64(target) };
            let field = Field::new("").in_list("surface", self.index).in_inner_list("target", as_u64(target));
            return Err(Error::without_offset(self.generation.format(), field, kind));
        };
        let mut names = self.reader(self.head.target_names)?;
        names.targets(self.generation, number)?;
        Ok(MorphTarget { name: names.target(self.generation)?.0, surface: *self, number })
    }

    /// Blends the positions: the base shape, plus `weights[k]` times the difference between target *k* + 1 and the base
    /// shape, for each *k*. Weights that are left out are 0. Sequential; allocates nothing.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`] for more weights than targets; [`ErrorKind::Value`] where a target with a weight has not as many
    /// positions as the base shape; [`ErrorKind::Buffer`] where `out` has not.
    pub fn blend(&self, weights: &[f32], out: &mut [[f32; 3]]) -> Result<()> {
        let base = self.positions()?;
        base.decode_into(out)?;
        self.target(weights.len())?;
        let mut arrays = self.arrays()?;
        for (target, &weight) in (1..).zip(weights) {
            // The positions and frames of the shape before come first.
            arrays.next()?;
            arrays.next()?;
            let Some(shape) = arrays.clone().next()? else { break };
            if weight == 0.0 {
                continue;
            }
            if as_index(shape.count) != base.len() {
                let expected = format!("{} positions, as the base shape has", base.len()).into();
                let kind = ErrorKind::Value { expected, found: shape.count.to_string().into() };
                let field =
                    Field::new("positions.count").in_list("surface", self.index).in_inner_list("target", target);
                return Err(Error::new(self.generation.format(), field, shape.count_at, kind));
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

/// A shape of a surface, borrowed from the file.
#[derive(Clone, Copy, Debug)]
pub struct MorphTarget<'a> {
    name: Name<'a>,
    surface: SurfaceView<'a>,
    number: u32,
}

impl<'a> MorphTarget<'a> {
    /// Returns the name, empty in every file seen.
    #[must_use]
    pub const fn name(&self) -> Name<'a> {
        self.name
    }

    /// Locates the positions.
    ///
    /// # Errors
    ///
    /// A fault on the way, by field and offset.
    pub fn positions(&self) -> Result<Packed<'a, Floats<3>>> {
        self.surface.positions_of(self.number)
    }

    /// Locates the tangent frames.
    ///
    /// # Errors
    ///
    /// A fault on the way, by field and offset.
    pub fn tangent_frames(&self) -> Result<TangentFrames<'a>> {
        self.surface.tangent_frames_of(self.number)
    }
}
