//! The vertex buffer of a mesh, a section or a convex hull: the number and the format of the
//! vertices, and methods that read the vertices from the file. The triangles of a section or of a
//! convex hull.

use std::ops::Range;

use zerocopy::FromBytes;
use zerocopy::little_endian::U32;

use super::reader::ElementReader;
use crate::array::Packed;
use crate::decode::endian::RawWord;
use crate::decode::{ByteOrder, EndianIndex, Index};
use crate::error::debug::short_debug;
use crate::error::{Error, Result};
use crate::formats::ezmesh::element_index::ElementKind;
use crate::formats::ezmesh::layout::{FORMAT, TRIANGLE_SIZE};
use crate::formats::ezmesh::surface::Vertices;
use crate::formats::ezmesh::validate::rules::VERTEX_DECLARATION;
use crate::formats::ezmesh::vertex_format::{Column, VertexDeclaration, VertexFormat, words};
use crate::formats::ezmesh::view::View;
use crate::formats::ezmesh::xml::number_block::NumberBlock;
use crate::math::{as_index, as_u64};
use crate::model::{IndexEncoding, Indices};
use crate::parse::Name;

/// A vertex buffer in the file: its location, the number of vertices and their format are known,
/// but the vertices may not have been read yet.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::Array;
/// use meshpeek::ezmesh::Mesh;
/// let system = Mesh::open(meshpeek::read("data/ezmesh/flag.ezm")?)?;
/// let buffer = system.mesh(0)?.vertex_buffer()?.expect("its sections share them");
/// let vertices = buffer.vertices()?; // parsed once, borrowed from then on
/// assert_eq!(vertices.uvs(0).unwrap().len(), buffer.count() as usize);
/// # Ok(())
/// # }
/// ```
///
/// The methods that return a `VertexBuffer` return [`ErrorKind::Value`] if the attribute `count`,
/// `ctype` or `semantic` of a text file is missing or cannot be parsed.
///
/// [`ErrorKind::Value`]: crate::ErrorKind::Value
#[derive(Clone, Copy)]
pub struct VertexBuffer<'a> {
    pub(in crate::formats::ezmesh) element: ElementReader<'a>,
    count: u32,
    format: VertexFormat,
    /// The number of floats per vertex that a text file contains for an `interp` column. `None`
    /// means that the text contains the number of floats that the attribute `ctype` declares.
    interp_width: Option<u8>,
    semantic: Name<'a>,
    ctype: Name<'a>,
}

short_debug!(VertexBuffer<'_>: |buffer| {
    element: buffer.element, vertices: buffer.count, columns: buffer.format.columns().len(), semantic: buffer.semantic,
    ctype: buffer.ctype,
});

impl<'a> VertexBuffer<'a> {
    pub(crate) fn locate(element: ElementReader<'a>) -> Result<Self> {
        if let Some(mut reader) = element.fields()? {
            let format = reader.format()?;
            let limits = &element.view.state.context.options.limits;
            // Vertices without columns occupy no bytes in the file.
            let most = if format.size() == 0 { limits.items } else { u64::MAX };
            let count = reader.count(format.size().into(), most, "vertices")?;
            let none = Name::default();
            return Ok(Self { element, count, format, interp_width: None, semantic: none, ctype: none });
        }
        // The declaration of shared vertices is cached, because each section of a mesh reads the
        // declaration.
        let located = if element.kind == ElementKind::MeshVertices {
            element.view.state.caches.declaration.get_or(element.index, || declaration(&element))
        } else {
            declaration(&element)
        };
        let VertexDeclaration { count, format, interp_width, ctype, semantic } = located?;
        let [ctype, semantic] =
            [ctype, semantic].map(|place| Name::new(element.view.bytes.get(place).unwrap_or_default()));
        Ok(Self { element, count, format, interp_width, semantic, ctype })
    }

