//! Errors of reading a number (faults), with their position in the file.

/// An error of reading a number: the reason why no number could be read, and the position in the
/// file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberFault {
    /// Offset in the file of the token, of the markup, or of the end of the text, depending on the
    /// kind of the error.
    pub at: usize,
    /// The reason why no number could be read.
    pub what: NumberFaultKind,
}

/// The reasons why no number could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberFaultKind {
    /// The text of the element ends, and no token is left.
    End,
    /// The token is not a float.
    Float,
    /// The token is not an integer, or the integer does not fit in 64 bits.
    Integer,
    /// The token is not an integer of 32 bits, signed or unsigned.
    Index,
    /// The integer is out of the range of its type.
    Range,
    /// The word (a number of the data type `p`) starts after the first 4 GiB of the file, so its
    /// offset does not fit in 32 bits.
    Far,
    /// The token has fewer bytes than the number of hexadecimal digits that its data type requires.
    Hex,
    /// The token has more bytes than the maximum token length.
    Long,
    /// The text contains markup that is not allowed between numbers, such as an element.
    Element,
    /// A comment, a CDATA section or a processing instruction has no end.
    Unclosed,
}

impl NumberFaultKind {
    /// Returns a description of the text that was expected, for an error message.
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

    /// Creates a [`NumberFault`] of this kind at an offset in the file.
    #[must_use]
    pub(super) const fn at(self, at: usize) -> NumberFault {
        NumberFault { at, what: self }
    }
}
