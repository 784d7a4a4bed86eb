//! Scenes that are placed in a world: the map from the space of a scene to the world, and the
//! inverse map.

use crate::array::Bounds;
use crate::bvh::coordinates::{MAX_COORDINATE, TriangleCorners};
use crate::error::{Cause, Error, Field, Result};
use crate::math::{add, dot, narrow, unit_of_wide};
use crate::model::animation::Affine;
use crate::query::box_tree::{WideBox, overlaps, wide_box};
use crate::query::overlap::QueryVolume;
use crate::query::ray::Ray;
use crate::query::ray_query::RayParts;
use crate::query::scene::Scene;
use crate::query::triangle_overlap::overlaps_box;

/// The margin of world boxes for coordinates that are rounded to `f32`, relative to the greatest
/// coordinate of the box.
const BOX_MARGIN: f64 = 1.0 / 4_194_304.0;
/// The margin of world boxes for the rounding errors of sums in `f64`, relative to the summands.
const SUM_MARGIN: f64 = 1.0e-13;

/// The map from the space of a scene to the world, and the inverse map.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InstanceTransform {
    to_world: Affine,
    to_local: Affine,
    /// An upper bound of the factor by which the inverse map stretches any direction. It is at most
    /// 1 % too large.
    stretch: f64,
}

impl InstanceTransform {
    /// Returns `None` if the map is not invertible.
    pub(crate) fn new(to_world: Affine) -> Option<Self> {
        let to_local = to_world.inverse()?;
        let stretch = stretch(&to_local)?;
        Some(Self { to_world, to_local, stretch })
    }

    /// Returns the world box around a box of the scene, or `None` if it is empty or not finite.
    pub(crate) fn world_box(&self, bounds: &Bounds) -> Option<WideBox> {
        if bounds.is_empty() {
            return None;
        }
        let (min, max) = (bounds.min.map(f64::from), bounds.max.map(f64::from));
        let [x, y, z, origin] = self.to_world.columns();
        let (mut least, mut greatest) = (origin, origin);
        let mut magnitude = origin.iter().fold(0.0_f64, |most, part| most.max(part.abs()));
        let sides = min.into_iter().zip(max).zip([x, y, z]);
        for ((min, max), axis) in sides {
            for ((least, greatest), part) in least.iter_mut().zip(&mut greatest).zip(axis) {
                let [one, other] = [min * part, max * part];
                magnitude += one.abs().max(other.abs());
                *least += one.min(other);
                *greatest += one.max(other);
            }
        }
        let most = least.iter().chain(&greatest).fold(0.0_f64, |most, part| most.max(part.abs()));
        let margin = most * BOX_MARGIN + magnitude * SUM_MARGIN + f64::from(f32::MIN_POSITIVE);
        let wide = [least.map(|part| part - margin), greatest.map(|part| part + margin)];
        wide.iter().flatten().all(|part| part.is_finite()).then_some(wide)
    }

    /// Returns the line of a ray in the space of the scene, and the ray parameter `t` of the ray at
    /// the origin of this line.
    ///
    /// The origin of the line is rounded to `f32`. It is near the bounding box of the scene, so the
    /// error is about that of a rounded vertex.
    pub(crate) fn local_line(&self, ray: &Ray, [least, greatest]: [f64; 2], bounds: &Bounds) -> (RayParts, f64) {
        let (from, direction) = (ray.origin.map(f64::from), ray.direction.map(f64::from));
        let start = add(self.to_local.turn(from), self.local_origin());
        let direction = self.to_local.turn(direction);
        let size = bounds.min.iter().chain(&bounds.max).fold(0.0_f64, |size, part| size.max(f64::from(part.abs())));
        let is_exact = |part: f64| is_valid(part) && f64::from(narrow(part)).to_bits() == part.to_bits();
        let is_near = |part: &f64| part.abs() <= 4.0 * size || is_exact(*part);
        let before = if start.iter().all(is_near) { 0.0 } else { closest_parameter(start, direction, bounds) };
        let origin = crate::math::add_scaled(start, before, direction).map(narrow);
        (RayParts { origin, direction, range: [least - before, greatest - before] }, before)
    }

    const fn local_origin(&self) -> [f64; 3] {
        let [_, _, _, origin] = self.to_local.columns();
        origin
    }

    /// Returns a world point in the space of the scene, and a factor and a summand: a point of the
    /// scene at the distance d from the world point is, in the space of the scene, at most at the
    /// distance `d * factor + summand` from the returned point.
    pub(crate) fn local_point(&self, point: [f32; 3]) -> ([f32; 3], f64, f64) {
        let exact = add(self.to_local.turn(point.map(f64::from)), self.local_origin());
        let largest = f64::from(MAX_COORDINATE);
        if !exact.iter().copied().all(is_valid) {
            // The distance in the space of the scene then excludes nothing.
            let clamped = exact.map(|part| if part.is_nan() { 0.0 } else { narrow(part.clamp(-largest, largest)) });
            return (clamped, self.stretch, f64::INFINITY);
        }
        let rounding = exact.iter().fold(0.0_f64, |most, part| most.max(part.abs())) * f64::from(f32::EPSILON);
        (exact.map(narrow), self.stretch, rounding + f64::from(f32::MIN_POSITIVE))
    }

