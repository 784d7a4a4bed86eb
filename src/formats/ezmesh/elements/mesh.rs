//! Meshes and their sections, with their vertices and triangles; materials; skeletons and their
//! bones.

use std::ops::Range;

use super::buffers::VertexBuffer;
use super::reader::ElementReader;
use super::{Material, MeshElement, Section, Skeleton};
use crate::array::Bounds;
use crate::error::{Breaking as _, Result};
use crate::formats::ezmesh::element_index::ElementKind;
use crate::formats::ezmesh::validate::rules::NUMBER_TYPE;
use crate::formats::ezmesh::view::{NameIndex, View};
use crate::formats::ezmesh::xml::tag::AttributeValue;
use crate::formats::ezmesh::xml::unescape_percent;
use crate::math::as_index;
use crate::model::Bone;
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
        self.element.declared("sections", "submesh_count").breaking(&NUMBER_TYPE)
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
        self.element.first(ElementKind::MeshBox).map(ElementReader::bounds).transpose()
    }

    /// Returns the range of section indices of the mesh. Section indices count the sections of all
    /// meshes of the file.
    #[must_use]
    pub fn section_range(&self) -> Range<usize> {
        self.element.inside(ElementKind::Section)
    }

    /// Returns the sections of the mesh, in file order.
    #[must_use]
    pub fn sections(&self) -> impl ExactSizeIterator<Item = Section<'a>> + use<'a> {
        let view = self.element.view;
        self.section_range().map(move |section| Section::new(view, section))
    }

    /// Returns the vertices that the sections of the mesh share, or `None` if each section has
    /// separate vertices.
    ///
    /// # Errors
    ///
    /// Returns the errors that the documentation of [`VertexBuffer`] lists.
    pub fn vertex_buffer(&self) -> Result<Option<VertexBuffer<'a>>> {
        self.element.first(ElementKind::MeshVertices).map(VertexBuffer::locate).transpose()
    }

    /// Returns the index of the skeleton of the mesh, or `None` if the file has no skeleton.
    ///
    /// If the mesh element contains a skeleton element, returns the index of this skeleton.
    /// Otherwise, returns the index of the skeleton with the skeleton name of the mesh, or 0 if the
    /// file has no such skeleton.
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
        let start = self.element.first(ElementKind::OwnSkeleton)?.start().ok()?;
        self.element.view.state.elements.around(ElementKind::Skeleton, start)
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
        let Some(skeleton) = self.skeleton()? else { return Ok(0..0) };
        Ok(Skeleton::new(self.element.view, skeleton).bone_range())
    }
}

impl Material<'_> {
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

impl<'a> Skeleton<'a> {
    /// Returns the number of bones that the file declares for the skeleton, or `None` if the
    /// attribute `count` of a text file is missing.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::error::ErrorKind::Value) if the attribute `count` is not
    /// an integer from 0 to 4294967295.
    pub fn declared_count(&self) -> Result<Option<u32>> {
        self.element.declared("bones", "count")
    }

    /// Returns the range of bone indices of the skeleton. Bone indices count the bones of all
    /// skeletons of the file.
    #[must_use]
    pub fn bone_range(&self) -> Range<usize> {
        self.element.inside(ElementKind::Bone)
    }

    /// Returns the bones of the skeleton. The parent index of a returned bone counts the bones of
    /// all skeletons of the file.
    #[must_use]
    pub fn bones(&self) -> impl ExactSizeIterator<Item = Result<Bone<'a>>> + use<'a> {
        let view = self.element.view;
        self.bone_range().map(move |bone| view.bone(bone))
    }
}

impl<'a> View<'a> {
    /// Returns the total number of bones in all skeletons of the file.
    #[must_use]
    pub fn bone_count(&self) -> usize {
        self.count(ElementKind::Bone)
    }

