//! Implements the [`Animations`] trait for Second Life mesh assets: each joint of the skin is a
//! bone. A mesh asset contains no animation clips.

use super::geometry::{ShownAsset, no_such};
use super::matrix::{Matrix, affine};
use super::skin::Skin;
use crate::error::Result;
use crate::model::animation::{Affine, Animations};
use crate::model::{Bone, Transform};

impl<A: ShownAsset> Animations for A {
    /// Returns the number of joints of the skin, or 0 if the asset has no skin.
    fn bone_count(&self) -> Result<usize> {
        Ok(self.asset().skin()?.map_or(0, |skin| skin.joint_count()))
    }

    /// Returns a joint of the skin as a bone. The file does not store parent joints: the parent is
    /// the nearest ancestor in the avatar's skeleton that the skin contains.
    ///
    /// The map from the bone to the space of the model is the inverse of its inverse bind matrix.
    /// If the rest transform relative to the parent shears, it is an approximation, and
    /// [`Skeleton::bind`] is exact.
    ///
    /// [`Skeleton::bind`]: crate::Skeleton::bind
    fn bone(&self, bone: usize) -> Result<Bone<'_>> {
        match self.asset().skin()? {
            Some(skin) => read_bone(&skin, bone),
            None => Err(no_such("bone", 0, bone)),
        }
    }

    /// Returns the bind shape matrix of the skin, or the identity if the asset has no skin.
    ///
    /// Also returns an error if the number of inverse bind matrices differs from the number of
    /// joints, because viewers ignore such a skin.
    fn bind_shape(&self) -> Result<Affine> {
        self.asset().skin()?.map_or(Ok(Affine::IDENTITY), |skin| skin.bind_shape_map())
    }

    fn inverse_bind(&self, bone: usize) -> Result<Option<Affine>> {
        match self.asset().skin()? {
            Some(skin) => skin.inverse_bind_map(bone).map(Some),
            None => Err(no_such("bone", 0, bone)),
        }
    }

    fn has_bone_clips(&self) -> bool {
        false
    }
}

fn read_bone<'a>(skin: &Skin<'a>, bone: usize) -> Result<Bone<'a>> {
    let (name, parent) = (skin.joint_name(bone)?, skin.parent(bone)?);
    // An ancestor without an inverse rests at the place of its own parent.
    let (mut ancestor, mut above) = (parent, None);
    while let (Ok(joint), None) = (usize::try_from(ancestor), &above) {
        above = skin.inverse_bind(joint).ok().filter(|matrix| affine(matrix).inverse().is_some());
        ancestor = skin.parent(joint)?;
    }
    // If the skin has no inverse bind matrix for the joint, or if this matrix cannot be inverted,
    // the bone has the default transform.
    let bind = skin.inverse_bind(bone).ok().and_then(|inverse| rest(&inverse, above.as_ref())).unwrap_or_default();
    Ok(Bone { name, parent, bind })
}

/// Returns the rest transform of a joint relative to its parent: the inverse of the joint's inverse
/// bind matrix, followed by the inverse bind matrix of the parent, without its shear. Returns
/// `None` if the inverse bind matrix cannot be inverted.
fn rest(inverse: &Matrix, parent: Option<&Matrix>) -> Option<Transform> {
    let map = affine(inverse).inverse()?;
    parent.map_or(map, |parent| map.then(&affine(parent))).to_transform()
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "small whole numbers are exact")]
mod tests {
    use super::*;

    #[test]
    fn a_joint_rests_where_its_matrix_takes_it_from() {
        let mut matrix = super::super::matrix::IDENTITY;
        matrix[12..15].copy_from_slice(&[1.0, -2.0, 3.0]);
        let at = rest(&matrix, None).unwrap();
        assert_eq!((at.position, at.scale), ([-1.0, 2.0, -3.0], [1.0; 3]));
        assert_eq!(at.rotation.map(f32::abs), [0.0, 0.0, 0.0, 1.0]);
        // Relative to a parent at (0, 0, 5), the joint is at (-1, 2, -8).
        let mut parent = super::super::matrix::IDENTITY;
        parent[14] = -5.0;
        assert_eq!(rest(&matrix, Some(&parent)).unwrap().position, [-1.0, 2.0, -8.0]);
        // The matrix `turned` rotates the x axis to the y axis and scales by one half. The inverse
        // of `turned` rotates the y axis to the x axis and scales by two.
        let turned = [0.0, 0.5, 0.0, 0.0, -0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 1.0];
        let at = rest(&turned, None).unwrap();
        assert_eq!(at.scale, [2.0; 3]);
        let half = std::f32::consts::FRAC_1_SQRT_2;
        assert!(at.rotation.iter().zip([0.0, 0.0, -half, half]).all(|(a, b)| (a - b).abs() < 1e-6), "{at:?}");
        assert_eq!(rest(&[0.0; 16], None), None);
    }
}
