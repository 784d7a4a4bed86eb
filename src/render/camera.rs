//! The camera of a picture.

use super::raster::projection::{DEPTHS, Projection, SUBPIXELS};
#[cfg(any(feature = "cli", test))]
use crate::math::add;
use crate::math::{cross, dot, narrow, subtract};
use crate::model::animation::Affine;

/// The tangent of half the angle of view along the shorter side of the picture: 15 degrees.
const HALF_VIEW: f64 = 0.267_949_192_431_122_7;
/// The part of the picture that the mesh fills along the tighter side.
const FILLED: f64 = 0.92;

type WorldVector = [f64; 3];

/// Where the camera of a picture is, in a space with y up and z towards the viewer of the front of
/// the mesh.
///
/// ```
/// use meshpeek::render::Camera;
/// let (front, right) = (Camera::orbit(0.0, 0.0), Camera::orbit(90.0, 0.0));
/// assert!(front != right && front != Camera::default());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera(pub(crate) CameraPlace);

/// The place of a camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum CameraPlace {
    /// The camera looks along a direction, from a distance at which the mesh fills the picture.
    Orbit {
        /// The direction from the mesh to the camera. The length does not matter.
        from: [f64; 3],
        /// The direction that is up in the picture.
        up: [f64; 3],
        /// The factor by which the mesh is larger than the picture.
        zoom: f64,
    },
    /// The camera is at a point and looks at another point, in the units of the converted mesh:
    /// metres if the format defines a unit.
    LookAt {
        /// The position of the camera.
        from: [f64; 3],
        /// The point in the middle of the picture.
        to: [f64; 3],
    },
}

/// The view of the front from 30 degrees to the right and 20 degrees above.
impl Default for Camera {
    fn default() -> Self {
        Self::ISO
    }
}

/// The up direction of cameras that do not look along it.
const UP: [f64; 3] = [0.0, 1.0, 0.0];

impl Camera {
    /// The view of the front.
    #[cfg(any(feature = "cli", test))]
    pub(crate) const FRONT: Self = Self(CameraPlace::Orbit { from: [0.0, 0.0, 1.0], up: UP, zoom: 1.0 });
    /// The view of the back.
    #[cfg(any(feature = "cli", test))]
    pub(crate) const BACK: Self = Self(CameraPlace::Orbit { from: [0.0, 0.0, -1.0], up: UP, zoom: 1.0 });
    /// The view of the side that is on the left of a viewer who looks at the front.
    #[cfg(any(feature = "cli", test))]
    pub(crate) const LEFT: Self = Self(CameraPlace::Orbit { from: [-1.0, 0.0, 0.0], up: UP, zoom: 1.0 });
    /// The view of the side that is on the right of a viewer who looks at the front.
    #[cfg(any(feature = "cli", test))]
    pub(crate) const RIGHT: Self = Self(CameraPlace::Orbit { from: [1.0, 0.0, 0.0], up: UP, zoom: 1.0 });
    /// The view from above. The front of the mesh points down in the picture.
    #[cfg(any(feature = "cli", test))]
    pub(crate) const TOP: Self = Self(CameraPlace::Orbit { from: UP, up: [0.0, 0.0, -1.0], zoom: 1.0 });
    /// The view from below. The front of the mesh points up in the picture.
    #[cfg(any(feature = "cli", test))]
    pub(crate) const BOTTOM: Self = Self(CameraPlace::Orbit { from: [0.0, -1.0, 0.0], up: [0.0, 0.0, 1.0], zoom: 1.0 });
    /// The view of the front from 30 degrees to the right and 20 degrees above.
    pub(crate) const ISO: Self =
        Self(CameraPlace::Orbit { from: [0.469_846_310, 0.342_020_143, 0.813_797_681], up: UP, zoom: 1.0 });

