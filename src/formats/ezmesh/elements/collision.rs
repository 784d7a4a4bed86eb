//! Collision shapes of a physics engine, in groups.

use std::ops::Range;

use super::index_buffer::IndexBuffer;
use super::reader::ElementReader;
use super::vertex_buffer::VertexBuffer;
use crate::error::{Field, Result};
use crate::formats::ezmesh::element_index::ElementKind;
use crate::formats::ezmesh::view::View;
use crate::math::as_u64;
use crate::parse::Name;

/// A group of shapes to collide with. Only texts have them.
#[derive(Clone, Copy, Debug)]
pub struct Representation<'a> {
    element: ElementReader<'a>,
}

impl<'a> Representation<'a> {
    pub(crate) fn new(view: View<'a>, index: usize) -> Self {
        let place = Field::new("").in_list("collision_representation", as_u64(index));
        Self { element: ElementReader { view, kind: ElementKind::Representation, index, place } }
    }

    /// Returns its name.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn name(&self) -> Result<Name<'a>> {
        self.element.name("name")
    }

    /// Returns what is written beside it.
    ///
    /// # Errors
    ///
    /// As [`name`](Self::name).
    pub fn info(&self) -> Result<Name<'a>> {
        self.element.name("info")
    }

    /// Returns how many shapes the file says that it has.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where it is no count.
    pub fn declared_count(&self) -> Result<Option<u32>> {
        self.element.counted("count")
    }

    /// Returns its shapes.
    #[must_use]
    pub fn collisions(&self) -> impl ExactSizeIterator<Item = Collision<'a>> + use<'a> {
        let view = self.element.view;
        let range = view.within(ElementKind::Collision, ElementKind::Representation, self.element.index);
        range.map(move |index| Collision::new(view, index))
    }
}

/// A shape to collide with. Of boxes, spheres and capsules the format has no sizes.
#[derive(Clone, Copy, Debug)]
pub struct Collision<'a> {
    element: ElementReader<'a>,
}

impl<'a> Collision<'a> {
    pub(crate) fn new(view: View<'a>, index: usize) -> Self {
        let place = Field::new("").in_list("collision", as_u64(index));
        Self { element: ElementReader { view, kind: ElementKind::Collision, index, place } }
    }

    pub(crate) fn place(&self) -> (Field, u64) {
        (self.element.place, self.element.start().unwrap_or_default())
    }

    /// Returns its name.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn name(&self) -> Result<Name<'a>> {
        self.element.name("name")
    }

    /// Returns what it is: `BOX`, `SPHERE`, `CAPSULE` or `CONVEX`.
    ///
    /// # Errors
    ///
    /// As [`name`](Self::name).
    pub fn kind(&self) -> Result<Name<'a>> {
        self.element.name("type")
    }

    /// Returns where it is: sixteen numbers of a matrix, in the order of the file.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where there are not sixteen.
    pub fn transform(&self) -> Result<Option<[f32; 16]>> {
        self.element.floats("transform")
    }

    fn inner(&self, kind: ElementKind) -> Option<ElementReader<'a>> {
        let index = self.range(kind).next()?;
        Some(ElementReader { kind, index, ..self.element })
    }

    fn range(&self, kind: ElementKind) -> Range<usize> {
        self.element.view.within(kind, ElementKind::Collision, self.element.index)
    }

    /// Returns the points of a convex hull.
    ///
    /// # Errors
    ///
    /// As [`VertexBuffer`] says.
    pub fn hull_points(&self) -> Result<Option<VertexBuffer<'a>>> {
        self.inner(ElementKind::HullVertices).map(VertexBuffer::locate).transpose()
    }

    /// Returns the triangles of a convex hull.
    ///
    /// # Errors
    ///
    /// As [`IndexBuffer`] says.
    pub fn hull_triangles(&self) -> Result<Option<IndexBuffer<'a>>> {
        self.inner(ElementKind::HullTriangles).map(IndexBuffer::locate).transpose()
    }
}
