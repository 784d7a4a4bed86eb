//! The sections of a mesh. Each section is one surface: the triangles of one material. Also the
//! vertices of a mesh or section, with one array for each column, such as positions and normals.

use zerocopy::FromBytes;
use zerocopy::little_endian::F32;

use super::element_index::ElementKind;
use super::elements::buffers::{IndexBuffer, VertexBuffer};
use super::elements::reader::ElementReader;
use super::elements::{MeshElement, Section};
use super::layout::{FORMAT, Scalar, Semantic, VertexValue};
use super::validate::rules::MESH_STRUCTURE;
use super::vertex_format::{Column, VertexFormat};
use super::xml::columns::value_of;
use super::xml::tag::AttributeValue;
use crate::array::{Bounds, Packed, Strided};
use crate::decode::endian::RawWord;
use crate::decode::{Argb8, ByteOrder, Decode, EndianFloats, EndianU16s, Floats};
use crate::error::debug::short_debug;
use crate::error::{Cause, Error, Result};
use crate::model::{
    ColorEncoding, Colors, ExtraArray, ExtraArrayInfo, FixedWeights, NormalEncoding, Normals, PositionEncoding,
    Positions, UvEncoding, Uvs, Weights,
};
use crate::parse::Name;

impl<'a> Section<'a> {
    /// Returns the index of the section among all sections of the file.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.element.index
    }

    /// Returns the mesh that contains the section.
    #[must_use]
    pub fn mesh(&self) -> MeshElement<'a> {
        let view = self.element.view;
        let mesh = view.state.elements.around(ElementKind::Mesh, self.element.start().unwrap_or_default());
        MeshElement::new(view, mesh.unwrap_or_default())
    }

    /// Returns the `info` attribute of the section, such as the path of a texture. Only files of an
    /// older exporter contain the attribute `info`; for all other files, the function returns
    /// `None`.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`material_name`](Self::material_name).
    pub fn info(&self) -> Result<Option<Name<'a>>> {
        match self.element.view.order() {
            Some(_) => Ok(None),
            None => Ok(self.element.tag()?.value("info").map(AttributeValue::name)),
        }
    }

    /// Returns the vertex flags of the section, or `None` for a text file. A binary file repeats
    /// the vertex flags of a mesh in each section of the mesh.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`material_name`](Self::material_name).
    pub fn flags(&self) -> Result<Option<u32>> {
        let reader = self.element.fields_from("flags")?;
        reader.map(|mut reader| reader.u32("flags")).transpose()
    }

    /// Returns the attributes `ctype` and `semantic` of the section element in a text file. They
    /// repeat the vertex declaration of the mesh. A missing attribute is `None`; for a binary file,
    /// both attributes are `None`.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`material_name`](Self::material_name).
    pub fn repeated_types(&self) -> Result<[Option<Name<'a>>; 2]> {
        match self.element.view.order() {
            Some(_) => Ok([None; 2]),
            None => Ok(self.element.tag()?.values(["ctype", "semantic"]).map(|value| value.map(AttributeValue::name))),
        }
    }

    /// Returns the bounding box that the file declares for the section, or `None` if the file
    /// declares no bounding box. The declared bounding box may differ from the bounding box of the
    /// positions.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the declared bounding box does not consist of six numbers.
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn declared_bounds(&self) -> Result<Option<Bounds>> {
        self.element.first(ElementKind::SectionBox).map(ElementReader::bounds).transpose()
    }

    /// Returns whether the section has a separate vertex buffer, and does not use the shared
    /// vertices of its mesh.
    #[must_use]
    pub fn has_own_vertices(&self) -> bool {
        !self.element.inside(ElementKind::SectionVertices).is_empty()
    }

    /// Returns the vertices of the section, or the shared vertices of its mesh if the section has
    /// no separate vertices.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Missing`] if neither the section nor its mesh has vertices. Also
    /// returns the errors that the documentation of [`VertexBuffer`] lists.
    ///
    /// [`ErrorKind::Missing`]: crate::ErrorKind::Missing
    pub fn vertex_buffer(&self) -> Result<VertexBuffer<'a>> {
        if let Some(own) = self.element.first(ElementKind::SectionVertices) {
            return VertexBuffer::locate(own);
        }
        self.mesh().vertex_buffer()?.ok_or_else(|| {
            let expected = "a vertexbuffer in the section or in its mesh".into();
            let start = self.element.start().unwrap_or_default();
            Error::new(FORMAT, self.element.place.named("vertexbuffer"), start, Cause::Missing { expected })
                .breaking(&MESH_STRUCTURE)
        })
    }

    /// Returns whether the vertices of the section have bone weights.
    pub(super) fn has_weights(&self) -> bool {
        self.vertex_buffer().is_ok_and(|buffer| buffer.format().column(Semantic::BlendWeights).is_some())
    }

    /// Returns the triangles of the section, or `None` if the section has no index buffer.
    ///
    /// # Errors
    ///
    /// Returns the errors that the documentation of [`IndexBuffer`] lists.
    pub fn index_buffer(&self) -> Result<Option<IndexBuffer<'a>>> {
        self.element.first(ElementKind::Triangles).map(IndexBuffer::locate).transpose()
    }
}

