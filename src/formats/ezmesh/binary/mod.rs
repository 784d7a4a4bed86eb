//! The binary form: fields of fixed size one after another, in the byte order that the version shows.

pub(super) mod scan;

use crate::decode::ByteOrder;
use crate::decode::endian::RawWord;
use crate::error::{ErrorKind, Field, Result};
use crate::model::Transform;
use crate::parse::{AccessLog, Cursor, Name};

use super::FORMAT;
use super::layout::Layout;

/// The word behind the version.
pub(super) const TAG: &[u8] = b"EZMESH";
/// Where the fields behind that word start.
pub(super) const FIELDS_AT: u64 = 14;

/// Returns the byte order and the version of a binary file; `None` of what is none.
pub(super) fn order(bytes: &[u8]) -> Option<(ByteOrder, u32)> {
    let (version, rest) = bytes.split_first_chunk::<4>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let number = |order: ByteOrder| order.u32(RawWord(*version));
    let order = [ByteOrder::Little, ByteOrder::Big].into_iter().find(|order| matches!(number(*order), 100 | 101))?;
    (order.u32(RawWord(*length)) == 6 && rest.starts_with(TAG)).then(|| (order, number(order)))
}

/// Returns the version of a binary file that has another than those which are known.
pub(super) fn other_version(bytes: &[u8]) -> Option<u32> {
    let (version, rest) = bytes.split_first_chunk::<4>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let order = [ByteOrder::Little, ByteOrder::Big].into_iter().find(|order| order.u32(RawWord(*length)) == 6)?;
    let number = order.u32(RawWord(*version));
    (rest.starts_with(TAG) && !matches!(number, 100 | 101)).then_some(number)
}

/// Reads fields, and names those that are wrong.
#[derive(Clone, Debug)]
pub(super) struct Reader<'a> {
    cursor: Cursor<'a>,
    order: ByteOrder,
}

impl<'a> Reader<'a> {
    /// Starts at an offset of a file.
    pub(super) fn at(bytes: &'a [u8], order: ByteOrder, offset: u64, touched: Option<&'a AccessLog>) -> Result<Self> {
        Ok(Self { cursor: Cursor::new(bytes, FORMAT).watched_by(touched).at(offset)?, order })
    }

    pub(super) const fn set_place(&mut self, place: Field) {
        self.cursor.set_place(place);
    }

    pub(super) fn offset(&self) -> u64 {
        self.cursor.offset()
    }

    pub(super) fn error_at(&self, offset: u64, name: &'static str, kind: ErrorKind) -> crate::error::Error {
        self.cursor.error_at(offset, name, kind)
    }

    pub(super) fn u32(&mut self, name: &'static str) -> Result<u32> {
        Ok(self.order.u32(*self.cursor.read::<RawWord>(name)?))
    }

    pub(super) fn i32(&mut self, name: &'static str) -> Result<i32> {
        Ok(self.u32(name)?.cast_signed())
    }

    pub(super) fn floats<const N: usize>(&mut self, name: &'static str) -> Result<[f32; N]> {
        let words = self.cursor.read::<[RawWord; N]>(name)?;
        Ok(words.map(|word| self.order.f32(word)))
    }

    /// Reads the flags that say what a vertex is made of.
    pub(super) fn layout(&mut self) -> Result<Layout> {
        let offset = self.offset();
        let flags = self.u32("flags")?;
        Layout::of_flags(flags).ok_or_else(|| {
            let expected = "none of the bits above 18".into();
            self.error_at(offset, "flags", ErrorKind::Value { expected, found: format!("{flags:#010x}").into() })
        })
    }

    /// Reads a position, a rotation and a scale.
    pub(super) fn transform(&mut self) -> Result<Transform> {
        Ok(Transform {
            position: self.floats("position")?,
            rotation: self.floats("rotation")?,
            scale: self.floats("scale")?,
        })
    }

    pub(super) fn text(&mut self, name: &'static str) -> Result<Name<'a>> {
        let length = self.u32(name)?;
        Ok(Name::new(self.cursor.bytes(length.into(), name)?))
    }

    /// Steps over a text.
    pub(super) fn skip_text(&mut self, name: &'static str) -> Result<()> {
        let length = self.u32(name)?;
        self.cursor.lend(length.into(), 1, name).map(|_| ())
    }

    /// Lends the bytes of items, without looking at them.
    pub(super) fn lend(&mut self, count: u64, size: u64, name: &'static str) -> Result<&'a [u8]> {
        self.cursor.lend(count, size, name)
    }

    /// Reads how many items of at least `size` bytes each follow, and tests that they can and are within the limit.
    pub(super) fn count(&mut self, size: u64, most: u64, name: &'static str) -> Result<u32> {
        let offset = self.offset();
        let count = self.u32(name)?;
        if u64::from(count) > most {
            return Err(self.error_at(
                offset,
                name,
                ErrorKind::Limit { name: "items", allowed: most, asked: count.into() },
            ));
        }
        self.cursor.can_hold(offset, count.into(), size, name)?;
        Ok(count)
    }
}
