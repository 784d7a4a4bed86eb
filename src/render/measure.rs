//! Measures a mesh: its bounding box, and how far it extends along the directions of a view.

use super::camera::{DIRECTIONS, through};
use super::lanes::LANES;
use super::overlay::stroke::{Point, StrokeInk, StrokeList};
use crate::error::Result;
use crate::math::{add_scaled, narrow, subtract};
use crate::model::animation::Affine;
use crate::scene::PlacedScene;
use crate::scene::shape::ShapePositions;
use crate::simd::kernel;

/// The least dot product of the points of a mesh with each direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DirectionExtent {
    directions: [[f64; 3]; DIRECTIONS],
    pub(crate) least: [f64; DIRECTIONS],
}

impl DirectionExtent {
    pub(crate) const fn new(directions: [[f64; 3]; DIRECTIONS]) -> Self {
        Self { directions, least: [f64::INFINITY; DIRECTIONS] }
    }

    /// Adds the positions of a surface that `map` converts. Positions that are not finite are left
    /// out.
    pub(crate) fn add(&mut self, positions: &ShapePositions<'_>, map: &Affine) -> Result<()> {
        let Some(origin) = (0..positions.len()).find_map(|index| finite(positions.get(index))) else { return Ok(()) };
        let rows = self.directions.map(|[x, y, z]| through([x, y, z, 0.0], map, origin));
        let mut least = [f32::INFINITY; DIRECTIONS];
        let slopes = rows.map(|[x, y, z, _]| [x, y, z].map(narrow));
        positions.each_block(&mut |block| {
            fold_least(&slopes, origin, block, &mut least);
            Ok(())
        })?;
        for ((least, new), [.., start]) in self.least.iter_mut().zip(least).zip(rows) {
            *least = least.min(f64::from(new) + start);
        }
        Ok(())
    }

    /// Adds a point.
    pub(crate) fn add_point(&mut self, point: [f64; 3]) {
        for (least, direction) in self.least.iter_mut().zip(self.directions) {
            *least = least.min(crate::math::dot(direction, point));
        }
    }

    /// Returns an extent along the same directions without points.
    pub(crate) const fn cleared(&self) -> Self {
        Self::new(self.directions)
    }

    /// Adds the points of another extent along the same directions.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.least.iter_mut().zip(other.least).for_each(|(least, other)| *least = least.min(other));
    }

    /// Returns whether there are no points.
    pub(crate) fn is_empty(&self) -> bool {
        !self.least.iter().all(|least| least.is_finite())
    }
}

/// Calls `visit` with the positions of each surface and the map that converts them. Surfaces that
/// share their vertices are visited once.
pub(crate) fn measure_surfaces(
    scene: &PlacedScene<'_>,
    visit: &mut dyn FnMut(&ShapePositions<'_>, &Affine) -> Result<()>,
) -> Result<()> {
    let mut measured = None;
    scene.each_surface(&mut |surface| {
        let pool = surface.position_pool();
        if measured.replace(pool) == Some(pool) {
            return Ok(());
        }
        visit(&surface.shape.positions(&surface.surface)?, surface.conversion.map())
    })
}

/// The greatest distances of the points of a mesh from a center, squared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    center: [f64; 3],
    square: f64,
    horizontal_square: f64,
}

impl Reach {
    pub(crate) const fn new(center: [f64; 3]) -> Self {
        Self { center, square: 0.0, horizontal_square: 0.0 }
    }

    /// Adds the positions of a surface that `map` converts, and returns whether one of them is
    /// finite. The others are left out.
    pub(crate) fn add(&mut self, positions: &ShapePositions<'_>, map: &Affine) -> Result<bool> {
        let mut is_found = false;
        let [a, b, c, origin] = map.columns();
        positions.each_block(&mut |block| {
            for [x, y, z] in block.iter().copied().filter(|point| point.iter().all(|part| part.is_finite())) {
                let turned = add_scaled(add_scaled(add_scaled(origin, x.into(), a), y.into(), b), z.into(), c);
                self.add_point(turned);
                is_found = true;
            }
            Ok(())
        })?;
        Ok(is_found)
    }

    /// Adds a point.
    pub(crate) fn add_point(&mut self, point: [f64; 3]) {
        let [x, y, z] = subtract(point, self.center);
        let horizontal = x * x + z * z;
        self.horizontal_square = self.horizontal_square.max(horizontal);
        self.square = self.square.max(horizontal + y * y);
    }

