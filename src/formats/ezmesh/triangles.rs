//! The triangles of a section, or of a convex hull.

use super::FORMAT;
use super::block::Text;
use super::item::Item;
use super::view::View;
use crate::array::{Array, Packed};
use crate::decode::endian::RawWord;
use crate::decode::{ByteOrder, EndianIndex, Index};
use crate::error::{Error, ErrorKind, Result};
use crate::math::{as_index, as_u64};
use crate::model::Indices;
use zerocopy::FromBytes;
use zerocopy::little_endian::U32;

/// The names that files have for the number of triangles.
pub(super) const COUNTS: [&str; 3] = ["triangle_count", "count", "trianglecount"];

/// A list of triangles: three indices each, into the vertices of its section.
#[derive(Clone, Copy, Debug)]
pub struct IndexBuffer<'a> {
    item: Item<'a>,
    triangles: u32,
}

impl<'a> IndexBuffer<'a> {
    /// Finds a list, and reads how long it is.
    pub(super) fn locate(item: Item<'a>) -> Result<Self> {
        if let Some(mut reader) = item.reader()? {
            return Ok(Self { item, triangles: reader.u32("triangles")? });
        }
        let tag = item.tag()?;
        let counts = tag.values(COUNTS);
        let Some((value, name)) = counts.into_iter().zip(COUNTS).find_map(|(value, name)| Some((value?, name))) else {
            return Err(View::missing(item.start()?, item.place.named("indexbuffer"), COUNTS[0]));
        };
        Ok(Self { item, triangles: item.view.counting(value, item.place.named(name))? })
    }

    /// Returns how many triangles there are.
    #[must_use]
    pub const fn triangle_count(&self) -> u32 {
        self.triangles
    }

    /// Returns the name that a text file gives their number: `triangle_count`, `count` or `trianglecount`.
    #[must_use]
    pub fn count_name(&self) -> Option<&'static str> {
        let tag = self.item.view.order().is_none().then(|| self.item.tag().ok()).flatten()?;
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
        match self.item.reader()? {
            Some(mut reader) => {
                reader.u32("triangles")?;
                Ok(reader.offset())
            }
            None => Ok(as_u64(self.text()?.content.start)),
        }
    }

    /// Records that the indices of a binary file were looked at; text was when it was opened.
    pub(super) fn note(&self) {
        let touched = self.item.view.state.context.access_log().filter(|_| self.item.view.order().is_some());
        if let Some(touched) = touched
            && let Ok(start) = self.offset()
        {
            touched.note(start, start.saturating_add(as_u64(self.index_count()).saturating_mul(4)));
        }
    }

    /// Returns the offset of an index in the file.
    pub(super) fn offset_of(&self, number: u64) -> Result<u64> {
        match self.item.view.order() {
            Some(_) => Ok(self.offset()?.saturating_add(number.saturating_mul(4))),
            None => Ok(self.text()?.offset_of(number)),
        }
    }

    pub(super) fn text(&self) -> Result<Text<'a>> {
        self.item.text("indexbuffer", "triangles")
    }

    /// Returns the indices: lent from a binary file, unfolded the first time from text.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where there are fewer than three to a triangle, or one is no integer of 32 bits; with
    /// [`OpenOptions::strict`](crate::OpenOptions::strict), where there are more.
    pub fn indices(&self) -> Result<Indices<'a>> {
        if let (Some(mut reader), Some(order)) = (self.item.reader()?, self.item.view.order()) {
            reader.u32("triangles")?;
            let bytes = reader.lend(self.triangles.into(), 12, "indices")?;
            return Ok(of_bytes(bytes, order));
        }
        let unfolded = self
            .item
            .view
            .unfolded(self.item.kind, self.item.index, || self.text()?.unfold_indices(as_index(self.triangles)))?;
        Ok(of_bytes(&unfolded.data, ByteOrder::Little))
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
            return Err(Error::without_offset(FORMAT, self.item.place.named("out"), kind));
        }
        match self.item.view.order() {
            Some(_) => self.indices()?.decode_into(out),
            None => self.text()?.native_indices_into(out),
        }
    }

    /// Tells whether the text holds more indices than are counted, once they were read.
    pub(super) fn has_more(&self) -> bool {
        self.item.view.seen(self.item.kind, self.item.index).is_some_and(|unfolded| unfolded.has_more)
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
