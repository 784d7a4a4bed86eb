//! Groups of collision shapes for a physics engine.

use std::ops::Range;

use super::index_buffer::IndexBuffer;
use super::reader::ElementReader;
use super::vertex_buffer::VertexBuffer;
use super::{Collision, Representation};
use crate::error::{Field, Result};
use crate::formats::ezmesh::element_index::ElementKind;
use crate::parse::Name;

impl<'a> Representation<'a> {
    /// Returns the name of the group of collision shapes.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes of the file have changed since the file was opened.
    pub fn name(&self) -> Result<Name<'a>> {
        self.element.name("name")
    }

    /// Returns the description of the group of collision shapes: free text, as stored in the file.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`name`](Self::name).
    pub fn info(&self) -> Result<Name<'a>> {
        self.element.name("info")
    }

    /// Returns the number of collision shapes that the file declares for the group, or `None` if
    /// the attribute `count` is missing.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::error::ErrorKind::Value) if the attribute `count` is not
    /// an integer from 0 to 4294967295.
    pub fn declared_count(&self) -> Result<Option<u32>> {
        self.element.counted("count")
    }

    /// Returns the collision shapes of the group, in file order.
    #[must_use]
    pub fn collisions(&self) -> impl ExactSizeIterator<Item = Collision<'a>> + use<'a> {
        let view = self.element.view;
        let range = view.within(ElementKind::Collision, ElementKind::Representation, self.element.index);
        range.map(move |index| Collision::new(view, index))
    }
}

impl<'a> Collision<'a> {
    pub(crate) fn place(&self) -> (Field, u64) {
        self.element.located()
    }

    /// Returns the name of the collision shape.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes of the file have changed since the file was opened.
    pub fn name(&self) -> Result<Name<'a>> {
        self.element.name("name")
    }

    /// Returns the type of the collision shape: `BOX`, `SPHERE`, `CAPSULE` or `CONVEX`.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`name`](Self::name).
    pub fn kind(&self) -> Result<Name<'a>> {
        self.element.name("type")
    }

    /// Returns the transform of the collision shape as the sixteen numbers of a matrix, in file
    /// order. Returns `None` if the file stores no transform.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::error::ErrorKind::Value) if the attribute `transform`
    /// does not contain exactly sixteen numbers.
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

    /// Returns the number of vertex blocks and the number of triangle blocks in the shape.
    pub(crate) fn hull_block_counts(&self) -> [usize; 2] {
        [ElementKind::HullVertices, ElementKind::HullTriangles].map(|kind| self.range(kind).len())
    }

    /// Returns the points of the convex hull, or `None` if the collision shape has no points.
    ///
    /// # Errors
    ///
    /// Returns the errors that the documentation of [`VertexBuffer`] lists.
    pub fn hull_points(&self) -> Result<Option<VertexBuffer<'a>>> {
        self.inner(ElementKind::HullVertices).map(VertexBuffer::locate).transpose()
    }

    /// Returns the triangles of the convex hull, or `None` if the collision shape has no triangles.
    ///
    /// # Errors
    ///
    /// Returns the errors that the documentation of [`IndexBuffer`] lists.
    pub fn hull_triangles(&self) -> Result<Option<IndexBuffer<'a>>> {
        self.inner(ElementKind::HullTriangles).map(IndexBuffer::locate).transpose()
    }
}