    /// Returns the view from a direction, from a distance at which the mesh fills the picture.
    /// `yaw` is the angle from the front to the right, and `pitch` the angle above the horizon, in
    /// degrees. Angles that are not finite count as 0.
    ///
    /// | view | yaw | pitch |
    /// |---|---|---|
    /// | front, back | 0, 180 | 0 |
    /// | left, right | -90, 90 | 0 |
    /// | top, bottom | 0 | 90, -90 |
    #[must_use]
    pub fn orbit(yaw: f64, pitch: f64) -> Self {
        let ([sin, cos], [rise, run]) = (sin_cos(yaw), sin_cos(pitch));
        Self(CameraPlace::Orbit { from: [sin * run, rise, cos * run], up: [-sin * rise, run, -cos * rise], zoom: 1.0 })
    }

    /// Returns the camera at the point `from` that looks at the point `to`, in the units of the
    /// converted mesh: metres if the format defines a unit.
    #[must_use]
    pub const fn look_at(from: [f64; 3], to: [f64; 3]) -> Self {
        Self(CameraPlace::LookAt { from, to })
    }

    /// Returns the camera with another factor by which the mesh is larger than the picture. A
    /// camera at a point does not change.
    #[must_use]
    pub fn with_zoom(self, zoom: f64) -> Self {
        match self.0 {
            CameraPlace::Orbit { from, up, .. } => Self(CameraPlace::Orbit { from, up, zoom }),
            CameraPlace::LookAt { .. } => self,
        }
    }

    /// Returns the camera moved around the vertical axis, to its right, by an angle in degrees. A
    /// camera at a point moves around the point that it looks at.
    #[cfg(any(feature = "cli", test))]
    pub(crate) fn turned(self, degrees: f64) -> Self {
        let [sin, cos] = sin_cos(degrees);
        let turn = |[x, y, z]: WorldVector| [x * cos + z * sin, y, z * cos - x * sin];
        Self(match self.0 {
            CameraPlace::Orbit { from, up, zoom } => CameraPlace::Orbit { from: turn(from), up: turn(up), zoom },
            CameraPlace::LookAt { from, to } => CameraPlace::LookAt { from: add(to, turn(subtract(from, to))), to },
        })
    }

    /// Returns the yaw and the pitch of [`orbit`](Self::orbit) in degrees, rounded to three decimal
    /// places.
    #[cfg(feature = "cli")]
    pub(crate) fn angles(&self) -> [f64; 2] {
        let [x, y, z] = self.axes().forward.map(|part| -part);
        let yaw = if x.abs().max(z.abs()) < 1e-9 { 0.0 } else { x.atan2(z).to_degrees() };
        [yaw, y.clamp(-1.0, 1.0).asin().to_degrees()].map(|angle| (angle * 1000.0).round() / 1000.0)
    }

    /// Returns the axes of the camera.
    pub(crate) fn axes(&self) -> CameraAxes {
        match self.0 {
            CameraPlace::Orbit { from, up, .. } => CameraAxes::new(from.map(|part| -part), up),
            CameraPlace::LookAt { from, to } => CameraAxes::new(subtract(to, from), UP),
        }
    }
}

/// Returns the sine and the cosine of an angle in degrees. The result is the same on every machine,
/// because it is computed with additions and multiplications only.
fn sin_cos(degrees: f64) -> [f64; 2] {
    if !degrees.is_finite() {
        return [0.0, 1.0];
    }
    let quarters = (degrees / 90.0).round();
    let angle = (degrees - quarters * 90.0) * (std::f64::consts::PI / 180.0);
    let square = angle * angle;
    // The Taylor series up to the 14th power: the angle is at most a quarter of pi.
    let series = |first: f64| {
        let terms = (0..7_u8).rev().map(|term| 2.0 * f64::from(term) + first);
        terms.fold(1.0, |sum, factor| 1.0 - sum * square / (factor * (factor + 1.0)))
    };
    let (sin, cos) = (angle * series(2.0), series(1.0));
    match quarters.rem_euclid(4.0) {
        quarter if quarter < 0.5 => [sin, cos],
        quarter if quarter < 1.5 => [cos, -sin],
        quarter if quarter < 2.5 => [-sin, -cos],
        _ => [-cos, sin],
    }
}

