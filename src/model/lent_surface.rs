//! A surface whose inflated arrays are freed with it.

use super::geometry::Geometry;
use super::surface::Surface;
use crate::error::debug::short_debug;

/// A surface whose inflated arrays are freed with it. [`Model::lend`](crate::Model::lend) returns
/// it.
pub struct LentSurface<'a>(Owner<'a>);

enum Owner<'a> {
    Mesh(Surface<'a>),
    Owned(Box<dyn Geometry + 'a>, usize),
}

short_debug!(LentSurface<'_>: |lent| { surface: lent.surface() });

impl<'a> LentSurface<'a> {
    pub(super) const fn borrowed(surface: Surface<'a>) -> Self {
        Self(Owner::Mesh(surface))
    }

    pub(super) const fn owned(owner: Box<dyn Geometry + 'a>, index: usize) -> Self {
        Self(Owner::Owned(owner, index))
    }

    /// Returns the surface, with the index that it has in the file.
    #[must_use]
    pub fn surface(&self) -> Surface<'_> {
        match &self.0 {
            Owner::Mesh(surface) => *surface,
            Owner::Owned(owner, index) => Surface::of(&**owner, *index),
        }
    }
}
