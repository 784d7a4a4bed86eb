//! Meshes and their sections: which vertices and which triangles they have.

use std::ops::Range;

use super::reader::ElementReader;
use super::vertex_buffer::VertexBuffer;
use crate::array::Bounds;
use crate::error::{Field, Result};
use crate::formats::ezmesh::element_index::ElementKind;
use crate::formats::ezmesh::name_index::find;
use crate::formats::ezmesh::surface::Section;
use crate::formats::ezmesh::view::View;
use crate::formats::ezmesh::xml::tag::AttributeValue;
use crate::math::as_u64;
use crate::parse::Name;

/// A mesh: sections of one material each, which mostly share its vertices.
#[derive(Clone, Copy, Debug)]
pub struct MeshElement<'a> {
    element: ElementReader<'a>,
}

impl<'a> MeshElement<'a> {
    pub(crate) fn new(view: View<'a>, index: usize) -> Self {
        let place = Field::new("").in_list("mesh", as_u64(index));
        Self { element: ElementReader { view, kind: ElementKind::Mesh, index, place } }
    }

    /// Returns its number among all of the file's.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.element.index
    }

    /// Returns where it starts in the file.
    pub(crate) fn start(&self) -> u64 {
        self.element.start().unwrap_or_default()
    }

    /// Returns its name.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn name(&self) -> Result<Name<'a>> {
        match self.element.fields()? {
            Some(mut reader) => reader.text("name"),
            None => self.names().map(|[name, _]| name),
        }
    }

    /// Returns the name of its skeleton: mostly empty or the word `null`.
    ///
    /// # Errors
    ///
    /// As [`name`](Self::name).
    pub fn skeleton_name(&self) -> Result<Name<'a>> {
        match self.element.fields()? {
            Some(mut reader) => {
                reader.skip_text("name")?;
                reader.text("skeleton")
            }
            None => self.names().map(|[_, skeleton]| skeleton),
        }
    }

    /// Returns both names of a text file, which each section may ask for.
    fn names(&self) -> Result<[Name<'a>; 2]> {
        let tag = self.element.tag()?;
        let view = self.element.view;
        let places = view.state.caches.named.get_or(self.element.index, || {
            tag.values(["name", "skeleton"]).map(|value| value.map(AttributeValue::range).unwrap_or_default())
        });
        Ok(places.map(|place| Name::new(view.bytes.get(place).unwrap_or_default())))
    }

    /// Returns how many sections the file says that it has.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where it is no count.
    pub fn declared_section_count(&self) -> Result<Option<u32>> {
        let Some(mut reader) = self.element.fields()? else { return self.element.counted("submesh_count") };
        reader.skip_text("name")?;
        reader.skip_text("skeleton")?;
        reader.lend(6, 4, "bounds")?;
        reader.u32("sections").map(Some)
    }

    /// Returns the box that the file declares around it. It may be wrong.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where it is not made of six numbers.
    pub fn declared_bounds(&self) -> Result<Option<Bounds>> {
        let boxes = self.element.view.within(ElementKind::MeshBox, ElementKind::Mesh, self.element.index);
        self.element.view.box_at(ElementKind::MeshBox, boxes, self.element.place)
    }

    /// Returns the numbers of its sections among all of the file's.
    #[must_use]
    pub fn section_range(&self) -> Range<usize> {
        self.element.view.within(ElementKind::Section, ElementKind::Mesh, self.element.index)
    }

    /// Returns its sections.
    #[must_use]
    pub fn sections(&self) -> impl ExactSizeIterator<Item = Section<'a>> + use<'a> {
        let view = self.element.view;
        self.section_range().map(move |section| Section::new(view, section))
    }

    /// Returns the numbers of the vertices that its sections share, among those of all meshes.
    pub(crate) fn vertex_range(&self) -> Range<usize> {
        self.element.view.within(ElementKind::MeshVertices, ElementKind::Mesh, self.element.index)
    }

    /// Returns the vertices that its sections share; `None` where each section has its own.
    ///
    /// # Errors
    ///
    /// As [`VertexBuffer`] says.
    pub fn vertex_buffer(&self) -> Result<Option<VertexBuffer<'a>>> {
        VertexBuffer::shared_by(self.element.view, self.element.index)
    }

    /// Returns the number of its skeleton: one that stands within the mesh, one with the name that it gives, or the first.
    /// `None` where the file has none.
    ///
    /// # Errors
    ///
    /// As [`name`](Self::name).
    pub fn skeleton(&self) -> Result<Option<usize>> {
        let view = self.element.view;
        if view.count(ElementKind::Skeleton) < 2 {
            return Ok(view.count(ElementKind::Skeleton).checked_sub(1));
        }
        let name = self.skeleton_name()?;
        Ok(view.state.caches.skeleton.get_or(self.element.index, || {
            let own = self.own_skeleton();
            Some(own.or_else(|| view.find_skeleton(name)).unwrap_or_default())
        }))
    }

    /// Returns the number of the first skeleton that stands within the mesh.
    pub(crate) fn own_skeleton(&self) -> Option<usize> {
        let elements = &self.element.view.state.elements;
        let own = elements.within(ElementKind::OwnSkeleton, ElementKind::Mesh, self.element.index).next()?;
        elements.around(ElementKind::Skeleton, elements.start(ElementKind::OwnSkeleton, own)?)
    }

    /// Returns the numbers of its skeleton's bones, among all of the file's: what its vertices' weights count in.
    ///
    /// # Errors
    ///
    /// As [`name`](Self::name).
    pub fn bones(&self) -> Result<Range<usize>> {
        let skeleton = self.skeleton()?;
        Ok(skeleton
            .map_or(0..0, |skeleton| self.element.view.within(ElementKind::Bone, ElementKind::Skeleton, skeleton)))
    }
}

impl<'a> Section<'a> {
    /// Returns the mesh that it belongs to.
    #[must_use]
    pub fn mesh(&self) -> MeshElement<'a> {
        MeshElement::new(self.view(), self.mesh_index())
    }
}

impl<'a> View<'a> {
    /// Returns the first mesh with a name.
    pub(crate) fn find_mesh(&self, name: Name<'_>) -> Option<usize> {
        find(&self.state.caches.meshes, self.count(ElementKind::Mesh), name, |index| {
            MeshElement::new(*self, index).name()
        })
    }
}