    /// Returns the greatest distance from the center.
    pub(crate) fn distance(&self) -> f64 {
        self.square.sqrt()
    }

    /// Returns the greatest distance from the vertical line through the center.
    pub(crate) fn horizontal_distance(&self) -> f64 {
        self.horizontal_square.sqrt()
    }
}

fn finite(position: Option<[f32; 3]>) -> Option<[f32; 3]> {
    position.filter(|position| position.iter().all(|part| part.is_finite()))
}

kernel! {
    /// Folds the least dot products of points, relative to `origin`, with directions.
    fn fold_least(directions: &[[f32; 3]; DIRECTIONS], origin: [f32; 3], points: &[[f32; 3]], least: &mut [f32; DIRECTIONS]) {
        fold_blocks(directions, origin, points, least)
    }
}

#[inline(always)]
fn fold_blocks(
    directions: &[[f32; 3]; DIRECTIONS],
    [ox, oy, oz]: [f32; 3],
    points: &[[f32; 3]],
    least: &mut [f32; DIRECTIONS],
) {
    let mut lanes = [[f32::INFINITY; LANES]; DIRECTIONS];
    for block in points.chunks(LANES) {
        let mut offsets = [[f32::NAN; LANES]; 3];
        let [xs, ys, zs] = &mut offsets;
        for ((([x, y, z], px), py), pz) in block.iter().zip(xs).zip(ys).zip(zs) {
            (*px, *py, *pz) = (x - ox, y - oy, z - oz);
        }
        let [xs, ys, zs] = offsets;
        for (lanes, [dx, dy, dz]) in lanes.iter_mut().zip(directions) {
            for (((lane, x), y), z) in lanes.iter_mut().zip(xs).zip(ys).zip(zs) {
                let product = (dx * x + dy * y) + dz * z;
                // An infinite coordinate gives an infinite product or NaN.
                *lane = if product < *lane && product > f32::NEG_INFINITY { product } else { *lane };
            }
        }
    }
    for (least, lanes) in least.iter_mut().zip(lanes) {
        *least = lanes.into_iter().fold(*least, f32::min);
    }
}

/// A box in the converted space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WorldBox {
    pub(crate) min: Point,
    pub(crate) max: Point,
}

impl WorldBox {
    /// The directions along which a box is measured.
    pub(crate) const DIRECTIONS: [Point; 6] =
        [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];

    /// Returns the box of points whose least dot products with the directions are `least`, or
    /// `None` if there are no points.
    pub(crate) fn new([x, right, y, top, z, front]: [f64; 6]) -> Option<Self> {
        let found = Self { min: [x, y, z], max: [-right, -top, -front] };
        found.corners().iter().flatten().all(|part| part.is_finite()).then_some(found)
    }

    /// Returns the corners. Bit 0 of the index of a corner is set if its x is the greatest, bit 1
    /// for y and bit 2 for z.
    pub(crate) fn corners(&self) -> [Point; 8] {
        let ([ax, ay, az], [bx, by, bz]) = (self.min, self.max);
        [[ax, ay, az], [bx, ay, az], [ax, by, az], [bx, by, az], [ax, ay, bz], [bx, ay, bz], [ax, by, bz], [bx, by, bz]]
    }

    /// Returns the length of the diagonal.
    pub(crate) fn diagonal(&self) -> f64 {
        let sides = self.min.into_iter().zip(self.max).map(|(min, max)| max - min);
        sides.fold(0.0, |sum, side| sum + side * side).sqrt()
    }

    /// Adds the twelve edges.
    pub(crate) fn add_edges(&self, out: &mut StrokeList) {
        let corners = self.corners();
        for (at, from) in corners.iter().enumerate() {
            let others = corners.iter().enumerate().filter(|(other, _)| *other > at);
            for (_, to) in others.filter(|(other, _)| (other ^ at).is_power_of_two()) {
                out.line([*from, *to], StrokeInk::Bounds);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_has_twelve_edges() {
        let found = WorldBox::new([0.0, -1.0, 0.0, -2.0, 0.0, -2.0]).unwrap();
        let mut strokes = StrokeList::default();
        found.add_edges(&mut strokes);
        let lengths: f64 = strokes
            .as_slice()
            .iter()
            .map(|stroke| {
                let [a, b] = stroke.ends;
                a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>()
            })
            .sum();
        assert_eq!((strokes.as_slice().len(), lengths, found.diagonal()), (12, 20.0, 3.0));
        assert_eq!(WorldBox::new([f64::INFINITY; 6]), None);
    }
}