/// The directions of a camera: unit vectors that are perpendicular to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CameraAxes {
    pub(crate) right: WorldVector,
    pub(crate) up: WorldVector,
    /// The direction in which the camera looks.
    pub(crate) forward: WorldVector,
}

impl CameraAxes {
    fn new(forward: WorldVector, up: WorldVector) -> Self {
        let forward = unit(forward).unwrap_or([0.0, 0.0, -1.0]);
        // A camera that looks along its up direction has another one.
        let right = [up, UP, [0.0, 0.0, -1.0]].into_iter().find_map(|up| unit(cross(forward, up)));
        let right = right.unwrap_or([1.0, 0.0, 0.0]);
        Self { right, up: cross(right, forward), forward }
    }

    /// Returns the direction in world space of a direction to the right, up and towards the camera.
    pub(crate) fn to_world(self, [x, y, z]: WorldVector) -> WorldVector {
        let mut out = [0.0; 3];
        let axes = self.right.into_iter().zip(self.up).zip(self.forward);
        for (out, ((right, up), forward)) in out.iter_mut().zip(axes) {
            *out = x * right + y * up - z * forward;
        }
        out
    }
}

fn unit(vector: WorldVector) -> Option<WorldVector> {
    let length = dot(vector, vector).sqrt();
    (length > 1e-9 && length.is_finite()).then(|| vector.map(|part| part / length))
}

/// The directions along which [`Frame`] measures a mesh: the inward normals of the left, right,
/// bottom and top plane of the view, and forward and backward.
pub(crate) const DIRECTIONS: usize = 6;

/// The shape of the view of a camera, before its position is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ViewShape {
    pub(crate) axes: CameraAxes,
    /// The tangents of half the angles of view along x and y.
    tangents: [f64; 2],
    size: [u32; 2],
    zoom: f64,
}

impl ViewShape {
    pub(crate) fn new(camera: &Camera, size: [u32; 2]) -> Self {
        let [width, height] = size.map(|side| f64::from(side.max(1)));
        let shorter = width.min(height);
        let zoom = match camera.0 {
            CameraPlace::Orbit { zoom, .. } if zoom > 0.0 && zoom.is_finite() => zoom,
            _ => 1.0,
        };
        let tangents = [width, height].map(|side| HALF_VIEW * side / shorter);
        Self { axes: camera.axes(), tangents, size, zoom }
    }

    /// Returns the directions along which the mesh is measured.
    pub(crate) fn directions(&self) -> [WorldVector; DIRECTIONS] {
        let CameraAxes { right, up, forward } = self.axes;
        let [tx, ty] = self.fitted();
        let sum = |factor: f64, axis: WorldVector, sign: f64| {
            let mut out = axis.map(|part| part * sign);
            out.iter_mut().zip(forward).for_each(|(out, forward)| *out += factor * forward);
            out
        };
        [
            sum(tx, right, 1.0),
            sum(tx, right, -1.0),
            sum(ty, up, 1.0),
            sum(ty, up, -1.0),
            forward,
            forward.map(|part| -part),
        ]
    }

    /// Returns the tangents of the part of the view that the mesh fills.
    fn fitted(&self) -> [f64; 2] {
        self.tangents.map(|tangent| tangent * FILLED)
    }

    /// Returns the view of a mesh whose least dot products with the
    /// [`directions`](Self::directions) are `least`, or `None` if there are no points.
    pub(crate) fn fit(&self, least: [f64; DIRECTIONS]) -> Option<CameraView> {
        if !least.iter().all(|least| least.is_finite()) {
            return None;
        }
        let [left, right, bottom, top, near, far] = least;
        let [tx, ty] = self.fitted();
        let far = -far;
        let depth = ((left + right) / (2.0 * tx)).min((bottom + top) / (2.0 * ty));
        // A mesh that is a point, or a line towards the camera, has no size on the screen.
        let depth = depth.min(near - 0.05 * (far - near)).min(near - 1e-6 * near.abs().max(far.abs()).max(1e-6));
        let distance = near - depth;
        let place = [(left - right) / 2.0, (bottom - top) / 2.0, depth];
        Some(self.view(place, [distance, far - depth], self.zoom))
    }

