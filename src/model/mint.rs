//! Conversions to and from the types of the crate `mint`, through which maths libraries exchange
//! vectors and matrices.
//!
//! Points, vectors and quaternions are arrays in this crate. `mint` converts them itself:
//! `[f32; 3]` to `Point3<f32>` and `Vector3<f32>`, and the rotation `[x, y, z, w]` to
//! `Quaternion<f32>`.

use mint::{ColumnMatrix3x4, ColumnMatrix4, Point3, Vector3, Vector4};

use super::animation::affine::{Affine, SkinMatrix};
use crate::array::Bounds;

fn column<T: Copy>(vector: Vector3<T>) -> [T; 3] {
    [vector.x, vector.y, vector.z]
}

impl From<Affine> for ColumnMatrix3x4<f64> {
    /// Returns the images of the axes and of the origin as columns.
    fn from(map: Affine) -> Self {
        let [x, y, z, w] = map.columns().map(Vector3::from);
        Self { x, y, z, w }
    }
}

impl From<ColumnMatrix3x4<f64>> for Affine {
    fn from(matrix: ColumnMatrix3x4<f64>) -> Self {
        Self::new([matrix.x, matrix.y, matrix.z, matrix.w].map(column))
    }
}

impl From<Affine> for ColumnMatrix4<f32> {
    /// Returns the map as a matrix for column vectors, rounded to `f32`. Its last row is
    /// 0, 0, 0, 1.
    fn from(map: Affine) -> Self {
        let [x, y, z, [right, up, out]] = map.columns_f32();
        let [x, y, z] = [x, y, z].map(|[x, y, z]| Vector4 { x, y, z, w: 0.0 });
        Self { x, y, z, w: Vector4 { x: right, y: up, z: out, w: 1.0 } }
    }
}

impl From<SkinMatrix> for ColumnMatrix3x4<f32> {
    fn from(matrix: SkinMatrix) -> Self {
        let [x, y, z, w] = matrix.columns.map(Vector3::from);
        Self { x, y, z, w }
    }
}

impl From<ColumnMatrix3x4<f32>> for SkinMatrix {
    fn from(matrix: ColumnMatrix3x4<f32>) -> Self {
        Self { columns: [matrix.x, matrix.y, matrix.z, matrix.w].map(column) }
    }
}

impl From<Bounds> for [Point3<f32>; 2] {
    /// Returns the minimum corner and the maximum corner.
    fn from(bounds: Bounds) -> Self {
        [bounds.min, bounds.max].map(Point3::from)
    }
}

impl From<[Point3<f32>; 2]> for Bounds {
    /// Makes the box with a minimum corner and a maximum corner.
    fn from([min, max]: [Point3<f32>; 2]) -> Self {
        Self { min: min.into(), max: max.into() }
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "whole numbers are exact")]
mod tests {
    use super::*;

    const COLUMNS: [[f64; 3]; 4] = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [10.0, 11.0, 12.0]];

    #[test]
    fn maps_and_matrices_keep_their_columns() {
        let map = Affine::new(COLUMNS);
        let matrix = ColumnMatrix3x4::from(map);
        assert_eq!((matrix.x.y, matrix.w.z), (2.0, 12.0));
        assert_eq!(Affine::from(matrix), map);
        let matrix = ColumnMatrix4::from(map);
        assert_eq!(<[f32; 4]>::from(matrix.z), [7.0, 8.0, 9.0, 0.0]);
        assert_eq!(<[f32; 4]>::from(matrix.w), [10.0, 11.0, 12.0, 1.0]);
        let skin = SkinMatrix { columns: map.columns_f32() };
        assert_eq!(SkinMatrix::from(ColumnMatrix3x4::from(skin)), skin);
    }

    #[test]
    fn boxes_keep_their_corners() {
        let bounds = Bounds { min: [-1.0, 2.0, -3.0], max: [4.0, 5.0, 6.0] };
        let [min, max] = <[Point3<f32>; 2]>::from(bounds);
        assert_eq!((min.y, max.z), (2.0, 6.0));
        assert_eq!(Bounds::from([min, max]), bounds);
    }
}
