//! Skinning on the CPU: transforms the vertices of a mesh by the joints of its skin.

use super::layout::FORMAT;
use super::matrix::{Matrix, affine};
use super::skin::Skin;
use crate::decode::Influence;
use crate::error::Result;
use crate::error::debug::{items, short_debug};
use crate::model::SkinningRules;
use crate::model::animation::{BonePalette, SkinMatrix};
use crate::parse::room;

/// The skinning matrices of a pose, one per joint of a skin. The matrix of a joint transforms the
/// vertices for which this joint has weight 1 and all other joints have weight 0.
///
/// ```
/// use meshpeek::Array;
/// use meshpeek::secondlife::{Lod, Mesh, IDENTITY};
/// let mesh = Mesh::open(meshpeek::read("data/secondlife/arm.llmesh")?)?;
/// let skin = mesh.skin()?.unwrap();
/// let palette = skin.palette(|_joint| IDENTITY)?; // the world matrix of each joint
/// let submesh = mesh.level(Lod::High)?.submesh(0)?;
/// let (positions, weights) = (submesh.positions()?, submesh.weights()?.unwrap());
/// let moved = palette.position(positions.get(0).unwrap(), weights.get(0).unwrap().iter());
/// # assert!(moved.iter().all(|number| number.is_finite()));
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Clone)]
pub struct Palette {
    matrices: Vec<SkinMatrix>,
}

short_debug!(Palette: |palette| { matrices: items(&palette.matrices) });

impl Skin<'_> {
    /// Computes `bind_shape * inverse_bind[joint] * world(joint)` for each joint, in `f64`. The
    /// fourth column of the matrices is not used.
    ///
    /// The closure `world` returns the world matrix of a joint, for row vectors. The returned
    /// palette allocates 48 bytes per joint.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`bind_shape`](Self::bind_shape) and
    /// [`inverse_bind`](Self::inverse_bind). Returns [`ErrorKind::Value`](crate::ErrorKind::Value)
    /// if the number of inverse bind matrices differs from the number of joints, or if a number of
    /// a matrix of the skin is not finite. Returns
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) if the allocation fails.
    pub fn palette(&self, mut world: impl FnMut(usize) -> Matrix) -> Result<Palette> {
        let (shape, joints) = (self.bind_shape_map()?, self.joint_count());
        let mut matrices = room(FORMAT, "joint_names", joints)?;
        for joint in 0..joints {
            let moved = self.inverse_bind_map(joint)?.then(&affine(&world(joint)));
            matrices.push(SkinMatrix::from(&shape.then(&moved)));
        }
        Ok(Palette { matrices })
    }
}

impl Palette {
    /// Returns the skinning matrices, one per joint, for use in a
    /// [`SkinnedSurface`](crate::model::animation::SkinnedSurface).
    #[must_use]
    pub fn matrices(&self) -> &[SkinMatrix] {
        &self.matrices
    }

    /// Transforms the position of a vertex by the joints that influence the vertex, by the same
    /// rules as a [`SkinnedSurface`](crate::model::animation::SkinnedSurface).
    ///
    /// The joint weights of the vertex are divided by their sum. As in viewers, a vertex without
    /// weights follows the first joint, and the last joint replaces a joint whose index is out of
    /// range. If the skin has no joints, the result is `position` without a change.
    #[must_use]
    pub fn position(&self, position: [f32; 3], influences: impl Iterator<Item = Influence>) -> [f32; 3] {
        BonePalette::new(&self.matrices, SkinningRules::Clamped).moved(position, influences).unwrap_or(position)
    }

    /// Transforms a direction by the joints that influence a vertex. The translations of the
    /// matrices do not affect the direction.
    ///
    /// The transformed direction is not scaled to unit length. For a normal vector, the transformed
    /// direction is correct only if every joint matrix scales all axes equally.
    #[must_use]
    pub fn direction(&self, direction: [f32; 3], influences: impl Iterator<Item = Influence>) -> [f32; 3] {
        let blend = BonePalette::new(&self.matrices, SkinningRules::Clamped).blend(influences).ok().flatten();
        let Some((SkinMatrix { columns: [x, y, z, _] }, sum)) = blend else { return direction };
        SkinMatrix { columns: [x, y, z, [0.0; 3]] }.apply(direction).map(|part| part / sum)
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "small whole numbers are exact")]
mod tests {
    use super::super::matrix::{IDENTITY, multiply};
    use super::*;

    fn shift([x, y, z]: [f32; 3]) -> Matrix {
        let mut matrix = IDENTITY;
        matrix[12..15].copy_from_slice(&[x, y, z]);
        matrix
    }

    #[test]
    fn blends_as_viewers_do() {
        let palette = Palette {
            matrices: [[1.0, 0.0, 0.0], [0.0, 4.0, 0.0]].map(|by| SkinMatrix::from(&affine(&shift(by)))).to_vec(),
        };
        let one = |bone, weight| Influence { bone, weight };
        let moved = |influences: &[Influence]| palette.position([1.0, 1.0, 1.0], influences.iter().copied());
        assert_eq!(moved(&[one(0, 1.0)]), [2.0, 1.0, 1.0]);
        assert_eq!(moved(&[one(0, 0.25), one(1, 0.25)]), [1.5, 3.0, 1.0]);
        assert_eq!(moved(&[]), [2.0, 1.0, 1.0]);
        assert_eq!(moved(&[one(7, 1.0)]), [1.0, 5.0, 1.0]);
        assert_eq!(palette.direction([1.0, 1.0, 1.0], [one(0, 1.0)].into_iter()), [1.0, 1.0, 1.0]);
        assert_eq!(Palette { matrices: Vec::new() }.position([3.0; 3], [].into_iter()), [3.0; 3]);
    }

    #[test]
    fn rows_come_first() {
        let turn = [0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        let palette = Palette { matrices: vec![SkinMatrix::from(&affine(&multiply(&shift([1.0, 0.0, 0.0]), &turn)))] };
        // The only matrix in `palette` is a product: it first translates by one unit along x, and
        // then rotates by 90 degrees, from x to y.
        let moved = palette.position([0.0; 3], [Influence { bone: 0, weight: 1.0 }].into_iter());
        assert_eq!(moved, [0.0, 1.0, 0.0]);
        assert_eq!(multiply(&IDENTITY, &turn), turn);
    }
}
