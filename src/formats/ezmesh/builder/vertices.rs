//! Vertices to write: columns of numbers. A column can have any number type of the EZ-Mesh format.

use crate::error::debug::{items, short_debug, text};
use crate::formats::ezmesh::semantic::{Scalar, Semantic};
use crate::formats::ezmesh::vertex_format::{VertexFormat, VertexFormatFault};
use crate::parse::Name;

/// Vertices to write, stored as one array of numbers per column.
#[derive(Clone, Default, PartialEq)]
pub struct Vertices {
    /// The columns of the vertices.
    ///
    /// All columns must have the same number of rows, which is one row per vertex. A vertex has at
    /// most 63 numbers in all columns together.
    pub columns: Vec<Column>,
    /// The number of vertices if the vector `columns` is empty, otherwise 0. Only a binary file can
    /// store vertices without columns.
    pub bare: u32,
}

short_debug!(Vertices: |vertices| { columns: items(&vertices.columns), vertices: vertices.len() });

/// One column: the values of one vertex attribute, such as the position, for all vertices.
///
/// ```
/// use meshpeek::ezmesh::Semantic;
/// use meshpeek::ezmesh::builder::{Column, Values};
/// let heat = Column::new(Semantic::Interp(0), Values::F32(3, vec![0.5, 0.25, 0.0]));
/// assert_eq!((&heat.word[..], heat.values.ctype().as_str(), heat.values.len()), (&b"interp1"[..], "fff", 1));
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct Column {
    /// The word that describes the column in the attribute `semantic` of a text file: a word of the
    /// format, such as `position`, or any other word.
    pub word: Vec<u8>,
    /// The numbers of the column.
    pub values: Values,
}

short_debug!(Column: |column| { word: text(&column.word), values: column.values });

/// The numbers of a column, vertex by vertex, with their number type.
///
/// In each variant except `Mixed`, the first field is the number of components per vertex, and the
/// second field contains the components of all vertices in sequence. The type code in the
/// description of each variant of `Values` is the code in the attribute `ctype` of a text file.
#[derive(Clone, PartialEq)]
pub enum Values {
    /// Type code `f`: floats of four bytes.
    F32(u8, Vec<f32>),
    /// Type code `d`: integers of four bytes.
    I32(u8, Vec<i32>),
    /// Type code `h`: integers of two bytes. A negative integer in a text file is read as the
    /// unsigned integer with the same two's complement bits.
    U16(u8, Vec<u16>),
    /// Type code `b`: integers of one byte. A negative integer in a text file is read as the
    /// unsigned integer with the same two's complement bits.
    U8(u8, Vec<u8>),
    /// Type code `c`: characters, one byte each. None of the characters may be a separator (a blank
    /// or a comma).
    Characters(u8, Vec<u8>),
    /// Type code `x1`: numbers of one byte, written as two hexadecimal digits.
    Hex8(u8, Vec<u8>),
    /// Type code `x2`: numbers of two bytes, written as four hexadecimal digits.
    Hex16(u8, Vec<u16>),
    /// Type code `x4`: numbers of four bytes, written as eight hexadecimal digits.
    Hex32(u8, Vec<u32>),
    /// Type code `p`: words of text, each of at most 30 bytes.
    Words(u8, Vec<Vec<u8>>),
    /// Numbers of several types: the vector has one element for each sequence of numbers with the
    /// same type, in column order. No element of a `Mixed` vector may be `Mixed` itself.
    Mixed(Vec<Values>),
}

short_debug!(Values: |values| { ctype: text(&values.ctype()), vertices: values.len() });

impl Default for Values {
    fn default() -> Self {
        Self::F32(1, Vec::new())
    }
}

impl From<Vec<Column>> for Vertices {
    fn from(columns: Vec<Column>) -> Self {
        Self { columns, bare: 0 }
    }
}

/// Returns `vertices`, or `None` if the vertices have no columns. A text file has no element for
/// vertices without columns.
pub(super) fn with_columns(vertices: Option<&Vertices>) -> Option<&Vertices> {
    vertices.filter(|vertices| !vertices.columns.is_empty())
}

impl Vertices {
    /// Returns the number of vertices: the number of rows of the first column, or `bare` if no
    /// column exists.
    #[must_use]
    pub fn len(&self) -> usize {
        match self.columns.first() {
            Some(column) => column.values.len(),
            None => usize::try_from(self.bare).unwrap_or(usize::MAX),
        }
    }

