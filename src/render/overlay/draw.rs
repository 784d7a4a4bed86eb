//! Draws strokes to the visibility buffer.

use super::stroke::{Stroke, StrokeInk, StrokeShape};
use crate::math::{mix, narrow};
use crate::render::camera::CameraView;
use crate::render::raster::block::GUARD;
use crate::render::raster::clip::fan;
use crate::render::raster::kernels::fill_one;
use crate::render::raster::projection::{DEPTHS, SUBPIXELS};
use crate::render::raster::visibility::VisibilityBuffer;

/// The part of its distance by which a line is drawn nearer to the camera, in front of the surface
/// that it lies on.
const BIAS: f64 = 1.0 / 1024.0;
/// The number by which the depths of bones are divided, which brings them in front of the mesh.
const NEARER: f64 = 4096.0;
/// The distance of the nearest lines from the camera, as a part of that of the nearest surface.
/// Bones and collision shapes may be nearer to the camera than the mesh.
const NEAREST: f64 = 1.0 / 1024.0;
/// The greatest coordinate on the screen, in sixteenths of a pixel.
const REACH: f64 = 0.25;
/// The directions to the corners of a disc.
const DISC: [[f64; 2]; 12] = [
    [1.0, 0.0],
    [0.866_025_403_784, 0.5],
    [0.5, 0.866_025_403_784],
    [0.0, 1.0],
    [-0.5, 0.866_025_403_784],
    [-0.866_025_403_784, 0.5],
    [-1.0, 0.0],
    [-0.866_025_403_784, -0.5],
    [-0.5, -0.866_025_403_784],
    [0.0, -1.0],
    [0.5, -0.866_025_403_784],
    [0.866_025_403_784, -0.5],
];

/// A point on the screen: x and y in sixteenths of a pixel, and the depth.
type ScreenPoint = [f64; 3];

/// Draws strokes to a visibility buffer.
pub(crate) struct StrokeRasteriser<'v> {
    pub(crate) view: &'v CameraView,
    pub(crate) buffer: &'v mut VisibilityBuffer,
    /// The width of lines in pixels.
    pub(crate) width: f64,
    /// The width that the sizes of bones are relative to, in pixels.
    pub(crate) bones: f64,
    /// The number of the triangles of the first ink.
    pub(crate) first: u32,
}

