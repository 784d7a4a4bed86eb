//! Constants of the EZ-Mesh format, such as its name and the tag of a binary file; the types of the
//! numbers of a vertex, and the meanings of its columns, such as a position; and the layout of a
//! binary file: the fields of its records in file order.

use super::element_index::ElementKind;
use super::validate::rules::rule_of;
use crate::error::FormatName;
use crate::parse::{ElementType, Name, Value};

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

/// The data type of one number of a vertex. Each type has a code in the `ctype` attribute of a text
/// file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// Code `f`: a float of four bytes.
    Float,
    /// Code `d`: an integer of four bytes.
    Int32,
    /// Code `h`: an integer of two bytes, not a half-precision float.
    Int16,
    /// Code `b`: an integer of one byte.
    Int8,
    /// Code `c`: one character, stored as its byte without conversion.
    Character,
    /// Code `x1`: a number of one byte, written as two hexadecimal digits.
    Hex8,
    /// Code `x2`: a number of two bytes, written as four hexadecimal digits.
    Hex16,
    /// Code `x4` or `x`: a number of four bytes, written as eight hexadecimal digits.
    Hex32,
    /// Code `p`: a word of text. The parsed value is the byte offset of the word in the file,
    /// stored in four bytes.
    Word,
}

impl Scalar {
    /// Returns the code of the data type, the size of a parsed number, and the minimum length of a
    /// number in a text file.
    const fn properties(self) -> (&'static str, u16, u16) {
        match self {
            Self::Float => ("f", 4, 2),
            Self::Int32 => ("d", 4, 2),
            Self::Int16 => ("h", 2, 2),
            Self::Int8 => ("b", 1, 2),
            Self::Character => ("c", 1, 1),
            Self::Hex8 => ("x1", 1, 2),
            Self::Hex16 => ("x2", 2, 4),
            Self::Hex32 => ("x4", 4, 8),
            Self::Word => ("p", 4, 2),
        }
    }

    /// Returns the size of a parsed number of this data type, in bytes.
    #[must_use]
    pub const fn size(self) -> u16 {
        self.properties().1
    }

    /// Returns the minimum length of a number of this data type in a text file, in bytes. The
    /// length includes the separator after the number, if this type needs a separator.
    pub(super) const fn least_text(self) -> u16 {
        self.properties().2
    }

    /// Returns the code of the data type in the `ctype` attribute of a text file, such as `f` or
    /// `x4`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        self.properties().0
    }
}

/// The value of one number, character or word of a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VertexValue<'a> {
    /// A floating-point number.
    Float(f32),
    /// An integer. The sign bit of the stored integer is extended: for example, the byte `0xff` has
    /// the value -1.
    Integer(i64),
    /// A number that is written with hexadecimal digits.
    Hex(u32),
    /// A character, as the byte in the file.
    Character(u8),
    /// A word of text.
    Word(Name<'a>),
}

/// The meaning of a vertex column, such as position or normal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Semantic {
    /// Position: three floats.
    Position,
    /// Normal: three floats.
    Normal,
    /// Color: one 32-bit integer `0xAARRGGBB`.
    Color,
    /// Texture coordinates: two floats. The `u8` value is the index of the texture coordinate set,
    /// from 0 to 3.
    Texcoord(u8),
    /// Tangent: three floats.
    Tangent,
    /// Binormal: three floats.
    Binormal,
    /// Bone weights: four floats.
    BlendWeights,
    /// Bone indices: four integers of two bytes.
    BlendIndices,
    /// Radius: one float, a distance.
    Radius,
    /// A generic vertex attribute to interpolate (`interp`): up to four floats. The `u8` value is
    /// the index of the `interp` column, from 0 to 7.
    Interp(u8),
    /// Any other meaning: the word in the `semantic` attribute is unknown, the number types of the
    /// column do not fit the word, or an earlier column has the same meaning.
    Other,
}

