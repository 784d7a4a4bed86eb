//! The triangles of a section or of a convex hull.

use std::ops::Range;

use super::reader::ElementReader;
use crate::array::Packed;
use crate::decode::endian::RawWord;
use crate::decode::{ByteOrder, EndianIndex, Index};
use crate::error::Result;
use crate::formats::ezmesh::layout::TRIANGLE_SIZE;
use crate::formats::ezmesh::view::View;
use crate::formats::ezmesh::xml::number_block::NumberBlock;
use crate::math::as_index;
use crate::model::{IndexEncoding, Indices};
use zerocopy::FromBytes;
use zerocopy::little_endian::U32;

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
        let start = reader.offset();
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
    /// [`OpenOptions::strict`](crate::OpenOptions::strict), also returns [`ErrorKind::Value`] if
    /// the text has more than three indices per triangle.
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn indices(&self) -> Result<Indices<'a>> {
        if let (Some(mut reader), Some(order)) = (self.element.fields()?, self.element.view.order()) {
            reader.u32("triangles")?;
            let bytes = reader.lend(self.triangles.into(), TRIANGLE_SIZE.into(), "indices")?;
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
