//! Constants of the EZ-Mesh format, such as its name and the tag of a binary file, and the layout
//! of a binary file: the fields of its records in file order.

use super::element_index::ElementKind;
use super::validate::rules::rule_of;
use crate::error::FormatName;
use crate::parse::{ElementType, Value};

/// The name of the EZ-Mesh format in error values.
pub(super) const FORMAT: &FormatName = &FormatName::new("ezmesh", rule_of);

/// The tag of a binary EZ-Mesh file: a string that identifies the format. At the start of a binary
/// file, the tag follows two fields of four bytes: the version of the format, and the length of the
/// tag.
pub(super) const TAG: &[u8] = b"EZMESH";
/// Offset of the first field after the tag of a binary file, in bytes.
pub(super) const FIELDS_AT: u64 = 14;

/// Size of a bounding box in a binary file, in bytes: three minimum and three maximum coordinates,
/// each a float of four bytes.
const BOX_SIZE: u32 = 24;
/// Size of a transform in a binary file, in bytes: a position, a rotation and a scale, ten floats
/// in total.
pub(super) const TRANSFORM_SIZE: u32 = 40;
/// The name of the element type of a vertex, whose columns the file declares.
pub(super) const VERTEX: &str = "vertex";
/// Size of a triangle in a binary file, in bytes: three indices of four bytes.
pub(super) const TRIANGLE_SIZE: u32 = 12;

pub(super) const STRING: ElementType = ElementType::new("string", 0, 1).decoded_by(|here| {
    // The text follows its length, which is an integer of 32 bits.
    Some(here.found(0, 0, Some(Value::cut_text(here.bytes.get(4..).unwrap_or_default()))))
});
pub(super) const BYTE: ElementType = ElementType::U8;
pub(super) const U32: ElementType = ElementType::U32;
pub(super) const PLANE: ElementType = ElementType::F32X4;
const I32: ElementType = ElementType::I32;
const F32: ElementType = ElementType::F32;
const BOX: ElementType = ElementType::bounds(BOX_SIZE);
const TRANSFORM: ElementType = ElementType::transform(TRANSFORM_SIZE);
const TRIANGLE: ElementType = ElementType::U32X3;