impl Semantic {
    /// Returns the word for this meaning in the `semantic` attribute of a text file, or `None` for
    /// [`Semantic::Other`].
    #[must_use]
    pub fn word(self) -> Option<&'static str> {
        MEANINGS.iter().find(|(_, semantic, _)| *semantic == self).map(|(word, ..)| *word)
    }

    /// Returns the semantic for a word of the `semantic` attribute, without regard to upper and
    /// lower case.
    ///
    /// In a `semantic` attribute, the first word `texcoord` without a digit is texture coordinate
    /// set 0, and the second such word is set 1. `bare` is the number of words `texcoord` or
    /// `texel` without a digit that precede `word` in the attribute. It then counts `word`, too.
    pub(super) fn of(word: &[u8], bare: &mut u8) -> Self {
        let is = |name: &str| word.eq_ignore_ascii_case(name.as_bytes());
        if is("texcoord") || is("texel") {
            let set = *bare;
            *bare = set.saturating_add(1);
            return if set < 4 { Self::Texcoord(set) } else { Self::Other };
        }
        MEANINGS.iter().find(|(name, ..)| is(name)).map_or(Self::Other, |(_, semantic, _)| *semantic)
    }

    /// Returns the type and the count of the numbers that a column of this meaning must have, or
    /// `None` if this meaning does not determine the type and the count.
    pub(super) const fn shape(self) -> Option<(Scalar, usize)> {
        Some(match self {
            Self::Position | Self::Normal | Self::Tangent | Self::Binormal => (Scalar::Float, 3),
            Self::Color => (Scalar::Hex32, 1),
            Self::Texcoord(_) => (Scalar::Float, 2),
            Self::BlendWeights => (Scalar::Float, 4),
            Self::BlendIndices => (Scalar::Int16, 4),
            Self::Radius => (Scalar::Float, 1),
            Self::Interp(_) | Self::Other => return None,
        })
    }

    /// Returns the bit of the meaning in the vertex flags of a binary file, and its position among
    /// the columns. A binary file cannot store columns without a known meaning.
    pub(super) fn place_in_binary(self) -> Option<(u32, usize)> {
        let number = MEANINGS.iter().position(|(_, semantic, _)| *semantic == self)?;
        MEANINGS.get(number).map(|(_, _, bit)| (*bit, number))
    }

    /// Returns the meaning of each bit that is set in the vertex flags of a binary file, in the
    /// order of the columns. Returns `None` if a bit without a meaning is set.
    pub(super) fn of_flags(flags: u32) -> Option<impl Iterator<Item = Self>> {
        let standard = MEANINGS.iter().take(20).filter(move |(_, _, bit)| flags & (1 << bit) != 0);
        (flags >> 19 == 0).then(|| standard.map(|(_, semantic, _)| *semantic))
    }
}

/// The meanings: a word in the `semantic` attribute, the meaning, and its bit in the vertex flags
/// of a binary file.
///
/// The standard words come first, in the order of the columns in a binary file. Bone indices and
/// bone weights share one bit.
const MEANINGS: [(&str, Semantic, u32); 28] = [
    ("position", Semantic::Position, 0),
    ("normal", Semantic::Normal, 1),
    ("color", Semantic::Color, 2),
    ("texcoord1", Semantic::Texcoord(0), 3),
    ("texcoord2", Semantic::Texcoord(1), 4),
    ("texcoord3", Semantic::Texcoord(2), 5),
    ("texcoord4", Semantic::Texcoord(3), 6),
    ("tangent", Semantic::Tangent, 7),
    ("binormal", Semantic::Binormal, 8),
    ("blendindices", Semantic::BlendIndices, 9),
    ("blendweights", Semantic::BlendWeights, 9),
    ("radius", Semantic::Radius, 10),
    ("interp1", Semantic::Interp(0), 11),
    ("interp2", Semantic::Interp(1), 12),
    ("interp3", Semantic::Interp(2), 13),
    ("interp4", Semantic::Interp(3), 14),
    ("interp5", Semantic::Interp(4), 15),
    ("interp6", Semantic::Interp(5), 16),
    ("interp7", Semantic::Interp(6), 17),
    ("interp8", Semantic::Interp(7), 18),
    ("texel1", Semantic::Texcoord(0), 3),
    ("texel2", Semantic::Texcoord(1), 4),
    ("texel3", Semantic::Texcoord(2), 5),
    ("texel4", Semantic::Texcoord(3), 6),
    ("blendweighting", Semantic::BlendWeights, 9),
    ("boneweighting", Semantic::BlendWeights, 9),
    ("boneweights", Semantic::BlendWeights, 9),
    ("boneindices", Semantic::BlendIndices, 9),
];