    pub(crate) fn block(&self) -> Result<NumberBlock<'a>> {
        self.element.block("vertexbuffer", "vertices")
    }

    /// Returns the number of vertices.
    #[must_use]
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// Returns the format of a vertex: the columns and the types of their numbers.
    #[must_use]
    pub const fn format(&self) -> &VertexFormat {
        &self.format
    }

    /// Returns the attributes `ctype` and `semantic` of the vertices in a text file, without
    /// conversion.
    #[must_use]
    pub const fn types(&self) -> [Name<'a>; 2] {
        [self.ctype, self.semantic]
    }

    /// Returns the number of floats per vertex in an `interp` column, or `None` if the attribute
    /// `ctype` declares the correct number of floats.
    ///
    /// The number of floats in an `interp` column can differ from the declared number, because some
    /// exporters write fewer or more floats than they declare in the attribute `ctype`.
    #[must_use]
    pub const fn interp_width(&self) -> Option<u8> {
        self.interp_width
    }

    /// Returns the word of a column in the attribute `semantic` of a text file, such as `position`.
    /// For a binary file, returns the standard word that text files use for the meaning of the
    /// column.
    #[must_use]
    pub fn word(&self, column: &Column) -> Name<'a> {
        let written = words(self.semantic.as_bytes()).nth(column.word.into()).map(Name::new);
        let standard = || column.semantic.word().map(|word| Name::new(word.as_bytes())).unwrap_or_default();
        written.unwrap_or_else(standard)
    }

    /// Returns the byte offset of the first vertex in a binary file, or of the vertex text in a
    /// text file.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes of the file have changed since the file was opened.
    pub fn offset(&self) -> Result<u64> {
        self.byte_range().map(|range| range.start)
    }

    /// Returns the byte range of the vertices in a binary file, or of the vertex text in a text
    /// file.
    pub(crate) fn byte_range(&self) -> Result<Range<u64>> {
        let Some(reader) = self.element.fields()? else { return self.block().map(|block| block.byte_range()) };
        let start = reader.cursor.offset().saturating_add(8);
        Ok(start..start.saturating_add(as_u64(self.byte_count())))
    }

    /// Records in the access log that the positions of a binary file are read.
    ///
    /// For a text file, the access log already contains all bytes, because opening the file reads
    /// all bytes.
    pub(crate) fn note_positions(&self) {
        if let (Some(touched), Ok(range)) = (self.element.array_log(), self.byte_range()) {
            touched.record_partial(range.start, range.end, u64::from(self.count).saturating_mul(12));
        }
    }

    /// Returns the byte offset of the attribute `semantic` in a text file, or of the vertex flags
    /// in a binary file.
    pub(crate) fn types_at(&self) -> Result<u64> {
        let start = self.element.start()?;
        let semantic = match self.element.view.order() {
            Some(_) => None,
            None => self.element.tag()?.value("semantic"),
        };
        Ok(semantic.map_or(start, |semantic| as_u64(semantic.at)))
    }

    /// Returns the vertices.
    ///
    /// For a binary file, the vertices are borrowed from the bytes of the file. For a text file,
    /// the first call parses the vertices and caches them.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the vertex text has fewer numbers than declared, or if a
    /// token is not a number. With [`OpenOptions::with_strict`](crate::OpenOptions::with_strict), also
    /// returns [`ErrorKind::Value`] if the text has more numbers than declared.
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn vertices(&self) -> Result<Vertices<'a>> {
        let rows = as_index(self.count);
        if let (Some(mut reader), Some(order)) = (self.element.fields()?, self.element.view.order()) {
            reader.cursor.lend(2, 4, "flags")?;
            let bytes = reader.cursor.lend(self.count.into(), self.format.size().into(), "vertices")?;
            return Ok(Vertices::of_records(&self.format, rows, bytes, order));
        }
        let parsed =
            self.element.parsed_block(|| self.block()?.parse_vertices(&self.format, rows, self.interp_width))?;
        let end = self.element.view.state.elements.end(self.element.kind, self.element.index).unwrap_or_default();
        let text = self.element.view.bytes.get(..end).unwrap_or_default();
        Ok(Vertices::of_columns(text, &self.format, rows, &parsed.data))
    }

    /// Returns the total size of the decoded numbers of all vertices, in bytes.
    #[must_use]
    pub fn byte_count(&self) -> usize {
        as_index(self.count).saturating_mul(self.format.size().into())
    }
}

/// Reads the number and the format of the vertices from the attributes of a vertex buffer tag in a
/// text file.
fn declaration(element: &ElementReader<'_>) -> Result<VertexDeclaration> {
    let tag = element.tag()?;
    let [count, ctype, semantic] = tag.values(["count", "ctype", "semantic"]);
    let field = element.place.named("vertexbuffer");
    let missing = |name| View::missing(element.start().unwrap_or_default(), field, name);
    let count = element.view.counting(count.ok_or_else(|| missing("count"))?, element.place.named("count"))?;
    let [ctype, semantic] = [ctype.ok_or_else(|| missing("ctype"))?, semantic.ok_or_else(|| missing("semantic"))?];
    let mut format = VertexFormat::parse(ctype.bytes, semantic.bytes).map_err(|(attribute, cause)| {
        let at = if attribute == "ctype" { ctype.at } else { semantic.at };
        Error::new(FORMAT, element.place.named(attribute), as_u64(at), cause).breaking(&VERTEX_DECLARATION)
    })?;
    // If the vertex text was parsed before, the number of floats in the `interp` column is already
    // known.
    let interp_width = match element.known_block() {
        Some(parsed) => parsed.interp_width,
        None => element.block("vertexbuffer", "vertices")?.interp_width(&format, as_index(count))?,
    };
    if let Some(wide) = interp_width.and_then(|width| format.with_interp_width(width)) {
        format = wide;
    }
    Ok(VertexDeclaration { count, format, interp_width, ctype: ctype.range(), semantic: semantic.range() })
}

