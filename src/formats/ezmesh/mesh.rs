//! Meshes and their sections: which vertices and which triangles they have.

use std::ops::Range;

use super::FORMAT;
use super::buffer::VertexBuffer;
use super::item::Item;
use super::markup::tag::Value;
use super::outline::Kind;
use super::semantic::Semantic;
use super::skeleton::widen;
use super::triangles::IndexBuffer;
use super::view::View;
use crate::array::Bounds;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::parse::Name;

/// A mesh: sections of one material each, which mostly share its vertices.
#[derive(Clone, Copy, Debug)]
pub struct Mesh<'a> {
    item: Item<'a>,
}

impl<'a> Mesh<'a> {
    pub(super) const fn new(view: View<'a>, index: usize) -> Self {
        let place = Field::new("").in_list("mesh", widen(index));
        Self { item: Item { view, kind: Kind::Mesh, index, place } }
    }

    /// Returns its number among all of the file's.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.item.index
    }

    /// Returns where it starts in the file.
    pub(super) fn start(&self) -> u64 {
        self.item.start().unwrap_or_default()
    }

    /// Returns its name.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn name(&self) -> Result<Name<'a>> {
        match self.item.reader()? {
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
        match self.item.reader()? {
            Some(mut reader) => {
                reader.skip_text("name")?;
                reader.text("skeleton")
            }
            None => self.names().map(|[_, skeleton]| skeleton),
        }
    }

    /// Returns both names of a text file, which each section may ask for.
    fn names(&self) -> Result<[Name<'a>; 2]> {
        let tag = self.item.tag()?;
        let view = self.item.view;
        let places = view.state.named.get_or(self.item.index, || {
            tag.values(["name", "skeleton"]).map(|value| value.map(Value::range).unwrap_or_default())
        });
        Ok(places.map(|place| Name::new(view.bytes.get(place).unwrap_or_default())))
    }

    /// Returns how many sections the file says that it has.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where it is no count.
    pub fn declared_section_count(&self) -> Result<Option<u32>> {
        let Some(mut reader) = self.item.reader()? else { return self.item.counted("submesh_count") };
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
        let boxes = self.item.view.within(Kind::MeshBox, Kind::Mesh, self.item.index);
        self.item.view.box_at(Kind::MeshBox, boxes, self.item.place)
    }

    /// Returns the numbers of its sections among all of the file's.
    #[must_use]
    pub fn section_range(&self) -> Range<usize> {
        self.item.view.within(Kind::Section, Kind::Mesh, self.item.index)
    }

    /// Returns its sections.
    #[must_use]
    pub fn sections(&self) -> impl ExactSizeIterator<Item = Section<'a>> + use<'a> {
        let view = self.item.view;
        self.section_range().map(move |section| Section::new(view, section))
    }

    /// Returns the numbers of the vertices that its sections share, among those of all meshes.
    pub(super) fn vertex_range(&self) -> Range<usize> {
        self.item.view.within(Kind::MeshVertices, Kind::Mesh, self.item.index)
    }

    /// Returns the vertices that its sections share; `None` where each section has its own.
    ///
    /// # Errors
    ///
    /// As [`VertexBuffer`] says.
    pub fn vertex_buffer(&self) -> Result<Option<VertexBuffer<'a>>> {
        let Some(index) = self.vertex_range().next() else { return Ok(None) };
        let item = Item { kind: Kind::MeshVertices, index, ..self.item };
        VertexBuffer::locate(item).map(Some)
    }

    /// Returns the number of its skeleton: one that stands within the mesh, one with the name that it gives, or the first.
    /// `None` where the file has none.
    ///
    /// # Errors
    ///
    /// As [`name`](Self::name).
    pub fn skeleton(&self) -> Result<Option<usize>> {
        let view = self.item.view;
        if view.count(Kind::Skeleton) < 2 {
            return Ok(view.count(Kind::Skeleton).checked_sub(1));
        }
        let name = self.skeleton_name()?;
        Ok(view.state.skeleton.get_or(self.item.index, || {
            let own = self.own_skeleton();
            Some(own.or_else(|| view.find_skeleton(name)).unwrap_or_default())
        }))
    }

    /// Returns the number of the first skeleton that stands within the mesh.
    pub(super) fn own_skeleton(&self) -> Option<usize> {
        let outline = &self.item.view.state.outline;
        let own = outline.within(Kind::OwnSkeleton, Kind::Mesh, self.item.index).next()?;
        outline.around(Kind::Skeleton, outline.start(Kind::OwnSkeleton, own)?)
    }

    /// Returns the numbers of its skeleton's bones, among all of the file's: what its vertices' weights count in.
    ///
    /// # Errors
    ///
    /// As [`name`](Self::name).
    pub fn bones(&self) -> Result<Range<usize>> {
        let skeleton = self.skeleton()?;
        Ok(skeleton.map_or(0..0, |skeleton| self.item.view.within(Kind::Bone, Kind::Skeleton, skeleton)))
    }
}

