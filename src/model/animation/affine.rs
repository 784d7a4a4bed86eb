//! Affine maps from one coordinate space to another.

use bytemuck::{Pod, Zeroable};

use crate::decode::TangentFrame;
use crate::math::{narrow, unit_of_wide, unit_rotation};
use crate::model::bone::Transform;

/// A vector with three components: a direction, a position or a row of a 3 x 3 matrix.
type Vector = [f64; 3];

/// The greatest relative volume of three axis vectors that count as coplanar.
///
/// The relative volume is the volume of the parallelepiped that the axes span, divided by the
/// product of the lengths of the three axes. Coplanar axes that are rounded to `f32` have up to a
/// few times 1e-7.
const FLAT: f64 = 1e-6;

/// An affine map from one coordinate space to another: the images of the x, y and z axes, and the
/// image of the origin.
///
/// An affine map keeps straight lines straight and parallel lines parallel. `Affine` uses `f64`, so
/// the rounding errors of a long chain of bones are too small to be visible in an `f32`.
///
/// ```
/// use meshpeek::model::animation::Affine;
/// use meshpeek::model::Transform;
/// let bone = Transform { position: [0.0, 0.0, 1.0], scale: [2.0; 3], ..Transform::default() };
/// let map = Affine::from(&bone);
/// assert_eq!(map.apply([1.0, 0.0, 0.0]), [2.0, 0.0, 1.0]);
/// assert_eq!(map.inverse().unwrap().apply([2.0, 0.0, 1.0]), [1.0, 0.0, 0.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Affine {
    axes: [Vector; 3],
    origin: Vector,
}

impl Affine {
    /// The identity, which maps each point to itself.
    pub const IDENTITY: Self = Self { axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], origin: [0.0; 3] };

    /// Makes the map from the images of the x, y and z axes, in the first three columns, and the
    /// image of the origin, in the fourth column.
    #[must_use]
    pub const fn new([x, y, z, origin]: [[f64; 3]; 4]) -> Self {
        Self { axes: [x, y, z], origin }
    }

    /// Returns the images of the x, y and z axes and of the origin.
    #[must_use]
    pub const fn columns(&self) -> [[f64; 3]; 4] {
        let [x, y, z] = self.axes;
        [x, y, z, self.origin]
    }

    /// Returns the images of the x, y and z axes and of the origin, with each component rounded
    /// to `f32`.
    #[must_use]
    pub fn columns_f32(&self) -> [[f32; 3]; 4] {
        self.columns().map(|column| column.map(narrow))
    }

    /// Returns whether all numbers are finite after they are rounded to `f32`.
    pub(crate) fn fits_f32(&self) -> bool {
        self.columns_f32().as_flattened().iter().all(|part| part.is_finite())
    }

    /// Returns the image of a point under this map.
    #[must_use]
    pub fn apply(&self, point: [f32; 3]) -> [f32; 3] {
        add(self.turn(point.map(f64::from)), self.origin).map(narrow)
    }

    /// Returns the composition of two maps: first this map, then the map `next`.
    ///
    /// In matrix notation, the composition is the product `next * self`.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        Self { axes: self.axes.map(|axis| next.turn(axis)), origin: add(next.turn(self.origin), next.origin) }
    }

    /// Returns the inverse map, or `None` if this map is singular or has a component that is not
    /// finite.
    #[must_use]
    pub fn inverse(&self) -> Option<Self> {
        let [x, y, z] = self.axes;
        let volume = dot(x, cross(y, z));
        let longest = self.axes.iter().map(|axis| dot(*axis, *axis).sqrt()).product::<f64>();
        if !volume.is_finite() || volume.abs() <= longest * FLAT {
            return None;
        }
        // Each row of the inverse 3 x 3 matrix is the cross product of two of the axes x, y and z,
        // divided by the volume of the parallelepiped that the three axes span.
        let rows = [cross(y, z), cross(z, x), cross(x, y)].map(|row| row.map(|part| part / volume));
        let back = Self { axes: transpose(rows), origin: [0.0; 3] };
        let origin = back.turn(self.origin).map(|part| -part);
        let sound = rows.iter().flatten().chain(&origin).all(|part| part.is_finite());
        sound.then_some(Self { origin, ..back })
    }

    /// Returns whether all components of the map are finite.
    pub(crate) fn is_finite(&self) -> bool {
        self.axes.as_flattened().iter().chain(&self.origin).all(|part| part.is_finite())
    }

    /// Returns the transform whose map is this map, or `None` if this map is singular or has a
    /// component that is not finite.
    ///
    /// A transform cannot represent a map that shears. For such a map, the transform has the scale
    /// of the map, and its rotation maps the x axis to the direction of the image of the x axis.
    /// For a map that mirrors, the scale along x is negative.
    #[must_use]
    pub fn to_transform(&self) -> Option<Transform> {
        self.inverse()?;
        let [x, y, z] = self.axes;
        let [width, depth, height] = self.axes.map(|axis| dot(axis, axis).sqrt());
        let width = if dot(x, cross(y, z)) < 0.0 { -width } else { width };
        let right = x.map(|part| part / width);
        // The part of the image of the z axis that is perpendicular to the image of the x axis.
        let along = dot(right, z);
        let up = add(z, right.map(|part| -along * part));
        let (tangent, normal) = (unit_of_wide(right)?, unit_of_wide(up)?);
        let rotation = TangentFrame::from_axes(normal, tangent, 1.0).rotation;
        Some(Transform { position: self.origin.map(narrow), rotation, scale: [width, depth, height].map(narrow) })
    }

    /// Returns the image of a direction under this map.
    pub(crate) fn turn(&self, [x, y, z]: Vector) -> Vector {
        let [right, up, out] = self.axes;
        add(add(right.map(|part| part * x), up.map(|part| part * y)), out.map(|part| part * z))
    }
}

