//! Vertices: where they are, and the arrays of their groups of numbers.

use std::ops::Range;

use zerocopy::FromBytes;
use zerocopy::little_endian::F32;

use super::semantic::{Scalar, Semantic, VertexValue};
use super::vertex_format::{Column, VertexFormat};
use super::xml::scalars::{byte_value, end_of_word, short_value};
use crate::array::{Packed, Strided};
use crate::decode::endian::RawWord;
use crate::decode::{Argb8, ByteOrder, Decode, EndianFloats, EndianU16s, Floats};
use crate::math::as_index;
use crate::model::{Colors, FixedWeights, Normals, Positions, Uvs, Weights};
use crate::parse::Name;

/// Vertices, lent: from text as one array for each group of numbers, from a binary file as the records that it holds.
#[derive(Clone, Copy, Debug)]
pub struct Vertices<'a> {
    /// The file up to where the block ends, for words.
    text: &'a [u8],
    format: VertexFormat,
    rows: usize,
    bytes: &'a [u8],
    form: VertexStorage,
}

#[derive(Clone, Copy, Debug)]
enum VertexStorage {
    /// One array for each group, little-endian.
    Columns,
    /// Records.
    Records(ByteOrder),
}

impl<'a> Vertices<'a> {
    /// Lends what text was parsed to.
    pub(super) const fn of_columns(text: &'a [u8], format: &VertexFormat, rows: usize, bytes: &'a [u8]) -> Self {
        Self { text, format: *format, rows, bytes, form: VertexStorage::Columns }
    }

    /// Lends the records of a binary file.
    pub(super) const fn of_records(format: &VertexFormat, rows: usize, bytes: &'a [u8], order: ByteOrder) -> Self {
        Self { text: &[], format: *format, rows, bytes, form: VertexStorage::Records(order) }
    }

