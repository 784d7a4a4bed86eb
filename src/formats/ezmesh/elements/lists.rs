//! The types of the elements, and the lists of all elements of a type in a file.

use super::reader::ElementReader;
use crate::error::Field;
use crate::formats::ezmesh::animation::Track;
use crate::formats::ezmesh::element_index::ElementKind;
use crate::formats::ezmesh::surface::Section;
use crate::formats::ezmesh::view::View;
use crate::math::as_u64;

/// Defines a type for each kind of element that has a number in the file, and a method of [`View`]
/// that returns all of them.
macro_rules! elements {
    ($($(#[$doc:meta])* $name:ident: $kind:ident, $place:literal, $list:ident: $all:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name<'a> {
            pub(in crate::formats::ezmesh) element: ElementReader<'a>,
        }

        impl<'a> $name<'a> {
            pub(crate) fn new(view: View<'a>, index: usize) -> Self {
                let place = Field::new("").in_list($place, as_u64(index));
                Self { element: ElementReader { view, kind: ElementKind::$kind, index, place } }
            }
        }

        impl<'a> View<'a> {
            #[doc = $all]
            #[must_use]
            pub fn $list(&self) -> impl ExactSizeIterator<Item = $name<'a>> + use<'a> {
                let view = *self;
                (0..self.count(ElementKind::$kind)).map(move |index| $name::new(view, index))
            }
        }
    )*};
}

elements! {
    /// A skeleton: a name and a list of bones.
    Skeleton: Skeleton, "skeleton",
        skeletons: "Returns all skeletons of the file.";
    /// An animation: one track of key frames for each animated bone.
    Animation: Animation, "animation",
        animations: "Returns all animations of the file.";
    /// A material: a name and an additional text (`meta_data`).
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// let system = meshpeek::ezmesh::Mesh::open(meshpeek::read("data/ezmesh/flag.ezm")?)?;
    /// let material = system.view().materials().next().expect("the file has a material");
    /// assert_eq!(material.meta_data()?.to_string(), "texture=%20flag.dds%20");
    /// assert_eq!(material.decoded_meta_data()?, "texture= flag.dds ");
    /// # Ok(())
    /// # }
    /// ```
    Material: Material, "material",
        materials: "Returns all materials of the file.";
    /// A mesh, which consists of sections. Each section has one material, and usually all sections
    /// share the vertices of the mesh.
    MeshElement: Mesh, "mesh",
        meshes: "Returns all meshes of the file.";
    /// A tetrahedral mesh for deformation in physics engines.
    TetraMesh: Tetra, "tetra_mesh",
        tetra_meshes: "Returns all tetrahedral meshes of the file.";
    /// A mesh instance: the name of a mesh, and the transform that places this mesh in the scene.
    Instance: Instance, "instance",
        instances: "Returns all mesh instances of the file.";
    /// A group of collision shapes. Only text files can contain collision shapes.
    Representation: Representation, "collision_representation",
        representations: "Returns all groups of collision shapes for a physics engine.";
    /// A collision shape. The format does not store the size of a box, a sphere or a capsule.
    Collision: Collision, "collision",
        collisions: "Returns the collision shapes of all groups of the file.";
    /// A texture in a binary file.
    Texture: Texture, "texture",
        textures: "Returns the textures that are stored in a binary file. A text file has none.";
    /// A key-value pair of strings that a user stored in a binary file.
    UserData: UserData, "user_data",
        user_data: "Returns the key-value pairs of strings that are stored in a binary file.";
    /// Binary user data in a binary file: a byte string with a name.
    UserBinary: UserBinary, "user_binary_data",
        user_binary_data: "Returns the named byte strings that are stored in a binary file.";
}

impl<'a> View<'a> {
    /// Returns the tracks of all animations of the file.
    pub(in crate::formats::ezmesh) fn tracks(&self) -> impl ExactSizeIterator<Item = Track<'a>> + use<'a> {
        let view = *self;
        (0..self.count(ElementKind::Track)).map(move |index| Track::new(view, index))
    }

    /// Returns the sections of all meshes of the file.
    #[must_use]
    pub fn sections(&self) -> impl ExactSizeIterator<Item = Section<'a>> + use<'a> {
        let view = *self;
        (0..self.count(ElementKind::Section)).map(move |index| Section::new(view, index))
    }
}
