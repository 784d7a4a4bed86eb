//! What can be wrong with a number.

/// Why no number could be read, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberFault {
    /// The offset in the file: of the token, of the markup, or of the end of the data.
    pub at: usize,
    /// What is wrong there.
    pub what: NumberFaultKind,
}

/// What is wrong with a number, or stands where one should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberFaultKind {
    /// The data ends, and no token is left.
    End,
    /// A token that is no float.
    Float,
    /// A token that is no integer, or none of 64 bits.
    Integer,
    /// A token that is no integer of 32 bits, signed or unsigned.
    Index,
    /// An integer that its type cannot hold.
    Range,
    /// A word that starts beyond the first 4 GiB of the file.
    Far,
    /// Too few bytes for a group of hexadecimal digits.
    Hex,
    /// A token of more bytes than are allowed.
    Long,
    /// Markup that cannot stand among numbers.
    Element,
    /// A comment, a section of character data or an instruction that does not end.
    Unclosed,
}

impl NumberFaultKind {
    /// Says what should have been there.
    #[must_use]
    pub const fn expected(self) -> &'static str {
        match self {
            Self::End => "another number",
            Self::Float => "a floating point number",
            Self::Integer => "an integer",
            Self::Index => "an integer of 32 bits",
            Self::Range => "an integer that its type can hold",
            Self::Far => "a word within the first 4 GiB of the file",
            Self::Hex => "hexadecimal digits",
            Self::Long => "a shorter number",
            Self::Element => "numbers, comments, CDATA or instructions",
            Self::Unclosed => "the end of a comment, CDATA or instruction",
        }
    }

    /// Makes the fault of this kind at an offset of the file.
    #[must_use]
    pub(super) const fn at(self, at: usize) -> NumberFault {
        NumberFault { at, what: self }
    }
}