/// A field of a record: its name, its type, and how many values it has.
pub(crate) type FixedField = (&'static str, ElementType, u32);

/// A part of a record of a binary file. Regions and errors have the first name, unless there are
/// two: then errors have the first name, and regions the second.
pub(crate) enum RecordPart {
    /// A string: its length and its bytes.
    Text(&'static str),
    /// A number of four bytes.
    Number(&'static str, &'static str, ElementType),
    /// Fields of fixed size, which errors name together, with a number of items and their size.
    Fixed(&'static str, [u32; 2], &'static [FixedField]),
    /// The number of items of a list, and the items.
    List(&'static str, &'static str, ElementType, &'static RecordLayout),
    /// The number of items of a list that follows later.
    Count(&'static str, &'static str, ElementType, &'static RecordLayout),
    /// The items that were counted.
    Items(&'static RecordLayout),
    /// As many values of fixed size as the last number says.
    Array(&'static str, &'static str, ElementType),
    /// An element of the index that starts inside the record.
    Start(ElementKind),
    /// The number of items of a list that is empty in every published version of the format.
    Empty(&'static str, &'static str),
    /// The vertex flags, the number of vertices, and the vertices.
    Vertices,
}

/// A record of a list in a binary file.
pub(crate) struct RecordLayout {
    pub(super) kind: ElementKind,
    /// The name of a record in error values.
    pub(super) name: &'static str,
    /// The minimum size of a record, in bytes.
    pub(super) least: u64,
    pub(super) parts: &'static [RecordPart],
}

const BOUNDS: RecordPart = RecordPart::Fixed("bounds", [BOX_SIZE, 1], &[("bounds", BOX, 1)]);

/// The fields between the tag and the plane.
pub(super) const FILE: &[RecordPart] = &[
    RecordPart::Text("asset_name"),
    RecordPart::Text("asset_info"),
    RecordPart::Fixed("asset_version", [2, 4], &[("system_version", I32, 1), ("asset_version", I32, 1)]),
    RecordPart::Start(ElementKind::SystemBox),
    BOUNDS,
    RecordPart::List("textures", "textures.count", U32, &TEXTURE),
    RecordPart::Empty("tetra_meshes", "tetra_meshes.count"),
    RecordPart::List("skeletons", "skeletons.count", U32, &SKELETON),
    RecordPart::List("animations", "animations.count", U32, &ANIMATION),
    RecordPart::List("materials", "materials.count", U32, &MATERIAL),
    RecordPart::List("user_data", "user_data.count", U32, &USER_DATA),
    RecordPart::List("user_binary_data", "user_binary_data.count", U32, &USER_BINARY),
    RecordPart::List("meshes", "meshes.count", U32, &MESH),
    RecordPart::List("instances", "instances.count", U32, &INSTANCE),
    RecordPart::Empty("collision_representations", "collision_representations.count"),
];

/// All records. The parts of a file refer to them.
pub(super) static RECORDS: [&RecordLayout; 11] =
    [&TEXTURE, &SKELETON, &BONE, &ANIMATION, &TRACK, &MATERIAL, &USER_DATA, &USER_BINARY, &MESH, &SECTION, &INSTANCE];

impl RecordLayout {
    const fn new(kind: ElementKind, name: &'static str, least: u64) -> Self {
        Self { kind, name, least, parts: &[] }
    }

    const fn of(self, parts: &'static [RecordPart]) -> Self {
        Self { parts, ..self }
    }
}

static TEXTURE: RecordLayout = RecordLayout::new(ElementKind::Texture, "texture", 20).of(&[
    RecordPart::Text("name"),
    RecordPart::Fixed("size", [3, 4], &[("size", U32, 3)]),
    RecordPart::Number("pixels", "pixels.count", U32),
    RecordPart::Array("pixels", "pixels", BYTE),
]);

static SKELETON: RecordLayout = RecordLayout::new(ElementKind::Skeleton, "skeleton", 8)
    .of(&[RecordPart::Text("name"), RecordPart::List("bones", "bones.count", I32, &BONE)]);

static BONE: RecordLayout = RecordLayout::new(ElementKind::Bone, "bone", 48).of(&[
    RecordPart::Text("name"),
    RecordPart::Fixed("parent", [44, 1], &[("parent", I32, 1), ("transform", TRANSFORM, 1)]),
]);

static ANIMATION: RecordLayout = RecordLayout::new(ElementKind::Animation, "animation", 20).of(&[
    RecordPart::Text("name"),
    RecordPart::Count("tracks", "tracks.count", I32, &TRACK),
    RecordPart::Fixed("frames", [3, 4], &[("frames", I32, 1), ("duration", F32, 1), ("dtime", F32, 1)]),
    RecordPart::Items(&TRACK),
]);

static TRACK: RecordLayout = RecordLayout::new(ElementKind::Track, "track", 16).of(&[
    RecordPart::Text("name"),
    RecordPart::Number("frames", "keys.count", I32),
    RecordPart::Fixed("duration", [2, 4], &[("duration", F32, 1), ("dtime", F32, 1)]),
    RecordPart::Array("keys", "keys", TRANSFORM),
]);

static MATERIAL: RecordLayout = RecordLayout::new(ElementKind::Material, "material", 8)
    .of(&[RecordPart::Text("name"), RecordPart::Text("meta_data")]);
static USER_DATA: RecordLayout =
    RecordLayout::new(ElementKind::UserData, "user_data", 8).of(&[RecordPart::Text("key"), RecordPart::Text("value")]);
static USER_BINARY: RecordLayout = RecordLayout::new(ElementKind::UserBinary, "user_binary_data", 8)
    .of(&[RecordPart::Text("name"), RecordPart::Text("bytes")]);

static MESH: RecordLayout = RecordLayout::new(ElementKind::Mesh, "mesh", 44).of(&[
    RecordPart::Text("name"),
    RecordPart::Text("skeleton"),
    RecordPart::Start(ElementKind::MeshBox),
    BOUNDS,
    RecordPart::List("sections", "sections.count", U32, &SECTION),
    RecordPart::Start(ElementKind::MeshVertices),
    RecordPart::Vertices,
]);

static SECTION: RecordLayout = RecordLayout::new(ElementKind::Section, "section", 36).of(&[
    RecordPart::Text("material"),
    RecordPart::Start(ElementKind::SectionBox),
    BOUNDS,
    RecordPart::Number("flags", "flags", U32),
    RecordPart::Start(ElementKind::Triangles),
    RecordPart::Number("triangles", "triangles.count", U32),
    RecordPart::Array("indices", "indexbuffer", TRIANGLE),
]);

static INSTANCE: RecordLayout = RecordLayout::new(ElementKind::Instance, "instance", 44).of(&[
    RecordPart::Text("mesh"),
    RecordPart::Fixed("transform", [TRANSFORM_SIZE, 1], &[("transform", TRANSFORM, 1)]),
]);
