//! Counts the triangles that cover each sample of a picture.
//!
//! A triangle changes only two numbers in each row of samples: the count grows at its left end and
//! shrinks after its right end. Large triangles therefore cost no more than their height.

use std::ops::Range;

use crate::error::Result;
use crate::math::as_index;
use crate::parse::filled;
use crate::render::raster::block::ScreenTriangle;
use crate::render::raster::visibility::{SAMPLE_POSITIONS, SAMPLES};
use crate::render::raster::walk::{Edges, edges};

/// The changes of the counts of a band of rows, from left to right.
pub(crate) struct CoverCounts {
    width: u32,
    rows: Range<u32>,
    /// The changes of each pixel of a row, and of the place after its last pixel.
    changes: Vec<[i32; SAMPLES]>,
}

impl CoverCounts {
    pub(crate) fn new(width: u32, rows: Range<u32>) -> Result<Self> {
        let count = as_index(width).saturating_add(1).saturating_mul(rows.len());
        Ok(Self { width, rows, changes: filled("picture", "counts", count, [0; SAMPLES])? })
    }

    /// Adds a triangle.
    pub(crate) fn add(&mut self, triangle: &ScreenTriangle) {
        let Some(edges) = edges(triangle) else { return };
        let [a, b, c] = triangle.y.map(|y| y >> 4);
        let row = |row: u32| i32::try_from(row).unwrap_or(i32::MAX);
        let (top, bottom) = (a.min(b).min(c).max(row(self.rows.start)), a.max(b).max(c));
        for y in top..=bottom.min(row(self.rows.end).saturating_sub(1)) {
            for (sample, [sx, sy]) in SAMPLE_POSITIONS.into_iter().enumerate() {
                let span = self.span(&edges, sx, y.saturating_mul(16).saturating_add(sy));
                if let Some([from, to]) = span {
                    let line = as_index(y.cast_unsigned().saturating_sub(self.rows.start));
                    self.change(line, from, sample, 1);
                    self.change(line, to, sample, -1);
                }
            }
        }
    }

    /// Returns the first pixel whose sample is in the triangle, and the pixel after the last one.
    /// `sx` is the place of the sample in its pixel, and `y` that of the row of samples.
    fn span(&self, edges: &Edges, sx: i32, y: i32) -> Option<[i64; 2]> {
        let (mut from, mut to) = (0, i64::from(self.width));
        for ((a, b), c) in edges.a.iter().zip(edges.b).zip(edges.start) {
            let value = a.wrapping_mul(sx.into()).wrapping_add(b.wrapping_mul(y.into())).wrapping_add(c);
            // The least or greatest x for which `value + 16 a x` is not negative.
            let step = a.wrapping_mul(16);
            if step > 0 {
                from = from.max(value.wrapping_neg().wrapping_add(step).wrapping_sub(1).wrapping_div_euclid(step));
            } else if step < 0 {
                to = to.min(value.wrapping_div_euclid(step.wrapping_neg()).wrapping_add(1));
            } else if value < 0 {
                return None;
            }
        }
        (from < to).then_some([from, to])
    }

    fn change(&mut self, line: usize, x: i64, sample: usize, by: i32) {
        let start = line.saturating_mul(as_index(self.width).saturating_add(1));
        let at = usize::try_from(x).ok().map(|x| start.saturating_add(x));
        let change = at.and_then(|at| self.changes.get_mut(at)).and_then(|pixel| pixel.get_mut(sample));
        if let Some(change) = change {
            *change = change.wrapping_add(by);
        }
    }

    /// Calls `visit` with the counts of the samples of each pixel of a row. `line` is the index of
    /// the row in the band.
    pub(crate) fn each_pixel(&self, line: usize, visit: &mut dyn FnMut(usize, [i32; SAMPLES])) {
        let width = as_index(self.width);
        let start = line.saturating_mul(width.saturating_add(1));
        let mut counts = [0; SAMPLES];
        for (x, changes) in self.changes.get(start..).unwrap_or_default().iter().take(width).enumerate() {
            counts
                .iter_mut()
                .zip(changes)
                .for_each(|(count, change): (&mut i32, _)| *count = count.wrapping_add(*change));
            visit(x, counts);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(triangles: &[ScreenTriangle]) -> Vec<i32> {
        let mut counts = CoverCounts::new(4, 0..4).unwrap();
        for triangle in triangles {
            counts.add(triangle);
        }
        let mut out = Vec::new();
        for line in 0..4 {
            counts.each_pixel(line, &mut |_, samples| out.push(samples.iter().sum()));
        }
        out
    }

    fn triangle(x: [i32; 3], y: [i32; 3]) -> ScreenTriangle {
        ScreenTriangle { x, y, z: [0.0; 3], number: 0 }
    }

    #[test]
    fn two_triangles_cover_a_square_once() {
        let (one, other) = (triangle([0, 64, 64], [0, 0, 64]), triangle([0, 0, 64], [0, 64, 64]));
        assert_eq!(sums(&[one, other]), [4; 16]);
        assert_eq!(sums(&[one, other, one, other]), [8; 16]);
        let far = triangle([-1_000_000, 1_000_000, 32], [-1_000_000, -1_000_000, 1_000_000]);
        assert_eq!(sums(&[far]), [4; 16]);
        assert_eq!(sums(&[triangle([0, 32, 64], [0, 32, 64])]), [0; 16]);
    }
}
