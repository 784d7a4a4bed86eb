//! Skinned normals and tangent frames: the directions of a surface in a pose of its bones.

use super::affine::SkinMatrix;
use super::skinning::SkinnedSurface;
use crate::array::Array;
use crate::decode::TangentFrame;
use crate::error::{Cause, Result};
use crate::math::{as_index, cross, dot, unit_of_wide};
use crate::model::attributes::{Normals, TangentFrames};
use crate::model::corners::Corner;
use crate::parse::expect_length;

/// The normals of a surface in a pose of its bones. Each skinned normal is computed when it is
/// accessed.
///
/// A normal belongs to an attribute vertex, and the bone weights belong to a position. Hence a
/// skinned normal belongs to a corner of a triangle, or to a vertex of a
/// [`Welded`](crate::model::Welded) surface. Each access includes one call of
/// [`Weights::get`](crate::model::Weights::get).
///
/// The skin matrices of the bones of the position are blended as for the position. The inverse
/// transpose of the blended matrix turns the normal, so the normal stays perpendicular to a surface
/// that is scaled along its axes or mirrored. The result has unit length. The normal of a vertex
/// that keeps its position is the stored normal. So is the normal for which the blended matrix
/// gives no direction, because the matrix has a component that is not finite or maps the surface to
/// a line.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::model::animation::SkinMatrix;
/// use meshpeek::SkinnedSurface;
/// let mesh = meshpeek::open("data/unigine/skinned_ms12.mesh")?;
/// let skeleton = mesh.skeleton()?;
/// let mut palette = vec![SkinMatrix::IDENTITY; skeleton.bind().len()];
/// skeleton.palette(skeleton.bind(), &mut palette)?;
/// let surface = mesh.surface(0)?;
/// let welded = surface.weld()?; // the vertices of a GPU
/// let skinned = SkinnedSurface::new(&surface, &palette)?;
/// if let Some(normals) = skinned.normals()? {
///     let mut out = vec![[0.0; 3]; welded.vertices.len()];
///     normals.corners_into(&welded.vertices, &mut out)?;
///     assert_eq!(normals.get(welded.vertices[0])?, Some(out[0]));
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct SkinnedNormals<'a, 'p> {
    skinned: SkinnedSurface<'a, 'p>,
    normals: Normals<'a>,
}

/// The tangent frames of a surface in a pose of its bones. Each skinned tangent frame is computed
/// when it is accessed.
///
/// The normal of a tangent frame is skinned as in [`SkinnedNormals`], which also describes the
/// cost. The blended matrix itself turns the tangent, and the part of the turned tangent along the
/// normal is removed. If the blended matrix mirrors, the handedness changes its sign. A frame is
/// the stored tangent frame where a normal is the stored normal, and where the blended matrix gives
/// the tangent no direction.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::model::Corner;
/// use meshpeek::SkinnedSurface;
/// let mesh = meshpeek::open("data/unigine/skinned_ms12.mesh")?;
/// let skeleton = mesh.skeleton()?;
/// let mut palette = vec![Default::default(); skeleton.bind().len()];
/// skeleton.palette(skeleton.bind(), &mut palette)?;
/// let skinned = SkinnedSurface::new(&mesh.surface(0)?, &palette)?;
/// if let Some(frames) = skinned.tangent_frames()? {
///     let frame = frames.get(Corner { position: 0, attribute: 0 })?.unwrap();
///     println!("{:?} {:?} {}", frame.normal(), frame.tangent(), frame.handedness);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct SkinnedTangentFrames<'a, 'p> {
    skinned: SkinnedSurface<'a, 'p>,
    frames: TangentFrames<'a>,
}

impl<'a, 'p> SkinnedSurface<'a, 'p> {
    /// Finds the normals of the surface, or returns `None` if the surface has no normals.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Surface::normals`](crate::Surface::normals).
    pub fn normals(&self) -> Result<Option<SkinnedNormals<'a, 'p>>> {
        Ok(self.surface().normals()?.map(|normals| SkinnedNormals { skinned: *self, normals }))
    }

    /// Finds the tangent frames of the surface, or returns `None` if the format stores no tangent
    /// frames.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Surface::tangent_frames`](crate::Surface::tangent_frames).
    pub fn tangent_frames(&self) -> Result<Option<SkinnedTangentFrames<'a, 'p>>> {
        Ok(self.surface().tangent_frames()?.map(|frames| SkinnedTangentFrames { skinned: *self, frames }))
    }

