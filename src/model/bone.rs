//! Bones, their transforms, and the interpolation between two transforms.

use crate::math::{mix, narrow, unit_rotation};
use crate::parse::Name;

/// Two quaternions are interpolated linearly if the cosine of the angle between the two quaternions
/// is above `NEARLY_PARALLEL`. At such small angles between two quaternions, the arc and its chord
/// differ in length by less than an `f32` can represent.
const NEARLY_PARALLEL: f64 = 1.0 - 1e-9;

/// A bone of a skeleton: its name, its parent and its rest transform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bone<'a> {
    /// The name of the bone.
    pub name: Name<'a>,
    /// Index of the parent bone, or -1 for a root.
    ///
    /// In the file, a parent may come after its children. In a damaged file, the parent index may
    /// have any value.
    pub parent: i32,
    /// The rest transform of the bone, relative to its parent.
    pub bind: Transform,
}

/// A translation, a rotation and a scale. The transform first scales a point, then rotates the
/// point, and then adds the translation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Transform {
    /// Translation in scene units.
    pub position: [f32; 3],
    /// Rotation as a quaternion x, y, z, w, as stored in the file. In an undamaged file, the length
    /// of the quaternion is nearly 1.
    pub rotation: [f32; 4],
    /// Scale factor along each axis.
    pub scale: [f32; 3],
}

impl Default for Transform {
    fn default() -> Self {
        Self { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] }
    }
}

impl Transform {
    /// Returns whether all numbers are finite.
    pub(crate) fn is_finite(&self) -> bool {
        self.position.iter().chain(&self.rotation).chain(&self.scale).all(|part| part.is_finite())
    }
}

impl Transform {
    /// Interpolates between this transform and the transform `to`. `fraction` is 0 for this
    /// transform and 1 for the transform `to`.
    ///
    /// The position and the scale are interpolated linearly. The rotation turns at a constant speed
    /// along the shorter arc between the two rotations, and the resulting quaternion has unit
    /// length. A quaternion that is zero or NaN is not a valid rotation and is treated as the
    /// identity.
    ///
    /// ```
    /// use meshpeek::model::Transform;
    /// let rest = Transform::default();
    /// let there = Transform { position: [2.0, 0.0, 0.0], ..rest };
    /// assert_eq!(rest.interpolate(&there, 0.5).position, [1.0, 0.0, 0.0]);
    /// ```
    #[must_use]
    pub fn interpolate(&self, to: &Self, fraction: f32) -> Self {
        Self {
            position: mix(self.position, to.position, fraction),
            rotation: turn(self.rotation, to.rotation, fraction.into()),
            scale: mix(self.scale, to.scale, fraction),
        }
    }
}

/// Interpolates between two unit quaternions along the shorter arc.
fn turn(from: [f32; 4], to: [f32; 4], fraction: f64) -> [f32; 4] {
    let [from, to] = [from, to].map(|rotation| unit_rotation(rotation.map(f64::from)));
    let cosine: f64 = from.iter().zip(to).map(|(one, other)| one * other).sum();
    let [keep, take] = shares(cosine.abs(), fraction);
    // A quaternion and its negative represent the same rotation. If the cosine of the angle between
    // `from` and `to` is negative, the shorter arc leads to `-to`.
    let take = take.copysign(take * cosine);
    let mut blended = from.map(|part| part * keep);
    blended.iter_mut().zip(to).for_each(|(part, other)| *part += other * take);
    unit_rotation(blended).map(narrow)
}

/// Returns the weights with which the two ends of a circular arc are added to interpolate along the
/// arc. The weighted sum of the start and the end of the arc is the point at `fraction` of the
/// arc's length.
///
/// `cosine` is the cosine of the angle between the start and the end of the arc.
fn shares(cosine: f64, fraction: f64) -> [f64; 2] {
    let rest = 1.0 - fraction;
    if cosine > NEARLY_PARALLEL {
        return [rest, fraction];
    }
    let angle = cosine.acos();
    [rest, fraction].map(|share| (share * angle).sin() / angle.sin())
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "small whole numbers are exact")]
mod tests {
    use super::*;

