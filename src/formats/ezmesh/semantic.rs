//! The data types of the numbers of a vertex, such as a float or a 16-bit integer, and the meanings
//! (semantics) of vertex columns, such as a position or a normal.

use crate::parse::Name;

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
    /// Returns the size of a parsed number of this data type, in bytes.
    #[must_use]
    pub const fn size(self) -> u16 {
        match self {
            Self::Float | Self::Int32 | Self::Hex32 | Self::Word => 4,
            Self::Int16 | Self::Hex16 => 2,
            Self::Int8 | Self::Character | Self::Hex8 => 1,
        }
    }

    /// Returns the minimum length of a number of this data type in a text file, in bytes. The
    /// length includes the separator after the number, if this type needs a separator.
    pub(super) const fn least_text(self) -> u64 {
        match self {
            Self::Float | Self::Int32 | Self::Int16 | Self::Int8 | Self::Word | Self::Hex8 => 2,
            Self::Hex16 => 4,
            Self::Hex32 => 8,
            Self::Character => 1,
        }
    }

    /// Returns the code of the data type in the `ctype` attribute of a text file, such as `f` or
    /// `x4`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Float => "f",
            Self::Int32 => "d",
            Self::Int16 => "h",
            Self::Int8 => "b",
            Self::Character => "c",
            Self::Hex8 => "x1",
            Self::Hex16 => "x2",
            Self::Hex32 => "x4",
            Self::Word => "p",
        }
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
        Some(match self {
            Self::Position => "position",
            Self::Normal => "normal",
            Self::Color => "color",
            Self::Texcoord(set) => *["texcoord1", "texcoord2", "texcoord3", "texcoord4"].get(usize::from(set))?,
            Self::Tangent => "tangent",
            Self::Binormal => "binormal",
            Self::BlendWeights => "blendweights",
            Self::BlendIndices => "blendindices",
            Self::Radius => "radius",
            Self::Interp(number) => *INTERPS.get(usize::from(number))?,
            Self::Other => return None,
        })
    }

    /// Returns the semantic for a word of the `semantic` attribute, without regard to upper and
    /// lower case.
    ///
    /// In a `semantic` attribute, the first word `texcoord` without a digit is texture coordinate
    /// set 0, and the second such word is set 1. `bare` is the number of words `texcoord` or
    /// `texel` without a digit that precede `word` in the attribute.
    pub(super) fn of(word: &[u8], bare: u8) -> Self {
        let is = |name: &str| word.eq_ignore_ascii_case(name.as_bytes());
        let numbered = |stem: &str, count: u8| {
            let (head, digit) = word.split_at_checked(stem.len())?;
            let [digit @ b'1'..=b'9'] = digit else { return None };
            let number = digit.wrapping_sub(b'1');
            (head.eq_ignore_ascii_case(stem.as_bytes()) && number < count).then_some(number)
        };
        if let Some(set) = numbered("texcoord", 4).or_else(|| numbered("texel", 4)) {
            return Self::Texcoord(set);
        }
        if let Some(number) = numbered("interp", 8) {
            return Self::Interp(number);
        }
        let names = [
            ("position", Self::Position),
            ("normal", Self::Normal),
            ("color", Self::Color),
            ("tangent", Self::Tangent),
            ("binormal", Self::Binormal),
            ("radius", Self::Radius),
            ("blendweights", Self::BlendWeights),
            ("blendweighting", Self::BlendWeights),
            ("boneweighting", Self::BlendWeights),
            ("boneweights", Self::BlendWeights),
            ("blendindices", Self::BlendIndices),
            ("boneindices", Self::BlendIndices),
            ("texcoord", if bare < 4 { Self::Texcoord(bare) } else { Self::Other }),
            ("texel", if bare < 4 { Self::Texcoord(bare) } else { Self::Other }),
        ];
        names.iter().find(|(name, _)| is(name)).map_or(Self::Other, |(_, semantic)| *semantic)
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
}

const INTERPS: [&str; 8] = ["interp1", "interp2", "interp3", "interp4", "interp5", "interp6", "interp7", "interp8"];