    /// Returns the view of [`fit`](Self::fit), or that of the origin if there are no points.
    pub(crate) fn fit_or_origin(&self, least: [f64; DIRECTIONS]) -> CameraView {
        self.fit(least).unwrap_or_else(|| self.view([0.0, 0.0, -4.0], [1.0, 8.0], self.zoom))
    }

    /// Returns the view of a camera at a point. `least` is as for [`fit`](Self::fit).
    pub(crate) fn view_from(&self, from: WorldVector, least: [f64; DIRECTIONS]) -> Option<CameraView> {
        if !least.iter().all(|least| least.is_finite()) {
            return None;
        }
        let [.., near, far] = least;
        let CameraAxes { right, up, forward } = self.axes;
        let place = [right, up, forward].map(|axis| dot(axis, from));
        let [.., depth] = place;
        let (near, far) = (near - depth, -far - depth);
        Some(self.view(place, [near.max(far * 1e-3).max(1e-9), far.max(1e-6)], 1.0))
    }

    /// Returns the view from a place, given along the axes of the camera. `depths` are the
    /// distances of the nearest and the farthest point.
    fn view(&self, place: WorldVector, [near, far]: [f64; 2], zoom: f64) -> CameraView {
        let [right, up, forward] = place;
        let (near, far) = (near * 0.99, far * 1.01 + near * 0.01);
        let CameraAxes { right: x, up: y, forward: z } = self.axes;
        let [half_width, half_height] = self.size.map(|side| f64::from(side) * SUBPIXELS / 2.0);
        let [tx, ty] = self.tangents.map(|tangent| tangent / zoom);
        let row = |axis: WorldVector, place: f64, scale: f64, center: f64| {
            let mut out = axis.map(|part| part * scale);
            out.iter_mut().zip(z).for_each(|(out, forward)| *out += center * forward);
            let [a, b, c] = out;
            [a, b, c, -(scale * place + center * forward)]
        };
        // The depth is a linear function of 1 / w, which is linear on the screen.
        let scale = f64::from(DEPTHS) / (1.0 / near - 1.0 / far);
        let [zx, zy, zz] = z;
        let depth = row([0.0; 3], 0.0, 0.0, scale / near);
        let [a, b, c, d] = depth;
        CameraView {
            axes: self.axes,
            rows: [
                row(x, right, half_width / tx, half_width),
                row(y, up, -half_height / ty, half_height),
                [a, b, c, d - scale],
                [zx, zy, zz, -forward],
            ],
            near,
            depth_scale: scale,
        }
    }
}

/// The map from the converted positions of a mesh to the screen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CameraView {
    pub(crate) axes: CameraAxes,
    rows: [[f64; 4]; 4],
    /// The least w of a point that is drawn.
    pub(crate) near: f64,
    /// The depth of a point is a constant minus this number divided by w.
    pub(crate) depth_scale: f64,
}

impl CameraView {
    /// Returns the projection of stored positions that `map` converts. `origin` is a stored
    /// position of the surface.
    pub(crate) fn projection(&self, map: &Affine, origin: [f32; 3]) -> Projection {
        let rows = self.rows.map(|row| through(row, map, origin).map(narrow));
        Projection { origin, rows, near: narrow(self.near), back: 0.0 }
    }

    /// Returns x, y, depth and w of a converted position, before the division by w.
    pub(crate) fn project(&self, [x, y, z]: WorldVector) -> [f64; 4] {
        self.rows.map(|[a, b, c, d]| (a * x + b * y) + (c * z + d))
    }

    /// Returns the projection of converted positions.
    #[cfg(test)]
    pub(crate) fn world(&self) -> Projection {
        self.projection(&Affine::IDENTITY, [0.0; 3])
    }
}

