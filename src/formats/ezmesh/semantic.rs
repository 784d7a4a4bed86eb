//! The types that numbers of a vertex can have, and what groups of them can mean.

use crate::parse::Name;

/// The type of one number of a vertex. The letter is that of a text file's `ctype`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `f`: a float of four bytes.
    Float,
    /// `d`: an integer of four bytes.
    Int32,
    /// `h`: an integer of two bytes; no half float.
    Int16,
    /// `b`: an integer of one byte.
    Int8,
    /// `c`: one character, as it stands.
    Character,
    /// `x1`: two hexadecimal digits.
    Hex8,
    /// `x2`: four hexadecimal digits.
    Hex16,
    /// `x4` or `x`: eight hexadecimal digits.
    Hex32,
    /// `p`: a word of text. Parsed, the offset in the file where it starts, as four bytes.
    Word,
}

impl Scalar {
    /// Returns the bytes of a parsed number.
    #[must_use]
    pub const fn size(self) -> u16 {
        match self {
            Self::Float | Self::Int32 | Self::Hex32 | Self::Word => 4,
            Self::Int16 | Self::Hex16 => 2,
            Self::Int8 | Self::Character | Self::Hex8 => 1,
        }
    }

    /// Returns the fewest bytes of text that a number takes, with the blank behind it.
    pub(super) const fn least_text(self) -> u64 {
        match self {
            Self::Float | Self::Int32 | Self::Int16 | Self::Int8 | Self::Word | Self::Hex8 => 2,
            Self::Hex16 => 4,
            Self::Hex32 => 8,
            Self::Character => 1,
        }
    }

    /// Returns its code in a `ctype`.
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

/// One number of a vertex, whatever its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VertexValue<'a> {
    /// A float.
    Float(f32),
    /// An integer, with the sign that its bytes have.
    Integer(i64),
    /// A number that is written in hexadecimal digits.
    Hex(u32),
    /// A character.
    Character(u8),
    /// A word.
    Word(Name<'a>),
}

/// What a group of numbers means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Semantic {
    /// Three floats.
    Position,
    /// Three floats.
    Normal,
    /// `0xAARRGGBB`.
    Color,
    /// Two floats; 0 to 3.
    Texcoord(u8),
    /// Three floats.
    Tangent,
    /// Three floats.
    Binormal,
    /// Weights of bones: four floats.
    BlendWeights,
    /// Numbers of bones: four integers of two bytes.
    BlendIndices,
    /// A float: a distance.
    Radius,
    /// Up to four floats; 0 to 7.
    Interp(u8),
    /// Another word, or a known one with numbers that it cannot have.
    Other,
}

impl Semantic {
    /// Returns the word that writers use; `None` for others.
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

    /// Returns the meaning of a word, in any case of letters; the first bare `texcoord` is set 0, the second set 1.
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

    /// Returns what its numbers must be, and how many; `None` where any will do.
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