    /// Returns a bone by its index among the bones of all skeletons.
    ///
    /// If a text file omits the position, rotation or scale of a bone, the identity value (0, no
    /// rotation, or 1) is returned. A bone whose parent is not in the same skeleton is returned
    /// without a parent.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`](crate::error::ErrorKind::NoSuch) if the index is out of range.
    /// Returns [`ErrorKind::Value`](crate::error::ErrorKind::Value) if an attribute of the bone in
    /// a text file does not contain exactly three numbers for a position or scale, or four numbers
    /// for an orientation.
    pub fn bone(&self, bone: usize) -> Result<Bone<'a>> {
        let element = self.bone_element(bone);
        if let Some(mut reader) = element.fields()? {
            let name = reader.text("name")?;
            let parent = reader.i32("parent")?;
            let bind = reader.transform()?;
            let bones = Skeleton::new(*self, self.skeleton_of(bone)).bone_range();
            let parent = usize::try_from(parent).ok().filter(|parent| *parent < bones.len());
            let parent = parent.and_then(|parent| i32::try_from(bones.start.saturating_add(parent)).ok()).unwrap_or(-1);
            return Ok(Bone { name, parent, bind });
        }
        let names = ["position", "orientation", "scale"];
        let [position, orientation, scale, name] = element.tag()?.values([names[0], names[1], names[2], "name"]);
        let bind = element.transform([position, orientation, scale], names)?;
        let name = name.map(AttributeValue::name).unwrap_or_default();
        Ok(Bone { name, parent: self.parents().get(bone).copied().unwrap_or(-1), bind })
    }

    /// Returns the name of the bone with the index `bone`. Bone indices count the bones of all
    /// skeletons.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`bone`](Self::bone).
    pub fn bone_name(&self, bone: usize) -> Result<Name<'a>> {
        self.bone_element(bone).text("name")
    }

    /// Returns the parent index of a bone as stored in a binary file, without a range check.
    /// Returns `None` for a text file.
    pub(crate) fn stored_parent(&self, bone: usize) -> Result<Option<i32>> {
        let reader = self.bone_element(bone).fields_from("parent")?;
        reader.map(|mut reader| reader.i32("parent")).transpose()
    }

    /// Returns the parent name of a bone as stored in a text file, without a check that a bone with
    /// this name exists.
    pub(crate) fn parent_name(&self, bone: usize) -> Option<Name<'a>> {
        self.bone_element(bone).tag().ok()?.value("parent").map(AttributeValue::name)
    }

    pub(crate) fn bone_element(&self, bone: usize) -> ElementReader<'a> {
        let outer = (bone < self.bone_count()).then_some((ElementKind::Skeleton, "skeleton"));
        ElementReader::new(*self, outer, (ElementKind::Bone, "bone"), bone)
    }

    /// Returns the index of the skeleton that contains a bone.
    fn skeleton_of(&self, bone: usize) -> usize {
        let start = self.state.elements.start(ElementKind::Bone, bone).unwrap_or_default();
        self.state.elements.around(ElementKind::Skeleton, start).unwrap_or_default()
    }

    /// Returns an index of the names of all bones, in groups by skeleton.
    pub(in crate::formats::ezmesh) fn bone_names(&self) -> NameIndex {
        let bones = 0..u32::try_from(self.bone_count()).unwrap_or(u32::MAX);
        NameIndex::of(bones.map(|bone| {
            let name = self.bone_name(as_index(bone)).unwrap_or_default();
            (self.bone_group(as_index(bone)), name.as_bytes(), bone)
        }))
    }

    /// Returns the group in [`bone_names`](Self::bone_names) of the bones that are in the skeleton
    /// of a bone.
    pub(crate) fn bone_group(&self, bone: usize) -> u32 {
        u32::try_from(self.skeleton_of(bone)).unwrap_or(u32::MAX)
    }

    /// Returns the parent index of each bone of a text file. A text file stores only the name of a
    /// bone's parent.
    ///
    /// The parent is the first bone of the same skeleton that has the stored parent name. The
    /// parent bone may come before or after the child bone in the file. If no bone of the skeleton
    /// has the stored parent name, the child bone has no parent.
    fn parents(&self) -> &'a [i32] {
        self.state.caches.parents.get_or_init(|| {
            let names = self.bone_names();
            let parent = |bone: usize| {
                let parent = names.find(self.bone_group(bone), self.parent_name(bone)?.as_bytes());
                parent.and_then(|parent| i32::try_from(parent).ok())
            };
            let mut parents = Vec::new();
            // If the allocation of the vector fails, all bones are returned without a parent.
            if parents.try_reserve_exact(self.bone_count()).is_ok() {
                parents.extend((0..self.bone_count()).map(|bone| parent(bone).unwrap_or(-1)));
            }
            parents.into_boxed_slice()
        })
    }
}
