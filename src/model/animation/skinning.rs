//! Skinning: moving vertices with the bones of a pose.

use crate::array::Array;
use crate::decode::Influence;
use crate::error::debug::{items, short_debug};
use crate::error::{Cause, Error, Result};
use crate::math::as_index;
use crate::model::animation::affine::SkinMatrix;
use crate::model::attributes::Positions;
use crate::model::surface::Surface;
use crate::model::weights::{SkinningRules, WeightVisitor, Weights};
use crate::parse::expect_length;

/// The positions of a surface in a pose of its bones. Each skinned position is computed when it is
/// accessed.
///
/// For each bone that influences a vertex, the skin matrix of the bone transforms the position of
/// the vertex. The skinned position is the mean of the transformed positions, weighted by the bone
/// weights. The weights of a vertex are divided by their sum. Surfaces without weights keep all
/// their positions.
///
/// A vertex has no weights if it has no influences, or if its weights have the sum 0. The
/// [`SkinningRules`] of the surface's format determine how such a vertex moves, and whether the
/// bone of an influence may be out of range.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::model::animation::{SkinMatrix, SkinnedSurface};
/// let mesh = meshpeek::open("data/unigine/skinned_ms12.mesh")?;
/// let skeleton = mesh.skeleton()?;
/// let mut palette = vec![SkinMatrix::IDENTITY; skeleton.bind().len()];
/// skeleton.palette(skeleton.bind(), &mut palette)?;
/// for surface in mesh.surfaces()? {
///     let skinned = SkinnedSurface::new(&surface, &palette)?;
///     let mut positions = vec![[0.0; 3]; surface.counts()?.vertices as usize];
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
    palette: BonePalette<'p>,
}

/// The skin matrices of a pose, and the rules of the format of the surface that they move.
#[derive(Clone, Copy)]
pub(crate) struct BonePalette<'p> {
    matrices: &'p [SkinMatrix],
    rules: SkinningRules,
}

short_debug!(SkinnedSurface<'_, '_>: |skinned| {
    surface: skinned.surface, positions: skinned.positions, weights: skinned.weights, palette: items(skinned.palette.matrices),
});

impl<'a, 'p> SkinnedSurface<'a, 'p> {
    /// Finds the positions and weights of a surface. The slice `palette` contains the skin matrix
    /// of each bone.
    ///
    /// [`Pose::palette`](crate::Pose::palette) computes the skin matrices of a pose.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Surface::positions`] and [`Surface::weights`].
    pub fn new(surface: &Surface<'a>, palette: &'p [SkinMatrix]) -> Result<Self> {
        let (positions, weights) = (surface.positions()?, surface.weights()?);
        let rules = weights.map(|weights| weights.skinning_rules()).unwrap_or_default();
        let palette = BonePalette::new(palette, rules);
        Ok(Self { surface: *surface, positions, weights, palette })
    }

    /// Returns the number of positions.
    #[doc(hidden)]
    #[must_use]
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Returns whether the surface has no positions.
    #[doc(hidden)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Computes the skinned position of vertex `vertex`, or returns `None` if the index is out of
    /// range. [`Corner::position`](crate::Corner) is such an index.
    ///
    /// Each call of `position` includes one call of [`Weights::get`], which finds the weights of
    /// the vertex.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if a bone with a weight on the vertex is not in the palette,
    /// and the rules of the format are [`SkinningRules::Strict`].
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn position(&self, vertex: u32) -> Result<Option<[f32; 3]>> {
        let Some(position) = self.positions.get(as_index(vertex)) else { return Ok(None) };
        let Some(weights) = self.weights else { return Ok(Some(position)) };
        let moved = match weights.get(vertex) {
            Some(influences) => self.palette.moved(position, influences.iter()),
            None => self.palette.moved(position, std::iter::empty()),
        };
        moved.map(Some).map_err(|bone| self.no_bone(as_index(vertex), bone))
    }

