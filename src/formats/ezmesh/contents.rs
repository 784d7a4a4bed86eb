//! Lists of everything in a file.

use super::animation::{Animation, Track};
use super::element_index::ElementKind;
use super::elements::{
    Collision, Instance, Material, MeshElement, Representation, Skeleton, TetraMesh, Texture, UserBinary, UserData,
};
use super::surface::Section;
use super::view::View;

impl<'a> View<'a> {
    /// Returns all skeletons.
    #[must_use]
    pub fn skeletons(&self) -> impl ExactSizeIterator<Item = Skeleton<'a>> + use<'a> {
        let view = *self;
        (0..self.count(ElementKind::Skeleton)).map(move |index| Skeleton::new(view, index))
    }

    /// Returns all animations.
    #[must_use]
    pub fn animations(&self) -> impl ExactSizeIterator<Item = Animation<'a>> + use<'a> {
        let view = *self;
        (0..self.count(ElementKind::Animation)).map(move |index| Animation::new(view, index))
    }

    /// Returns all tracks of all animations.
    pub(super) fn tracks(&self) -> impl ExactSizeIterator<Item = Track<'a>> + use<'a> {
        let view = *self;
        (0..self.count(ElementKind::Track)).map(move |index| Track::new(view, index))
    }

    /// Returns all materials.
    #[must_use]
    pub fn materials(&self) -> impl ExactSizeIterator<Item = Material<'a>> + use<'a> {
        let view = *self;
        (0..self.count(ElementKind::Material)).map(move |index| Material::new(view, index))
    }

    /// Returns all meshes.
    #[must_use]
    pub fn meshes(&self) -> impl ExactSizeIterator<Item = MeshElement<'a>> + use<'a> {
        let view = *self;
        (0..self.count(ElementKind::Mesh)).map(move |index| MeshElement::new(view, index))
    }

    /// Returns the sections of all meshes.
    #[must_use]
    pub fn sections(&self) -> impl ExactSizeIterator<Item = Section<'a>> + use<'a> {
        let view = *self;
        (0..self.count(ElementKind::Section)).map(move |index| Section::new(view, index))
    }

    /// Returns all meshes of tetrahedra.
    #[must_use]
    pub fn tetra_meshes(&self) -> impl ExactSizeIterator<Item = TetraMesh<'a>> + use<'a> {
        let view = *self;
        (0..self.count(ElementKind::Tetra)).map(move |index| TetraMesh::new(view, index))
    }

    /// Returns all instances of meshes.
    #[must_use]
    pub fn instances(&self) -> impl ExactSizeIterator<Item = Instance<'a>> + use<'a> {
        let view = *self;
        (0..self.count(ElementKind::Instance)).map(move |index| Instance::new(view, index))
    }

    /// Returns what a physics engine collides with, group by group.
    #[must_use]
    pub fn representations(&self) -> impl ExactSizeIterator<Item = Representation<'a>> + use<'a> {
        let view = *self;
        (0..self.count(ElementKind::Representation)).map(move |index| Representation::new(view, index))
    }

    /// Returns all collision shapes of all groups.
    #[must_use]
    pub fn collisions(&self) -> impl ExactSizeIterator<Item = Collision<'a>> + use<'a> {
        let view = *self;
        (0..self.count(ElementKind::Collision)).map(move |index| Collision::new(view, index))
    }

    /// Returns the textures in a binary file.
    #[must_use]
    pub fn textures(&self) -> impl ExactSizeIterator<Item = Texture<'a>> + use<'a> {
        let view = *self;
        (0..self.count(ElementKind::Texture)).map(move |index| Texture::new(view, index))
    }

    /// Returns the pairs of texts that a binary file keeps for its user.
    #[must_use]
    pub fn user_data(&self) -> impl ExactSizeIterator<Item = UserData<'a>> + use<'a> {
        let view = *self;
        (0..self.count(ElementKind::UserData)).map(move |index| UserData::new(view, index))
    }

    /// Returns the bytes that a binary file keeps for its user.
    #[must_use]
    pub fn user_binary_data(&self) -> impl ExactSizeIterator<Item = UserBinary<'a>> + use<'a> {
        let view = *self;
        (0..self.count(ElementKind::UserBinary)).map(move |index| UserBinary::new(view, index))
    }
}
