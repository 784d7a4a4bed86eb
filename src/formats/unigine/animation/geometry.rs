//! Implements the [`Geometry`] trait for animation files, which have a bounding box but no
//! surfaces.

use super::file::Animation;
use crate::array::{Bounds, Sphere};
use crate::error::{Cause, Error, Field, Result};
use crate::formats::unigine::geometry::SPACE;
use crate::math::as_u64;
use crate::model::{Colors, Counts, Geometry, Indices, Positions, Space, TangentFrames, Uvs, Weights};
use crate::parse::Name;

impl<D: AsRef<[u8]> + Send + Sync> Geometry for Animation<D> {
    fn space(&self) -> Space {
        SPACE
    }

    fn bounds(&self) -> Result<Bounds> {
        Ok(Self::bounds(self)?.map_or(Bounds::EMPTY, |(bounds, _)| bounds))
    }

    fn sphere(&self) -> Result<Option<Sphere>> {
        Ok(Self::bounds(self)?.map(|(_, sphere)| sphere))
    }

    fn surface_count(&self) -> Result<usize> {
        Ok(0)
    }

    fn surface_name(&self, surface: usize) -> Result<Name<'_>> {
        no_surface(self, surface)
    }

    fn surface_bounds(&self, surface: usize) -> Result<Bounds> {
        no_surface(self, surface)
    }

    fn surface_sphere(&self, surface: usize) -> Result<Option<Sphere>> {
        no_surface(self, surface)
    }

    fn counts(&self, surface: usize) -> Result<Counts> {
        no_surface(self, surface)
    }

    fn positions(&self, surface: usize, _: usize) -> Result<Positions<'_>> {
        no_surface(self, surface)
    }

    fn tangent_frames(&self, surface: usize, _: usize) -> Result<Option<TangentFrames<'_>>> {
        no_surface(self, surface)
    }

    fn uvs(&self, surface: usize, _: usize) -> Result<Option<Uvs<'_>>> {
        no_surface(self, surface)
    }

    fn colors(&self, surface: usize) -> Result<Option<Colors<'_>>> {
        no_surface(self, surface)
    }

    fn weights(&self, surface: usize) -> Result<Option<Weights<'_>>> {
        no_surface(self, surface)
    }

    fn indices(&self, surface: usize) -> Result<Indices<'_>> {
        no_surface(self, surface)
    }

    fn attribute_indices(&self, surface: usize) -> Result<Option<Indices<'_>>> {
        no_surface(self, surface)
    }

    fn fault(&self, surface: usize, name: &'static str, _: u64, error: Error) -> Error {
        error.located(self.generation().format(), Field::new(name).in_list("surface", as_u64(surface)), None)
    }
}

/// Returns the error for any surface index, because an animation file has no surfaces.
fn no_surface<T, D: AsRef<[u8]>>(file: &Animation<D>, surface: usize) -> Result<T> {
    let kind = Cause::NoSuch { count: 0, index: as_u64(surface) };
    Err(Error::without_offset(file.generation().format(), Field::new("").in_list("surface", as_u64(surface)), kind))
}
