//! The sections of a mesh. Each section is one surface: the triangles of one material.

use super::element_index::ElementKind;
use super::elements::buffers::{IndexBuffer, VertexBuffer};
use super::elements::reader::ElementReader;
use super::elements::{MeshElement, Section};
use super::layout::FORMAT;
use super::semantic::Semantic;
use super::validate::rules::MESH_STRUCTURE;
use super::xml::tag::AttributeValue;
use crate::array::Bounds;
use crate::error::{Cause, Error, Result};
use crate::parse::Name;

impl<'a> Section<'a> {
    /// Returns the index of the section among all sections of the file.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.element.index
    }

    /// Returns the mesh that contains the section.
    #[must_use]
    pub fn mesh(&self) -> MeshElement<'a> {
        let view = self.element.view;
        let mesh = view.state.elements.around(ElementKind::Mesh, self.element.start().unwrap_or_default());
        MeshElement::new(view, mesh.unwrap_or_default())
    }

    /// Returns the `info` attribute of the section, such as the path of a texture. Only files of an
    /// older exporter contain the attribute `info`; for all other files, the function returns
    /// `None`.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`material_name`](Self::material_name).
    pub fn info(&self) -> Result<Option<Name<'a>>> {
        match self.element.view.order() {
            Some(_) => Ok(None),
            None => Ok(self.element.tag()?.value("info").map(AttributeValue::name)),
        }
    }

    /// Returns the vertex flags of the section, or `None` for a text file. A binary file repeats
    /// the vertex flags of a mesh in each section of the mesh.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`material_name`](Self::material_name).
    pub fn flags(&self) -> Result<Option<u32>> {
        let reader = self.element.fields_from("flags")?;
        reader.map(|mut reader| reader.u32("flags")).transpose()
    }

    /// Returns the attributes `ctype` and `semantic` of the section element in a text file. They
    /// repeat the vertex declaration of the mesh. A missing attribute is `None`; for a binary file,
    /// both attributes are `None`.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`material_name`](Self::material_name).
    pub fn repeated_types(&self) -> Result<[Option<Name<'a>>; 2]> {
        match self.element.view.order() {
            Some(_) => Ok([None; 2]),
            None => Ok(self.element.tag()?.values(["ctype", "semantic"]).map(|value| value.map(AttributeValue::name))),
        }
    }

    /// Returns the bounding box that the file declares for the section, or `None` if the file
    /// declares no bounding box. The declared bounding box may differ from the bounding box of the
    /// positions.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the declared bounding box does not consist of six numbers.
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn declared_bounds(&self) -> Result<Option<Bounds>> {
        self.element.first(ElementKind::SectionBox).map(ElementReader::bounds).transpose()
    }

    /// Returns whether the section has a separate vertex buffer, and does not use the shared
    /// vertices of its mesh.
    #[must_use]
    pub fn has_own_vertices(&self) -> bool {
        !self.element.inside(ElementKind::SectionVertices).is_empty()
    }

    /// Returns the vertices of the section, or the shared vertices of its mesh if the section has
    /// no separate vertices.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Missing`] if neither the section nor its mesh has vertices. Also
    /// returns the errors that the documentation of [`VertexBuffer`] lists.
    ///
    /// [`ErrorKind::Missing`]: crate::ErrorKind::Missing
    pub fn vertex_buffer(&self) -> Result<VertexBuffer<'a>> {
        if let Some(own) = self.element.first(ElementKind::SectionVertices) {
            return VertexBuffer::locate(own);
        }
        self.mesh().vertex_buffer()?.ok_or_else(|| {
            let expected = "a vertexbuffer in the section or in its mesh".into();
            let start = self.element.start().unwrap_or_default();
            Error::new(FORMAT, self.element.place.named("vertexbuffer"), start, Cause::Missing { expected })
                .breaking(&MESH_STRUCTURE)
        })
    }

    /// Returns whether the vertices of the section have bone weights.
    pub(super) fn has_weights(&self) -> bool {
        self.vertex_buffer().is_ok_and(|buffer| buffer.format().column(Semantic::BlendWeights).is_some())
    }

    /// Returns the triangles of the section, or `None` if the section has no index buffer.
    ///
    /// # Errors
    ///
    /// Returns the errors that the documentation of [`IndexBuffer`] lists.
    pub fn index_buffer(&self) -> Result<Option<IndexBuffer<'a>>> {
        self.element.first(ElementKind::Triangles).map(IndexBuffer::locate).transpose()
    }
}