/// The vertices of a mesh or section, borrowed from the opened file: one parsed array per column
/// for a text file, or the vertex records of a binary file.
#[derive(Clone, Copy)]
pub struct Vertices<'a> {
    /// The bytes from the start of the file to the end of the vertex text. A value of the type
    /// [`Scalar::Word`] is a byte offset from the start of the file.
    text: &'a [u8],
    format: VertexFormat,
    rows: usize,
    bytes: &'a [u8],
    /// The byte order of the vertex records of a binary file, or `None` for the columns that were
    /// parsed from a text file: one little-endian array each.
    records: Option<ByteOrder>,
}

short_debug!(Vertices<'_>: |vertices| {
    vertices: vertices.rows, columns: vertices.format.columns().len(), bytes: vertices.bytes.len(), records: vertices.records,
});

impl<'a> Vertices<'a> {
    /// Creates [`Vertices`] from the parsed columns of a text file.
    pub(super) const fn of_columns(text: &'a [u8], format: &VertexFormat, rows: usize, bytes: &'a [u8]) -> Self {
        Self { text, format: *format, rows, bytes, records: None }
    }

    /// Creates [`Vertices`] from the vertex records of a binary file.
    pub(super) const fn of_records(format: &VertexFormat, rows: usize, bytes: &'a [u8], order: ByteOrder) -> Self {
        Self { text: &[], format: *format, rows, bytes, records: Some(order) }
    }

