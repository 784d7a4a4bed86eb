//! From stored integers to the units of a game: what a script's SCALE and ORIGIN say, applied on request.

use super::layout::Variant;
use super::script::MeshScript;

/// How a mesh is placed: stored positions are moved, stretched and turned, in that order.
///
/// That is the order of the engines whose source is public: the origin is subtracted in stored units, the scale of the mesh
/// map applied, and the rotation of the origin last; no published page of the format states it. What an import does to
/// the mesh itself is not part of it: UNMIRROR and MIRROR, which flip player models, and DROPFRAMES
/// ([`Import`](super::script::Import) has them). Axes are the engine's: x forward, y right, z up, left-handed. Nothing in this
/// crate applies a placement unless it is asked to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// The point, in stored units, that becomes 0, 0, 0.
    pub origin: [f32; 3],
    /// Factor along each axis.
    pub scale: [f32; 3],
    /// The directions that the mesh's own x, y and z take.
    pub axes: [[f32; 3]; 3],
}

impl Placement {
    /// Leaves stored positions as they are.
    pub const STORED: Self =
        Self { origin: [0.0; 3], scale: [1.0; 3], axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] };

    /// Returns the placement that gives the units of the mesh's author, in which all axes measure alike: a box of 256
    /// units a side.
    #[must_use]
    pub const fn author(variant: Variant) -> Self {
        Self { scale: variant.author_scale(), ..Self::STORED }
    }

    /// Returns the placement that a script gives a mesh; what it does not say stays as stored.
    #[must_use]
    pub fn of(script: &MeshScript<'_>) -> Self {
        let mut placement = Self { scale: script.scale().unwrap_or([1.0; 3]), ..Self::STORED };
        if let Some(origin) = script.origin() {
            placement.origin = origin.position;
            placement.axes = axes(origin.yaw, origin.pitch, origin.roll);
        }
        placement
    }

    /// Places a position.
    #[must_use]
    pub fn apply(&self, position: [f32; 3]) -> [f32; 3] {
        let mut local = [0.0; 3];
        for (((local, stored), origin), scale) in local.iter_mut().zip(position).zip(self.origin).zip(self.scale) {
            *local = (stored - origin) * scale;
        }
        self.turn(local)
    }

    /// Turns a direction.
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

/// Returns the directions of the turned axes; angles are in 1/256 of a whole turn. The order is the engine's: roll about x,
/// then pitch about y, then yaw about z.
fn axes(yaw: f32, pitch: f32, roll: f32) -> [[f32; 3]; 3] {
    let [(sy, cy), (sp, cp), (sr, cr)] = [yaw, pitch, roll].map(turn);
    [
        [cp * cy, cp * sy, sp],
        [sr * sp * cy - cr * sy, sr * sp * sy + cr * cy, -sr * cp],
        [-(cr * sp * cy + sr * sy), sr * cy - cr * sp * sy, cr * cp],
    ]
}

/// Returns sine and cosine; of quarter turns exactly, as the engine's tables do.
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
        // Yaw turns forward to the right, pitch forward to up, roll right to down.
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
