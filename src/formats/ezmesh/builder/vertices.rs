//! Vertices to write: columns of numbers of any type.

use crate::formats::ezmesh::semantic::{Scalar, Semantic};
use crate::formats::ezmesh::vertex_format::{VertexFormat, VertexFormatFault};

/// Vertices to write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vertices {
    /// What a vertex is made of: columns of one length, fewer than 64 numbers to a vertex.
    pub columns: Vec<Column>,
    /// How many vertices there are without columns. Only the binary form has such.
    pub bare: u32,
}

/// One group of numbers of every vertex.
///
/// ```
/// use meshpeek::ezmesh::Semantic;
/// use meshpeek::ezmesh::build::{Column, Values};
/// let heat = Column::new(Semantic::Interp(0), Values::F32(3, vec![0.5, 0.25, 0.0]));
/// assert_eq!((&heat.word[..], heat.values.ctype().as_str(), heat.values.len()), (&b"interp1"[..], "fff", 1));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Column {
    /// What it means, as text has it: `position`, or any other word.
    pub word: Vec<u8>,
    /// Its numbers.
    pub values: Values,
}

/// The numbers of a column: how many each vertex has, and those of all vertices one after another. The letter is that of a
/// text file's `ctype`.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// `f`: floats.
    F32(u8, Vec<f32>),
    /// `d`: integers of four bytes.
    I32(u8, Vec<i32>),
    /// `h`: integers of two bytes. Negative ones of a text become their two's complement.
    U16(u8, Vec<u16>),
    /// `b`: integers of one byte, in the same way.
    U8(u8, Vec<u8>),
    /// `c`: characters that are no separators.
    Characters(u8, Vec<u8>),
    /// `x1`: numbers of two hexadecimal digits.
    Hex8(u8, Vec<u8>),
    /// `x2`: of four.
    Hex16(u8, Vec<u16>),
    /// `x4`: of eight.
    Hex32(u8, Vec<u32>),
    /// `p`: words, each of at most 30 bytes.
    Words(u8, Vec<Vec<u8>>),
    /// Numbers of several types, one behind another; none of them mixed itself.
    Mixed(Vec<Values>),
}

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

impl Vertices {
    /// Returns how many vertices there are: by the first column.
    #[must_use]
    pub fn len(&self) -> usize {
        match self.columns.first() {
            Some(column) => column.values.len(),
            None => usize::try_from(self.bare).unwrap_or(usize::MAX),
        }
    }

    /// Tells whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the column of a meaning, if its numbers are of the type that it must have.
    #[must_use]
    pub fn column(&self, semantic: Semantic) -> Option<&Column> {
        let format = self.format().ok()?;
        let number =
            format.columns().iter().position(|column| column.semantic == semantic && semantic != Semantic::Other);
        self.columns.get(number?)
    }

    /// Returns the positions, if there are any.
    #[must_use]
    pub fn positions(&self) -> Option<&[[f32; 3]]> {
        match &self.column(Semantic::Position)?.values {
            Values::F32(3, floats) => Some(floats.as_chunks().0),
            _ => None,
        }
    }

    /// Returns the `ctype` and the `semantic` of a text file, with the words that the columns have.
    pub(super) fn raw_types(&self) -> [String; 2] {
        let ctype = self.columns.iter().map(|column| column.values.ctype()).collect::<Vec<_>>().join(" ");
        // Tests for words that are no text come first; nothing that is written depends on what is lost here.
        let words =
            self.columns.iter().map(|column| String::from_utf8_lossy(&column.word)).collect::<Vec<_>>().join(" ");
        [ctype, words]
    }

    /// Returns what a vertex is made of.
    pub(super) fn format(&self) -> Result<VertexFormat, VertexFormatFault> {
        if self.columns.is_empty() {
            return Ok(VertexFormat::EMPTY);
        }
        let [ctype, words] = self.raw_types();
        VertexFormat::parse(ctype.as_bytes(), words.as_bytes())
    }

