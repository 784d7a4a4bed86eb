//! Implements the [`Geometry`] trait for animation files, which have a bounding box but no
//! surfaces.

use super::file::Animation;
use crate::array::{Bounds, Sphere};
use crate::error::{Error, Result, no_such};
use crate::formats::unigine::geometry::SPACE;
use crate::model::{Counts, Geometry, Indices, Positions, Space, SurfaceArrays};
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
}

/// An animation file has no surfaces, and hence no index for which a method is called.
impl<D: AsRef<[u8]> + Send + Sync> SurfaceArrays for Animation<D> {
    fn surface_count(&self) -> Result<usize> {
        Ok(0)
    }

    fn surface_name(&self, surface: usize) -> Result<Name<'_>> {
        Err(no_surface(surface))
    }

    fn surface_bounds(&self, surface: usize) -> Result<Bounds> {
        Err(no_surface(surface))
    }

    fn counts(&self, surface: usize) -> Result<Counts> {
        Err(no_surface(surface))
    }

    fn positions(&self, surface: usize, _: usize) -> Result<Positions<'_>> {
        Err(no_surface(surface))
    }

    fn indices(&self, surface: usize) -> Result<Indices<'_>> {
        Err(no_surface(surface))
    }

    fn fault(&self, surface: usize, _: &'static str, _: u64, _: Error) -> Error {
        no_surface(surface)
    }
}

fn no_surface(surface: usize) -> Error {
    no_such("unigine", "surface", 0, surface)
}
