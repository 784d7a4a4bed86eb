//! Reads the texture coordinates of the triangles, draws them, and counts the triangles that cover
//! each sample of the picture.

use std::ops::Range;

use super::paint::{LineInk, ScreenLine, UvPaint, pixels};
use crate::array::Array;
use crate::error::{Cause, Error, ErrorKind, Field, Result};
use crate::math::{as_index, as_u64, narrow};
use crate::parse::filled;
use crate::render::draw::MeshPicture;
use crate::render::lanes::LANES;
use crate::render::options::PictureOptions;
use crate::render::overlay::Overlays;
use crate::render::picture::{Backdrop, Picture};
use crate::render::raster::block::{Area, ScreenBlock, ScreenTriangle};
use crate::render::raster::clip::clip;
use crate::render::raster::kernels::{BATCH, set_up};
use crate::render::raster::projection::{Projection, SUBPIXELS};
use crate::render::raster::visibility::{RasterBudget, SAMPLE_POSITIONS, SAMPLES};
use crate::render::raster::walk::{Edges, edges};
use crate::render::surfaces::LeftOutTriangles;
use crate::scene::shape::TriangleReader;
use crate::scene::{PlacedScene, PlacedSurface};

/// The greatest number of pixels whose samples are in memory at a time: 20 MiB.
const BAND_PIXELS: u32 = 1 << 20;
/// The part of the picture that the layout fills.
const FILLED: f64 = 0.92;
/// The distance from the unit square up to which coordinates are shown.
const FARTHEST: f64 = 64.0;
/// The number of unit squares along an axis up to which their borders are drawn.
const MAX_TILES: f64 = 16.0;
/// The strength of the borders of unit squares other than the first.
const TILE_STRENGTH: f64 = 0.22;

/// The rows and columns of a small triangle.
const SMALL: u64 = 16;

/// A triangle in texture space.
type UvTriangle = [[f32; 2]; 3];

/// Draws the UV layout of the visible surfaces.
pub(crate) fn draw_uv_layout(
    scene: &PlacedScene<'_>,
    options: &PictureOptions,
    mut picture: Picture,
) -> Result<MeshPicture> {
    let mut layout = UvLayout::new(scene, options)?;
    let [width, height] = options.size;
    let band = BAND_PIXELS.checked_div(width).unwrap_or(1).clamp(1, height.max(1));
    for first in (0..height).step_by(as_index(band)) {
        let missing = layout.band(first..first.saturating_add(band).min(height), &mut picture)?;
        layout.left_out.too_deep = layout.left_out.too_deep.max(missing);
    }
    let UvLayout { triangles, left_out, .. } = layout;
    let (first_surfaces, damaged_parts) = (scene.cut.get(), scene.damaged_parts());
    Ok(MeshPicture { picture, triangles, bones: 0, left_out, left_out_lines: 0, first_surfaces, damaged_parts })
}

/// A UV layout that is measured.
struct UvLayout<'j, 'a> {
    scene: &'j PlacedScene<'a>,
    options: &'j PictureOptions,
    /// The least and the greatest coordinates.
    range: [[f64; 2]; 2],
    triangles: u64,
    left_out: LeftOutTriangles,
}

impl<'j, 'a> UvLayout<'j, 'a> {
    /// Measures the texture coordinates.
    fn new(scene: &'j PlacedScene<'a>, options: &'j PictureOptions) -> Result<Self> {
        let left_out = LeftOutTriangles::default();
        let mut layout = Self { scene, options, range: [[0.0; 2], [1.0; 2]], triangles: 0, left_out };
        let ([mut min, mut max], mut triangles, mut has_set) = (layout.range, 0_u64, false);
        let mut left_out = layout.left_out;
        layout.each_surface(&mut |surface| {
            has_set |= surface.surface.uvs(options.uv_set)?.is_some();
            each_triangle(surface, options.uv_set, &mut left_out, &mut |triangle| {
                triangles = triangles.saturating_add(1);
                for corner in triangle {
                    let parts = corner.into_iter().map(f64::from).zip(min.iter_mut().zip(&mut max));
                    parts.for_each(|(part, (min, max))| (*min, *max) = (min.min(part), max.max(part)));
                }
                Ok(())
            })
        })?;
        if !has_set && options.uv_set > 0 {
            return Err(no_set(scene.contents.format(), options.uv_set));
        }
        layout.range = [min.map(|part| part.max(-FARTHEST)), max.map(|part| part.min(1.0 + FARTHEST))];
        (layout.triangles, layout.left_out) = (triangles, left_out);
        Ok(layout)
    }

