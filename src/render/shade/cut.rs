//! Surfaces with a texture whose transparent parts are cut out.

use super::paint::SurfacePaint;
use crate::array::Array;
use crate::error::Result;
use crate::math::as_index;
use crate::model::Indices;
use crate::render::camera::CameraView;
use crate::render::corners::CornerReader;
use crate::render::raster::projection::Projection;
use crate::render::raster::visibility::VisibilityBuffer;
use crate::render::raster::visit::CoveredPixel;
use crate::scene::PlacedSurface;

/// A surface with a texture whose transparent parts are cut out.
pub(crate) struct CutSurface<'a, 'p> {
    reader: CornerReader<'a>,
    attributes: Indices<'a>,
    paint: &'p SurfacePaint<'a>,
    projection: Projection,
    /// The number of the first triangle.
    first: u32,
    /// The triangle of the last pixel and its number, or `None` if it has no corners.
    last: Option<(u32, Option<CutTriangle>)>,
}

/// A triangle whose pixels are cut out.
#[derive(Clone, Copy, Debug)]
struct CutTriangle {
    uvs: [[f32; 2]; 3],
    /// For each corner x, y and w on the screen, before the division by w.
    corners: [[f32; 3]; 3],
}

impl<'a, 'p> CutSurface<'a, 'p> {
    pub(crate) fn new(
        surface: &'a PlacedSurface<'a>,
        paint: &'p SurfacePaint<'a>,
        view: &CameraView,
        first: u32,
    ) -> Result<Self> {
        let reader = CornerReader::new(surface)?;
        let projection = view.projection(surface.conversion.map(), reader.origin());
        let attributes = surface.surface.attribute_indices()?;
        Ok(Self { attributes, reader, paint, projection, first, last: None })
    }

    /// Keeps a pixel of a triangle if the texture is not cut out there.
    pub(crate) fn keep(&mut self, buffer: &mut VisibilityBuffer, pixel: &CoveredPixel, number: u32) {
        let triangle = match self.last {
            Some((last, triangle)) if last == number => triangle,
            _ => self.triangle(number),
        };
        self.last = Some((number, triangle));
        let Some(triangle) = triangle else { return };
        if !self.paint.is_cut_out(&triangle.uvs, triangle.weights(pixel.middle())) {
            pixel.keep(buffer);
        }
    }

    /// Reads a triangle, or returns `None` if a corner is out of range.
    fn triangle(&self, number: u32) -> Option<CutTriangle> {
        let first = as_index(number.wrapping_sub(self.first)).saturating_mul(3);
        let corners = [0, 1, 2].map(|corner| first.saturating_add(corner));
        let attributes = corners.map(|corner| self.attributes.get(corner).unwrap_or(u32::MAX));
        let position = |corner| self.reader.positions.get(as_index(self.reader.indices.get(corner)?));
        let [Some(a), Some(b), Some(c)] = corners.map(position) else { return None };
        let corners = [a, b, c].map(|corner| {
            let [x, y, _, w] = self.projection.project(corner);
            [x, y, w]
        });
        Some(CutTriangle { uvs: self.paint.uvs(attributes), corners })
    }
}

impl CutTriangle {
    /// Returns the perspective-correct weights of the corners at a point of the screen.
    fn weights(&self, [px, py]: [f32; 2]) -> [f32; 3] {
        let [a, b, c] = self.corners.map(|[x, y, w]| [x - w * px, y - w * py]);
        let area = |[ax, ay]: [f32; 2], [bx, by]: [f32; 2]| ax * by - bx * ay;
        let areas = [area(b, c), area(c, a), area(a, b)];
        let [p, q, r] = areas;
        let sum = (p + q) + r;
        if sum == 0.0 { [1.0, 0.0, 0.0] } else { areas.map(|area| area / sum) }
    }
}
