//! Paints a UV layout: the paper of the unit square, the triangles, and the lines.

use std::ops::Range;

use crate::error::Result;
use crate::math::{as_index, mix, narrow};
use crate::parse::filled;
use crate::render::raster::visibility::SAMPLES;
use crate::render::srgb;
use crate::render::srgb::linear;

/// The colours in sRGB of triangles, where one covers a sample and where many do.
const FILLS: [[u8; 3]; 2] = [[92, 148, 208], [30, 48, 92]];
/// The part of the background that each triangle leaves visible.
const CLEAR: f32 = 0.58;
/// The number of triangles on a sample from which the colour does not change.
const MOST: usize = 24;
/// The colour of lines.
const INK: [u8; 3] = [22, 30, 48];
/// The opacity of the white paper.
const PAPER: f32 = 0.45;

/// A linear colour that is multiplied by its opacity, and the opacity.
type Layer = [f32; 4];

/// The colours of a UV layout.
pub(crate) struct UvPaint {
    /// The colour of a sample for each number of triangles.
    fills: [Layer; MOST],
    ink: [f32; 3],
}

impl UvPaint {
    pub(crate) fn new() -> Self {
        let [light, dark] = FILLS.map(linear);
        let (mut fills, mut clear, mut part) = ([[0.0; 4]; MOST], 1.0, 0.0);
        for fill in fills.iter_mut().skip(1) {
            clear *= CLEAR;
            *fill = layer(mix(light, dark, part), 1.0 - clear);
            part += (1.0 - part) * 0.3;
        }
        Self { fills, ink: linear(INK) }
    }

    /// Returns the colour of a pixel. `counts` are the numbers of triangles on its samples, and
    /// `ink` is the strength of the lines.
    pub(crate) fn pixel(
        &self,
        background: Option<[u16; 3]>,
        is_paper: bool,
        counts: [i32; SAMPLES],
        ink: u8,
    ) -> [u8; 4] {
        let mut fill = [0.0; 4];
        for count in counts {
            let count = usize::try_from(count).unwrap_or_default().min(MOST.saturating_sub(1));
            let sample = self.fills.get(count).copied().unwrap_or_default();
            fill.iter_mut().zip(sample).for_each(|(sum, part)| *sum += part * 0.25);
        }
        let under = match background {
            Some(background) => layer(background.map(|part| f32::from(part) / f32::from(srgb::MAX)), 1.0),
            None => [0.0; 4],
        };
        let under = if is_paper { over(layer([1.0; 3], PAPER), under) } else { under };
        encode(over(layer(self.ink, f32::from(ink) / 255.0), over(fill, under)))
    }
}

fn layer([r, g, b]: [f32; 3], opacity: f32) -> Layer {
    [r * opacity, g * opacity, b * opacity, opacity]
}

/// Returns a layer over another.
fn over(top: Layer, under: Layer) -> Layer {
    let [.., opacity] = top;
    let mut out = top;
    out.iter_mut().zip(under).for_each(|(part, under)| *part += under * (1.0 - opacity));
    out
}

#[allow(clippy::as_conversions, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
fn encode([r, g, b, opacity]: Layer) -> [u8; 4] {
    if opacity <= 0.0 {
        return [0; 4];
    }
    let greatest = f32::from(srgb::MAX);
    let [r, g, b] = [r, g, b].map(|part| srgb::encode((part / opacity * greatest + 0.5).clamp(0.0, greatest) as u16));
    [r, g, b, narrow(f64::from(opacity * 255.0 + 0.5).clamp(0.0, 255.0)) as u8]
}

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

    #[test]
    fn overlaps_are_darker() {
        let paint = UvPaint::new();
        let [one, two, many] =
            [1, 2, i32::MAX].map(|count| paint.pixel(Some([srgb::MAX; 3]), false, [count; SAMPLES], 0));
        let light = |pixel: [u8; 4]| pixel.iter().take(3).map(|part| u32::from(*part)).sum::<u32>();
        assert!(light(one) > light(two) && light(two) > light(many), "{one:?} {two:?} {many:?}");
        assert_eq!(paint.pixel(Some([srgb::MAX; 3]), false, [0; SAMPLES], 0), [255; 4]);
        assert_eq!(paint.pixel(None, false, [0; SAMPLES], 0), [0; 4]);
        assert_eq!(paint.pixel(None, false, [-1; SAMPLES], 255), [22, 30, 48, 255]);
    }

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
