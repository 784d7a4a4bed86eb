//! The joints of the skin as bones. An asset has no animations.

use super::geometry::{ShownAsset, no_such};
use super::matrix::Matrix;
use super::skin::Skin;
use crate::decode::TangentFrame;
use crate::error::Result;
use crate::math::{cross, dot};
use crate::model::animation::{Animations, Clip};
use crate::model::{Bone, Transform};

impl<A: ShownAsset> Animations for A {
    /// The joints of the skin; none where there is none, or it is damaged.
    fn bone_count(&self) -> usize {
        self.asset().skin().ok().flatten().map_or(0, |skin| skin.joint_count())
    }

    /// The file names no parents: those of the names it uses are the avatar's.
    fn bone(&self, bone: usize) -> Result<Bone<'_>> {
        match self.asset().skin()? {
            Some(skin) => read_bone(&skin, bone),
            None => Err(no_such("bone", 0, bone)),
        }
    }

    fn clip_count(&self) -> usize {
        0
    }

    fn clip(&self, clip: usize) -> Result<Clip<'_>> {
        Err(no_such("clip", 0, clip))
    }
}

fn read_bone<'a>(skin: &Skin<'a>, bone: usize) -> Result<Bone<'a>> {
    let name = skin.joint_name(bone)?;
    // A skin that lacks the matrix still has the name.
    let bind = skin.inverse_bind(bone).ok().and_then(|inverse| rest(&inverse)).unwrap_or_default();
    Ok(Bone { name, parent: -1, bind })
}

/// Returns where a joint rests in the bind space: what its inverse bind matrix undoes. `None` where that undoes
/// nothing.
fn rest(inverse: &Matrix) -> Option<Transform> {
    let rows = inverse.as_chunks::<4>().0;
    let [first, second, third, moved] =
        [0, 1, 2, 3].map(|row| rows.get(row).map_or([0.0; 3], |[x, y, z, _]| [*x, *y, *z]));
    let columns = [cross(second, third), cross(third, first), cross(first, second)];
    let determinant = dot(first, cross(second, third));
    if determinant == 0.0 || !determinant.is_finite() {
        return None;
    }
    let columns = columns.map(|column| column.map(|value| value / determinant));
    // The rows of the inverse are where the axes go.
    let row = |number: usize| columns.map(|column| column.get(number).copied().unwrap_or_default());
    let axes = [row(0), row(1), row(2)];
    let position = columns.map(|column| -dot(moved, column));
    let [width, depth, height] = axes.map(|axis| dot(axis, axis).sqrt());
    let scale = [if determinant < 0.0 { -width } else { width }, depth, height];
    let [right, _, up] = axes;
    let [tangent, normal] =
        [right.map(|value| value / scale.first().copied().unwrap_or(1.0)), up.map(|value| value / height)];
    Some(Transform { position, rotation: TangentFrame::from_axes(normal, tangent, 1.0).rotation, scale })
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "small whole numbers are exact")]
mod tests {
    use super::*;

    #[test]
    fn a_joint_rests_where_its_matrix_takes_it_from() {
        let mut matrix = super::super::matrix::IDENTITY;
        matrix[12..15].copy_from_slice(&[1.0, -2.0, 3.0]);
        let at = rest(&matrix).unwrap();
        assert_eq!((at.position, at.scale), ([-1.0, 2.0, -3.0], [1.0; 3]));
        assert_eq!(at.rotation.map(f32::abs), [0.0, 0.0, 0.0, 1.0]);
        // From x to y and half the size, so back from y to x and twice the size.
        let turned = [0.0, 0.5, 0.0, 0.0, -0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 1.0];
        let at = rest(&turned).unwrap();
        assert_eq!(at.scale, [2.0; 3]);
        let half = std::f32::consts::FRAC_1_SQRT_2;
        assert!(at.rotation.iter().zip([0.0, 0.0, -half, half]).all(|(a, b)| (a - b).abs() < 1e-6), "{at:?}");
        assert_eq!(rest(&[0.0; 16]), None);
    }
}
