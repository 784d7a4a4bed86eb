//! Converts stored positions to the units of a game, with the factors of the SCALE command and the
//! offset and rotation of the ORIGIN command in a script. Methods of `Mesh` and `Frame` return
//! stored positions, without this conversion.

use super::layout::Variant;
use super::script::MeshScript;
use crate::math::add_scaled;
use crate::model::animation::Affine;

/// A transform that moves, scales and rotates the stored positions of a mesh, in that order.
///
/// The order (move, scale, rotate) is the same as in the engines whose source code is public.
/// Engines with public source code subtract the origin from the stored integers, then multiply by
/// the factors of the `MESHMAP SCALE` command, and apply the rotation of the `MESH ORIGIN` command
/// last. No published page of the format states the order of moving, scaling and rotating.
///
/// A placement does not include the changes that the engine makes to a mesh on import. In a script,
/// changes on import are set by the key UNMIRROR, which mirrors the model, by the key MIRROR, whose
/// effect is not known ([`Import`](super::script::Import)), and by the command DROPFRAMES
/// ([`DropFrames`](super::script::DropFrames)). Placed positions have the axes of the engine: x
/// forward, y right and z up, which is left-handed. Methods of `Mesh` and `Frame` that return
/// vertex positions do not apply a placement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// The stored position that the placement moves to 0, 0, 0.
    pub origin: [f32; 3],
    /// The factors by which the placement multiplies x, y and z after it has subtracted `origin`.
    pub scale: [f32; 3],
    /// The directions of the mesh's x, y and z axes after the rotation, as three unit vectors.
    pub axes: [[f32; 3]; 3],
}

impl Placement {
    /// The identity placement, which leaves stored positions unchanged.
    pub const STORED: Self =
        Self { origin: [0.0; 3], scale: [1.0; 3], axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] };

    /// Returns the placement that converts stored positions to the units of the mesh's author. In
    /// the author's units, all axes have the same scale, and a cube of 256 units per side contains
    /// every vertex.
    #[must_use]
    pub const fn author(variant: Variant) -> Self {
        Self { scale: variant.author_scale(), ..Self::STORED }
    }

    /// Returns the placement that a script defines for a mesh. If the script has no scale for the
    /// mesh, positions are not scaled. Without an origin, they are not moved and not rotated.
    #[must_use]
    pub fn of(script: &MeshScript<'_>) -> Self {
        let mut placement = Self { scale: script.scale().unwrap_or([1.0; 3]), ..Self::STORED };
        if let Some(origin) = script.origin() {
            placement.origin = origin.position;
            placement.axes = axes(origin.yaw, origin.pitch, origin.roll);
        }
        placement
    }

    /// Moves, scales and rotates a stored position, and returns the placed position.
    #[must_use]
    pub fn apply(&self, position: [f32; 3]) -> [f32; 3] {
        let mut local = [0.0; 3];
        for (((local, stored), origin), scale) in local.iter_mut().zip(position).zip(self.origin).zip(self.scale) {
            *local = (stored - origin) * scale;
        }
        self.turn(local)
    }

    /// Rotates a direction by the rotation of the placement, without moving or scaling the
    /// direction.
    #[must_use]
    pub fn turn(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        let [forward, right, up] = self.axes;
        let mut turned = [0.0; 3];
        for (((turned, forward), right), up) in turned.iter_mut().zip(forward).zip(right).zip(up) {
            *turned = x * forward + y * right + z * up;
        }
        turned
    }
}

impl From<&Placement> for Affine {
    fn from(placement: &Placement) -> Self {
        let scale = placement.scale.map(f64::from);
        let mut columns = placement.axes.map(|axis| axis.map(f64::from));
        for (column, scale) in columns.iter_mut().zip(scale) {
            *column = column.map(|part| part * scale);
        }
        let mut moved = [0.0; 3];
        for (column, origin) in columns.iter().zip(placement.origin) {
            moved = add_scaled(moved, -f64::from(origin), *column);
        }
        let [x, y, z] = columns;
        Self::new([x, y, z, moved])
    }
}

/// Returns the directions of the x, y and z axes after a rotation. The angles `yaw`, `pitch` and
/// `roll` are in 1/256 of a whole turn. The order of the three rotations is the same as in the
/// engine: roll about x, then pitch about y, then yaw about z.
fn axes(yaw: f32, pitch: f32, roll: f32) -> [[f32; 3]; 3] {
    let [(sy, cy), (sp, cp), (sr, cr)] = [yaw, pitch, roll].map(turn);
    [
        [cp * cy, cp * sy, sp],
        [sr * sp * cy - cr * sy, sr * sp * sy + cr * cy, -sr * cp],
        [-(cr * sp * cy + sr * sy), sr * cy - cr * sp * sy, cr * cp],
    ]
}

/// Returns the sine and cosine of an angle in 1/256 of a turn. The sine and the cosine are exact
/// for multiples of a quarter turn, as in the tables of the engine.
fn turn(angle: f32) -> (f32, f32) {
    let angle = angle.rem_euclid(256.0);
    let quarters = [(0.0, (0.0, 1.0)), (64.0, (1.0, 0.0)), (128.0, (0.0, -1.0)), (192.0, (-1.0, 0.0_f32))];
    let exact = quarters.into_iter().find(|(quarter, _)| angle.to_bits() == f32::to_bits(*quarter));
    exact.map_or_else(|| (angle * (std::f32::consts::TAU / 256.0)).sin_cos(), |(_, exact)| exact)
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "whole numbers are exact")]
mod tests {
    use super::*;

    #[test]
    fn turns_by_quarters_exactly() {
        let turned = |yaw, pitch, roll| Placement { axes: axes(yaw, pitch, roll), ..Placement::STORED };
        assert_eq!(turned(0.0, 0.0, 0.0), Placement::STORED);
        // A positive yaw rotates the forward direction to the right, a positive pitch rotates the
        // forward direction upwards, and a positive roll rotates the right direction downwards.
        assert_eq!(turned(64.0, 0.0, 0.0).turn([1.0, 0.0, 0.0]), [0.0, 1.0, 0.0]);
        assert_eq!(turned(-64.0, 0.0, 0.0).turn([1.0, 0.0, 0.0]), [0.0, -1.0, 0.0]);
        assert_eq!(turned(0.0, 64.0, 0.0).turn([1.0, 0.0, 0.0]), [0.0, 0.0, 1.0]);
        assert_eq!(turned(0.0, 0.0, 64.0).turn([0.0, 1.0, 0.0]), [0.0, 0.0, -1.0]);
        let odd = turned(10.0, 20.0, 30.0).turn([3.0, 4.0, 12.0]);
        assert!((odd.iter().map(|part| part * part).sum::<f32>().sqrt() - 13.0).abs() < 1e-4, "a turn keeps lengths");
    }

    #[test]
    fn moves_then_stretches_then_turns() {
        let placement = Placement { origin: [10.0, 0.0, 0.0], scale: [0.5, 0.5, 1.0], axes: axes(64.0, 0.0, 0.0) };
        assert_eq!(placement.apply([14.0, 0.0, 3.0]), [0.0, 2.0, 3.0]);
        assert_eq!(Placement::author(Variant::Classic).apply([8.0, -8.0, 4.0]), [1.0, -1.0, 1.0]);
    }
}
