//! The columns of a vertex. A text file declares them as words, and a binary file as bit flags.

use std::ops::Range;

use super::layout::{Scalar, Semantic};
use super::xml::numbers::is_separator;
use crate::error::Cause;
use crate::parse::Name;

/// Maximum length of a `ctype` or `semantic` attribute, in bytes. A valid `ctype` or `semantic`
/// attribute has at most 63 words, and is much shorter than this maximum.
const MAX_DECLARATION_LENGTH: usize = 4096;

/// The maximum number of scalars (single numbers) per vertex.
pub const MAX_SCALARS: usize = 63;

/// The maximum number of columns in the `Debug` output of a vertex format.
const MAX_SHOWN_COLUMNS: usize = 16;

/// A column of a vertex: up to 63 numbers with one meaning, such as the three coordinates of a
/// position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// The semantic of the column, such as position or normal.
    pub semantic: Semantic,
    /// The index, in the `semantic` attribute, of the word that declares the column.
    pub(super) word: u8,
    /// The index of the first number of the column among the numbers of the vertex.
    pub(super) first: u8,
    /// The number of scalars in the column.
    pub(super) count: u8,
    /// Total size of all parsed columns before this column, in bytes per vertex.
    pub(super) start: u16,
    /// Size of the parsed column, in bytes per vertex.
    pub(super) size: u16,
}

const NO_COLUMN: Column = Column { semantic: Semantic::Other, word: 0, first: 0, count: 0, start: 0, size: 0 };

/// The format of a vertex: its columns in file order, and the data type of each number.
#[derive(Clone, Copy)]
pub struct VertexFormat {
    columns: [Column; MAX_SCALARS],
    scalars: [Scalar; MAX_SCALARS],
    column_count: u8,
    scalar_count: u8,
    size: u16,
    least_text: u16,
}

/// Lists the first 16 columns, each as its semantic and the codes of its numbers, such as
/// `"Position fff"`.
impl std::fmt::Debug for VertexFormat {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let columns = self.columns().iter().map(|column| format!("{:?} {}", column.semantic, self.codes(column)));
        let mut list = out.debug_list();
        list.entries(columns.take(MAX_SHOWN_COLUMNS));
        if self.columns().len() > MAX_SHOWN_COLUMNS { list.finish_non_exhaustive() } else { list.finish() }
    }
}

/// The vertex declaration in an XML tag of a text file: the vertex count, the vertex format, and
/// the values of the attributes `ctype` and `semantic`.
///
/// The two attribute values are stored as byte ranges of the file.
#[derive(Clone, Debug)]
pub(super) struct VertexDeclaration {
    pub(super) count: u32,
    pub(super) format: VertexFormat,
    pub(super) interp_width: Option<u8>,
    pub(super) ctype: Range<usize>,
    pub(super) semantic: Range<usize>,
}