    /// Computes the skinned positions of all vertices in two passes: the first pass decodes the
    /// positions, the second pass applies the skin matrices. The method allocates no memory.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Buffer`] if the length of `out` is not the number of positions. Returns
    /// [`ErrorKind::Value`] for a vertex for which [`position`](Self::position) returns it. After
    /// an error about a vertex, the positions in `out` before this vertex are skinned, and all
    /// other positions in `out` are not skinned.
    ///
    /// [`ErrorKind::Buffer`]: crate::ErrorKind::Buffer
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn positions_into(&self, out: &mut [[f32; 3]]) -> Result<()> {
        expect_length("skinned", "out", self.len(), out.len())?;
        self.positions.decode_into(out)?;
        let Some(weights) = self.weights else { return Ok(()) };
        let mut mover = Mover { palette: self.palette, left: out.iter_mut() };
        weights.visit(&mut mover).map_err(|bone| {
            let vertex = self.len().saturating_sub(mover.left.len()).saturating_sub(1);
            self.no_bone(vertex, bone)
        })?;
        // In a damaged file, the last vertices may have no list of influences.
        for position in mover.left {
            *position = self.palette.unweighted().map_or(*position, |matrix| matrix.apply(*position));
        }
        Ok(())
    }

    pub(super) const fn surface(&self) -> &Surface<'a> {
        &self.surface
    }

    /// Returns the blended skin matrix of a vertex, up to a positive factor, or `None` if the
    /// vertex keeps its position.
    pub(super) fn blend(&self, vertex: u32) -> Result<Option<SkinMatrix>> {
        let Some(weights) = self.weights else { return Ok(None) };
        let blend = match weights.get(vertex) {
            Some(influences) => self.palette.blend(influences.iter()),
            None => self.palette.blend(std::iter::empty()),
        };
        blend.map(|blend| blend.map(|(matrix, _)| matrix)).map_err(|bone| self.no_bone(as_index(vertex), bone))
    }

    fn no_bone(&self, vertex: usize, bone: i32) -> Error {
        let expected = format!("bones below {}", self.palette.matrices.len());
        let found = format!("{bone} at vertex {vertex}");
        self.surface.fault("weights", Cause::value(expected, found))
    }
}

/// A visitor that gets the bone weights of each vertex in order, and replaces the position of the
/// vertex by its skinned position.
struct Mover<'p, 'o> {
    palette: BonePalette<'p>,
    left: std::slice::IterMut<'o, [f32; 3]>,
}

impl WeightVisitor for Mover<'_, '_> {
    type Stop = i32;

    #[inline]
    fn vertex(&mut self, influences: impl Iterator<Item = Influence>) -> Result<(), i32> {
        if let Some(position) = self.left.next() {
            *position = self.palette.moved(*position, influences)?;
        }
        Ok(())
    }
}

impl<'p> BonePalette<'p> {
    pub(crate) const fn new(matrices: &'p [SkinMatrix], rules: SkinningRules) -> Self {
        Self { matrices, rules }
    }

    /// Returns the skinned position of a vertex with the given influences.
    #[inline]
    pub(crate) fn moved(
        &self,
        position: [f32; 3],
        influences: impl Iterator<Item = Influence>,
    ) -> Result<[f32; 3], i32> {
        let (mixed, sum) = self.mix(influences)?;
        if is_whole(sum) {
            return Ok(mixed.apply(position).map(|part| part / sum));
        }
        Ok(self.unweighted().map_or(position, |matrix| matrix.apply(position)))
    }

    /// Returns the weighted sum of the skin matrices of the influences, and the sum of the weights.
    /// Returns `None` if the vertex keeps its position.
    ///
    /// # Errors
    ///
    /// Returns the bone index as the error if a bone with a weight on the vertex is not in the
    /// palette, and the rules do not replace the bone.
    pub(crate) fn blend(&self, influences: impl Iterator<Item = Influence>) -> Result<Option<(SkinMatrix, f32)>, i32> {
        let (mixed, sum) = self.mix(influences)?;
        Ok(if is_whole(sum) { Some((mixed, sum)) } else { self.unweighted().map(|matrix| (matrix, 1.0)) })
    }