    const HALF: f32 = std::f32::consts::FRAC_1_SQRT_2;
    const NONE: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

    fn between(from: [f32; 4], to: [f32; 4], fraction: f32) -> [f32; 4] {
        let [from, to] = [from, to].map(|rotation| Transform { rotation, ..Transform::default() });
        from.interpolate(&to, fraction).rotation
    }

    fn expect(found: [f32; 4], expected: [f32; 4]) {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}, expected {expected:?}");
    }

    fn about_z(degrees: f32) -> [f32; 4] {
        let (sine, cosine) = (degrees.to_radians() / 2.0).sin_cos();
        [0.0, 0.0, sine, cosine]
    }

    #[test]
    fn meets_both_ends_and_the_middle() {
        let from = Transform { position: [0.0, 2.0, -4.0], rotation: NONE, scale: [1.0; 3] };
        let to = Transform { position: [1.0, 0.0, 4.0], rotation: [0.0, 0.0, HALF, HALF], scale: [3.0, 1.0, -1.0] };
        assert_eq!(from.interpolate(&to, 0.0), from);
        let end = from.interpolate(&to, 1.0);
        assert_eq!((end.position, end.scale), (to.position, to.scale));
        expect(end.rotation, to.rotation);
        let middle = from.interpolate(&to, 0.5);
        assert_eq!((middle.position, middle.scale), ([0.5, 1.0, 0.0], [2.0, 1.0, 0.0]));
        expect(middle.rotation, about_z(45.0));
    }

    #[test]
    fn turns_evenly_along_the_shorter_arc() {
        for percent in [0.1, 0.25, 0.5, 0.9] {
            expect(between(about_z(10.0), about_z(170.0), percent), about_z(10.0 + 160.0 * percent));
            expect(between(about_z(10.0), about_z(10.001), percent), about_z(10.0 + 0.001 * percent));
            // The shorter arc from a rotation by 10 degrees to a rotation by 300 degrees has 70
            // degrees and turns backwards, through 0.
            let [x, y, z, w] = between(about_z(10.0), about_z(300.0), percent);
            expect([x, y, z, w], about_z(10.0 - 70.0 * percent));
        }
    }

    #[test]
    fn a_quaternion_and_its_negative_are_one_rotation() {
        let turned = about_z(80.0);
        for percent in [0.0, 0.3, 1.0] {
            expect(between(turned, turned.map(|part| -part), percent), turned);
            expect(between(NONE, turned.map(|part| -part), percent), about_z(80.0 * percent));
        }
    }

    #[test]
    fn survives_any_quaternion_and_fraction() {
        let turned = about_z(90.0);
        for wild in [[0.0; 4], [f32::NAN; 4], [f32::INFINITY, 0.0, 0.0, 1.0], [0.0, f32::NAN, 0.0, 1.0]] {
            expect(between(wild, turned, 0.5), about_z(45.0));
            expect(between(turned, wild, 1.0), NONE);
            expect(between(wild, wild, 0.5), NONE);
        }
        // A quaternion that is multiplied by a positive number represents the same rotation.
        expect(between(turned.map(|part| part * 1e30), NONE, 0.0), turned);
        expect(between(turned.map(|part| part * 1e-30), NONE, 0.5), about_z(45.0));
        let opposite = between([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], 0.5);
        expect(opposite, [HALF, 0.0, 0.0, HALF]);
        for fraction in [f32::NAN, f32::INFINITY, f32::MAX, -7.5] {
            let length: f32 = between(NONE, turned, fraction).iter().map(|part| part * part).sum();
            assert!((length - 1.0).abs() < 1e-5, "{fraction}");
        }
    }
}
