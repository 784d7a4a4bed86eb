//! The JSON of a glTF file: its objects, in memory. Also the elements of its arrays: their types,
//! and their layout in a buffer.

use crate::math::as_u64;
use crate::model::Transform;

/// The objects of a glTF file, except for accessors, buffer views and buffers.
#[derive(Debug, Default)]
pub(super) struct Document {
    pub(super) nodes: Vec<NodeObject>,
    pub(super) scenes: Vec<NodeScene>,
    pub(super) meshes: Vec<MeshObject>,
    pub(super) skins: Vec<SkinObject>,
    pub(super) materials: Vec<MaterialObject>,
    pub(super) animations: Vec<AnimationObject>,
    /// The names of the image files, in the order of their textures.
    pub(super) images: Vec<String>,
    pub(super) is_quantized: bool,
    /// The number of channels and events of all animations.
    animated: usize,
}

impl Document {
    /// Returns the number of nodes, meshes, and channels and events of animations.
    pub(super) fn object_count(&self) -> usize {
        self.nodes.len().saturating_add(self.meshes.len()).saturating_add(self.animated)
    }

    pub(super) fn add_animation(&mut self, animation: AnimationObject) {
        let count = animation.channels.len().saturating_add(animation.events.len());
        self.animated = self.animated.saturating_add(count);
        self.animations.push(animation);
    }
}

/// A scene: its name and its root nodes.
#[derive(Debug, Default)]
pub(super) struct NodeScene {
    pub(super) name: Option<String>,
    pub(super) roots: Vec<u32>,
}

/// A node.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeObject {
    pub(super) name: Option<String>,
    pub(super) transform: Option<Box<Transform>>,
    pub(super) mesh: Option<u32>,
    pub(super) skin: Option<u32>,
    pub(super) children: Vec<u32>,
    /// The nodes with less detailed levels of detail.
    pub(super) levels: Vec<u32>,
}

/// A mesh.
#[derive(Clone, Debug, Default)]
pub(super) struct MeshObject {
    pub(super) name: Option<String>,
    pub(super) primitives: Vec<Primitive>,
    pub(super) target_names: TargetNames,
}

/// How the morph targets of a mesh are named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TargetNames {
    /// The mesh has no morph targets.
    #[default]
    None,
    /// The targets are the vertex frames from this number on.
    Frames(u32),
    /// The targets are morph targets, counted from 1.
    Targets,
}

/// A primitive: the triangles of a surface, or of a part of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Primitive {
    /// The name and the accessor of each attribute.
    pub(super) attributes: Vec<(AttributeName, u32)>,
    pub(super) indices: Option<u32>,
    pub(super) material: Option<u32>,
    /// The accessors of each morph target: positions, normals and tangents.
    pub(super) targets: Vec<[Option<u32>; 3]>,
    /// Whether the vertices are points without triangles.
    pub(super) is_points: bool,
    /// The name of the surface.
    pub(super) name: Option<String>,
}

/// The name of an attribute of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AttributeName {
    Position,
    Normal,
    Tangent,
    TexCoord(u32),
    Color,
    /// Vertex colours that are not drawn.
    ColorData,
    Joints(u32),
    Weights(u32),
}

impl AttributeName {
    /// Returns the name in glTF, such as `TEXCOORD_0`.
    pub(super) fn text(self) -> String {
        match self {
            Self::Position => "POSITION".to_owned(),
            Self::Normal => "NORMAL".to_owned(),
            Self::Tangent => "TANGENT".to_owned(),
            Self::TexCoord(set) => format!("TEXCOORD_{set}"),
            Self::Color => "COLOR_0".to_owned(),
            Self::ColorData => "_COLOR_0".to_owned(),
            Self::Joints(set) => format!("JOINTS_{set}"),
            Self::Weights(set) => format!("WEIGHTS_{set}"),
        }
    }
}

/// A skin.
#[derive(Clone, Debug)]
pub(super) struct SkinObject {
    pub(super) inverse_binds: u32,
    /// The first joint. The other joints are the nodes after it.
    pub(super) first_joint: u32,
    pub(super) joint_count: u32,
    /// The node of the vertices that no bone moves, which is the last joint.
    pub(super) still_joint: Option<u32>,
    /// The node that contains all joints.
    pub(super) root: u32,
}

/// A material.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct MaterialObject {
    pub(super) name: String,
    pub(super) color: Option<[f32; 4]>,
    /// The index of the texture, which is also that of its image.
    pub(super) texture: Option<u32>,
    pub(super) alpha: AlphaMode,
    pub(super) is_two_sided: bool,
    pub(super) is_unlit: bool,
    /// Keys and values that glTF has no field for.
    pub(super) extras: Vec<(&'static str, String)>,
}

impl MaterialObject {
    /// Adds a value under a key, unless the key has a value already.
    pub(super) fn add_extra(&mut self, key: &'static str, value: String) {
        if self.extras.iter().all(|(other, _)| *other != key) {
            self.extras.push((key, value));
        }
    }
}

/// How the alpha of a material is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum AlphaMode {
    #[default]
    Opaque,
    Mask,
    Blend,
}

/// An animation.
#[derive(Clone, Debug, Default)]
pub(super) struct AnimationObject {
    pub(super) name: Option<String>,
    pub(super) samplers: Vec<Sampler>,
    pub(super) channels: Vec<ChannelObject>,
    pub(super) frames: u32,
    /// Frames per second.
    pub(super) rate: f32,
    /// Whether the file stores the rate.
    pub(super) has_rate: bool,
    /// The time of each event, 0 to 1, and its function.
    pub(super) events: Vec<(f32, String)>,
}