    /// Returns the number of vertices.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.rows
    }

    /// Returns whether there are no vertices.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Returns the format of a vertex: its columns, and the types of the numbers in each column.
    #[must_use]
    pub const fn format(&self) -> &VertexFormat {
        &self.format
    }

    /// Returns the byte order in which the numbers of the vertices are stored.
    #[must_use]
    pub const fn order(&self) -> ByteOrder {
        match self.records {
            None => ByteOrder::Little,
            Some(order) => order,
        }
    }

    /// Returns the bytes of the parsed array of a column, or `None` for a binary file, which has no
    /// separate arrays.
    fn array(&self, column: &Column) -> Option<&'a [u8]> {
        let [start, size] = [column.start, column.size].map(|bytes| usize::from(bytes).saturating_mul(self.rows));
        self.records.is_none().then(|| self.bytes.get(start..start.saturating_add(size)))?
    }

    /// Returns the items that contain a column, the size of an item, and the offset of the column
    /// in an item, in bytes.
    fn items(&self, column: &Column) -> Option<(&'a [u8], usize, usize)> {
        Some(match self.records {
            None => (self.array(column)?, column.size.into(), 0),
            Some(_) => (self.bytes, self.format.size().into(), column.start.into()),
        })
    }

    /// Returns a column as a strided array with one item per vertex. The decoder `decode` reads the
    /// item of a vertex from the first numbers that the vertex has in the column.
    pub(super) fn strided<T: Decode>(&self, column: &Column, decode: T) -> Option<Strided<'a, T>> {
        let (bytes, size, at) = self.items(column)?;
        Strided::new(bytes, size, at, decode)
    }

    /// Returns an array for each float of a vertex.
    pub(super) fn float_fields(&self) -> Vec<Strided<'a, EndianFloats<1>>> {
        let mut fields = Vec::new();
        for column in self.format.columns() {
            let Some((bytes, size, mut at)) = self.items(column) else { continue };
            for scalar in self.format.scalars(column) {
                let field = Strided::new(bytes, size, at, EndianFloats(self.order()));
                fields.extend(field.filter(|_| *scalar == Scalar::Float));
                at = at.saturating_add(scalar.size().into());
            }
        }
        fields
    }

    /// Returns a column of floats, which is an array of its own in a text file.
    fn floats<const N: usize, T>(
        &self,
        semantic: Semantic,
        packed: impl FnOnce(Packed<'a, Floats<N>>) -> T,
        strided: impl FnOnce(Strided<'a, EndianFloats<N>>) -> T,
    ) -> Option<T> {
        let column = self.format.column(semantic)?;
        match self.array(column).and_then(|array| <[[F32; N]]>::ref_from_bytes(array).ok()) {
            Some(raw) => Some(packed(Packed::new(raw, Floats))),
            None => self.strided(column, EndianFloats(self.order())).map(strided),
        }
    }

    /// Returns the positions, or `None` if the vertices have no positions.
    #[must_use]
    pub fn positions(&self) -> Option<Positions<'a>> {
        self.floats(Semantic::Position, PositionEncoding::F32, PositionEncoding::Strided).map(Positions)
    }

    /// Returns the normals, or `None` if the vertices have no normals.
    #[must_use]
    pub fn normals(&self) -> Option<Normals<'a>> {
        self.floats(Semantic::Normal, NormalEncoding::F32, NormalEncoding::Strided).map(Normals)
    }

    /// Returns the texture coordinates of a set from 0 to 3, or `None` if the vertices have no such
    /// set.
    ///
    /// The index `set` is the index of the texture coordinate set in the file. For example, a file
    /// can have set 1 without set 0.
    #[must_use]
    pub fn uvs(&self, set: usize) -> Option<Uvs<'a>> {
        self.floats(Semantic::Texcoord(u8::try_from(set).ok()?), UvEncoding::F32, UvEncoding::Strided).map(Uvs)
    }

    /// Returns the colors, or `None` if the vertices have no colors.
    #[must_use]
    pub fn colors(&self) -> Option<Colors<'a>> {
        let column = self.format.column(Semantic::Color)?;
        let words = self.array(column).and_then(|array| <[RawWord]>::ref_from_bytes(array).ok());
        let packed = words.map(|raw| Colors(ColorEncoding::Argb8(Packed::new(raw, Argb8(ByteOrder::Little)))));
        packed.or_else(|| self.strided(column, Argb8(self.order())).map(|array| Colors(ColorEncoding::Strided(array))))
    }

    /// Returns the bone weights: up to four pairs of a bone index and a weight per vertex. Pairs of
    /// a bone and the weight 0 are omitted.
    ///
    /// `first_bone` is the index of the first bone of the mesh's skeleton. The value of
    /// `first_bone` is added to each bone index in the file.
    #[must_use]
    pub fn weights(&self, first_bone: usize) -> Option<Weights<'a>> {
        let (bones, weights) = self.lanes()?;
        let first = u32::try_from(first_bone).unwrap_or(u32::MAX);
        Some(Weights::from_fixed(FixedWeights::new(self.bytes, bones, weights, first)))
    }

    /// Returns the four bone indices and the four bone weights of every vertex, as stored in the
    /// file.
    #[must_use]
    pub fn lanes(&self) -> Option<(Strided<'a, EndianU16s<4>>, Strided<'a, EndianFloats<4>>)> {
        let [bones, weights] = [Semantic::BlendIndices, Semantic::BlendWeights].map(|one| self.format.column(one));
        Some((self.strided(bones?, EndianU16s(self.order()))?, self.strided(weights?, EndianFloats(self.order()))?))
    }

    /// Returns the column of floats with a meaning as an extra array, or `None` if the vertices do
    /// not have it.
    pub(super) fn extra_array(&self, info: &'static ExtraArrayInfo, semantic: Semantic) -> Option<ExtraArray<'a>> {
        let column = self.format.column(semantic)?;
        match column.count {
            1 => self.extra_floats::<1>(info, column),
            2 => self.extra_floats::<2>(info, column),
            3 => self.extra_floats::<3>(info, column),
            _ => self.extra_floats::<4>(info, column),
        }
    }

    fn extra_floats<const N: usize>(&self, info: &'static ExtraArrayInfo, column: &Column) -> Option<ExtraArray<'a>> {
        Some(ExtraArray::floats(info, self.strided(column, EndianFloats::<N>(self.order()))?))
    }

    /// Returns the numbers that the vertex with the index `vertex` has in one column.
    pub fn column_values(&self, column: &Column, vertex: usize) -> impl Iterator<Item = VertexValue<'a>> + use<'a, '_> {
        let item = self.items(column).filter(|_| vertex < self.rows).and_then(|(bytes, stride, start)| {
            let start = vertex.checked_mul(stride)?.checked_add(start)?;
            bytes.get(start..start.checked_add(column.size.into())?)
        });
        let mut left = item.unwrap_or_default();
        let scalars = self.format.scalars(column).iter();
        scalars.map_while(move |scalar| {
            let (bytes, rest) = left.split_at_checked(scalar.size().into())?;
            left = rest;
            Some(value_of(*scalar, bytes, self.order(), self.text))
        })
    }

    /// Returns all numbers of one vertex, in file order.
    pub fn values(&self, vertex: usize) -> impl Iterator<Item = VertexValue<'a>> + use<'a, '_> {
        self.format.columns().iter().flat_map(move |column| self.column_values(column, vertex))
    }
}