    /// Returns the attribute of a corner, and the turn of its position, or `None` for the turn if
    /// the vertex keeps its position. Returns `None` if an index of the corner is out of range.
    fn at<A: Array>(&self, attributes: &A, corner: Corner) -> Result<Option<(A::Item, Option<Turn>)>> {
        let attribute = attributes.get(as_index(corner.attribute));
        let Some(attribute) = attribute.filter(|_| as_index(corner.position) < self.len()) else { return Ok(None) };
        Ok(Some((attribute, self.blend(corner.position)?.map(|matrix| Turn::new(&matrix)))))
    }

    /// Computes a value for each corner with `get`.
    fn for_corners<T>(
        &self,
        corners: &[Corner],
        out: &mut [T],
        get: impl Fn(Corner) -> Result<Option<T>>,
    ) -> Result<()> {
        expect_length("skinned", "out", corners.len(), out.len())?;
        for (number, (corner, out)) in corners.iter().zip(out).enumerate() {
            *out = get(*corner)?.ok_or_else(|| {
                let found = format!("{} and {} at corner {number}", corner.position, corner.attribute);
                let expected = "indices of a vertex and of an attribute vertex of the surface";
                self.surface().fault("corners", Cause::value(expected, found))
            })?;
        }
        Ok(())
    }
}

impl SkinnedNormals<'_, '_> {
    /// Computes the skinned normal of a corner, or returns `None` if an index of the corner is out
    /// of range.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`SkinnedSurface::position`].
    pub fn get(&self, corner: Corner) -> Result<Option<[f32; 3]>> {
        let Some((normal, turn)) = self.skinned.at(&self.normals, corner)? else { return Ok(None) };
        Ok(Some(turn.and_then(|turn| turn.normal(normal)).unwrap_or(normal)))
    }

    /// Computes the skinned normals of corners, such as the vertices of a
    /// [`Welded`](crate::model::Welded) surface. The method allocates no memory besides the index
    /// of the weights.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Buffer`] if the two slices have different lengths, and
    /// [`ErrorKind::Value`] if an index of a corner is out of range. Also returns the errors of
    /// [`get`](Self::get).
    ///
    /// [`ErrorKind::Buffer`]: crate::ErrorKind::Buffer
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn corners_into(&self, corners: &[Corner], out: &mut [[f32; 3]]) -> Result<()> {
        self.skinned.for_corners(corners, out, |corner| self.get(corner))
    }
}

impl SkinnedTangentFrames<'_, '_> {
    /// Computes the skinned tangent frame of a corner, or returns `None` if an index of the corner
    /// is out of range.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`SkinnedSurface::position`].
    pub fn get(&self, corner: Corner) -> Result<Option<TangentFrame>> {
        let Some((frame, turn)) = self.skinned.at(&self.frames, corner)? else { return Ok(None) };
        Ok(Some(turn.and_then(|turn| turn.frame(&frame)).unwrap_or(frame)))
    }

    /// Computes the skinned tangent frames of corners, such as the vertices of a
    /// [`Welded`](crate::model::Welded) surface. The method allocates no memory besides the index
    /// of the weights.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`SkinnedNormals::corners_into`].
    pub fn corners_into(&self, corners: &[Corner], out: &mut [TangentFrame]) -> Result<()> {
        self.skinned.for_corners(corners, out, |corner| self.get(corner))
    }
}

/// The 3 x 3 part of a blended matrix, which turns directions.
struct Turn {
    /// The images of the x, y and z axes.
    axes: [[f64; 3]; 3],
    /// The columns of the inverse transpose of the matrix, times the absolute value of its
    /// determinant. A singular matrix has such columns, too.
    cofactors: [[f64; 3]; 3],
    is_mirrored: bool,
}

impl Turn {
    fn new(matrix: &SkinMatrix) -> Self {
        let [x, y, z, _] = matrix.columns.map(|column| column.map(f64::from));
        let is_mirrored = dot(x, cross(y, z)) < 0.0;
        let cofactors = [cross(y, z), cross(z, x), cross(x, y)];
        let cofactors = cofactors.map(|column| column.map(|part| if is_mirrored { -part } else { part }));
        Self { axes: [x, y, z], cofactors, is_mirrored }
    }

    fn normal(&self, normal: [f32; 3]) -> Option<[f32; 3]> {
        unit_of_wide(product(self.cofactors, normal))
    }

    fn frame(&self, frame: &TangentFrame) -> Option<TangentFrame> {
        let normal = self.normal(frame.normal())?;
        let tangent = product(self.axes, frame.tangent());
        let wide = normal.map(f64::from);
        let along = dot(wide, tangent);
        let [tx, ty, tz] = tangent;
        let [nx, ny, nz] = wide;
        let tangent = unit_of_wide([tx - along * nx, ty - along * ny, tz - along * nz])?;
        let handedness = if self.is_mirrored { -frame.handedness } else { frame.handedness };
        Some(TangentFrame::from_axes(normal, tangent, handedness))
    }
}