    /// Returns how many vertices there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.rows
    }

    /// Tells whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Returns what a vertex is made of.
    #[must_use]
    pub const fn format(&self) -> &VertexFormat {
        &self.format
    }

    /// Returns the byte order of the numbers.
    #[must_use]
    pub const fn order(&self) -> ByteOrder {
        match self.form {
            VertexStorage::Columns => ByteOrder::Little,
            VertexStorage::Records(order) => order,
        }
    }

    /// Returns the bytes of a group's array, of text.
    fn array(&self, column: &Column) -> Option<&'a [u8]> {
        let [start, size] = [column.start, column.size].map(|bytes| usize::from(bytes).saturating_mul(self.rows));
        matches!(self.form, VertexStorage::Columns).then(|| self.bytes.get(start..start.saturating_add(size)))?
    }

    /// Puts a decoder over the first numbers of a group.
    pub(super) fn strided<T: Decode>(&self, column: &Column, decode: T) -> Option<Strided<'a, T>> {
        match self.form {
            VertexStorage::Columns => Strided::new(self.array(column)?, column.size.into(), 0, decode),
            VertexStorage::Records(_) => {
                Strided::new(self.bytes, self.format.size().into(), column.start.into(), decode)
            }
        }
    }

    /// Returns a group's floats as an array of text's.
    fn packed<const N: usize>(&self, column: &Column) -> Option<Packed<'a, Floats<N>>> {
        let raw = <[[F32; N]]>::ref_from_bytes(self.array(column)?).ok()?;
        Some(Packed::new(raw, Floats))
    }

    /// Returns the positions.
    #[must_use]
    pub fn positions(&self) -> Option<Positions<'a>> {
        let column = self.format.column(Semantic::Position)?;
        let packed = self.packed(column).map(Positions::F32);
        packed.or_else(|| self.strided(column, EndianFloats(self.order())).map(Positions::Strided))
    }

    /// Returns the normals.
    #[must_use]
    pub fn normals(&self) -> Option<Normals<'a>> {
        self.directions(Semantic::Normal)
    }

    /// Returns the tangents.
    #[must_use]
    pub fn tangents(&self) -> Option<Normals<'a>> {
        self.directions(Semantic::Tangent)
    }

    /// Returns the binormals.
    #[must_use]
    pub fn binormals(&self) -> Option<Normals<'a>> {
        self.directions(Semantic::Binormal)
    }

    fn directions(&self, semantic: Semantic) -> Option<Normals<'a>> {
        let column = self.format.column(semantic)?;
        let packed = self.packed(column).map(Normals::F32);
        packed.or_else(|| self.strided(column, EndianFloats(self.order())).map(Normals::Strided))
    }

    /// Returns a set of texture coordinates, 0 to 3. Sets are numbered as they are in the file: one may be left out.
    #[must_use]
    pub fn uvs(&self, set: usize) -> Option<Uvs<'a>> {
        let column = self.format.column(Semantic::Texcoord(u8::try_from(set).ok()?))?;
        let packed = self.packed(column).map(Uvs::F32);
        packed.or_else(|| self.strided(column, EndianFloats(self.order())).map(Uvs::Strided))
    }

    /// Returns the colours.
    #[must_use]
    pub fn colors(&self) -> Option<Colors<'a>> {
        let column = self.format.column(Semantic::Color)?;
        let words = self.array(column).and_then(|array| <[RawWord]>::ref_from_bytes(array).ok());
        let packed = words.map(|raw| Colors::Argb8(Packed::new(raw, Argb8(ByteOrder::Little))));
        packed.or_else(|| self.strided(column, Argb8(self.order())).map(Colors::Strided))
    }

    /// Returns the influences of bones: four places to a vertex, of which those without weight are left out. Bones are counted
    /// from `first_bone`, the first of the mesh's skeleton.
    #[must_use]
    pub fn weights(&self, first_bone: usize) -> Option<Weights<'a>> {
        let (bones, weights) = self.lanes()?;
        let first = u32::try_from(first_bone).unwrap_or(u32::MAX);
        Some(Weights::from_fixed(FixedWeights::new(bones, weights, first)))
    }

    /// Returns the four bone numbers and the four weights of every vertex, as they are stored.
    #[must_use]
    pub fn lanes(&self) -> Option<(Strided<'a, EndianU16s<4>>, Strided<'a, EndianFloats<4>>)> {
        let [bones, weights] = [Semantic::BlendIndices, Semantic::BlendWeights].map(|one| self.format.column(one));
        Some((self.strided(bones?, EndianU16s(self.order()))?, self.strided(weights?, EndianFloats(self.order()))?))
    }

    /// Returns the radii.
    #[must_use]
    pub fn radii(&self) -> Option<Strided<'a, EndianFloats<1>>> {
        self.strided(self.format.column(Semantic::Radius)?, EndianFloats(self.order()))
    }

    /// Returns all numbers of one group, of one vertex.
    pub fn column_values(&self, column: &Column, vertex: usize) -> impl Iterator<Item = VertexValue<'a>> + use<'a, '_> {
        let size = usize::from(column.size);
        let bytes = match self.form {
            VertexStorage::Columns => self.array(column),
            VertexStorage::Records(_) => Some(self.bytes),
        };
        let start = match self.form {
            VertexStorage::Columns => vertex.checked_mul(size),
            VertexStorage::Records(_) => {
                vertex.checked_mul(self.format.size().into()).and_then(|start| start.checked_add(column.start.into()))
            }
        };
        let place = start.and_then(|start| Some(start..start.checked_add(size)?)).filter(|_| vertex < self.rows);
        let mut left = place.and_then(|place| bytes?.get(place)).unwrap_or_default();
        let scalars = self.format.scalars(column).iter();
        scalars.map_while(move |scalar| {
            let (bytes, rest) = left.split_at_checked(scalar.size().into())?;
            left = rest;
            Some(self.cell(*scalar, bytes))
        })
    }

    /// Returns all numbers of a vertex, in the order of the file.
    pub fn values(&self, vertex: usize) -> impl Iterator<Item = VertexValue<'a>> + use<'a, '_> {
        self.format.columns().iter().flat_map(move |column| self.column_values(column, vertex))
    }

    fn cell(&self, scalar: Scalar, bytes: &[u8]) -> VertexValue<'a> {
        let order = self.order();
        let word = || RawWord(*bytes.first_chunk().unwrap_or(&[0; 4]));
        let short = || order.u16(*bytes.first_chunk().unwrap_or(&[0; 2]));
        let byte = || bytes.first().copied().unwrap_or_default();
        match scalar {
            Scalar::Float => VertexValue::Float(order.f32(word())),
            Scalar::Int32 => VertexValue::Integer(order.u32(word()).cast_signed().into()),
            Scalar::Int16 => VertexValue::Integer(short_value(short().into())),
            Scalar::Int8 => VertexValue::Integer(byte_value(byte().into())),
            Scalar::Character => VertexValue::Character(byte()),
            Scalar::Hex8 => VertexValue::Hex(byte().into()),
            Scalar::Hex16 => VertexValue::Hex(short().into()),
            Scalar::Hex32 => VertexValue::Hex(order.u32(word())),
            Scalar::Word => {
                let rest = self.text.get(as_index(order.u32(word()))..).unwrap_or_default();
                // No number is longer, nor is a word.
                let near = rest.get(..256).unwrap_or(rest);
                VertexValue::Word(Name::new(near.get(..end_of_word(near)).unwrap_or_default()))
            }
        }
    }

    /// Writes each group as a little-endian array of its own.
    pub(super) fn columns_into(&self, out: &mut [u8]) {
        let mut left = out;
        for column in self.format.columns() {
            let size = usize::from(column.size).saturating_mul(self.rows);
            let (array, rest) = std::mem::take(&mut left).split_at_mut_checked(size).unwrap_or_default();
            left = rest;
            let records = self.bytes.chunks_exact(usize::from(self.format.size()).max(1));
            for (item, record) in array.chunks_exact_mut(usize::from(column.size).max(1)).zip(records) {
                let stored = record.get(column_range(column)).unwrap_or_default();
                copy_little(self.format.scalars(column), self.order(), stored, item);
            }
        }
    }
}

fn column_range(column: &Column) -> Range<usize> {
    let start = usize::from(column.start);
    start..start.saturating_add(column.size.into())
}

/// Copies numbers, and turns each around where it is big-endian.
fn copy_little(scalars: &[Scalar], order: ByteOrder, stored: &[u8], item: &mut [u8]) {
    let (mut stored, mut item) = (stored, item);
    for scalar in scalars {
        let size = usize::from(scalar.size());
        let (from, rest) = stored.split_at_checked(size).unwrap_or_default();
        let (to, after) = std::mem::take(&mut item).split_at_mut_checked(size).unwrap_or_default();
        (stored, item) = (rest, after);
        if from.len() == to.len() {
            to.copy_from_slice(from);
            if order == ByteOrder::Big {
                to.reverse();
            }
        }
    }
}
