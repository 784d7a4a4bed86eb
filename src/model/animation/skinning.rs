//! Vertices where bones take them.

use crate::array::Array;
use crate::decode::Influence;
use crate::error::{Error, ErrorKind, Result};
use crate::model::animation::affine::SkinMatrix;
use crate::model::attributes::Positions;
use crate::model::surface::Surface;
use crate::model::weights::{WeightVisitor, Weights};
use crate::parse::expect_length;

/// The positions of a surface as a pose of its bones has them, computed on access: each where its bones take it, by their
/// weights' part of the sum of its weights.
///
/// A vertex that no bone has a weight on keeps its position, and so do all of a surface without weights.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::model::animation::{SkinMatrix, SkinnedSurface};
/// use meshpeek::{Skeleton, Surface};
/// let mesh = meshpeek::unigine::Mesh::open(meshpeek::read("data/unigine/skinned_ms12.mesh")?)?;
/// let skeleton = Skeleton::new(&mesh)?;
/// let mut palette = vec![SkinMatrix::IDENTITY; skeleton.len()];
/// skeleton.palette(skeleton.bind(), &mut palette)?;
/// for surface in Surface::all(&mesh) {
///     let skinned = SkinnedSurface::new(&surface, &palette)?;
///     let mut positions = vec![[0.0; 3]; skinned.len()];
///     skinned.positions_into(&mut positions)?;
///     assert_eq!(skinned.position(0)?, positions.first().copied());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct SkinnedSurface<'a, 'p> {
    surface: Surface<'a>,
    positions: Positions<'a>,
    weights: Option<Weights<'a>>,
    palette: &'p [SkinMatrix],
}

impl<'a, 'p> SkinnedSurface<'a, 'p> {
    /// Locates the positions and weights of a surface, to be moved by what each bone does: see
    /// [`Skeleton::palette`](crate::model::animation::skeleton::Skeleton::palette).
    ///
    /// # Errors
    ///
    /// As [`Surface::positions`] and [`Surface::weights`].
    pub fn new(surface: &Surface<'a>, palette: &'p [SkinMatrix]) -> Result<Self> {
        let (positions, weights) = (surface.positions()?, surface.weights()?);
        Ok(Self { surface: *surface, positions, weights, palette })
    }

    /// Returns the number of positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Tells whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Computes position `vertex`; `None` where there is none. Finding its weights costs what [`Weights::get`] does.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where a bone with a weight on it is not in the palette.
    pub fn position(&self, vertex: usize) -> Result<Option<[f32; 3]>> {
        let Some(position) = self.positions.get(vertex) else { return Ok(None) };
        let Some(influences) = self.weights.and_then(|weights| weights.get(vertex)) else { return Ok(Some(position)) };
        let moved = moved(self.palette, position, influences.iter());
        moved.map(Some).map_err(|bone| self.no_bone(vertex, bone))
    }

    /// Computes all positions, in two passes: one decodes them, one moves them. Allocates nothing.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Buffer`] where `out` is not of this length; [`ErrorKind::Value`] where a bone with a weight on a vertex
    /// is not in the palette: the positions before that vertex are moved, those from it on are not.
    pub fn positions_into(&self, out: &mut [[f32; 3]]) -> Result<()> {
        expect_length("skinned", "out", self.len(), out.len())?;
        self.positions.decode_into(out)?;
        let Some(weights) = self.weights else { return Ok(()) };
        let mut mover = Mover { palette: self.palette, left: out.iter_mut() };
        weights.visit(&mut mover).map_err(|bone| {
            let vertex = self.len().saturating_sub(mover.left.len()).saturating_sub(1);
            self.no_bone(vertex, bone)
        })
    }

    fn no_bone(&self, vertex: usize, bone: i32) -> Error {
        let expected = format!("bones below {}", self.palette.len()).into();
        let found = format!("{bone} at vertex {vertex}").into();
        self.surface.fault("weights", ErrorKind::Value { expected, found })
    }
}

/// Moves positions one after another, as their influences come by.
struct Mover<'p, 'o> {
    palette: &'p [SkinMatrix],
    left: std::slice::IterMut<'o, [f32; 3]>,
}

impl WeightVisitor for Mover<'_, '_> {
    type Stop = i32;

    #[inline]
    fn vertex(&mut self, influences: impl Iterator<Item = Influence>) -> Result<(), i32> {
        if let Some(position) = self.left.next() {
            *position = moved(self.palette, *position, influences)?;
        }
        Ok(())
    }
}

/// Returns where the bones take a position.
///
/// # Errors
///
/// A bone that has a weight and is not in the palette.
#[inline]
fn moved(
    palette: &[SkinMatrix],
    position: [f32; 3],
    influences: impl Iterator<Item = Influence>,
) -> Result<[f32; 3], i32> {
    let (mut mixed, mut sum) = ([[0.0; 3]; 4], 0.0);
    for Influence { bone, weight } in influences {
        let Some(matrix) = usize::try_from(bone).ok().and_then(|bone| palette.get(bone)) else {
            // A place that is not used may name any bone.
            if weight == 0.0 {
                continue;
            }
            return Err(bone);
        };
        for (mixed, part) in mixed.as_flattened_mut().iter_mut().zip(matrix.columns.as_flattened()) {
            *mixed += weight * part;
        }
        sum += weight;
    }
    // Weights are stored truncated: their sum is a little below 1.
    let whole = sum > 0.0 && sum < f32::INFINITY;
    Ok(if whole { SkinMatrix { columns: mixed }.apply(position).map(|part| part / sum) } else { position })
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "small whole numbers are exact")]
mod tests {
    use super::*;

    /// One bone that moves by 4 along x, and one that doubles.
    const PALETTE: [SkinMatrix; 2] = [
        SkinMatrix { columns: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [4.0, 0.0, 0.0]] },
        SkinMatrix { columns: [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]] },
    ];

    fn skin(influences: &[(i32, f32)]) -> Result<[f32; 3], i32> {
        moved(
            &PALETTE,
            [1.0, 2.0, 3.0],
            influences.iter().map(|(bone, weight)| Influence { bone: *bone, weight: *weight }),
        )
    }

    #[test]
    fn each_bone_has_its_part() {
        assert_eq!(skin(&[(0, 1.0)]), Ok([5.0, 2.0, 3.0]));
        assert_eq!(skin(&[(0, 0.5), (1, 0.5)]), Ok([3.5, 3.0, 4.5]));
        assert_eq!(skin(&[(0, 0.25), (1, 0.25)]), Ok([3.5, 3.0, 4.5]), "of the sum");
        assert_eq!(skin(&[(1, 3.0), (0, 1.0)]), Ok([2.75, 3.5, 5.25]));
    }

    #[test]
    fn what_has_no_weight_stays() {
        for none in [&[][..], &[(0, 0.0)], &[(1, f32::NAN)], &[(0, 1.0), (1, -1.0)], &[(1, f32::INFINITY)]] {
            assert_eq!(skin(none), Ok([1.0, 2.0, 3.0]), "{none:?}");
        }
    }

    #[test]
    fn tells_a_bone_that_is_not_there() {
        for bone in [2, -1, i32::MIN, i32::MAX] {
            assert_eq!(skin(&[(0, 1.0), (bone, 0.5)]), Err(bone));
            assert_eq!(skin(&[(0, 1.0), (bone, 0.0)]), Ok([5.0, 2.0, 3.0]));
        }
    }
}