/// A section of a mesh: triangles of one material.
#[derive(Clone, Copy, Debug)]
pub struct Section<'a> {
    item: Item<'a>,
    mesh: usize,
}

impl<'a> Section<'a> {
    pub(super) fn new(view: View<'a>, index: usize) -> Self {
        let start = view.state.outline.start(Kind::Section, index).unwrap_or_default();
        let mesh = view.state.outline.around(Kind::Mesh, start).unwrap_or_default();
        let first = view.within(Kind::Section, Kind::Mesh, mesh).start;
        let place =
            Field::new("").in_list("mesh", widen(mesh)).in_inner_list("section", widen(index.saturating_sub(first)));
        Self { item: Item { view, kind: Kind::Section, index, place }, mesh }
    }

    /// Returns its number among all of the file's.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.item.index
    }

    /// Returns where it stands in the structure, and where in the file.
    pub(super) fn place(&self) -> (Field, u64) {
        (self.item.place, self.item.start().unwrap_or_default())
    }

    /// Returns the mesh that it belongs to.
    #[must_use]
    pub const fn mesh(&self) -> Mesh<'a> {
        Mesh::new(self.item.view, self.mesh)
    }

    /// Returns the name of its material.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn material_name(&self) -> Result<Name<'a>> {
        match self.item.reader()? {
            Some(mut reader) => reader.text("material"),
            None => self.item.name("material"),
        }
    }

    /// Returns where an older exporter found it; `None` in other files.
    ///
    /// # Errors
    ///
    /// As [`material_name`](Self::material_name).
    pub fn info(&self) -> Result<Option<Name<'a>>> {
        match self.item.view.order() {
            Some(_) => Ok(None),
            None => Ok(self.item.tag()?.value("info").map(Value::name)),
        }
    }

    /// Returns the vertex flags that a section of a binary file repeats.
    ///
    /// # Errors
    ///
    /// As [`material_name`](Self::material_name).
    pub fn flags(&self) -> Result<Option<u32>> {
        let Some(mut reader) = self.item.reader()? else { return Ok(None) };
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
        match self.item.view.order() {
            Some(_) => Ok([None; 2]),
            None => Ok(self.item.tag()?.values(["ctype", "semantic"]).map(|value| value.map(Value::name))),
        }
    }

    /// Returns the box that the file declares around it. It may be wrong.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where it is not made of six numbers.
    pub fn declared_bounds(&self) -> Result<Option<Bounds>> {
        let boxes = self.item.view.within(Kind::SectionBox, Kind::Section, self.item.index);
        self.item.view.box_at(Kind::SectionBox, boxes, self.item.place)
    }

    /// Returns the numbers of its own vertices, among those of all sections.
    pub(super) fn vertex_range(&self) -> Range<usize> {
        self.item.view.within(Kind::SectionVertices, Kind::Section, self.item.index)
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
            return VertexBuffer::locate(Item { kind: Kind::SectionVertices, index, ..self.item });
        }
        self.mesh().vertex_buffer()?.ok_or_else(|| {
            let expected = "a vertexbuffer in the section or in its mesh".into();
            let start = self.item.start().unwrap_or_default();
            Error::new(FORMAT, self.item.place.named("vertexbuffer"), start, ErrorKind::Missing { expected })
        })
    }

    /// Tells whether its vertices have weights of bones.
    pub(super) fn has_weights(&self) -> bool {
        self.vertex_buffer().is_ok_and(|buffer| buffer.layout().column(Semantic::BlendWeights).is_some())
    }

    /// Returns the numbers of its triangle lists, among those of all sections.
    pub(super) fn triangle_range(&self) -> Range<usize> {
        self.item.view.within(Kind::Triangles, Kind::Section, self.item.index)
    }

    /// Returns its triangles; `None` where it has no list of them.
    ///
    /// # Errors
    ///
    /// As [`IndexBuffer`] says.
    pub fn index_buffer(&self) -> Result<Option<IndexBuffer<'a>>> {
        let Some(index) = self.triangle_range().next() else { return Ok(None) };
        IndexBuffer::locate(Item { kind: Kind::Triangles, index, ..self.item }).map(Some)
    }
}