    /// Returns whether the number of vertices is 0.
    #[cfg(feature = "internals")]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the column with the meaning `semantic`.
    ///
    /// Returns `None` if no column has both the meaning `semantic` and the number types that this
    /// meaning requires.
    #[must_use]
    pub fn column(&self, semantic: Semantic) -> Option<&Column> {
        let format = self.format().ok()?;
        let number =
            format.columns().iter().position(|column| column.semantic == semantic && semantic != Semantic::Other);
        self.columns.get(number?)
    }

    /// Returns the positions, or `None` if the vertices have no positions.
    #[must_use]
    pub fn positions(&self) -> Option<&[[f32; 3]]> {
        match &self.column(Semantic::Position)?.values {
            Values::F32(3, floats) => Some(floats.as_chunks().0),
            _ => None,
        }
    }

    /// Returns the values of the attributes `ctype` and `semantic` for a text file. The value of
    /// `semantic` contains the original word of each column, which may differ from the standard
    /// word for the column's meaning.
    pub(super) fn raw_types(&self) -> [String; 2] {
        let ctype = self.columns.iter().map(|column| column.values.ctype()).collect::<Vec<_>>().join(" ");
        // In words that are not UTF-8, the invalid bytes are replaced with U+FFFD. The converted
        // words are never written to a file, because the writer puts the original bytes of a word
        // or a standard word into the file.
        let words =
            self.columns.iter().map(|column| Name::new(&column.word).to_string_lossy()).collect::<Vec<_>>().join(" ");
        [ctype, words]
    }

    /// Returns the vertex format, or an error if [`VertexFormat::parse`] rejects the types or words
    /// of the columns.
    pub(super) fn format(&self) -> Result<VertexFormat, VertexFormatFault> {
        if self.columns.is_empty() {
            return Ok(VertexFormat::EMPTY);
        }
        let [ctype, words] = self.raw_types();
        VertexFormat::parse(ctype.as_bytes(), words.as_bytes())
    }

    /// Returns, for each column, the word that the writer puts into the attribute `semantic` of a
    /// text file.
    ///
    /// For a column with a known meaning, the returned word is the standard word for this meaning.
    /// If the standard words would change how a reader interprets any column, the original words of
    /// all columns are returned.
    pub(super) fn standard_words(&self) -> Vec<Vec<u8>> {
        let own = || self.columns.iter().map(|column| column.word.clone());
        let Ok(format) = self.format() else { return own().collect() };
        let meanings = format.columns().iter().map(|column| column.semantic);
        let standard = meanings.clone().zip(own()).map(|(meaning, word)| meaning.word().map_or(word, Into::into));
        let standard: Vec<Vec<u8>> = standard.collect();
        let [ctype, _] = self.raw_types();
        let again = VertexFormat::parse(ctype.as_bytes(), &standard.join(&b' '));
        let is_same = again.is_ok_and(|again| again.columns().iter().map(|column| column.semantic).eq(meanings));
        if is_same { standard } else { own().collect() }
    }
}

impl Column {
    /// Creates a column with the meaning `semantic` and the standard word for this meaning. For
    /// [`Semantic::Other`], the word of the created column is empty.
    #[must_use]
    pub fn new(semantic: Semantic, values: Values) -> Self {
        Self { word: semantic.word().unwrap_or_default().into(), values }
    }

    fn floats<const N: usize>(semantic: Semantic, items: impl IntoIterator<Item = [f32; N]>) -> Self {
        let width = u8::try_from(N).unwrap_or(u8::MAX);
        Self::new(semantic, Values::F32(width, items.into_iter().flatten().collect()))
    }

    /// Creates a column of positions, in scene units.
    #[must_use]
    pub fn positions(items: impl IntoIterator<Item = [f32; 3]>) -> Self {
        Self::floats(Semantic::Position, items)
    }

    /// Creates a column of normals.
    #[must_use]
    pub fn normals(items: impl IntoIterator<Item = [f32; 3]>) -> Self {
        Self::floats(Semantic::Normal, items)
    }

    /// Creates a column of colors, each as `0xAARRGGBB`.
    #[must_use]
    pub fn colors(items: impl IntoIterator<Item = u32>) -> Self {
        Self::new(Semantic::Color, Values::Hex32(1, items.into_iter().collect()))
    }

    /// Creates a column of texture coordinates. `set` is the index of the texture coordinate set,
    /// from 0 to 3.
    #[must_use]
    pub fn texcoords(set: u8, items: impl IntoIterator<Item = [f32; 2]>) -> Self {
        Self::floats(Semantic::Texcoord(set), items)
    }