    /// Returns the corners of a triangle in the world.
    pub(crate) fn world_corners(&self, corners: &TriangleCorners) -> [[f64; 3]; 3] {
        let [_, _, _, origin] = self.to_world.columns();
        corners.map(|corner| add(self.to_world.turn(corner.map(f64::from)), origin))
    }

    /// Returns the normal in the world of a triangle with the given normal. It is the product with
    /// the transpose of the inverse matrix, so it stays on the front side of the triangle.
    pub(crate) fn world_normal(&self, normal: [f32; 3]) -> [f32; 3] {
        let [x, y, z, _] = self.to_local.columns();
        let normal = normal.map(f64::from);
        let turned = [x, y, z].map(|column| dot(column, normal));
        let most = turned.iter().fold(0.0_f64, |most, part| most.max(part.abs()));
        unit_of_wide(turned.map(|part| part / most)).unwrap_or_default().map(|part| part + 0.0)
    }
}

/// A box in the world, for the overlap with the triangles of an instance.
pub(crate) struct PlacedBox<'b> {
    pub(crate) transform: &'b InstanceTransform,
    pub(crate) bounds: &'b Bounds,
}

impl QueryVolume for PlacedBox<'_> {
    fn meets(&self, bounds: &Bounds) -> bool {
        let own = wide_box(self.bounds);
        self.transform.world_box(bounds).is_some_and(|bounds| overlaps(&bounds, &own))
    }

    fn overlaps(&self, triangle: &TriangleCorners) -> bool {
        overlaps_box(&self.transform.world_corners(triangle).map(|corner| corner.map(narrow)), self.bounds)
    }
}

fn is_valid(part: f64) -> bool {
    part.abs() <= f64::from(MAX_COORDINATE)
}

/// Returns the parameter of the point on a line that is closest to the centre of a box.
fn closest_parameter(start: [f64; 3], direction: [f64; 3], bounds: &Bounds) -> f64 {
    let [min, max] = wide_box(bounds);
    // The direction is scaled first, because its square can overflow or underflow.
    let most = direction.iter().fold(0.0_f64, |most, part| most.max(part.abs()));
    let scaled = direction.map(|part| part / most);
    let parameter = dot(crate::math::subtract(crate::math::mix(min, max, 0.5), start), scaled) / dot(scaled, scaled);
    let parameter = parameter / most;
    if parameter.is_finite() { parameter } else { 0.0 }
}

/// Returns an upper bound of the factor by which a map stretches any direction, or `None` if it is
/// not finite.
fn stretch(map: &Affine) -> Option<f64> {
    let [x, y, z, _] = map.columns();
    let most = [x, y, z].iter().flatten().fold(0.0_f64, |most, part| most.max(part.abs()));
    let [x, y, z] = [x, y, z].map(|column| column.map(|part| part / most));
    // The square of the factor is the greatest eigenvalue of the product of the transposed matrix
    // and the matrix. It is at most the Frobenius norm of the 32nd power of the product, to the
    // power of 1/32, and at most 1.8 % less.
    let mut power = [x, y, z].map(|row| [x, y, z].map(|column| dot(row, column)));
    let mut logarithm = 0.0;
    let mut weight = 1.0;
    for _ in 0..6 {
        let norm = power.iter().flatten().map(|part| part * part).sum::<f64>().sqrt();
        logarithm += weight * norm.ln();
        weight *= 0.5;
        power = power.map(|row| row.map(|part| part / norm));
        power = power.map(|row| power.map(|column| dot(row, column)));
    }
    let stretch = (logarithm * 0.5).exp() * most * (1.0 + 1.0e-9);
    (stretch.is_finite() && stretch > 0.0).then_some(stretch)
}

/// A scene that is placed in the world of an [`InstancedScene`](crate::query::InstancedScene).
#[derive(Clone, Copy, Debug)]
pub struct SceneInstance<'a> {
    pub(crate) scene: &'a Scene<'a>,
    pub(crate) transform: InstanceTransform,
    pub(crate) bounds: Bounds,
    pub(crate) id: u32,
    pub(crate) mask: u32,
}

impl<'a> SceneInstance<'a> {
    /// Places a scene in the world. The map `to_world` maps the space of the scene to the world.
    /// Results of queries contain the number `id`, which the caller chooses.
    ///
    /// The map can move, rotate, scale, shear and mirror. The front side of a triangle stays its
    /// front side, even if the map mirrors: the hit of a ray that meets the front of a triangle in
    /// the scene has [`is_front`](crate::query::Hit::is_front), and its normal points to the side
    /// where the ray comes from.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the map is not [invertible](Affine::inverse).
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn new(id: u32, scene: &'a Scene<'a>, to_world: &Affine) -> Result<Self> {
        let transform = InstanceTransform::new(*to_world).ok_or_else(|| {
            let found = format!("{:?}", to_world.columns());
            let kind = Cause::value("an invertible map with finite numbers", found);
            Error::without_offset("query", Field::new("transform"), kind)
        })?;
        Ok(Self { scene, transform, bounds: scene.bounds(), id, mask: u32::MAX })
    }

    /// Sets the mask of the instance. A query tests the instance if this mask and that of the query
    /// have a bit in common. All bits are set at first.
    #[must_use]
    pub const fn with_mask(mut self, mask: u32) -> Self {
        self.mask = mask;
        self
    }
}