/// A sampler of an animation: the accessors of its times and values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sampler {
    pub(super) input: u32,
    pub(super) output: u32,
}

/// A channel of an animation: a sampler, and the property of a node that it moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChannelObject {
    pub(super) sampler: u32,
    pub(super) node: u32,
    pub(super) path: &'static str,
}

/// Adds an item to a list, and returns its index.
pub(super) fn add<T>(list: &mut Vec<T>, item: T) -> u32 {
    let index = u32::try_from(list.len()).unwrap_or(u32::MAX);
    list.push(item);
    index
}

/// The type of the components of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ComponentType {
    U8,
    U16,
    I16,
    U32,
    F32,
}

impl ComponentType {
    /// Returns the number of the type in glTF.
    pub(super) const fn code(self) -> u16 {
        match self {
            Self::U8 => 5121,
            Self::I16 => 5122,
            Self::U16 => 5123,
            Self::U32 => 5125,
            Self::F32 => 5126,
        }
    }

    /// Returns the size of a component in bytes.
    pub(super) const fn size(self) -> u32 {
        match self {
            Self::U8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }
}

/// The elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AccessorType {
    pub(super) component: ComponentType,
    /// The number of components: 1 to 4, or 16 for a matrix.
    pub(super) width: u8,
    /// Whether integers represent numbers of 0 to 1 or of -1 to 1.
    pub(super) is_normalized: bool,
}

impl AccessorType {
    /// Makes the type of elements of floats.
    pub(super) const fn floats(width: u8) -> Self {
        Self { component: ComponentType::F32, width, is_normalized: false }
    }

    /// Makes the type of elements of integers.
    pub(super) const fn integers(component: ComponentType, width: u8) -> Self {
        Self { component, width, is_normalized: false }
    }

    /// Makes the type of elements of integers that represent numbers of 0 to 1, or of -1 to 1.
    pub(super) const fn normalized(component: ComponentType, width: u8) -> Self {
        Self { component, width, is_normalized: true }
    }

    /// Numbers, such as times.
    pub(super) const SCALARS: &'static [Self] = &[Self::floats(1)];
    /// Texture coordinates.
    pub(super) const FLOATS2: &'static [Self] = &[Self::floats(2)];
    /// Positions and directions.
    pub(super) const FLOATS3: &'static [Self] = &[Self::floats(3)];
    /// Tangents and rotations.
    pub(super) const FLOATS4: &'static [Self] = &[Self::floats(4)];
    /// Matrices.
    pub(super) const MATRICES: &'static [Self] = &[Self::floats(16)];
    /// Colours.
    pub(super) const COLORS: &'static [Self] = &[Self::normalized(ComponentType::U8, 4)];

    /// Returns the name of the type in glTF.
    pub(super) const fn name(self) -> &'static str {
        match self.width {
            1 => "SCALAR",
            2 => "VEC2",
            3 => "VEC3",
            4 => "VEC4",
            _ => "MAT4",
        }
    }

    /// Returns the size of an element in bytes.
    pub(super) fn size(self) -> u32 {
        self.component.size().saturating_mul(self.width.into())
    }
}

/// What a GPU uses an array for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BufferUsage {
    Vertices,
    Indices,
    /// Matrices and keys, which a GPU does not read from a buffer of vertices.
    Other,
}

/// Items in a file: the arrays of one or more attributes, of which all items have the same size.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArraySpec<'s> {
    /// The type of each attribute of an item.
    pub(super) elements: &'s [AccessorType],
    /// The number of items.
    pub(super) count: usize,
    pub(super) usage: BufferUsage,
    /// Whether the JSON contains the bounds of the array, which has one attribute of floats.
    pub(super) has_bounds: bool,
}

impl<'s> ArraySpec<'s> {
    /// Makes the description of an array of vertices.
    pub(super) const fn vertices(elements: &'s [AccessorType], count: usize) -> Self {
        Self { elements, count, usage: BufferUsage::Vertices, has_bounds: false }
    }

    /// Makes the description of an array of indices.
    pub(super) const fn indices(elements: &'s [AccessorType], count: usize) -> Self {
        Self { elements, count, usage: BufferUsage::Indices, has_bounds: false }
    }

    /// Makes the description of an array that a GPU does not read as vertices or indices.
    pub(super) const fn other(elements: &'s [AccessorType], count: usize) -> Self {
        Self { elements, count, usage: BufferUsage::Other, has_bounds: false }
    }

    /// Returns the description of an array whose bounds are in the JSON.
    pub(super) const fn with_bounds(self) -> Self {
        Self { has_bounds: true, ..self }
    }

    /// Returns the distance of two items in bytes. Vertices are aligned to 4 bytes.
    pub(super) fn stride(&self) -> u32 {
        let size = |element: &AccessorType| match self.usage {
            BufferUsage::Vertices => element.size().next_multiple_of(4),
            BufferUsage::Indices | BufferUsage::Other => element.size(),
        };
        self.elements.iter().map(size).fold(0, u32::saturating_add)
    }

    /// Returns the size of the array in bytes.
    pub(super) fn size(&self) -> u64 {
        as_u64(self.count).saturating_mul(self.stride().into())
    }
}
