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
    List(ListKind),
    /// An element that the importer of the format's author accepts but does not use.
    Idle,
    Unknown,
}

/// The kind of elements that a list element contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListKind {
    Textures,
    TetraMeshes,
    Skeletons,
    Animations,
    Materials,
    UserData,
    UserBinaryData,
    Meshes,
    Instances,
    Representations,
}

impl ElementName {
    /// Returns the element with the given name, without regard to upper and lower case.
    pub(crate) fn of(name: &[u8]) -> Self {
        let mut lower = [0; 32];
        let Some(lower) = lower.get_mut(..name.len()) else { return Self::Unknown };
        lower.copy_from_slice(name);
        lower.make_ascii_lowercase();
        match &*lower {
            b"meshsystem" => Self::MeshSystem,
            b"scenegraph" => Self::SceneGraph,
            b"mesh" => Self::Mesh,
            b"meshaabb" => Self::MeshBox,
            b"skeleton" => Self::Skeleton,
            b"bone" => Self::Bone,
            b"animation" => Self::Animation,
            b"animtrack" => Self::Track,
            b"material" => Self::Material,
            b"meshsection" => Self::Section,
            b"vertexbuffer" => Self::VertexBuffer,
            b"indexbuffer" => Self::IndexBuffer,
            b"tetramesh" => Self::Tetra,
            b"meshinstance" => Self::Instance,
            b"meshcollisionrepresentation" => Self::Representation,
            b"meshcollision" => Self::Collision,
            b"meshcollisionbox" => Self::CollisionBox,
            b"meshcollisionsphere" => Self::CollisionSphere,
            b"meshcollisioncapsule" => Self::CollisionCapsule,
            b"meshcollisionconvex" => Self::CollisionConvex,
            b"textures" => Self::List(ListKind::Textures),
            b"tetrameshes" => Self::List(ListKind::TetraMeshes),
            b"skeletons" => Self::List(ListKind::Skeletons),
            b"animations" => Self::List(ListKind::Animations),
            b"materials" => Self::List(ListKind::Materials),
            b"userdata" => Self::List(ListKind::UserData),
            b"userbinarydata" => Self::List(ListKind::UserBinaryData),
            b"meshes" => Self::List(ListKind::Meshes),
            b"meshinstances" => Self::List(ListKind::Instances),
            b"meshcollisionrepresentations" => Self::List(ListKind::Representations),
            b"nodetriangle" | b"nodeinstance" => Self::Idle,
            _ => Self::Unknown,
        }
    }

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

    /// Returns the names of the attributes that the element has in real files.
    pub(crate) const fn attributes(self) -> &'static [&'static str] {
        match self {
            Self::MeshSystem => {
                &["asset_name", "asset_info", "mesh_system_version", "mesh_system_asset_version", "name"]
            }
            Self::SceneGraph => &["name"],
            Self::Mesh => &["name", "skeleton", "submesh_count"],
            Self::MeshBox => &["min", "max"],
            Self::Skeleton => &["name", "count"],
            Self::Bone => &["name", "parent", "orientation", "position", "scale"],
            Self::Animation => &["name", "trackcount", "framecount", "duration", "dtime"],
            Self::Track => &["name", "count", "has_scale"],
            Self::Material => &["name", "meta_data"],
            Self::Section => &["material", "ctype", "semantic", "info"],
            Self::VertexBuffer | Self::Tetra => &["count", "ctype", "semantic"],
            Self::IndexBuffer => &["triangle_count", "count", "trianglecount"],
            Self::Instance => &["mesh", "position", "rotation", "scale"],
            Self::Representation => &["name", "info", "count"],
            Self::Collision => &["name", "type", "transform"],
            Self::List(_) => &["count"],
            Self::CollisionBox
            | Self::CollisionSphere
            | Self::CollisionCapsule
            | Self::CollisionConvex
            | Self::Idle
            | Self::Unknown => &[],
        }
    }

    /// Returns the field for an error about an element of this name at a wrong position in the
    /// file.
    pub(crate) const fn field(self) -> Field {
        match self {
            Self::Idle | Self::Unknown => Field::new("element"),
            known => Field::new("element").in_struct(known.name()),
        }
    }

    /// Returns the name of the element with the capitalization that exporters use, such as
    /// `MeshSystem` or `vertexbuffer`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::MeshSystem => "MeshSystem",
            Self::SceneGraph => "SceneGraph",
            Self::Mesh => "Mesh",
            Self::MeshBox => "MeshAABB",
            Self::Skeleton => "Skeleton",
            Self::Bone => "Bone",
            Self::Animation => "Animation",
            Self::Track => "AnimTrack",
            Self::Material => "Material",
            Self::Section => "MeshSection",
            Self::VertexBuffer => "vertexbuffer",
            Self::IndexBuffer => "indexbuffer",
            Self::Tetra => "TetraMesh",
            Self::Instance => "MeshInstance",
            Self::Representation => "MeshCollisionRepresentation",
            Self::Collision => "MeshCollision",
            Self::CollisionBox => "MeshCollisionBox",
            Self::CollisionSphere => "MeshCollisionSphere",
            Self::CollisionCapsule => "MeshCollisionCapsule",
            Self::CollisionConvex => "MeshCollisionConvex",
            Self::List(ListKind::Textures) => "Textures",
            Self::List(ListKind::TetraMeshes) => "TetraMeshes",
            Self::List(ListKind::Skeletons) => "Skeletons",
            Self::List(ListKind::Animations) => "Animations",
            Self::List(ListKind::Materials) => "Materials",
            Self::List(ListKind::UserData) => "UserData",
            Self::List(ListKind::UserBinaryData) => "UserBinaryData",
            Self::List(ListKind::Meshes) => "Meshes",
            Self::List(ListKind::Instances) => "MeshInstances",
            Self::List(ListKind::Representations) => "MeshCollisionRepresentations",
            Self::Idle | Self::Unknown => "element",
        }
    }
}