    /// Creates a column of tangents.
    #[must_use]
    pub fn tangents(items: impl IntoIterator<Item = [f32; 3]>) -> Self {
        Self::floats(Semantic::Tangent, items)
    }

    /// Creates a column of binormals.
    #[must_use]
    pub fn binormals(items: impl IntoIterator<Item = [f32; 3]>) -> Self {
        Self::floats(Semantic::Binormal, items)
    }

    /// Creates a column of bone weights.
    #[must_use]
    pub fn weights(items: impl IntoIterator<Item = [f32; 4]>) -> Self {
        Self::floats(Semantic::BlendWeights, items)
    }

    /// Creates a column of bone indices. The bone index 0 refers to the first bone of the skeleton
    /// of the mesh.
    #[must_use]
    pub fn bones(items: impl IntoIterator<Item = [u16; 4]>) -> Self {
        Self::new(Semantic::BlendIndices, Values::U16(4, items.into_iter().flatten().collect()))
    }

    /// Creates a column of radii, one per vertex.
    #[cfg(feature = "internals")]
    #[must_use]
    pub fn radii(items: impl IntoIterator<Item = f32>) -> Self {
        Self::new(Semantic::Radius, Values::F32(1, items.into_iter().collect()))
    }

    /// Creates an `interp` column with `N` floats per vertex, where `N` is at most 4. `number` is
    /// the index of the `interp` column, from 0 to 7.
    #[cfg(feature = "internals")]
    #[must_use]
    pub fn interps<const N: usize>(number: u8, items: impl IntoIterator<Item = [f32; N]>) -> Self {
        Self::floats(Semantic::Interp(number), items)
    }
}

impl Values {
    /// Creates an empty column with the number type `scalar` and `width` numbers per vertex.
    pub(super) const fn empty(scalar: Scalar, width: u8) -> Self {
        match scalar {
            Scalar::Float => Self::F32(width, Vec::new()),
            Scalar::Int32 => Self::I32(width, Vec::new()),
            Scalar::Int16 => Self::U16(width, Vec::new()),
            Scalar::Int8 => Self::U8(width, Vec::new()),
            Scalar::Character => Self::Characters(width, Vec::new()),
            Scalar::Hex8 => Self::Hex8(width, Vec::new()),
            Scalar::Hex16 => Self::Hex16(width, Vec::new()),
            Scalar::Hex32 => Self::Hex32(width, Vec::new()),
            Scalar::Word => Self::Words(width, Vec::new()),
        }
    }

    /// Returns the number type of the column, the number of components per vertex, and the total
    /// number of components of all vertices.
    ///
    /// Returns `None` for a column of mixed types.
    pub(super) fn shape(&self) -> Option<(Scalar, u8, usize)> {
        Some(match self {
            Self::F32(width, all) => (Scalar::Float, *width, all.len()),
            Self::I32(width, all) => (Scalar::Int32, *width, all.len()),
            Self::U16(width, all) => (Scalar::Int16, *width, all.len()),
            Self::U8(width, all) => (Scalar::Int8, *width, all.len()),
            Self::Characters(width, all) => (Scalar::Character, *width, all.len()),
            Self::Hex8(width, all) => (Scalar::Hex8, *width, all.len()),
            Self::Hex16(width, all) => (Scalar::Hex16, *width, all.len()),
            Self::Hex32(width, all) => (Scalar::Hex32, *width, all.len()),
            Self::Words(width, all) => (Scalar::Word, *width, all.len()),
            Self::Mixed(_) => return None,
        })
    }

    /// Returns the elements of a `Mixed` column, or a slice that contains only the column itself.
    ///
    /// All numbers of one returned element have the same type.
    pub(super) const fn parts(&self) -> &[Self] {
        match self {
            Self::Mixed(parts) => parts.as_slice(),
            _ => std::slice::from_ref(self),
        }
    }

    /// Returns the number of vertices. For a `Mixed` column, the number of vertices is computed
    /// from the first element.
    #[must_use]
    pub fn len(&self) -> usize {
        let Some((_, width, count)) = self.parts().first().and_then(Self::shape) else { return 0 };
        count.checked_div(width.into()).unwrap_or_default()
    }

    /// Returns whether the number of vertices is 0.
    #[cfg(feature = "internals")]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the type codes of the column for the `ctype` attribute of a text file, such as
    /// `fff`, `x4` or `hhhh`.
    #[must_use]
    pub fn ctype(&self) -> String {
        let mut ctype = String::new();
        for (scalar, width, _) in self.parts().iter().filter_map(Self::shape) {
            for _ in 0..width {
                ctype.push_str(scalar.code());
            }
        }
        ctype
    }
}