    /// Returns the weighted sum of the skin matrices of the influences, and the sum of the weights.
    #[inline]
    fn mix(&self, influences: impl Iterator<Item = Influence>) -> Result<(SkinMatrix, f32), i32> {
        let (mut mixed, mut sum) = ([[0.0; 3]; 4], 0.0);
        for Influence { bone, weight } in influences {
            let matrix = match usize::try_from(bone).ok().and_then(|bone| self.matrices.get(bone)) {
                Some(matrix) => matrix,
                None => match self.substitute(bone, weight)? {
                    Some(matrix) => matrix,
                    None => continue,
                },
            };
            for (mixed, part) in mixed.as_flattened_mut().iter_mut().zip(matrix.columns.as_flattened()) {
                *mixed += weight * part;
            }
            sum += weight;
        }
        Ok((SkinMatrix { columns: mixed }, sum))
    }

    /// Returns the skin matrix that replaces the matrix of a bone that is out of range, or `None`
    /// if the influence is ignored.
    #[cold]
    fn substitute(&self, bone: i32, weight: f32) -> Result<Option<&'p SkinMatrix>, i32> {
        match self.rules {
            SkinningRules::Clamped => Ok(self.matrices.last()),
            // An unused influence of a vertex, with the weight 0, may contain any bone index.
            SkinningRules::Strict if weight == 0.0 => Ok(None),
            SkinningRules::Strict => Err(bone),
        }
    }

    /// Returns the skin matrix of a vertex without weights, or `None` if the vertex keeps its
    /// position.
    #[cold]
    pub(crate) fn unweighted(&self) -> Option<SkinMatrix> {
        self.matrices.first().copied().filter(|_| self.rules == SkinningRules::Clamped)
    }
}

/// Returns whether a vertex has weights. The weights in a file are truncated, so the weights of a
/// vertex have a sum a little below 1.
#[inline]
fn is_whole(sum: f32) -> bool {
    sum > 0.0 && sum < f32::INFINITY
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "small whole numbers are exact")]
mod tests {
    use super::*;

    /// The skin matrices of two test bones: the first matrix moves points by 4 along x, and the
    /// second matrix scales by 2.
    const PALETTE: [SkinMatrix; 2] = [
        SkinMatrix { columns: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [4.0, 0.0, 0.0]] },
        SkinMatrix { columns: [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]] },
    ];

    fn skin(influences: &[(i32, f32)]) -> Result<[f32; 3], i32> {
        skin_by(&BonePalette::new(&PALETTE, SkinningRules::Strict), influences)
    }

    fn skin_by(palette: &BonePalette<'_>, influences: &[(i32, f32)]) -> Result<[f32; 3], i32> {
        let influences = influences.iter().map(|(bone, weight)| Influence { bone: *bone, weight: *weight });
        palette.moved([1.0, 2.0, 3.0], influences)
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
    #[test]
    fn clamps_bones_as_viewers_do() {
        let palette = BonePalette::new(&PALETTE, SkinningRules::Clamped);
        for none in [&[][..], &[(1, 0.0)], &[(1, f32::NAN)], &[(0, 1.0), (1, -1.0)], &[(9, 0.0)]] {
            assert_eq!(skin_by(&palette, none), Ok([5.0, 2.0, 3.0]), "{none:?}");
        }
        for bone in [1, 2, 254, i32::MAX] {
            assert_eq!(skin_by(&palette, &[(bone, 1.0)]), Ok([2.0, 4.0, 6.0]), "{bone}");
            assert_eq!(skin_by(&palette, &[(0, 0.25), (bone, 0.25)]), Ok([3.5, 3.0, 4.5]), "{bone}");
        }
        let empty = BonePalette::new(&[], SkinningRules::Clamped);
        for influences in [&[][..], &[(0, 1.0)], &[(7, 0.5), (0, 0.5)]] {
            assert_eq!(skin_by(&empty, influences), Ok([1.0, 2.0, 3.0]), "{influences:?}");
        }
    }
}
