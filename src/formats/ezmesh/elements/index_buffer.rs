//! The triangles of a section, or of a convex hull.

use super::reader::ElementReader;
use crate::array::{Array, Packed};
use crate::decode::endian::RawWord;
use crate::decode::{ByteOrder, EndianIndex, Index};
use crate::error::{Error, ErrorKind, Result};
use crate::formats::ezmesh::layout::FORMAT;
use crate::formats::ezmesh::view::View;
use crate::formats::ezmesh::xml::number_block::NumberBlock;
use crate::math::{as_index, as_u64};
use crate::model::Indices;
use zerocopy::FromBytes;
use zerocopy::little_endian::U32;

/// The names that files have for the number of triangles.
pub(crate) const COUNTS: [&str; 3] = ["triangle_count", "count", "trianglecount"];

/// A list of triangles: three indices each, into the vertices of its section.
#[derive(Clone, Copy, Debug)]
pub struct IndexBuffer<'a> {
    element: ElementReader<'a>,
    triangles: u32,
}

impl<'a> IndexBuffer<'a> {
    /// Finds a list, and reads how long it is.
    pub(crate) fn locate(element: ElementReader<'a>) -> Result<Self> {
        if let Some(mut reader) = element.fields()? {
            return Ok(Self { element, triangles: reader.u32("triangles")? });
        }
        let tag = element.tag()?;
        let counts = tag.values(COUNTS);
        let Some((value, name)) = counts.into_iter().zip(COUNTS).find_map(|(value, name)| Some((value?, name))) else {
            return Err(View::missing(element.start()?, element.place.named("indexbuffer"), COUNTS[0]));
        };
        Ok(Self { element, triangles: element.view.counting(value, element.place.named(name))? })
    }

    /// Returns how many triangles there are.
    #[must_use]
    pub const fn triangle_count(&self) -> u32 {
        self.triangles
    }

    /// Returns the name that a text file gives their number: `triangle_count`, `count` or `trianglecount`.
    #[must_use]
    pub fn count_name(&self) -> Option<&'static str> {
        let tag = self.element.view.order().is_none().then(|| self.element.tag().ok()).flatten()?;
        tag.values(COUNTS).into_iter().zip(COUNTS).find_map(|(value, name)| value.map(|_| name))
    }

    /// Returns how many indices there are.
    #[must_use]
    pub fn index_count(&self) -> usize {
        as_index(self.triangles).saturating_mul(3)
    }

    /// Returns the offset of the first index in the file, or of the text that they stand in.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn offset(&self) -> Result<u64> {
        match self.element.fields()? {
            Some(mut reader) => {
                reader.u32("triangles")?;
                Ok(reader.offset())
            }
            None => Ok(as_u64(self.block()?.content.start)),
        }
    }

    /// Records that the indices of a binary file were looked at; text was when it was opened.
    pub(crate) fn note(&self) {
        let touched = self.element.view.state.context.access_log().filter(|_| self.element.view.order().is_some());
        if let Some(touched) = touched
            && let Ok(start) = self.offset()
        {
            touched.record(start, start.saturating_add(as_u64(self.index_count()).saturating_mul(4)));
        }
    }

    /// Returns the offset of an index in the file.
    pub(crate) fn offset_of(&self, number: u64) -> Result<u64> {
        match self.element.view.order() {
            Some(_) => Ok(self.offset()?.saturating_add(number.saturating_mul(4))),
            None => Ok(self.block()?.offset_of(number)),
        }
    }

    pub(crate) fn block(&self) -> Result<NumberBlock<'a>> {
        self.element.block("indexbuffer", "triangles")
    }

    /// Returns the indices: lent from a binary file, parsed the first time from text.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where there are fewer than three to a triangle, or one is no integer of 32 bits; with
    /// [`OpenOptions::strict`](crate::OpenOptions::strict), where there are more.
    pub fn indices(&self) -> Result<Indices<'a>> {
        if let (Some(mut reader), Some(order)) = (self.element.fields()?, self.element.view.order()) {
            reader.u32("triangles")?;
            let bytes = reader.lend(self.triangles.into(), 12, "indices")?;
            return Ok(of_bytes(bytes, order));
        }
        let parsed = self.element.parsed_block(|| self.block()?.parse_indices(as_index(self.triangles)))?;
        Ok(of_bytes(&parsed.data, ByteOrder::Little))
    }

    /// Decodes all indices straight into a buffer. Allocates nothing.
    ///
    /// # Errors
    ///
    /// As [`indices`](Self::indices); [`ErrorKind::Buffer`] where the buffer is not of
    /// [`index_count`](Self::index_count) items.
    pub fn indices_into(&self, out: &mut [u32]) -> Result<()> {
        if out.len() != self.index_count() {
            let kind = ErrorKind::Buffer { needed: as_u64(self.index_count()), given: as_u64(out.len()) };
            return Err(Error::without_offset(FORMAT, self.element.place.named("out"), kind));
        }
        match self.element.view.order() {
            Some(_) => self.indices()?.decode_into(out),
            None => self.block()?.native_indices_into(out),
        }
    }

    /// Tells whether the text holds more indices than are counted, once they were read.
    pub(crate) fn has_more(&self) -> bool {
        self.element.has_more()
    }
}

fn of_bytes(bytes: &[u8], order: ByteOrder) -> Indices<'_> {
    match order {
        ByteOrder::Little => {
            let raw = <[U32]>::ref_from_bytes(bytes).unwrap_or_default();
            Indices::U32(Packed::new(raw, Index::new()))
        }
        ByteOrder::Big => {
            let raw = <[RawWord]>::ref_from_bytes(bytes).unwrap_or_default();
            Indices::Endian(Packed::new(raw, EndianIndex(order)))
        }
    }
}
