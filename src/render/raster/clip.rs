//! Clips triangles that are partly in front of the near plane or far outside the picture.

use super::block::{GUARD, ScreenTriangle};
use super::projection::{DEPTHS, Projection};
use crate::math::{mix, narrow};

/// A corner before the division by w: x, y, depth and w.
type ClipCorner = [f64; 4];

/// The greatest number of corners of a clipped triangle: each of the five planes adds one.
const MAX_CORNERS: usize = 8;

/// Calls `draw` with the parts of a triangle that are visible. `corners` are stored positions.
pub(crate) fn clip(
    projection: &Projection,
    corners: [[f32; 3]; 3],
    number: u32,
    draw: &mut dyn FnMut(&ScreenTriangle),
) {
    let mut polygon = Polygon::EMPTY;
    for corner in corners {
        polygon.push(project(projection, corner));
    }
    let (near, guard) = (f64::from(projection.near), f64::from(GUARD) * 0.5);
    polygon.cut(|[_, _, _, w]| w - near);
    polygon.cut(|[x, _, _, w]| guard * w - x);
    polygon.cut(|[x, _, _, w]| guard * w + x);
    polygon.cut(|[_, y, _, w]| guard * w - y);
    polygon.cut(|[_, y, _, w]| guard * w + y);
    fan(polygon.corners().iter().map(|corner| screen(*corner)), number, draw);
}

/// Calls `draw` with the triangles of a convex polygon. Each of its corners is x, y and depth.
pub(crate) fn fan(
    mut corners: impl Iterator<Item = (i32, i32, f32)>,
    number: u32,
    mut draw: impl FnMut(&ScreenTriangle),
) {
    let (Some(first), Some(mut last)) = (corners.next(), corners.next()) else { return };
    for next in corners {
        let [(ax, ay, az), (bx, by, bz), (cx, cy, cz)] = [first, last, next];
        draw(&ScreenTriangle { x: [ax, bx, cx], y: [ay, by, cy], z: [az, bz, cz], number });
        last = next;
    }
}

/// Returns x, y, depth and w of a position, in `f64`: coordinates far from the picture overflow
/// `f32`.
fn project(projection: &Projection, position: [f32; 3]) -> ClipCorner {
    let mut offset = position.map(f64::from);
    offset.iter_mut().zip(projection.origin).for_each(|(part, origin)| *part -= f64::from(origin));
    let [x, y, z] = offset;
    projection.rows.map(|row| {
        let [a, b, c, d] = row.map(f64::from);
        (a * x + b * y) + (c * z + d)
    })
}

/// Divides by w, and rounds x and y to fixed-point numbers.
#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "the planes limit the coordinates")]
fn screen([x, y, depth, w]: ClipCorner) -> (i32, i32, f32) {
    let round = |part: f64| (part / w).round() as i32;
    let depth = (depth / w).clamp(0.0, f64::from(DEPTHS) - 1.0);
    (round(x), round(y), narrow(depth))
}

/// A convex polygon.
struct Polygon {
    corners: [ClipCorner; MAX_CORNERS],
    count: usize,
}

impl Polygon {
    const EMPTY: Self = Self { corners: [[0.0; 4]; MAX_CORNERS], count: 0 };

    fn corners(&self) -> &[ClipCorner] {
        self.corners.get(..self.count).unwrap_or_default()
    }

    fn push(&mut self, corner: ClipCorner) {
        if let Some(place) = self.corners.get_mut(self.count) {
            *place = corner;
            self.count = self.count.saturating_add(1);
        }
    }

    /// Removes the part of the polygon for which `distance` is negative.
    fn cut(&mut self, distance: impl Fn(ClipCorner) -> f64) {
        let mut out = Self::EMPTY;
        let Some(mut last) = self.corners().last().copied() else { return };
        for corner in self.corners() {
            let (before, after) = (distance(last), distance(*corner));
            // Both triangles of a shared edge compute the same point: from inside to outside.
            if before >= 0.0 && after < 0.0 {
                out.push(mix(last, *corner, before / (before - after)));
            } else if before < 0.0 && after >= 0.0 {
                out.push(mix(*corner, last, after / (after - before)));
            }
            if after >= 0.0 {
                out.push(*corner);
            }
            last = *corner;
        }
        *self = out;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A camera at the origin that looks along +z; the picture is 100 pixels wide.
    const CAMERA: Projection = Projection {
        origin: [0.0; 3],
        rows: [[800.0, 0.0, 800.0, 0.0], [0.0, 800.0, 800.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, 0.0]],
        near: 0.5,
        back: 0.0,
    };

    fn parts(corners: [[f32; 3]; 3]) -> Vec<ScreenTriangle> {
        let mut parts = Vec::new();
        clip(&CAMERA, corners, 7, &mut |part| parts.push(*part));
        parts
    }

    #[test]
    fn keeps_a_triangle_that_is_visible() {
        let parts = parts([[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]);
        assert_eq!(parts.len(), 1);
        assert_eq!((parts[0].x, parts[0].y, parts[0].number), ([800, 1600, 800], [800, 800, 1600], 7));
    }

    #[test]
    fn cuts_at_the_near_plane() {
        assert!(parts([[0.0, 0.0, 0.4], [1.0, 0.0, -1.0], [0.0, 1.0, 0.0]]).is_empty());
        // One corner in front of the plane leaves a quadrilateral, two corners leave a triangle.
        assert_eq!(parts([[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]).len(), 2);
        assert_eq!(parts([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]).len(), 1);
    }

    #[test]
    fn limits_coordinates_that_overflow() {
        for part in parts([[0.0, 0.0, 1.0], [f32::MAX, 0.0, 1.0], [0.0, f32::MAX, 1.0]]) {
            assert!(part.x.iter().chain(&part.y).all(|part| part.abs() <= 524_288), "{part:?}");
        }
    }
}
