//! The names of the XML elements of EZ-Mesh files.

use crate::error::Field;

/// An XML element of an EZ-Mesh file, identified by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ElementName {
    MeshSystem,
    SceneGraph,
    Mesh,
    MeshBox,
    Skeleton,
    Bone,
    Animation,
    Track,
    Material,
    Section,
    VertexBuffer,
    IndexBuffer,
    Tetra,
    Instance,
    Representation,
    Collision,
    CollisionBox,
    CollisionSphere,
    CollisionCapsule,
    CollisionConvex,
    /// An element that contains a list of other elements, and declares the length of the list in an
    /// attribute.
    List(&'static str),
    /// An element that the importer of the format's author accepts but does not use.
    Idle,
    Unknown,
}

/// Defines what is known about each element: the name in lower case, the name that exporters use,
/// and the attributes.
macro_rules! elements {
    ($($element:ident $lower:literal $name:literal [$($attribute:literal),*])*; $($list_lower:literal $list:literal)*) => {
        impl ElementName {
            /// Returns the element with the given name, without regard to upper and lower case.
            pub(crate) fn of(name: &[u8]) -> Self {
                let mut lower = [0; 32];
                let Some(lower) = lower.get_mut(..name.len()) else { return Self::Unknown };
                lower.copy_from_slice(name);
                lower.make_ascii_lowercase();
                match &*lower {
                    $($lower => Self::$element,)*
                    $($list_lower => Self::List($list),)*
                    b"nodetriangle" | b"nodeinstance" => Self::Idle,
                    _ => Self::Unknown,
                }
            }

            /// Returns the names of the attributes that the element has in real files.
            pub(crate) const fn attributes(self) -> &'static [&'static str] {
                match self {
                    $(Self::$element => &[$($attribute),*],)*
                    Self::List(_) => &["count"],
                    Self::Idle | Self::Unknown => &[],
                }
            }

            /// Returns the name of the element with the capitalization that exporters use, such as
            /// `MeshSystem` or `vertexbuffer`.
            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(Self::$element => $name,)*
                    Self::List(name) => name,
                    Self::Idle | Self::Unknown => "element",
                }
            }
        }
    };
}

elements! {
    MeshSystem b"meshsystem" "MeshSystem"
        ["asset_name", "asset_info", "mesh_system_version", "mesh_system_asset_version", "name"]
    SceneGraph b"scenegraph" "SceneGraph" ["name"]
    Mesh b"mesh" "Mesh" ["name", "skeleton", "submesh_count"]
    MeshBox b"meshaabb" "MeshAABB" ["min", "max"]
    Skeleton b"skeleton" "Skeleton" ["name", "count"]
    Bone b"bone" "Bone" ["name", "parent", "orientation", "position", "scale"]
    Animation b"animation" "Animation" ["name", "trackcount", "framecount", "duration", "dtime"]
    Track b"animtrack" "AnimTrack" ["name", "count", "has_scale"]
    Material b"material" "Material" ["name", "meta_data"]
    Section b"meshsection" "MeshSection" ["material", "ctype", "semantic", "info"]
    VertexBuffer b"vertexbuffer" "vertexbuffer" ["count", "ctype", "semantic"]
    IndexBuffer b"indexbuffer" "indexbuffer" ["triangle_count", "count", "trianglecount"]
    Tetra b"tetramesh" "TetraMesh" ["count", "ctype", "semantic"]
    Instance b"meshinstance" "MeshInstance" ["mesh", "position", "rotation", "scale"]
    Representation b"meshcollisionrepresentation" "MeshCollisionRepresentation" ["name", "info", "count"]
    Collision b"meshcollision" "MeshCollision" ["name", "type", "transform"]
    CollisionBox b"meshcollisionbox" "MeshCollisionBox" []
    CollisionSphere b"meshcollisionsphere" "MeshCollisionSphere" []
    CollisionCapsule b"meshcollisioncapsule" "MeshCollisionCapsule" []
    CollisionConvex b"meshcollisionconvex" "MeshCollisionConvex" []
    ;
    b"textures" "Textures"
    b"tetrameshes" "TetraMeshes"
    b"skeletons" "Skeletons"
    b"animations" "Animations"
    b"materials" "Materials"
    b"userdata" "UserData"
    b"userbinarydata" "UserBinaryData"
    b"meshes" "Meshes"
    b"meshinstances" "MeshInstances"
    b"meshcollisionrepresentations" "MeshCollisionRepresentations"
}

impl ElementName {
    /// Returns whether the element can be the root element of a file.
    pub(crate) const fn is_root(self) -> bool {
        matches!(self, Self::MeshSystem | Self::SceneGraph | Self::Mesh)
    }

    /// Returns whether the text of the element consists of numbers.
    pub(crate) const fn is_data(self) -> bool {
        matches!(self, Self::VertexBuffer | Self::IndexBuffer | Self::Track | Self::Tetra)
    }

    /// Returns whether the element must not contain another element of its kind.
    ///
    /// For example, a bone belongs to the skeleton element that contains the bone. If skeleton
    /// elements were nested, it would be unclear to which skeleton the bone belongs.
    pub(crate) const fn is_owner(self) -> bool {
        matches!(
            self,
            Self::Mesh
                | Self::Skeleton
                | Self::Animation
                | Self::Section
                | Self::Representation
                | Self::Collision
                | Self::CollisionConvex
        )
    }

    /// Returns the field for an error about an element of this name at a wrong position in the
    /// file.
    pub(crate) const fn field(self) -> Field {
        match self {
            Self::Idle | Self::Unknown => Field::new("element"),
            known => Field::new("element").in_struct(known.name()),
        }
    }
}
