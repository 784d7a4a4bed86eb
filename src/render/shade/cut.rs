//! Surfaces with a texture whose transparent parts are cut out.

#![allow(clippy::many_single_char_names, reason = "coordinates, and the coefficients of planes")]

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
        Ok(Self { attributes: surface.surface.attribute_indices()?, reader, paint, projection, first })
    }

    /// Keeps a pixel of a triangle if the texture is not cut out there.
    pub(crate) fn keep(&self, buffer: &mut VisibilityBuffer, pixel: &CoveredPixel, number: u32) {
        let first = as_index(number.wrapping_sub(self.first)).saturating_mul(3);
        let corners = [0, 1, 2].map(|corner| first.saturating_add(corner));
        let attributes = corners.map(|corner| self.attributes.get(corner).unwrap_or(u32::MAX));
        let position = |corner| self.reader.positions.get(as_index(self.reader.indices.get(corner)?));
        let [Some(a), Some(b), Some(c)] = corners.map(position) else { return };
        let weights = self.weights([a, b, c], pixel.middle());
        if !self.paint.is_cut_out(&self.paint.uvs(attributes), weights) {
            pixel.keep(buffer);
        }
    }

    /// Returns the perspective-correct weights of the corners at a point of the screen.
    fn weights(&self, corners: [[f32; 3]; 3], [px, py]: [f32; 2]) -> [f32; 3] {
        let [a, b, c] = corners.map(|corner| {
            let [x, y, _, w] = self.projection.project(corner);
            [x - w * px, y - w * py]
        });
        let area = |[ax, ay]: [f32; 2], [bx, by]: [f32; 2]| ax * by - bx * ay;
        let areas = [area(b, c), area(c, a), area(a, b)];
        let [p, q, r] = areas;
        let sum = (p + q) + r;
        if sum == 0.0 { [1.0, 0.0, 0.0] } else { areas.map(|area| area / sum) }
    }
}
