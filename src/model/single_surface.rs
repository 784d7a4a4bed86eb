//! One surface of a geometry as a geometry of its own.

use super::attributes::{Colors, Indices, Normals, Positions, TangentFrames, Uvs};
use super::draw_style::DrawStyle;
use super::extra_array::{ExtraArray, ExtraArrayInfo};
use super::geometry::{Counts, Geometry};
use super::space::Space;
use super::spatial_tree::SpatialTree;
use super::vertex_mesh::VertexMesh;
use super::vertex_pool::VertexPool;
use super::weights::Weights;
use crate::array::{Bounds, Sphere};
use crate::error::{Cause, Error, Field, Result};
use crate::math::as_u64;
use crate::model::format_version::FormatVersion;
use crate::parse::Name;

/// One surface of a geometry as a geometry of its own, in which the surface has the index 0.
///
/// Errors contain the index of the surface in the file.
pub(super) struct SingleSurface<'a, G: ?Sized> {
    geometry: &'a G,
    index: usize,
}

impl<'a, G: Geometry + ?Sized> SingleSurface<'a, G> {
    /// Makes the geometry of surface `index`. `new` does not check the index.
    pub(super) const fn new(geometry: &'a G, index: usize) -> Self {
        Self { geometry, index }
    }

    /// Returns the index in the file of surface 0, the only surface of this geometry.
    fn at(&self, surface: usize) -> Result<usize> {
        if surface == 0 {
            return Ok(self.index);
        }
        let kind = Cause::NoSuch { count: 1, index: as_u64(surface) };
        Err(Error::without_offset(self.format(), Field::new("").in_list("surface", as_u64(surface)), kind))
    }
}

impl<G: Geometry + ?Sized> FormatVersion for SingleSurface<'_, G> {
    fn format(&self) -> &'static str {
        self.geometry.format()
    }

    fn version(&self) -> &'static str {
        self.geometry.version()
    }
}

impl<G: Geometry + ?Sized> Geometry for SingleSurface<'_, G> {
    fn space(&self) -> Space {
        self.geometry.space()
    }

    fn draw_style(&self, surface: usize) -> Result<DrawStyle> {
        self.geometry.draw_style(self.at(surface)?)
    }

    fn vertex_pool(&self, surface: usize) -> Result<VertexPool> {
        self.geometry.vertex_pool(self.at(surface)?)
    }

    fn bounds(&self) -> Result<Bounds> {
        self.geometry.surface_bounds(self.index)
    }

    fn sphere(&self) -> Result<Option<Sphere>> {
        self.geometry.surface_sphere(self.index)
    }

    fn vertex_frame_count(&self) -> Result<usize> {
        self.geometry.vertex_frame_count()
    }

    fn vertex_frame(&self, surface: usize, frame: usize) -> Result<Positions<'_>> {
        self.geometry.vertex_frame(self.at(surface)?, frame)
    }

    fn vertex_frames(&self, surface: usize) -> Result<Option<Positions<'_>>> {
        self.geometry.vertex_frames(self.at(surface)?)
    }

    fn surface_count(&self) -> Result<usize> {
        Ok(1)
    }

    fn surface_name(&self, surface: usize) -> Result<Name<'_>> {
        self.geometry.surface_name(self.at(surface)?)
    }

    fn surface_bounds(&self, surface: usize) -> Result<Bounds> {
        self.geometry.surface_bounds(self.at(surface)?)
    }

    fn surface_sphere(&self, surface: usize) -> Result<Option<Sphere>> {
        self.geometry.surface_sphere(self.at(surface)?)
    }

    fn surface_material(&self, surface: usize) -> Result<Option<Name<'_>>> {
        self.geometry.surface_material(self.at(surface)?)
    }

    fn is_drawn(&self, surface: usize) -> Result<bool> {
        self.geometry.is_drawn(self.at(surface)?)
    }

    fn counts(&self, surface: usize) -> Result<Counts> {
        self.geometry.counts(self.at(surface)?)
    }

    fn positions(&self, surface: usize, target: usize) -> Result<Positions<'_>> {
        self.geometry.positions(self.at(surface)?, target)
    }

    fn tangent_frames(&self, surface: usize, target: usize) -> Result<Option<TangentFrames<'_>>> {
        self.geometry.tangent_frames(self.at(surface)?, target)
    }

    fn normals(&self, surface: usize, target: usize) -> Result<Option<Normals<'_>>> {
        self.geometry.normals(self.at(surface)?, target)
    }

    fn uvs(&self, surface: usize, set: usize) -> Result<Option<Uvs<'_>>> {
        self.geometry.uvs(self.at(surface)?, set)
    }

    fn colors(&self, surface: usize) -> Result<Option<Colors<'_>>> {
        self.geometry.colors(self.at(surface)?)
    }

    fn colors_are_data(&self) -> bool {
        self.geometry.colors_are_data()
    }

    fn weights(&self, surface: usize) -> Result<Option<Weights<'_>>> {
        self.geometry.weights(self.at(surface)?)
    }

    fn indices(&self, surface: usize) -> Result<Indices<'_>> {
        self.geometry.indices(self.at(surface)?)
    }

    fn attribute_indices(&self, surface: usize) -> Result<Option<Indices<'_>>> {
        self.geometry.attribute_indices(self.at(surface)?)
    }

    fn partition(&self, surface: usize) -> Result<Option<Box<dyn SpatialTree + '_>>> {
        self.geometry.partition(self.at(surface)?)
    }

    fn extra_arrays(&self) -> &'static [ExtraArrayInfo] {
        self.geometry.extra_arrays()
    }

    fn extra_array(&self, surface: usize, name: &str) -> Result<Option<ExtraArray<'_>>> {
        self.geometry.extra_array(self.at(surface)?, name)
    }

    fn vertex_mesh(&self) -> Option<&dyn VertexMesh> {
        self.geometry.vertex_mesh()
    }

    fn lend(&self, surface: usize) -> Result<Box<dyn Geometry + '_>> {
        self.geometry.lend(self.at(surface)?)
    }

    fn file_index(&self, surface: usize) -> usize {
        self.geometry.file_index(self.index.saturating_add(surface))
    }

    fn fault(&self, surface: usize, name: &'static str, into: u64, error: Error) -> Error {
        self.geometry.fault(self.index.saturating_add(surface), name, into, error)
    }
}
