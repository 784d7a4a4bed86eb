//! Meshes and their sections, with their vertices and triangles, and materials.

use std::ops::Range;

use super::reader::ElementReader;
use super::vertex_buffer::VertexBuffer;
use super::{Material, MeshElement};
use crate::array::Bounds;
use crate::error::{Breaking as _, Result};
use crate::formats::ezmesh::element_index::ElementKind;
use crate::formats::ezmesh::elements::Section;
use crate::formats::ezmesh::validate::rules::NUMBER_TYPE;
use crate::formats::ezmesh::xml::tag::AttributeValue;
use crate::formats::ezmesh::xml::unescape_percent;
use crate::parse::Name;

impl<'a> MeshElement<'a> {
    /// Returns the index of the mesh among all meshes of the file.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.element.index
    }

    /// Returns the name of the mesh.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes of the file have changed since the file was opened.
    pub fn name(&self) -> Result<Name<'a>> {
        match self.element.fields()? {
            Some(mut reader) => reader.text("name"),
            None => self.names().map(|[name, _]| name),
        }
    }

    /// Returns the name of the skeleton of the mesh, as stored in the file. The skeleton name is
    /// usually empty, or the word `null`.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`name`](Self::name).
    pub fn skeleton_name(&self) -> Result<Name<'a>> {
        match self.element.fields_from("skeleton")? {
            Some(mut reader) => reader.text("skeleton"),
            None => self.names().map(|[_, skeleton]| skeleton),
        }
    }

    /// Returns the name and the skeleton name of a mesh in a text file. The two names are cached,
    /// because each section of the mesh may request the names.
    fn names(&self) -> Result<[Name<'a>; 2]> {
        let tag = self.element.tag()?;
        let view = self.element.view;
        let places = view.state.caches.named.get_or(self.element.index, || {
            tag.values(["name", "skeleton"]).map(|value| value.map(AttributeValue::range).unwrap_or_default())
        });
        Ok(places.map(|place| Name::new(view.bytes.get(place).unwrap_or_default())))
    }

    /// Returns the number of sections that the file declares for the mesh, or `None` if the
    /// attribute `submesh_count` of a text file is missing.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::error::ErrorKind::Value) if the attribute
    /// `submesh_count` is not an integer from 0 to 4294967295.
    pub fn declared_section_count(&self) -> Result<Option<u32>> {
        match self.element.fields_from("sections")? {
            Some(mut reader) => reader.u32("sections").map(Some),
            None => self.element.counted("submesh_count").breaking(&NUMBER_TYPE),
        }
    }

    /// Returns the bounding box that the file declares for the mesh, or `None` if the file declares
    /// no bounding box.
    ///
    /// The declared bounding box may differ from the bounding box of the positions.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::error::ErrorKind::Value) if the two corners of the
    /// bounding box in a text file do not have three numbers each.
    pub fn declared_bounds(&self) -> Result<Option<Bounds>> {
        let boxes = self.element.view.within(ElementKind::MeshBox, ElementKind::Mesh, self.element.index);
        self.element.view.box_at(ElementKind::MeshBox, boxes, self.element.place)
    }

    /// Returns the range of section indices of the mesh. Section indices count the sections of all
    /// meshes of the file.
    #[must_use]
    pub fn section_range(&self) -> Range<usize> {
        self.element.view.within(ElementKind::Section, ElementKind::Mesh, self.element.index)
    }

    /// Returns the sections of the mesh, in file order.
    #[must_use]
    pub fn sections(&self) -> impl ExactSizeIterator<Item = Section<'a>> + use<'a> {
        let view = self.element.view;
        self.section_range().map(move |section| Section::new(view, section))
    }

    /// Returns the index range of the shared vertex buffers of this mesh, among the shared vertex
    /// buffers of all meshes.
    pub(crate) fn vertex_range(&self) -> Range<usize> {
        self.element.view.within(ElementKind::MeshVertices, ElementKind::Mesh, self.element.index)
    }

    /// Returns the vertices that the sections of the mesh share, or `None` if each section has
    /// separate vertices.
    ///
    /// # Errors
    ///
    /// Returns the errors that the documentation of [`VertexBuffer`] lists.
    pub fn vertex_buffer(&self) -> Result<Option<VertexBuffer<'a>>> {
        let shared = self.vertex_range().next();
        let element = |index| ElementReader { kind: ElementKind::MeshVertices, index, ..self.element };
        shared.map(|index| VertexBuffer::locate(element(index))).transpose()
    }

    /// Returns the index of the skeleton of the mesh, or `None` if the file has no skeleton.
    ///
    /// If the mesh element contains a skeleton element, returns the index of this skeleton. If the
    /// mesh element contains no skeleton element, returns the index of the skeleton with the
    /// skeleton name of the mesh. If no skeleton of the file has the skeleton name of the mesh,
    /// returns 0, the index of the first skeleton of the file.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`name`](Self::name).
    pub fn skeleton(&self) -> Result<Option<usize>> {
        let view = self.element.view;
        if view.count(ElementKind::Skeleton) < 2 {
            return Ok(view.count(ElementKind::Skeleton).checked_sub(1));
        }
        let name = self.skeleton_name()?;
        Ok(view.state.caches.skeleton.get_or(self.element.index, || {
            let own = self.own_skeleton();
            Some(own.or_else(|| view.find(ElementKind::Skeleton, name)).unwrap_or_default())
        }))
    }

    /// Returns the index of the first skeleton element inside the mesh element, or `None` if the
    /// mesh contains no skeleton.
    pub(crate) fn own_skeleton(&self) -> Option<usize> {
        let elements = &self.element.view.state.elements;
        let own = elements.within(ElementKind::OwnSkeleton, ElementKind::Mesh, self.element.index).next()?;
        elements.around(ElementKind::Skeleton, elements.start(ElementKind::OwnSkeleton, own)?)
    }

    /// Returns the range of bone indices of the mesh's skeleton. Bone indices count the bones of
    /// all skeletons of the file.
    ///
    /// If a vertex of the mesh stores the bone index 0, the vertex refers to the first bone of the
    /// returned range.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`name`](Self::name).
    pub fn bones(&self) -> Result<Range<usize>> {
        let skeleton = self.skeleton()?;
        Ok(skeleton
            .map_or(0..0, |skeleton| self.element.view.within(ElementKind::Bone, ElementKind::Skeleton, skeleton)))
    }
}

impl<'a> Material<'a> {
    /// Returns the additional text (`meta_data`) of the material, with `%` codes and XML entities
    /// decoded.
    ///
    /// Newer programs that write `.ezm` files encode quotation marks in `meta_data` as `%` codes.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`name`](Self::name).
    pub fn decoded_meta_data(&self) -> Result<String> {
        self.meta_data().map(unescape_percent)
    }
}