impl StrokeRasteriser<'_> {
    /// Draws a stroke. Bones and joints get an outline.
    pub(crate) fn draw(&mut self, stroke: &Stroke) {
        let missing = self.buffer.budget.missing;
        let (unit, bones) = (self.width * SUBPIXELS, self.bones * SUBPIXELS);
        match stroke.shape {
            StrokeShape::Line => self.line(stroke, unit / 2.0),
            StrokeShape::Dot => self.dot(stroke, unit * 1.2, stroke.ink),
            StrokeShape::Bone => {
                self.bone(stroke, bones * 2.2, 0.0, StrokeInk::Bones);
                self.bone(stroke, bones * 2.2, unit * 0.6, StrokeInk::Outline);
            }
            StrokeShape::Joint => {
                self.dot(stroke, bones * 2.0, StrokeInk::Bones);
                self.dot(stroke, bones * 2.0 + unit * 0.6, StrokeInk::Outline);
            }
        }
        self.buffer.budget.count_once(missing);
    }

    fn line(&mut self, stroke: &Stroke, half: f64) {
        let Some([from, to]) = self.visible(stroke) else { return };
        let Some([along, across]) = directions(from, to) else { return };
        // Ends that are longer by half the width close the corners of a box.
        let corners = [(from, -half, half), (from, -half, -half), (to, half, -half), (to, half, half)];
        self.fan(&corners.map(|(end, ahead, aside)| moved(end, [along, across], [ahead, aside])), stroke.ink);
    }

    fn dot(&mut self, stroke: &Stroke, radius: f64, ink: StrokeInk) {
        let [at, other] = stroke.ends.map(|end| self.view.project(end));
        let Some(center) = self.screen(at) else { return };
        let reach = match self
            .screen(other)
            .filter(|other| stroke.shape == StrokeShape::Joint && distance(center, *other) > 0.0)
        {
            Some(other) => distance(center, other) * 0.4 + self.bones * SUBPIXELS,
            None => f64::INFINITY,
        };
        let radius = if radius < reach { radius } else { reach };
        let [x, y, z] = center;
        self.fan(&DISC.map(|[dx, dy]| [x + dx * radius, y + dy * radius, z]), ink);
    }

    /// Draws a bone: a kite that is widest near its joint. `margin` is the width of the outline.
    fn bone(&mut self, stroke: &Stroke, half: f64, margin: f64, ink: StrokeInk) {
        let Some([from, to]) = self.visible(stroke) else { return };
        let Some([along, across]) = directions(from, to) else { return };
        let reach = distance(from, to) * 0.12;
        let half = if half < reach { half } else { reach };
        let thin = self.bones * SUBPIXELS * 0.4;
        let (half, thin) = (if half > thin { half + margin } else { thin + margin }, thin + margin);
        let wide = mix(from, to, 0.2);
        let sides = [(from, thin), (wide, half), (to, thin), (to, -thin), (wide, -half), (from, -thin)];
        self.fan(&sides.map(|(end, aside)| moved(end, [along, across], [0.0, aside])), ink);
    }

    /// Returns the ends of the visible part of a stroke.
    fn visible(&self, stroke: &Stroke) -> Option<[ScreenPoint; 2]> {
        let mut ends = stroke.ends.map(|end| self.view.project(end));
        let (near, guard) = (self.view.near * NEAREST, f64::from(GUARD) * REACH);
        cut(&mut ends, |[_, _, _, w]| w - near)?;
        cut(&mut ends, |[x, _, _, w]| guard * w - x)?;
        cut(&mut ends, |[x, _, _, w]| guard * w + x)?;
        cut(&mut ends, |[_, y, _, w]| guard * w - y)?;
        cut(&mut ends, |[_, y, _, w]| guard * w + y)?;
        let [from, to] = ends.map(|end| self.divided(end));
        Some([from, to])
    }

    /// Returns the place of a point on the screen, or `None` if it is not visible.
    fn screen(&self, point: [f64; 4]) -> Option<ScreenPoint> {
        let [_, _, _, w] = point;
        let (near, guard) = (self.view.near * NEAREST, f64::from(GUARD) * REACH);
        Some(self.divided(point)).filter(|[x, y, _]| w >= near && x.abs() <= guard && y.abs() <= guard)
    }

    fn divided(&self, [x, y, z, w]: [f64; 4]) -> ScreenPoint {
        [x / w, y / w, (z - self.view.depth_scale * BIAS) / w]
    }

    /// Draws a convex polygon.
    fn fan(&mut self, points: &[ScreenPoint], ink: StrokeInk) {
        let area = self.buffer.area();
        let place = StrokeInk::ALL.iter().position(|other| *other == ink).unwrap_or_default();
        let number = self.first.saturating_add(u32::try_from(place).unwrap_or_default());
        let points = points.iter().map(|[x, y, z]| (round(*x), round(*y), depth(*z, ink)));
        fan(points, number, |part| fill_one(self.buffer, &area, part));
    }
}

/// Returns the depth of a point with an ink, from 0 to [`DEPTHS`]. Outlines are the farthest of the
/// bones.
fn depth(z: f64, ink: StrokeInk) -> f32 {
    let greatest = f64::from(DEPTHS) - 1.0;
    let z = z.clamp(0.0, greatest);
    narrow(match ink {
        StrokeInk::Bounds | StrokeInk::Hulls | StrokeInk::Normals => z,
        StrokeInk::Bones => z / NEARER,
        StrokeInk::Outline => (z + greatest) / NEARER,
    })
}

#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "the planes limit the coordinates")]
fn round(part: f64) -> i32 {
    part.round() as i32
}

/// Shortens a line to the part for which `distance` is not negative, or returns `None` if there is
/// no such part.
fn cut(ends: &mut [[f64; 4]; 2], distance: impl Fn([f64; 4]) -> f64) -> Option<()> {
    let [from, to] = *ends;
    let (before, after) = (distance(from), distance(to));
    match (before >= 0.0, after >= 0.0) {
        (true, true) => {}
        (true, false) => *ends = [from, mix(from, to, before / (before - after))],
        (false, true) => *ends = [mix(to, from, after / (after - before)), to],
        (false, false) => return None,
    }
    Some(())
}

/// Returns the unit vectors along and across a line on the screen, or `None` if the line is a
/// point.
fn directions([ax, ay, _]: ScreenPoint, [bx, by, _]: ScreenPoint) -> Option<[[f64; 2]; 2]> {
    let (x, y) = (bx - ax, by - ay);
    let length = (x * x + y * y).sqrt();
    (length > 1e-3 && length.is_finite()).then(|| [[x / length, y / length], [-y / length, x / length]])
}

fn distance([ax, ay, _]: ScreenPoint, [bx, by, _]: ScreenPoint) -> f64 {
    let (x, y) = (bx - ax, by - ay);
    (x * x + y * y).sqrt()
}

/// Returns a point moved along two directions.
fn moved([x, y, z]: ScreenPoint, [[ax, ay], [cx, cy]]: [[f64; 2]; 2], [along, across]: [f64; 2]) -> ScreenPoint {
    [x + ax * along + cx * across, y + ay * along + cy * across, z]
}
