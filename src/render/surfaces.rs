//! The surfaces of a picture: draws their triangles to the visibility buffer.

use super::camera::CameraView;
use super::corners::{CornerBatch, CornerReader};
use super::raster::block::{Area, ScreenBlock, ScreenTriangle, lanes_of};
use super::raster::clip::clip;
use super::raster::kernels::{BATCH, fill, fill_one, set_up};
use super::raster::projection::Projection;
use super::raster::visibility::VisibilityBuffer;
use super::raster::visit::{CoveredPixel, each_pixel};
use super::shade::fragments::row_pixels;
use crate::array::Array;
use crate::error::Result;
use crate::math::{as_index, as_u64};
use crate::render::lanes::LANES;
use crate::scene::PlacedSurface;

/// The numbers of the triangles of a surface, which are unique in the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SurfaceSpan {
    pub(crate) first: u32,
    pub(crate) end: u32,
}

/// The triangles that are not in the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LeftOutTriangles {
    /// The number of triangles with an index that is out of range.
    pub(crate) invalid: u64,
    /// The number of triangles with a position that is not finite.
    pub(crate) not_finite: u64,
    /// The number of triangles beyond the first 2^32 - 2.
    pub(crate) too_many: u64,
    /// The number of triangles that would cover the picture again and again: 96 times in all. In a
    /// picture of several bands, it is the greatest number of a band.
    pub(crate) too_deep: u64,
}

/// Draws the triangles of surfaces to a visibility buffer.
pub(crate) struct SurfaceRasteriser<'v> {
    view: &'v CameraView,
    batch: CornerBatch,
    blocks: Vec<ScreenBlock>,
    /// The number of the next triangle.
    pub(crate) next: u32,
    pub(crate) left_out: LeftOutTriangles,
}

impl<'v> SurfaceRasteriser<'v> {
    pub(crate) fn new(view: &'v CameraView) -> Self {
        Self {
            view,
            batch: CornerBatch::new(),
            blocks: vec![ScreenBlock::EMPTY; BATCH / LANES],
            next: 0,
            left_out: LeftOutTriangles::default(),
        }
    }

    /// Draws the triangles of a surface, and returns their numbers. `visit` receives each batch,
    /// and `pixels` each pixel of a surface that is not opaque.
    pub(crate) fn draw(
        &mut self,
        surface: &PlacedSurface<'_>,
        buffer: &mut VisibilityBuffer,
        visit: &mut dyn FnMut(&CornerBatch),
        mut pixels: Option<&mut PixelVisitor<'_>>,
    ) -> Result<SurfaceSpan> {
        let reader = CornerReader::new(surface)?;
        let back = if surface.conversion.reverses_corners() { -1.0 } else { 1.0 };
        let projection = Projection { back, ..self.view.projection(surface.conversion.map(), reader.origin()) };
        let area = buffer.area();
        reader.indices.prefetch();
        let (first, mut triangle) = (self.next, 0_usize);
        while reader.read(triangle, &mut self.batch) {
            let count = u32::try_from(self.batch.triangles).unwrap_or(u32::MAX);
            let Some(end) = self.next.checked_add(count).filter(|end| *end < u32::MAX) else {
                let rest = as_u64(reader.triangle_count().saturating_sub(triangle));
                self.left_out.too_many = self.left_out.too_many.saturating_add(rest);
                break;
            };
            visit(&self.batch);
            self.left_out.invalid = self.left_out.invalid.saturating_add(as_u64(self.batch.invalid));
            let blocks = self.blocks.get_mut(..self.batch.triangles.div_ceil(LANES)).unwrap_or_default();
            set_up(&projection, &area, &self.batch.positions, blocks);
            if pixels.is_none() {
                fill(buffer, &area, blocks, self.next);
            }
            self.draw_others(&projection, buffer, pixels.as_deref_mut());
            self.next = end;
            triangle = triangle.saturating_add(self.batch.triangles);
        }
        Ok(SurfaceSpan { first, end: self.next })
    }

    /// Draws the triangles of the batch that `fill` does not draw: those that must be clipped, and
    /// all triangles of a surface that is not opaque. Counts the triangles that are not finite.
    fn draw_others(
        &mut self,
        projection: &Projection,
        buffer: &mut VisibilityBuffer,
        mut pixels: Option<&mut PixelVisitor<'_>>,
    ) {
        let (area, draws_all) = (buffer.area(), pixels.is_some());
        let corners = self.batch.positions.as_chunks::<{ 3 * LANES }>().0;
        let count = self.batch.triangles.div_ceil(LANES);
        for ((block, corners), first) in self.blocks.iter().zip(corners).zip((self.next..).step_by(LANES)).take(count) {
            let not_finite = u64::from(block.not_finite.count_ones());
            self.left_out.not_finite = self.left_out.not_finite.saturating_add(not_finite);
            let mut draw = |buffer: &mut VisibilityBuffer, part: &ScreenTriangle| match pixels.as_deref_mut() {
                Some(visit) => {
                    let visit_part = &mut |buffer: &mut _, pixel: &_| (visit.visit)(buffer, pixel, part.number);
                    each_pixel(buffer, &area, part, visit.work, visit_part);
                }
                None => fill_one(buffer, &area, part),
            };
            for lane in lanes_of(if draws_all { block.small | block.large } else { 0 }) {
                draw(buffer, &block.triangle(as_index(lane), first.wrapping_add(lane)));
            }
            for lane in lanes_of(block.clipped) {
                let Some(corners) = corners.as_chunks::<3>().0.get(as_index(lane)) else { continue };
                let missing = buffer.budget.missing;
                clip(projection, *corners, first.wrapping_add(lane), &mut |part| draw(buffer, part));
                buffer.budget.count_once(missing);
            }
        }
    }
}

/// A function that receives each pixel of a surface that is not opaque, with the number of the
/// triangle.
pub(crate) struct PixelVisitor<'p> {
    pub(crate) visit: &'p mut dyn FnMut(&mut VisibilityBuffer, &CoveredPixel, u32),
    /// The work of a call.
    pub(crate) work: u64,
}

impl VisibilityBuffer {
    /// Returns the part of the picture that the buffer contains, in sixteenths of a pixel.
    pub(crate) fn area(&self) -> Area {
        let units = |pixels: u32| i32::try_from(pixels.saturating_mul(16)).unwrap_or(i32::MAX);
        let row_pixels = i32::try_from(row_pixels(self)).unwrap_or(i32::MAX);
        Area { min: [0, units(self.rows.start)], max: [units(self.width), units(self.rows.end)], row_pixels }
    }
}
