//! Anti-aliased lines in one colour.

use std::ops::Range;

use crate::error::Result;
use crate::math::as_index;
use crate::parse::filled;

/// The strength of the lines in each pixel of a band of rows, from 0 to 255.
pub(crate) struct LineInk {
    width: u32,
    rows: Range<u32>,
    strengths: Vec<u8>,
}

/// A line on the screen, in pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScreenLine {
    pub(crate) ends: [[f64; 2]; 2],
    pub(crate) width: f64,
    /// From 0 to 1.
    pub(crate) strength: f64,
}

impl LineInk {
    pub(crate) fn new(width: u32, rows: Range<u32>) -> Result<Self> {
        let count = as_index(width).saturating_mul(rows.len());
        Ok(Self { width, rows, strengths: filled("picture", "lines", count, 0)? })
    }

    /// Returns the columns and the rows.
    pub(crate) fn area(&self) -> [Range<u32>; 2] {
        [0..self.width, self.rows.clone()]
    }

    /// Returns the strengths of a row. `line` is the index of the row in the band.
    pub(crate) fn row(&self, line: usize) -> &[u8] {
        let width = as_index(self.width);
        let start = line.saturating_mul(width);
        self.strengths.get(start..start.saturating_add(width)).unwrap_or_default()
    }

    /// Draws a line. Where lines cross, the stronger one is visible.
    pub(crate) fn draw(&mut self, line: &ScreenLine) {
        let [[ax, ay], [bx, by]] = line.ends;
        let is_steep = (by - ay).abs() > (bx - ax).abs();
        // The axis along which the line advances comes first.
        let ends = if is_steep { [[ay, ax], [by, bx]] } else { [[ax, ay], [bx, by]] };
        let [[mut from, mut start], [mut to, mut end]] = ends;
        if from > to {
            (from, to, start, end) = (to, from, end, start);
        }
        let slope = if to - from > 1e-9 { (end - start) / (to - from) } else { 0.0 };
        let stretch = (1.0 + slope * slope).sqrt();
        let reach = (line.width / 2.0 + 0.5) * stretch;
        let (rows, columns) = (self.rows.clone(), 0..self.width);
        let (along, across) = if is_steep { (rows, columns) } else { (columns, rows) };
        for step in pixels(from, to, &along) {
            let middle = start + slope * (f64::from(step) + 0.5 - from);
            for side in pixels(middle - reach, middle + reach, &across) {
                let distance = (f64::from(side) + 0.5 - middle).abs() / stretch;
                let cover = (line.width / 2.0 + 0.5 - distance).clamp(0.0, 1.0);
                let [x, y] = if is_steep { [side, step] } else { [step, side] };
                self.strengthen(x, y, cover * line.strength);
            }
        }
    }

    #[allow(clippy::as_conversions, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 255")]
    fn strengthen(&mut self, x: u32, y: u32, strength: f64) {
        let line = as_index(y.saturating_sub(self.rows.start)).saturating_mul(as_index(self.width));
        if let Some(place) = self.strengths.get_mut(line.saturating_add(as_index(x))) {
            *place = (*place).max((strength * 255.0 + 0.5) as u8);
        }
    }
}

/// Returns the pixels between two coordinates that are in a range.
#[allow(clippy::as_conversions, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in the range")]
pub(super) fn pixels(from: f64, to: f64, range: &Range<u32>) -> Range<u32> {
    let bound = |part: f64| part.clamp(f64::from(range.start), f64::from(range.end)) as u32;
    bound(from.floor())..bound(to.floor() + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ink(ends: [[f64; 2]; 2]) -> Vec<u8> {
        let mut ink = LineInk::new(4, 0..4).unwrap();
        ink.draw(&ScreenLine { ends, width: 1.0, strength: 1.0 });
        ink.strengths
    }

    #[test]
    fn draws_lines_along_both_axes() {
        let row = [0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(ink([[-9.0, 1.5], [9.0, 1.5]]), row);
        let column = ink([[2.0, 9.0], [2.0, -9.0]]);
        assert!(column.chunks(4).all(|row| row == [0, 128, 128, 0]), "{column:?}");
        assert_eq!(ink([[f64::MAX, 0.0], [f64::MAX, 9.0]]), [0; 16]);
    }
}
