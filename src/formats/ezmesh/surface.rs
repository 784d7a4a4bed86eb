//! Sections: the surfaces of a mesh.

use std::ops::Range;

use super::element_index::ElementKind;
use super::elements::index_buffer::IndexBuffer;
use super::elements::reader::ElementReader;
use super::elements::vertex_buffer::VertexBuffer;
use super::layout::FORMAT;
use super::semantic::Semantic;
use super::view::View;
use super::xml::tag::AttributeValue;
use crate::array::Bounds;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;
use crate::parse::Name;

/// A section of a mesh: triangles of one material.
#[derive(Clone, Copy, Debug)]
pub struct Section<'a> {
    element: ElementReader<'a>,
    mesh: usize,
}

impl<'a> Section<'a> {
    pub(super) fn new(view: View<'a>, index: usize) -> Self {
        let start = view.state.elements.start(ElementKind::Section, index).unwrap_or_default();
        let mesh = view.state.elements.around(ElementKind::Mesh, start).unwrap_or_default();
        let first = view.within(ElementKind::Section, ElementKind::Mesh, mesh).start;
        let place =
            Field::new("").in_list("mesh", as_u64(mesh)).in_inner_list("section", as_u64(index.saturating_sub(first)));
        Self { element: ElementReader { view, kind: ElementKind::Section, index, place }, mesh }
    }

    /// Returns its number among all of the file's.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.element.index
    }

    pub(super) const fn view(&self) -> View<'a> {
        self.element.view
    }

    /// Returns the number of its mesh.
    pub(super) const fn mesh_index(&self) -> usize {
        self.mesh
    }

    /// Returns where it stands in the structure, and where in the file.
    pub(super) fn place(&self) -> (Field, u64) {
        (self.element.place, self.element.start().unwrap_or_default())
    }

    /// Returns the name of its material.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn material_name(&self) -> Result<Name<'a>> {
        self.element.first_text("material")
    }

    /// Returns where an older exporter found it; `None` in other files.
    ///
    /// # Errors
    ///
    /// As [`material_name`](Self::material_name).
    pub fn info(&self) -> Result<Option<Name<'a>>> {
        match self.element.view.order() {
            Some(_) => Ok(None),
            None => Ok(self.element.tag()?.value("info").map(AttributeValue::name)),
        }
    }

    /// Returns the vertex flags that a section of a binary file repeats.
    ///
    /// # Errors
    ///
    /// As [`material_name`](Self::material_name).
    pub fn flags(&self) -> Result<Option<u32>> {
        let Some(mut reader) = self.element.fields()? else { return Ok(None) };
        reader.skip_text("material")?;
        reader.lend(6, 4, "bounds")?;
        reader.u32("flags").map(Some)
    }

    /// Returns the `ctype` and the `semantic` that a section of a text file repeats.
    ///
    /// # Errors
    ///
    /// As [`material_name`](Self::material_name).
    pub fn repeated_types(&self) -> Result<[Option<Name<'a>>; 2]> {
        match self.element.view.order() {
            Some(_) => Ok([None; 2]),
            None => Ok(self.element.tag()?.values(["ctype", "semantic"]).map(|value| value.map(AttributeValue::name))),
        }
    }

    /// Returns the box that the file declares around it. It may be wrong.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where it is not made of six numbers.
    pub fn declared_bounds(&self) -> Result<Option<Bounds>> {
        let boxes = self.element.view.within(ElementKind::SectionBox, ElementKind::Section, self.element.index);
        self.element.view.box_at(ElementKind::SectionBox, boxes, self.element.place)
    }

    /// Returns the numbers of its own vertices, among those of all sections.
    pub(super) fn vertex_range(&self) -> Range<usize> {
        self.element.view.within(ElementKind::SectionVertices, ElementKind::Section, self.element.index)
    }

    /// Tells whether it has vertices of its own, and does not share those of its mesh.
    #[must_use]
    pub fn has_own_vertices(&self) -> bool {
        !self.vertex_range().is_empty()
    }

    /// Returns its vertices: its own or, where it has none, those of its mesh.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Missing`] where neither has any; and as [`VertexBuffer`] says.
    pub fn vertex_buffer(&self) -> Result<VertexBuffer<'a>> {
        if let Some(index) = self.vertex_range().next() {
            return VertexBuffer::locate(ElementReader { kind: ElementKind::SectionVertices, index, ..self.element });
        }
        VertexBuffer::shared_by(self.element.view, self.mesh)?.ok_or_else(|| {
            let expected = "a vertexbuffer in the section or in its mesh".into();
            let start = self.element.start().unwrap_or_default();
            Error::new(FORMAT, self.element.place.named("vertexbuffer"), start, ErrorKind::Missing { expected })
        })
    }

    /// Tells whether its vertices have weights of bones.
    pub(super) fn has_weights(&self) -> bool {
        self.vertex_buffer().is_ok_and(|buffer| buffer.format().column(Semantic::BlendWeights).is_some())
    }

    /// Returns the numbers of its triangle lists, among those of all sections.
    pub(super) fn triangle_range(&self) -> Range<usize> {
        self.element.view.within(ElementKind::Triangles, ElementKind::Section, self.element.index)
    }

    /// Returns its triangles; `None` where it has no list of them.
    ///
    /// # Errors
    ///
    /// As [`IndexBuffer`] says.
    pub fn index_buffer(&self) -> Result<Option<IndexBuffer<'a>>> {
        let Some(index) = self.triangle_range().next() else { return Ok(None) };
        IndexBuffer::locate(ElementReader { kind: ElementKind::Triangles, index, ..self.element }).map(Some)
    }
}