impl Default for Affine {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl From<&Transform> for Affine {
    /// Makes the map that first scales a point, then rotates it, and then moves it.
    ///
    /// The quaternion of the rotation is scaled to unit length first. A quaternion that is zero or
    /// NaN is not a valid rotation and is treated as the identity.
    fn from(transform: &Transform) -> Self {
        let mut axes = rotated(unit_rotation(transform.rotation.map(f64::from)));
        for (axis, factor) in axes.iter_mut().zip(transform.scale) {
            *axis = axis.map(|part| part * f64::from(factor));
        }
        Self { axes, origin: transform.position.map(f64::from) }
    }
}

/// Returns the images of the x, y and z axes under the rotation of a unit quaternion.
fn rotated([x, y, z, w]: [f64; 4]) -> [Vector; 3] {
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)],
        [2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)],
        [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

fn add([ax, ay, az]: Vector, [bx, by, bz]: Vector) -> Vector {
    [ax + bx, ay + by, az + bz]
}

fn cross([ax, ay, az]: Vector, [bx, by, bz]: Vector) -> Vector {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

fn dot([ax, ay, az]: Vector, [bx, by, bz]: Vector) -> f64 {
    ax * bx + ay * by + az * bz
}

fn transpose([[ax, ay, az], [bx, by, bz], [cx, cy, cz]]: [Vector; 3]) -> [Vector; 3] {
    [[ax, bx, cx], [ay, by, cy], [az, bz, cz]]
}

/// The matrix of a bone that moves vertices from their positions in the bind pose to their
/// positions in the current pose.
///
/// A `SkinMatrix` is plain old data. A palette (an array with one skin matrix per bone) takes 48
/// bytes per bone, and can be passed to a GPU without conversion.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct SkinMatrix {
    /// The images of the x, y and z axes and of the origin.
    pub columns: [[f32; 3]; 4],
}

impl SkinMatrix {
    /// The identity matrix, which moves no vertex.
    pub const IDENTITY: Self = Self { columns: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]] };

    /// Returns the matrix as three rows of four numbers. The last number of each matrix row is a
    /// component of the translation.
    ///
    /// Three rows of four floats are the layout of such a matrix in shaders that align each vector
    /// to 16 bytes.
    #[must_use]
    pub const fn rows(&self) -> [[f32; 4]; 3] {
        let [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz], [x, y, z]] = self.columns;
        [[xx, yx, zx, x], [xy, yy, zy, y], [xz, yz, zz, z]]
    }

    /// Returns the image of a point under this matrix.
    #[inline]
    #[must_use]
    pub fn apply(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        let [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz], [left, up, out]] = self.columns;
        [x * xx + y * yx + z * zx + left, x * xy + y * yy + z * zy + up, x * xz + y * yz + z * zz + out]
    }
}

impl Default for SkinMatrix {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl From<&SkinMatrix> for Affine {
    fn from(matrix: &SkinMatrix) -> Self {
        Self::new(matrix.columns.map(|column| column.map(f64::from)))
    }
}

impl From<&Affine> for SkinMatrix {
    fn from(map: &Affine) -> Self {
        Self { columns: map.columns_f32() }
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "small whole numbers are exact")]
mod tests {
    use super::*;

    /// The quaternion of a rotation by 90 degrees, from the x axis to the y axis.
    const QUARTER: [f32; 4] = [0.0, 0.0, std::f32::consts::FRAC_1_SQRT_2, std::f32::consts::FRAC_1_SQRT_2];

    fn near(found: [f32; 3], expected: [f32; 3]) {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}, expected {expected:?}");
    }

