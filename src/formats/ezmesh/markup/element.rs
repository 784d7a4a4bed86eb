//! The elements that the format knows.

use crate::error::Field;

/// An element by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::formats::ezmesh) enum Element {
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
    /// Around a list: it says how long the list is.
    List(ListOf),
    /// Known to the original importer, without a use.
    Idle,
    Unknown,
}

/// What a list is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::formats::ezmesh) enum ListOf {
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

impl Element {
    /// Tells an element by its name, in any case of letters.
    pub(in crate::formats::ezmesh) fn of(name: &[u8]) -> Self {
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
            b"textures" => Self::List(ListOf::Textures),
            b"tetrameshes" => Self::List(ListOf::TetraMeshes),
            b"skeletons" => Self::List(ListOf::Skeletons),
            b"animations" => Self::List(ListOf::Animations),
            b"materials" => Self::List(ListOf::Materials),
            b"userdata" => Self::List(ListOf::UserData),
            b"userbinarydata" => Self::List(ListOf::UserBinaryData),
            b"meshes" => Self::List(ListOf::Meshes),
            b"meshinstances" => Self::List(ListOf::Instances),
            b"meshcollisionrepresentations" => Self::List(ListOf::Representations),
            b"nodetriangle" | b"nodeinstance" => Self::Idle,
            _ => Self::Unknown,
        }
    }

    /// Tells whether the element can be the root of a file.
    pub(in crate::formats::ezmesh) const fn is_root(self) -> bool {
        matches!(self, Self::MeshSystem | Self::SceneGraph | Self::Mesh)
    }

    /// Tells whether the element's text is numbers.
    pub(in crate::formats::ezmesh) const fn is_data(self) -> bool {
        matches!(self, Self::VertexBuffer | Self::IndexBuffer | Self::Track | Self::Tetra)
    }

    /// Tells whether none of its kind may stand within it, because it says what belongs to it.
    pub(in crate::formats::ezmesh) const fn is_owner(self) -> bool {
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

    /// Returns the attributes that the element has in some file.
    pub(in crate::formats::ezmesh) const fn attributes(self) -> &'static [&'static str] {
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

    /// Names an element whose place in the structure is at fault.
    pub(in crate::formats::ezmesh) const fn field(self) -> Field {
        match self {
            Self::Idle | Self::Unknown => Field::new("element"),
            known => Field::new("element").in_struct(known.name()),
        }
    }

    /// Returns the element's name, as writers spell it.
    pub(in crate::formats::ezmesh) const fn name(self) -> &'static str {
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
            Self::List(ListOf::Textures) => "Textures",
            Self::List(ListOf::TetraMeshes) => "TetraMeshes",
            Self::List(ListOf::Skeletons) => "Skeletons",
            Self::List(ListOf::Animations) => "Animations",
            Self::List(ListOf::Materials) => "Materials",
            Self::List(ListOf::UserData) => "UserData",
            Self::List(ListOf::UserBinaryData) => "UserBinaryData",
            Self::List(ListOf::Meshes) => "Meshes",
            Self::List(ListOf::Instances) => "MeshInstances",
            Self::List(ListOf::Representations) => "MeshCollisionRepresentations",
            Self::Idle | Self::Unknown => "element",
        }
    }
}