/// The attribute names that text files use for the number of triangles.
pub(crate) const COUNTS: [&str; 3] = ["triangle_count", "count", "trianglecount"];

/// The triangles of a section or of a convex hull. Each triangle has three indices into the
/// vertices of the same section or convex hull.
///
/// The methods that return an `IndexBuffer` return [`ErrorKind::Value`] if a text file declares no
/// triangle count, or if the declared count is not a number.
///
/// [`ErrorKind::Value`]: crate::ErrorKind::Value
#[derive(Clone, Copy, Debug)]
pub struct IndexBuffer<'a> {
    pub(in crate::formats::ezmesh) element: ElementReader<'a>,
    triangles: u32,
}

impl<'a> IndexBuffer<'a> {
    /// Creates an `IndexBuffer` for the triangles of an element. Reads the declared number of
    /// triangles, but not the indices.
    pub(crate) fn locate(element: ElementReader<'a>) -> Result<Self> {
        if let Some(mut reader) = element.fields()? {
            return Ok(Self { element, triangles: reader.count(TRIANGLE_SIZE.into(), u64::MAX, "triangles")? });
        }
        let tag = element.tag()?;
        let counts = tag.values(COUNTS);
        let Some((value, name)) = counts.into_iter().zip(COUNTS).find_map(|(value, name)| Some((value?, name))) else {
            return Err(View::missing(element.start()?, element.place.named("indexbuffer"), COUNTS[0]));
        };
        Ok(Self { element, triangles: element.view.counting(value, element.place.named(name))? })
    }

    /// Returns the number of triangles.
    #[must_use]
    pub const fn triangle_count(&self) -> u32 {
        self.triangles
    }

    /// Returns the number of indices, which is three per triangle.
    #[must_use]
    pub fn index_count(&self) -> usize {
        as_index(self.triangles).saturating_mul(3)
    }

    /// Returns the byte offset of the first index in a binary file, or of the index text in a text
    /// file.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes of the file have changed since the file was opened.
    pub fn offset(&self) -> Result<u64> {
        self.byte_range().map(|range| range.start)
    }

    /// Returns the byte range of the indices in a binary file, or of the index text in a text file.
    pub(crate) fn byte_range(&self) -> Result<Range<u64>> {
        let Some(mut reader) = self.element.fields()? else { return self.block().map(|block| block.byte_range()) };
        reader.u32("triangles")?;
        let start = reader.cursor.offset();
        Ok(start..start.saturating_add(u64::from(self.triangles).saturating_mul(TRIANGLE_SIZE.into())))
    }

    /// Records in the access log that the indices of a binary file are read.
    ///
    /// For a text file, the access log already contains all bytes, because opening the file reads
    /// all bytes.
    pub(crate) fn note(&self) {
        if let (Some(touched), Ok(range)) = (self.element.array_log(), self.byte_range()) {
            touched.record(range.start, range.end);
        }
    }

    /// Returns the byte offset in the file of the vertex index at position `number` in the index
    /// buffer.
    pub(crate) fn offset_of(&self, number: u64) -> Result<u64> {
        match self.element.view.order() {
            Some(_) => Ok(self.offset()?.saturating_add(number.saturating_mul(4))),
            None => Ok(self.block()?.offset_of_index(number)),
        }
    }

    pub(crate) fn block(&self) -> Result<NumberBlock<'a>> {
        self.element.block("indexbuffer", "triangles")
    }

    /// Returns the vertex indices of all triangles.
    ///
    /// For a binary file, the indices are borrowed from the bytes of the file. For a text file, the
    /// first call parses the indices and caches them.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if a text file has fewer than three indices per triangle, or if
    /// an index is not an integer of 32 bits. With
    /// [`OpenOptions::with_strict`](crate::OpenOptions::with_strict), also returns [`ErrorKind::Value`] if
    /// the text has more than three indices per triangle.
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn indices(&self) -> Result<Indices<'a>> {
        if let (Some(mut reader), Some(order)) = (self.element.fields()?, self.element.view.order()) {
            reader.u32("triangles")?;
            let bytes = reader.cursor.lend(self.triangles.into(), TRIANGLE_SIZE.into(), "indices")?;
            return Ok(of_bytes(bytes, order));
        }
        let parsed = self.element.parsed_block(|| self.block()?.parse_indices(as_index(self.triangles)))?;
        Ok(of_bytes(&parsed.data, ByteOrder::Little))
    }
}

fn of_bytes(bytes: &[u8], order: ByteOrder) -> Indices<'_> {
    match order {
        ByteOrder::Little => {
            let raw = <[U32]>::ref_from_bytes(bytes).unwrap_or_default();
            Indices(IndexEncoding::U32(Packed::new(raw, Index::new())))
        }
        ByteOrder::Big => {
            let raw = <[RawWord]>::ref_from_bytes(bytes).unwrap_or_default();
            Indices(IndexEncoding::Endian(Packed::new(raw, EndianIndex(order))))
        }
    }
}