    #[test]
    fn scales_then_rotates_then_moves() {
        let transform = Transform { position: [10.0, 0.0, 0.0], rotation: QUARTER, scale: [2.0, 3.0, 4.0] };
        let map = Affine::from(&transform);
        near(map.apply([1.0, 0.0, 0.0]), [10.0, 2.0, 0.0]);
        near(map.apply([0.0, 1.0, 0.0]), [7.0, 0.0, 0.0]);
        near(map.apply([0.0, 0.0, 1.0]), [10.0, 0.0, 4.0]);
        let longer = Transform { rotation: QUARTER.map(|part| part * 5.0), ..transform };
        near(Affine::from(&longer).apply([1.0, 1.0, 1.0]), map.apply([1.0, 1.0, 1.0]));
        for none in [[0.0; 4], [f32::NAN; 4]] {
            let transform = Transform { rotation: none, ..Transform::default() };
            assert_eq!(Affine::from(&transform), Affine::IDENTITY);
        }
    }

    #[test]
    fn does_one_map_then_the_next() {
        let one = Affine::from(&Transform { position: [1.0, 2.0, 3.0], rotation: QUARTER, scale: [2.0; 3] });
        let next = Affine::from(&Transform { position: [-5.0, 0.0, 1.0], ..Transform::default() });
        let point = [0.25, -4.0, 7.0];
        near(one.then(&next).apply(point), next.apply(one.apply(point)));
        assert_eq!(one.then(&Affine::IDENTITY), one);
        assert_eq!(Affine::IDENTITY.then(&one), one);
        assert_eq!(Affine::new(one.columns()), one);
    }

    #[test]
    fn goes_back() {
        let bent = Affine::from(&Transform { position: [1.0, 2.0, 3.0], rotation: QUARTER, scale: [2.0, -0.5, 1e-3] });
        let sheared = bent.then(&Affine::new([[1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]]));
        for map in [bent, sheared] {
            let none = map.then(&map.inverse().unwrap());
            for (found, expected) in none.columns().iter().zip(Affine::IDENTITY.columns()) {
                assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{none:?}");
            }
        }
    }

    #[test]
    fn becomes_a_transform() {
        for scale in [[1.0; 3], [2.0, 0.5, 3.0], [-2.0, 0.5, 1e-3], [2.0, -0.5, 3.0], [-1.0; 3]] {
            for rotation in [QUARTER, [0.1, 0.5, -0.3, 0.7], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]] {
                let map = Affine::from(&Transform { position: [1.0, 2.0, 3.0], rotation, scale });
                let found = map.to_transform().unwrap();
                let back = Affine::from(&found);
                for (found, expected) in back.columns().iter().zip(map.columns()) {
                    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 2e-6), "{scale:?}: {back:?}");
                }
                assert_eq!(found.scale[0] < 0.0, scale.iter().product::<f32>() < 0.0);
            }
        }
        let sheared = Affine::new([[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [3.0, 0.0, 4.0], [7.0, 8.0, 9.0]]);
        let found = sheared.to_transform().unwrap();
        assert_eq!((found.position, found.scale), ([7.0, 8.0, 9.0], [2.0, 1.0, 5.0]));
        near(Affine::from(&found).apply([1.0, 0.0, 0.0]), [9.0, 8.0, 9.0]);
        let flat = Affine::new([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0; 3]]);
        let wild = Affine::new([[f64::NAN, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]]);
        assert_eq!((flat.to_transform(), wild.to_transform()), (None, None));
    }

    #[test]
    fn there_is_no_way_back_from_a_plane() {
        let flat = |scale| Affine::from(&Transform { rotation: [0.1, 0.2, 0.3, 0.9], scale, ..Transform::default() });
        assert_eq!(flat([0.0, 1.0, 1.0]).inverse(), None);
        let inside = flat([1.0; 3]).then(&flat([1.0, 0.0, 1.0])).then(&flat([1.0; 3]));
        assert_eq!(inside.inverse(), None);
        for wild in [f32::NAN, f32::INFINITY] {
            assert_eq!(flat([wild, 1.0, 1.0]).inverse(), None);
            assert_eq!(Affine::from(&Transform { position: [wild; 3], ..Transform::default() }).inverse(), None);
        }
        assert!(flat([1e-30, 1e30, 1.0]).inverse().is_some());
    }

    #[test]
    fn a_skin_matrix_is_the_map_in_f32() {
        let map = Affine::from(&Transform { position: [1.0, 2.0, 3.0], rotation: QUARTER, scale: [2.0, 3.0, 4.0] });
        let matrix = SkinMatrix::from(&map);
        near(matrix.apply([1.0, -2.0, 0.5]), map.apply([1.0, -2.0, 0.5]));
        let by_rows = matrix.rows().map(|[x, y, z, moved]| x - 2.0 * y + 0.5 * z + moved);
        near(by_rows, map.apply([1.0, -2.0, 0.5]));
        assert_eq!(SkinMatrix::default().apply([1.0, -2.0, 0.5]), [1.0, -2.0, 0.5]);
        assert_eq!(bytemuck::bytes_of(&matrix).len(), 48);
    }
}
