//! Implements the format-independent [`Geometry`] trait for UNIGINE meshes.

use super::file::Mesh;
use crate::array::{Bounds, Sphere};
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;
use crate::model::animation::Affine;
use crate::model::{
    Axis, Colors, Counts, Geometry, Handedness, Indices, Positions, Space, SpatialTree, TangentFrames, UvOrigin, Uvs,
    Weights, Winding,
};
use crate::parse::Name;

/// The coordinate conventions of the engine, which all its files share.
pub(super) const SPACE: Space = Space {
    up: Some(Axis::Z),
    forward: Some(Axis::Y),
    handedness: Some(Handedness::Right),
    winding: Some(Winding::CounterClockwise),
    metres_per_unit: Some(1.0),
    uv_origin: Some(UvOrigin::TopLeft),
    placement: Affine::IDENTITY,
};

impl<D: AsRef<[u8]> + Send + Sync> Geometry for Mesh<D> {
    fn space(&self) -> Space {
        SPACE
    }

    fn bounds(&self) -> Result<Bounds> {
        Self::bounds(self).map(|(bounds, _)| bounds)
    }

    fn sphere(&self) -> Result<Option<Sphere>> {
        Self::bounds(self).map(|(_, sphere)| Some(sphere))
    }

    fn surface_count(&self) -> Result<usize> {
        Ok(Self::surface_count(self))
    }

    fn surface_name(&self, surface: usize) -> Result<Name<'_>> {
        self.reader().surface_header(surface).map(|head| head.name)
    }

    fn surface_bounds(&self, surface: usize) -> Result<Bounds> {
        self.reader().surface_header(surface).map(|head| head.bounds.bounds())
    }

    fn surface_sphere(&self, surface: usize) -> Result<Option<Sphere>> {
        self.reader().surface_header(surface).map(|head| Some(head.bounds.sphere()))
    }

    fn counts(&self, surface: usize) -> Result<Counts> {
        self.reader().counts(surface)
    }

    fn positions(&self, surface: usize, target: usize) -> Result<Positions<'_>> {
        self.surface(surface)?.target(target)?.positions().map(Positions::F32)
    }

    fn tangent_frames(&self, surface: usize, target: usize) -> Result<Option<TangentFrames<'_>>> {
        self.surface(surface)?.target(target)?.tangent_frames().map(Some)
    }

    fn uvs(&self, surface: usize, set: usize) -> Result<Option<Uvs<'_>>> {
        Ok(self.surface(surface)?.uvs(set)?.map(Uvs::F32))
    }

    fn colors(&self, surface: usize) -> Result<Option<Colors<'_>>> {
        Ok(self.surface(surface)?.colors()?.map(Colors::Unorm8))
    }

    fn weights(&self, surface: usize) -> Result<Option<Weights<'_>>> {
        self.surface(surface)?.weights()
    }

    fn indices(&self, surface: usize) -> Result<Indices<'_>> {
        self.surface(surface)?.indices()
    }

    fn attribute_indices(&self, surface: usize) -> Result<Option<Indices<'_>>> {
        self.surface(surface)?.attribute_indices().map(Some)
    }

    fn partition(&self, surface: usize) -> Result<Option<Box<dyn SpatialTree + '_>>> {
        Ok(self.tree(surface)?.map(|tree| -> Box<dyn SpatialTree + '_> { Box::new(tree) }))
    }

    fn fault(&self, surface: usize, name: &'static str, into: u64, kind: ErrorKind) -> Error {
        let field = Field::new(name).in_list("surface", as_u64(surface));
        match self.surface(surface) {
            Ok(view) => view.fault(name, into, kind),
            Err(_) => Error::without_offset(self.generation().format(), field, kind),
        }
    }
}