    /// Returns the words of the columns: of those with a meaning, the words that writers use; unless others would mean
    /// something else then.
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
    /// Makes a column with the word that writers use for a meaning; none of [`Semantic::Other`].
    #[must_use]
    pub fn new(semantic: Semantic, values: Values) -> Self {
        Self { word: semantic.word().unwrap_or_default().into(), values }
    }

    fn floats<const N: usize>(semantic: Semantic, items: impl IntoIterator<Item = [f32; N]>) -> Self {
        let width = u8::try_from(N).unwrap_or(u8::MAX);
        Self::new(semantic, Values::F32(width, items.into_iter().flatten().collect()))
    }

    /// Makes positions, in the scene's units.
    #[must_use]
    pub fn positions(items: impl IntoIterator<Item = [f32; 3]>) -> Self {
        Self::floats(Semantic::Position, items)
    }

    /// Makes normals.
    #[must_use]
    pub fn normals(items: impl IntoIterator<Item = [f32; 3]>) -> Self {
        Self::floats(Semantic::Normal, items)
    }

    /// Makes colours: `0xAARRGGBB`.
    #[must_use]
    pub fn colors(items: impl IntoIterator<Item = u32>) -> Self {
        Self::new(Semantic::Color, Values::Hex32(1, items.into_iter().collect()))
    }

    /// Makes a set of texture coordinates, 0 to 3.
    #[must_use]
    pub fn texcoords(set: u8, items: impl IntoIterator<Item = [f32; 2]>) -> Self {
        Self::floats(Semantic::Texcoord(set), items)
    }

    /// Makes tangents.
    #[must_use]
    pub fn tangents(items: impl IntoIterator<Item = [f32; 3]>) -> Self {
        Self::floats(Semantic::Tangent, items)
    }

    /// Makes binormals.
    #[must_use]
    pub fn binormals(items: impl IntoIterator<Item = [f32; 3]>) -> Self {
        Self::floats(Semantic::Binormal, items)
    }

    /// Makes weights of bones.
    #[must_use]
    pub fn weights(items: impl IntoIterator<Item = [f32; 4]>) -> Self {
        Self::floats(Semantic::BlendWeights, items)
    }

    /// Makes numbers of bones, within the mesh's skeleton.
    #[must_use]
    pub fn bones(items: impl IntoIterator<Item = [u16; 4]>) -> Self {
        Self::new(Semantic::BlendIndices, Values::U16(4, items.into_iter().flatten().collect()))
    }

    /// Makes radii.
    #[must_use]
    pub fn radii(items: impl IntoIterator<Item = f32>) -> Self {
        Self::new(Semantic::Radius, Values::F32(1, items.into_iter().collect()))
    }

    /// Makes floats to be interpolated, 0 to 7: `N` to a vertex, at most 4.
    #[must_use]
    pub fn interps<const N: usize>(number: u8, items: impl IntoIterator<Item = [f32; N]>) -> Self {
        Self::floats(Semantic::Interp(number), items)
    }
}

impl Values {
    /// Makes an empty column of one type.
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

    /// Returns the type of the numbers, how many of them each vertex has, and how many there are; of mixed ones, `None`.
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

    /// Returns the parts that are of one type each: itself, unless it is mixed.
    pub(super) const fn parts(&self) -> &[Self] {
        match self {
            Self::Mixed(parts) => parts.as_slice(),
            _ => std::slice::from_ref(self),
        }
    }

    /// Returns how many vertices there are; of mixed numbers, by the first part.
    #[must_use]
    pub fn len(&self) -> usize {
        let Some((_, width, count)) = self.parts().first().and_then(Self::shape) else { return 0 };
        count.checked_div(width.into()).unwrap_or_default()
    }

    /// Tells whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the group of a text file's `ctype`: `fff`, `x4`, `hhhh`.
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