/// Returns the row of a matrix for stored positions relative to `origin`.
pub(crate) fn through([a, b, c, d]: [f64; 4], map: &Affine, origin: [f32; 3]) -> [f64; 4] {
    let row = [a, b, c];
    let [x, y, z, place] = map.columns();
    let columns = [x, y, z].map(|column| dot(row, column));
    let [p, q, r] = columns;
    [p, q, r, dot(row, place) + d + dot(columns, origin.map(f64::from))]
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the results are exact")]
mod tests {
    use super::*;

    #[test]
    fn computes_sines_and_cosines() {
        for tenth in -7200..7200 {
            let degrees = f64::from(tenth) / 10.0;
            let (sin, cos) = degrees.to_radians().sin_cos();
            let [own_sin, own_cos] = sin_cos(degrees);
            assert!((sin - own_sin).abs() < 1e-14 && (cos - own_cos).abs() < 1e-14, "{degrees}");
        }
        assert_eq!((sin_cos(90.0), sin_cos(f64::NAN)), ([1.0, -0.0], [0.0, 1.0]));
    }

    #[test]
    fn finds_the_angles_of_a_camera() {
        for [yaw, pitch] in [[0.0, 0.0], [30.0, 20.0], [-120.0, -45.0], [90.0, 5.5], [0.0, 90.0], [0.0, -90.0]] {
            assert_eq!(Camera::orbit(yaw, pitch).angles(), [yaw, pitch]);
        }
        assert_eq!(Camera::ISO.angles(), [30.0, 20.0]);
        assert_eq!(Camera::look_at([3.0, 1.0, 1.0], [1.0; 3]).angles(), [90.0, 0.0]);
    }

    #[test]
    fn turns_around_the_vertical_axis() {
        let near = |one: Camera, other: Camera| {
            let [one, other] = [one.axes(), other.axes()];
            let parts = |axes: CameraAxes| [axes.right, axes.up, axes.forward].concat();
            parts(one).iter().zip(parts(other)).all(|(one, other)| (one - other).abs() < 1e-9)
        };
        assert!(near(Camera::FRONT.turned(90.0), Camera::RIGHT));
        assert!(near(Camera::orbit(30.0, 20.0).turned(200.0), Camera::orbit(230.0, 20.0)));
        let at = Camera::look_at([2.0, 5.0, 3.0], [2.0, 1.0, 1.0]).turned(180.0);
        assert!(
            matches!(at.0, CameraPlace::LookAt { from: [x, y, z], .. } if (x - 2.0).abs() < 1e-9 && y == 5.0 && z == -1.0)
        );
    }

    #[test]
    fn fits_points_into_the_picture() {
        let points = [[-1.0, 0.0, 0.5], [1.0, 0.2, -0.5], [0.3, 1.5, 0.0], [0.0, -0.4, 0.1]];
        for camera in [Camera::FRONT, Camera::ISO, Camera::TOP, Camera::orbit(200.0, -35.0)] {
            for size in [[64, 64], [200, 100], [50, 300]] {
                let shape = ViewShape::new(&camera, size);
                let least = shape
                    .directions()
                    .map(|direction| points.iter().map(|point| dot(direction, *point)).fold(f64::INFINITY, f64::min));
                let projection = shape.fit(least).unwrap().world();
                let mut spans = [[f32::MAX, f32::MIN]; 2];
                for point in points {
                    let [x, y, z, w] = projection.project(point.map(narrow));
                    assert!(w > projection.near && z / w > 0.0 && z / w < DEPTHS);
                    for (span, part) in spans.iter_mut().zip([x / w / 16.0, y / w / 16.0]) {
                        *span = [span[0].min(part), span[1].max(part)];
                    }
                }
                let sides = size.map(|side| narrow(f64::from(side)));
                let filled = [0, 1].map(|axis| (spans[axis][1] - spans[axis][0]) / sides[axis]);
                let is_inside = |axis: usize| spans[axis][0] > 0.0 && spans[axis][1] < sides[axis];
                assert!(is_inside(0) && is_inside(1), "{camera:?} {size:?}: {spans:?}");
                assert!(filled[0].max(filled[1]) > 0.9, "{camera:?} {size:?}: {spans:?}");
            }
        }
    }
}