/// An error in the vertex declaration of a text file: the name of the erroneous attribute, and the
/// cause.
pub(super) type VertexFormatFault = (&'static str, Cause);

impl VertexFormat {
    pub(super) const EMPTY: Self = Self {
        columns: [NO_COLUMN; MAX_SCALARS],
        scalars: [Scalar::Float; MAX_SCALARS],
        column_count: 0,
        scalar_count: 0,
        size: 0,
        least_text: 0,
    };

    /// Parses the values of the attributes `ctype` and `semantic` of an XML element.
    pub(super) fn parse(ctype: &[u8], semantic: &[u8]) -> Result<Self, VertexFormatFault> {
        for (attribute, text) in [("ctype", ctype), ("semantic", semantic)] {
            if text.len() > MAX_DECLARATION_LENGTH {
                let most = format!("at most {MAX_DECLARATION_LENGTH} bytes");
                return Err((attribute, Cause::value(most, text.len().to_string())));
            }
        }
        let mut format = Self::EMPTY;
        let mut meanings = words(semantic);
        let mut bare = 0;
        for (word, group) in (0_u8..).zip(words(ctype)) {
            let Some(meaning) = meanings.next() else { break };
            format.push(Semantic::of(meaning, &mut bare), word, scalars_of(group))?;
        }
        let [groups, meanings] = [words(ctype).count(), words(semantic).count()];
        if groups == 0 {
            return Err(("ctype", Cause::value("at least one group of types", "none")));
        }
        if groups != meanings {
            let expected = format!("{groups} words, one per group of ctype");
            return Err(("semantic", Cause::value(expected, meanings.to_string())));
        }
        Ok(format)
    }

    /// Converts the vertex flags of a binary file to a vertex format. Returns `None` if a flag
    /// without a known meaning is set.
    pub(super) fn of_flags(flags: u32) -> Option<Self> {
        Self::of_semantics(Semantic::of_flags(flags)?)
    }

    /// Returns the vertex format of columns with known meanings, which have the types that a binary
    /// file stores.
    pub(super) fn of_semantics(semantics: impl Iterator<Item = Semantic>) -> Option<Self> {
        let mut format = Self::EMPTY;
        for semantic in semantics {
            let (scalar, count) = semantic.shape().unwrap_or((Scalar::Float, 4));
            format.push(semantic, 0, std::iter::repeat_n(scalar, count).map(Ok)).ok()?;
        }
        Some(format)
    }

    /// Returns the value of the attribute `ctype` in a text file, such as `fff x4`.
    pub(super) fn ctype(&self) -> String {
        self.columns().iter().map(|column| self.codes(column)).collect::<Vec<_>>().join(" ")
    }

    /// Returns the word of a column in the attribute `ctype`, such as `fff`.
    pub(super) fn codes(&self, column: &Column) -> String {
        self.scalars(column).iter().map(|scalar| scalar.code()).collect()
    }

    /// Returns the vertex flags for the columns of this vertex format, or `None` if a binary file
    /// cannot store these columns.
    pub(super) fn flags(&self) -> Option<u32> {
        self.columns()
            .iter()
            .try_fold(0, |flags, column| column.semantic.place_in_binary().map(|(bit, _)| flags | 1 << bit))
    }

    /// Returns a copy of the vertex format that has `width` floats in each `interp` column.
    pub(super) fn with_interp_width(&self, width: u8) -> Option<Self> {
        let mut format = Self::EMPTY;
        let floats = [Scalar::Float; MAX_SCALARS];
        for column in self.columns() {
            let scalars = match column.semantic {
                Semantic::Interp(_) => floats.get(..width.into())?,
                _ => self.scalars(column),
            };
            format.push(column.semantic, column.word, scalars.iter().copied().map(Ok)).ok()?;
        }
        Some(format)
    }

    /// Adds a column to the vertex format.
    ///
    /// The semantic of the column becomes [`Semantic::Other`] if the data types of the column do
    /// not fit the semantic, or if another column already has the same semantic.
    fn push(
        &mut self,
        semantic: Semantic,
        word: u8,
        scalars: impl Iterator<Item = Result<Scalar, VertexFormatFault>>,
    ) -> Result<(), VertexFormatFault> {
        let first = self.scalar_count;
        for scalar in scalars {
            let scalar = scalar?;
            let Some(place) = self.scalars.get_mut(usize::from(self.scalar_count)) else {
                return Err(("ctype", Cause::value("at most 63 numbers per vertex", "more")));
            };
            *place = scalar;
            self.scalar_count = self.scalar_count.saturating_add(1);
            self.least_text = self.least_text.saturating_add(scalar.least_text());
        }
        let count = self.scalar_count.saturating_sub(first);
        let mut column = Column { semantic, word, first, count, start: self.size, size: 0 };
        let scalars = self.scalars(&column);
        let fits = match semantic.shape() {
            Some((scalar, count)) => scalars.len() == count && scalars.iter().all(|one| *one == scalar),
            None if matches!(semantic, Semantic::Interp(_)) => {
                (1..=4).contains(&scalars.len()) && scalars.iter().all(|one| *one == Scalar::Float)
            }
            None => true,
        };
        column.size = scalars.iter().map(|scalar| scalar.size()).fold(0, u16::saturating_add);
        if !fits || self.column(semantic).is_some() {
            column.semantic = Semantic::Other;
        }
        // A vertex has at most one column per number, therefore the array `columns` is long enough.
        if let Some(place) = self.columns.get_mut(usize::from(self.column_count)) {
            *place = column;
            self.column_count = self.column_count.saturating_add(1);
            self.size = self.size.saturating_add(column.size);
        }
        Ok(())
    }

    /// Returns all columns of a vertex, in file order.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        self.columns.get(..usize::from(self.column_count)).unwrap_or_default()
    }

    /// Returns the column with the given semantic, or `None` if no column has this semantic.
    #[must_use]
    pub fn column(&self, semantic: Semantic) -> Option<&Column> {
        self.columns().iter().find(|column| column.semantic == semantic && semantic != Semantic::Other)
    }

    /// Returns the data type of each number in a column of a vertex.
    #[must_use]
    pub fn scalars(&self, column: &Column) -> &[Scalar] {
        let first = usize::from(column.first);
        self.scalars.get(first..first.saturating_add(column.count.into())).unwrap_or_default()
    }

    /// Returns the data type of each number of a vertex, in file order.
    #[must_use]
    pub fn all_scalars(&self) -> &[Scalar] {
        self.scalars.get(..usize::from(self.scalar_count)).unwrap_or_default()
    }

    /// Returns whether a separator must follow each number of a vertex text. The numbers of a
    /// vertex text with separators can be counted without parsing the numbers.
    ///
    /// Characters and hexadecimal numbers have a fixed number of characters and need no separator
    /// after them.
    pub(super) fn is_counted(&self) -> bool {
        let is_fixed =
            |scalar: &Scalar| matches!(scalar, Scalar::Character | Scalar::Hex8 | Scalar::Hex16 | Scalar::Hex32);
        !self.all_scalars().iter().any(is_fixed)
    }

    /// Returns the size of a parsed vertex, in bytes.
    #[must_use]
    pub const fn size(&self) -> u16 {
        self.size
    }

    /// Returns the minimum length of a vertex in a text file, in bytes.
    pub(super) const fn least_text(&self) -> u16 {
        self.least_text
    }
}

