//! The elements of an EZ-Mesh file, such as meshes, skeletons and materials.
//!
//! Each method call on an element reads the element's tag in a text file, or the element's fields
//! in a binary file.
//!
//! | file | contents |
//! |---|---|
//! | `reader` | reads one element: its attributes and numbers in a text file, its fields in a binary file |
//! | `buffers` | located vertices and triangles, and the ways to read them |
//! | `mesh` | elements of most files: meshes, materials and skeletons |
//! | `rare` | elements of few files |

use super::element_index::ElementKind;
use super::view::View;
use crate::error::Result;
use crate::parse::Name;

pub(crate) mod buffers;
mod mesh;
mod rare;
pub(crate) mod reader;

use reader::ElementReader;

/// Defines a type for each kind of element that has a number in the file, with methods that return
/// its names and texts, and a method of [`View`] that returns all elements of the kind.
macro_rules! elements {
    ($(
        $(#[$doc:meta])*
        $name:ident: $kind:ident $(in $outer:ident $outer_place:literal)?, $place:literal, $list:ident: $all:literal
        $(, $text:ident($field:literal): $told:literal)*;
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name<'a> {
            pub(in crate::formats::ezmesh) element: ElementReader<'a>,
        }

        impl<'a> $name<'a> {
            pub(crate) fn new(view: View<'a>, index: usize) -> Self {
                let outer: Option<(ElementKind, &str)> = None$(.or(Some((ElementKind::$outer, $outer_place))))?;
                Self { element: ElementReader::new(view, outer, (ElementKind::$kind, $place), index) }
            }

            $(
                #[doc = $told]
                ///
                /// # Errors
                ///
                /// Returns an error if the bytes of the file have changed since it was opened.
                pub fn $text(&self) -> Result<Name<'a>> {
                    self.element.text($field)
                }
            )*
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
        skeletons: "Returns all skeletons of the file.",
        name("name"): "Returns the name of the skeleton.";
    /// An animation: one track of key frames for each animated bone.
    Animation: Animation, "animation",
        animations: "Returns all animations of the file.",
        name("name"): "Returns the name of the animation.";
    /// An animation track: the key frames of one bone.
    Track: Track in Animation "animation", "track",
        tracks: "Returns the tracks of all animations of the file.",
        name("name"): "Returns the name of the bone that the track moves.";
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
        materials: "Returns all materials of the file.",
        name("name"): "Returns the name of the material, which is often the name of a texture.",
        meta_data("meta_data"): "Returns the additional text (`meta_data`) of the material, without decoding the text.";
    /// A mesh, which consists of sections. Each section has one material, and usually all sections
    /// share the vertices of the mesh.
    MeshElement: Mesh, "mesh",
        meshes: "Returns all meshes of the file.";
    /// A section of a mesh: the triangles of one material.
    Section: Section in Mesh "mesh", "section",
        sections: "Returns the sections of all meshes of the file.",
        material_name("material"): "Returns the name of the material of the section.";
    /// A tetrahedral mesh for deformation in physics engines.
    TetraMesh: Tetra, "tetra_mesh",
        tetra_meshes: "Returns all tetrahedral meshes of the file.";
    /// A mesh instance: the name of a mesh, and the transform that places this mesh in the scene.
    Instance: Instance, "instance",
        instances: "Returns all mesh instances of the file.",
        mesh_name("mesh"): "Returns the name of the mesh that the instance places in the scene.";
    /// A group of collision shapes. Only text files can contain collision shapes.
    Representation: Representation, "collision_representation",
        representations: "Returns all groups of collision shapes for a physics engine.",
        name("name"): "Returns the name of the group of collision shapes.",
        info("info"): "Returns the description of the group of collision shapes, which is free text.";
    /// A collision shape. The format does not store the size of a box, a sphere or a capsule.
    Collision: Collision, "collision",
        collisions: "Returns the collision shapes of all groups of the file.",
        name("name"): "Returns the name of the collision shape.",
        kind("type"): "Returns the type of the collision shape: `BOX`, `SPHERE`, `CAPSULE` or `CONVEX`.";
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