/// Returns the product of a matrix, given by its columns, and a direction.
fn product([x, y, z]: [[f64; 3]; 3], direction: [f32; 3]) -> [f64; 3] {
    let [along_x, along_y, along_z] = direction.map(f64::from);
    std::array::from_fn(|axis| {
        let part = |column: [f64; 3]| column.get(axis).copied().unwrap_or_default();
        part(x) * along_x + part(y) * along_y + part(z) * along_z
    })
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "small whole numbers are exact")]
mod tests {
    use super::*;

    const HALF: f32 = std::f32::consts::FRAC_1_SQRT_2;

    fn turn(x: [f32; 3], y: [f32; 3], z: [f32; 3]) -> Turn {
        Turn::new(&SkinMatrix { columns: [x, y, z, [100.0; 3]] })
    }

    fn near(found: [f32; 3], expected: [f32; 3]) {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}, expected {expected:?}");
    }

    #[test]
    fn normals_stay_perpendicular() {
        // The slope x + y = 0 is stretched along x, so its normal leans to y.
        let stretch = turn([3.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
        let length = 10.0_f32.sqrt();
        near(stretch.normal([HALF, HALF, 0.0]).unwrap(), [1.0 / length, 3.0 / length, 0.0]);
        near(stretch.normal([0.0, 0.0, 5.0]).unwrap(), [0.0, 0.0, 1.0]);
        // A shear of the plane z = 0 along x keeps the plane, and leans the plane x = 0.
        let shear = turn([1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
        near(shear.normal([0.0, 0.0, 1.0]).unwrap(), [0.0, 0.0, 1.0]);
        near(shear.normal([1.0, 0.0, 0.0]).unwrap(), [HALF, -HALF, 0.0]);
        // A mirrored surface keeps its outer side.
        let mirror = turn([-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
        near(mirror.normal([1.0, 0.0, 0.0]).unwrap(), [-1.0, 0.0, 0.0]);
        near(mirror.normal([0.0, 1.0, 0.0]).unwrap(), [0.0, 1.0, 0.0]);
        let tiny = turn([1e-25, 0.0, 0.0], [0.0, 1e-25, 0.0], [0.0, 0.0, 2e-25]);
        near(tiny.normal([0.0, HALF, HALF]).unwrap(), [0.0, 2.0 / 5.0_f32.sqrt(), 1.0 / 5.0_f32.sqrt()]);
    }

    #[test]
    fn a_matrix_without_a_direction_has_no_normal() {
        // A surface that is flattened onto a plane has the normal of the plane.
        let flat = turn([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0; 3]);
        near(flat.normal([HALF, 0.0, HALF]).unwrap(), [0.0, 0.0, 1.0]);
        let frame = TangentFrame::default();
        for wild in [f32::NAN, f32::INFINITY] {
            let wild = turn([wild, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
            assert!(wild.normal([HALF, HALF, 0.0]).is_none() && wild.frame(&frame).is_none());
        }
        let line = turn([1.0, 0.0, 0.0], [0.0; 3], [0.0; 3]);
        assert!(line.normal([0.0, 0.0, 1.0]).is_none() && line.frame(&frame).is_none());
        // The tangent of the default frame is the x axis, which this matrix maps to 0.
        let thin = turn([0.0; 3], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]);
        assert!(thin.frame(&frame).is_none());
        assert_eq!(flat.normal([1.0, 0.0, 0.0]), None, "the normal lies in the plane");
    }

    #[test]
    fn tangents_follow_the_matrix() {
        let frame = TangentFrame::from_axes([0.0, 0.0, 1.0], [1.0, 0.0, 0.0], -1.0);
        let lean = turn([2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1.0]);
        let found = lean.frame(&frame).unwrap();
        near(found.normal(), [0.0, 0.0, 1.0]);
        near(found.tangent(), [1.0, 0.0, 0.0]);
        assert_eq!(found.handedness, -1.0);
        // The bitangent, (0, -1, 0), is mirrored to (0, 1, 0).
        let mirror = turn([0.0, 0.0, 1.0], [0.0, -3.0, 0.0], [-1.0, 0.0, 0.0]);
        let found = mirror.frame(&frame).unwrap();
        near(found.normal(), [-1.0, 0.0, 0.0]);
        near(found.tangent(), [0.0, 0.0, 1.0]);
        near(found.bitangent(), [0.0, 1.0, 0.0]);
        // The normal leans away from the turned tangent.
        let shear = turn([1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
        let found = shear.frame(&frame).unwrap();
        near(found.normal(), [-HALF, 0.0, HALF]);
        near(found.tangent(), [HALF, 0.0, HALF]);
    }
}