/// Returns the number types of one word of a `ctype` attribute, such as `fff` or `x4`.
fn scalars_of(group: &[u8]) -> impl Iterator<Item = Result<Scalar, VertexFormatFault>> {
    let mut letters = group.iter().copied().peekable();
    std::iter::from_fn(move || {
        Some(Ok(match letters.next()?.to_ascii_lowercase() {
            b'f' => Scalar::Float,
            b'd' => Scalar::Int32,
            b'h' => Scalar::Int16,
            b'b' => Scalar::Int8,
            b'c' => Scalar::Character,
            b'p' => Scalar::Word,
            b'x' => match letters.next_if(|digit| matches!(digit, b'1' | b'2' | b'4')) {
                Some(b'1') => Scalar::Hex8,
                Some(b'2') => Scalar::Hex16,
                _ => Scalar::Hex32,
            },
            _ => {
                let expected = "the type codes f, d, h, b, c, p, x1, x2 and x4";
                return Some(Err(("ctype", Cause::value(expected, Name::new(group).to_string()))));
            }
        }))
    })
}

/// Returns the words of an attribute value, split at blanks and commas.
pub(super) fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| is_separator(*byte)).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_code_and_word() {
        let format = VertexFormat::parse(
            b"FFF fff x4 ff  ff\tx1x2x ffff hhhh f",
            b"POSITION normal color texcoord texel what blendweights boneindices radius",
        )
        .unwrap();
        let seen: Vec<_> = format.columns().iter().map(|column| (column.semantic, column.start, column.size)).collect();
        assert_eq!(
            seen,
            [
                (Semantic::Position, 0, 12),
                (Semantic::Normal, 12, 12),
                (Semantic::Color, 24, 4),
                (Semantic::Texcoord(0), 28, 8),
                (Semantic::Texcoord(1), 36, 8),
                (Semantic::Other, 44, 7),
                (Semantic::BlendWeights, 51, 16),
                (Semantic::BlendIndices, 67, 8),
                (Semantic::Radius, 75, 4),
            ]
        );
        assert_eq!(format.scalars(&format.columns()[5]), [Scalar::Hex8, Scalar::Hex16, Scalar::Hex32]);
        assert_eq!((format.size(), format.all_scalars().len()), (79, 23));
    }

    #[test]
    fn refuses_what_does_not_fit_together() {
        let refused =
            |ctype: &[u8], semantic: &[u8]| VertexFormat::parse(ctype, semantic).err().map(|(attribute, _)| attribute);
        assert_eq!(refused(b"", b""), Some("ctype"));
        assert_eq!(refused(b"fff q", b"position normal"), Some("ctype"));
        assert_eq!(refused(b"fff", b"position normal"), Some("semantic"));
        assert_eq!(refused(b"fff fff", b"position"), Some("semantic"));
        assert_eq!(refused(&[b'f'; 64], b"position"), Some("ctype"));
        assert_eq!(refused(&[b'f'; 63], b"position"), None);
        assert_eq!(refused(&b"f ".repeat(64), &b"a ".repeat(64)), Some("ctype"));
    }

    #[test]
    fn a_meaning_needs_its_numbers_and_stands_once() {
        let format = VertexFormat::parse(b"ff fff fff fffff", b"position normal normal interp1").unwrap();
        let seen: Vec<_> = format.columns().iter().map(|column| column.semantic).collect();
        assert_eq!(seen, [Semantic::Other, Semantic::Normal, Semantic::Other, Semantic::Other]);
    }

    #[test]
    fn flags_and_groups_are_each_others_inverse() {
        for flags in (0..1 << 19).step_by(7) {
            assert_eq!(VertexFormat::of_flags(flags).unwrap().flags(), Some(flags));
        }
        assert!(VertexFormat::of_flags(1 << 19).is_none());
        assert_eq!(VertexFormat::of_flags(539).unwrap().size(), 12 + 12 + 8 + 8 + 24);
        let format = VertexFormat::parse(b"fff ffff", b"position interp2").unwrap();
        let narrow = format.with_interp_width(3).unwrap();
        assert_eq!((narrow.size(), narrow.flags()), (24, Some(1 | 1 << 12)));
    }
}
