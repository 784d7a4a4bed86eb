//! The bounding box of what is drawn.

use super::stroke::{Point, StrokeInk, StrokeList};

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