    fn each_surface(&self, visit: &mut dyn FnMut(&PlacedSurface<'_>) -> Result<()>) -> Result<()> {
        self.scene.each_surface(&mut |surface| {
            visit(surface)?;
            self.scene.input.release();
            Ok(())
        })
    }

    /// Returns the pixels of one unit of texture space, and the pixel of its origin.
    fn map(&self) -> (f64, [f64; 2]) {
        let [[left, top], [right, bottom]] = self.range;
        let [width, height] = self.options.size.map(f64::from);
        let scale = FILLED * (width / (right - left)).min(height / (bottom - top));
        (scale, [width / 2.0 - scale * (left + right) / 2.0, height / 2.0 - scale * (top + bottom) / 2.0])
    }

    /// Returns the map from texture space to the screen.
    fn projection(&self) -> Projection {
        let (scale, [x, y]) = self.map();
        let [scale, x, y] = [scale, x, y].map(|part| narrow(part * SUBPIXELS));
        let rows = [[scale, 0.0, 0.0, x], [0.0, scale, 0.0, y], [0.0; 4], [0.0, 0.0, 0.0, 1.0]];
        Projection { origin: [0.0; 3], rows, near: 0.5, back: 0.0 }
    }

    /// Draws a band of rows. Returns the number of triangles that are left out, because the others
    /// cover the picture too often.
    fn band(&self, rows: Range<u32>, picture: &mut Picture) -> Result<u64> {
        let [width, height] = self.options.size;
        let mut counts = CoverCounts::new(width, rows.clone())?;
        let mut ink = LineInk::new(width, rows.clone())?;
        self.frame(&mut ink);
        let units = |pixels: u32| i32::try_from(pixels.saturating_mul(16)).unwrap_or(i32::MAX);
        let row_pixels = i32::try_from(width).unwrap_or(i32::MAX);
        let area = Area { min: [0, units(rows.start)], max: [units(width), units(rows.end)], row_pixels };
        let mut batch = Box::new(UvBatch::new(self.projection(), area, Overlays::line_width(self.options.size)));
        let mut left_out = LeftOutTriangles::default();
        self.each_surface(&mut |surface| {
            each_triangle(surface, self.options.uv_set, &mut left_out, &mut |triangle| {
                batch.add(triangle, &mut counts, &mut ink);
                Ok(())
            })
        })?;
        batch.finish(&mut counts, &mut ink);
        let (scale, [left, top]) = self.map();
        let (paint, backdrop) = (UvPaint::new(), Backdrop::new(self.options.background, [width, height]));
        let is_inside = |pixel: usize, start: f64| {
            let offset = f64::from(u32::try_from(pixel).unwrap_or_default()) + 0.5 - start;
            offset >= 0.0 && offset <= scale
        };
        for (line, row) in rows.enumerate() {
            let start = as_index(row).saturating_mul(as_index(width));
            let strengths = ink.row(line);
            let out = picture.pixels_mut().get_mut(start..).unwrap_or_default();
            let is_row_inside = is_inside(as_index(row), top);
            counts.each_pixel(line, &mut |x, samples| {
                let background = backdrop.at([x, as_index(row)]);
                let is_paper = is_row_inside && is_inside(x, left);
                let strength = strengths.get(x).copied().unwrap_or_default();
                out.get_mut(x).into_iter().for_each(|out| {
                    *out = paint.pixel(background, is_paper, samples, strength);
                });
            });
        }
        Ok(batch.budget.missing)
    }

    /// Draws the frame of the unit square, and thin borders of the other unit squares.
    fn frame(&self, ink: &mut LineInk) {
        let (scale, [x, y]) = self.map();
        let width = Overlays::line_width(self.options.size);
        let [[left, top], [right, bottom]] = self.range.map(|corner| corner.map(f64::round));
        let place = |[u, v]: [f64; 2]| [x + u * scale, y + v * scale];
        let mut line = |ends: [[f64; 2]; 2], strength: f64| {
            ink.draw(&ScreenLine { ends: ends.map(place), width, strength });
        };
        if right - left <= MAX_TILES && bottom - top <= MAX_TILES {
            let steps =
                |from: f64, to: f64| (0..=16_u8).map(move |step| from + f64::from(step)).filter(move |at| *at <= to);
            steps(left, right).for_each(|u| line([[u, top], [u, bottom]], TILE_STRENGTH));
            steps(top, bottom).for_each(|v| line([[left, v], [right, v]], TILE_STRENGTH));
        }
        for (from, to) in
            [([0.0, 0.0], [1.0, 0.0]), ([1.0, 0.0], [1.0, 1.0]), ([1.0, 1.0], [0.0, 1.0]), ([0.0, 1.0], [0.0, 0.0])]
        {
            line([from, to], 0.85);
        }
    }
}

/// Calls `visit` with each triangle of a surface whose texture coordinates are finite. A surface
/// without the UV set has no triangles.
fn each_triangle(
    surface: &PlacedSurface<'_>,
    set: usize,
    left_out: &mut LeftOutTriangles,
    visit: &mut dyn FnMut(UvTriangle) -> Result<()>,
) -> Result<()> {
    let Some(uvs) = surface.surface.uvs(set)? else { return Ok(()) };
    TriangleReader::new(&surface.surface)?.each(&mut |corners| {
        let [a, b, c] = corners.map(|corner| uvs.get(as_index(corner.attribute)));
        match a.zip(b).zip(c) {
            None => left_out.invalid = left_out.invalid.saturating_add(1),
            Some(((a, b), c)) if [a, b, c].iter().flatten().all(|part| part.is_finite()) => {
                visit([a, b, c].map(|uv| surface.conversion.uv(uv)))?;
            }
            Some(_) => left_out.not_finite = left_out.not_finite.saturating_add(1),
        }
        Ok(())
    })
}

/// The triangles that are transformed together.
struct UvBatch {
    projection: Projection,
    area: Area,
    /// The width of lines.
    width: f64,
    corners: [[f32; 3]; 3 * BATCH],
    triangles: usize,
    blocks: Vec<ScreenBlock>,
    budget: RasterBudget,
}

impl UvBatch {
    fn new(projection: Projection, area: Area, width: f64) -> Self {
        let (corners, blocks) = ([[0.0; 3]; 3 * BATCH], vec![ScreenBlock::EMPTY; BATCH / LANES]);
        let [[_, top], [columns, bottom]] = [area.min, area.max].map(|corner| corner.map(|side| side >> 4));
        let pixels = u64::from(columns.cast_unsigned()).saturating_mul(u64::from(bottom.abs_diff(top)));
        Self { projection, area, width, corners, triangles: 0, blocks, budget: RasterBudget::of_layout(pixels) }
    }

