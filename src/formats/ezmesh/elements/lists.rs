//! Methods of [`View`] that iterate over all elements of a file, such as meshes, skeletons and
//! materials.

use super::{
    Collision, Instance, Material, MeshElement, Representation, Skeleton, TetraMesh, Texture, UserBinary, UserData,
};
use crate::formats::ezmesh::animation::{Animation, Track};
use crate::formats::ezmesh::element_index::ElementKind;
use crate::formats::ezmesh::surface::Section;
use crate::formats::ezmesh::view::View;

impl<'a> View<'a> {
    /// Returns all skeletons of the file.
    #[must_use]
    pub fn skeletons(&self) -> impl ExactSizeIterator<Item = Skeleton<'a>> + use<'a> {
        let view = *self;
        (0..self.count(ElementKind::Skeleton)).map(move |index| Skeleton::new(view, index))
    }

    /// Returns all animations of the file.
    #[must_use]
    pub fn animations(&self) -> impl ExactSizeIterator<Item = Animation<'a>> + use<'a> {
        let view = *self;
        (0..self.count(ElementKind::Animation)).map(move |index| Animation::new(view, index))
    }

    /// Returns the tracks of all animations of the file.
    pub(in crate::formats::ezmesh) fn tracks(&self) -> impl ExactSizeIterator<Item = Track<'a>> + use<'a> {
        let view = *self;
        (0..self.count(ElementKind::Track)).map(move |index| Track::new(view, index))
    }

    /// Returns all materials of the file.
    #[must_use]
    pub fn materials(&self) -> impl ExactSizeIterator<Item = Material<'a>> + use<'a> {
        let view = *self;
        (0..self.count(ElementKind::Material)).map(move |index| Material::new(view, index))
    }

    /// Returns all meshes of the file.
    #[must_use]
    pub fn meshes(&self) -> impl ExactSizeIterator<Item = MeshElement<'a>> + use<'a> {
        let view = *self;
        (0..self.count(ElementKind::Mesh)).map(move |index| MeshElement::new(view, index))
    }

    /// Returns the sections of all meshes of the file.
    #[must_use]
    pub fn sections(&self) -> impl ExactSizeIterator<Item = Section<'a>> + use<'a> {
        let view = *self;
        (0..self.count(ElementKind::Section)).map(move |index| Section::new(view, index))
    }

    /// Returns all tetrahedral meshes of the file.
    #[must_use]
    pub fn tetra_meshes(&self) -> impl ExactSizeIterator<Item = TetraMesh<'a>> + use<'a> {
        let view = *self;
        (0..self.count(ElementKind::Tetra)).map(move |index| TetraMesh::new(view, index))
    }

    /// Returns all mesh instances of the file.
    #[must_use]
    pub fn instances(&self) -> impl ExactSizeIterator<Item = Instance<'a>> + use<'a> {
        let view = *self;
        (0..self.count(ElementKind::Instance)).map(move |index| Instance::new(view, index))
    }

    /// Returns all collision representations of the file: groups of collision shapes for a physics
    /// engine.
    #[must_use]
    pub fn representations(&self) -> impl ExactSizeIterator<Item = Representation<'a>> + use<'a> {
        let view = *self;
        (0..self.count(ElementKind::Representation)).map(move |index| Representation::new(view, index))
    }

    /// Returns the collision shapes of all collision representations of the file.
    #[must_use]
    pub fn collisions(&self) -> impl ExactSizeIterator<Item = Collision<'a>> + use<'a> {
        let view = *self;
        (0..self.count(ElementKind::Collision)).map(move |index| Collision::new(view, index))
    }

    /// Returns the textures that are stored in a binary file. For a text file, the iterator over
    /// the textures is empty.
    #[must_use]
    pub fn textures(&self) -> impl ExactSizeIterator<Item = Texture<'a>> + use<'a> {
        let view = *self;
        (0..self.count(ElementKind::Texture)).map(move |index| Texture::new(view, index))
    }

    /// Returns the key-value pairs of strings that are stored in a binary file as user data.
    #[must_use]
    pub fn user_data(&self) -> impl ExactSizeIterator<Item = UserData<'a>> + use<'a> {
        let view = *self;
        (0..self.count(ElementKind::UserData)).map(move |index| UserData::new(view, index))
    }

    /// Returns the named byte arrays that are stored in a binary file as user data.
    #[must_use]
    pub fn user_binary_data(&self) -> impl ExactSizeIterator<Item = UserBinary<'a>> + use<'a> {
        let view = *self;
        (0..self.count(ElementKind::UserBinary)).map(move |index| UserBinary::new(view, index))
    }
}