    fn add(&mut self, triangle: UvTriangle, counts: &mut CoverCounts, ink: &mut LineInk) {
        let first = self.triangles.saturating_mul(3);
        let places = self.corners.get_mut(first..).unwrap_or_default();
        places.iter_mut().zip(triangle).for_each(|(place, [u, v])| *place = [u, v, 0.0]);
        self.triangles = self.triangles.saturating_add(1);
        if self.triangles == BATCH {
            self.finish(counts, ink);
        }
    }

    /// Draws the triangles of the batch.
    fn finish(&mut self, counts: &mut CoverCounts, ink: &mut LineInk) {
        set_up(&self.projection, &self.area, &self.corners, &mut self.blocks);
        for (at, corners) in self.corners.as_chunks::<3>().0.iter().take(self.triangles).enumerate() {
            let Some(block) = self.blocks.get(at / LANES) else { break };
            if !self.budget.take(work(&self.projection, corners, &ink.area())) {
                continue;
            }
            let lane = at % LANES;
            let has = |mask: u32| mask.unbounded_shr(u32::try_from(lane).unwrap_or(u32::MAX)) & 1 != 0;
            if has(block.small | block.large) {
                counts.add(&block.triangle(lane, 0));
            } else if has(block.clipped) {
                clip(&self.projection, *corners, 0, &mut |part| counts.add(part));
            }
            draw_edges(&self.projection, corners, self.width, ink);
        }
        self.triangles = 0;
    }
}

/// Returns the work of a triangle and its edges: four times the rows and columns of the picture
/// that it has in excess of a small triangle.
fn work(projection: &Projection, corners: &[[f32; 3]; 3], [columns, rows]: &[Range<u32>; 2]) -> u64 {
    let [a, b, c] = corners.map(|corner| projection.project(corner));
    let count = |axis: usize, range: &Range<u32>| {
        let parts = [a, b, c].map(|corner| f64::from(corner.get(axis).copied().unwrap_or_default()) / SUBPIXELS);
        let [from, to] = [parts.into_iter().fold(f64::MAX, f64::min), parts.into_iter().fold(f64::MIN, f64::max)];
        as_u64(pixels(from, to, range).len())
    };
    count(0, columns).saturating_add(count(1, rows)).saturating_sub(SMALL).saturating_mul(4)
}

/// Draws the edges of a triangle. Edges of small triangles are faint.
fn draw_edges(projection: &Projection, corners: &[[f32; 3]; 3], width: f64, ink: &mut LineInk) {
    let points = corners.map(|corner| {
        let [x, y, ..] = projection.project(corner);
        [x, y].map(|part| f64::from(part) / SUBPIXELS)
    });
    let [first, second, third] = points;
    let sides = [[first, second], [second, third], [third, first]];
    let offsets = sides.map(|[[ax, ay], [bx, by]]| [bx - ax, by - ay]);
    let [[px, py], _, [qx, qy]] = offsets;
    let area = (px * qy - qx * py).abs();
    for (ends, [x, y]) in sides.into_iter().zip(offsets) {
        let length = (x * x + y * y).sqrt();
        let altitude = if length > 0.0 { area / length } else { 0.0 };
        let strength = (altitude / 7.0).clamp(0.14, 0.8);
        if length.is_finite() {
            ink.draw(&ScreenLine { ends, width: width * 0.8, strength });
        }
    }
}

fn no_set(format: &'static str, set: usize) -> Error {
    let text = format!("expected a mesh with UV set {set}, found no surface that has it").into();
    let cause = Cause::Custom { kind: ErrorKind::NoSuch, text };
    Error::without_offset(format, Field::new("uv_set"), cause)
}

/// The changes of the counts of a band of rows, from left to right.
///
/// A triangle changes only two numbers in each row of samples, so large triangles cost no more than
/// their height.
struct CoverCounts {
    width: u32,
    rows: Range<u32>,
    /// The changes of each pixel of a row, and of the place after its last pixel.
    changes: Vec<[i32; SAMPLES]>,
}

impl CoverCounts {
    fn new(width: u32, rows: Range<u32>) -> Result<Self> {
        let count = as_index(width).saturating_add(1).saturating_mul(rows.len());
        Ok(Self { width, rows, changes: filled("picture", "counts", count, [0; SAMPLES])? })
    }

    /// Adds a triangle.
    fn add(&mut self, triangle: &ScreenTriangle) {
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
    fn each_pixel(&self, line: usize, visit: &mut dyn FnMut(usize, [i32; SAMPLES])) {
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
