//! The binary form: fields of fixed size one after another, in the byte order that the version shows.

use crate::decode::ByteOrder;
use crate::decode::endian::RawWord;
use crate::error::{ErrorKind, Field, Result};
use crate::model::Transform;
use crate::parse::{AccessLog, Cursor, Name};

use super::layout::FORMAT;
use super::vertex_format::VertexFormat;

/// Reads fields, and names those that are wrong.
#[derive(Clone, Debug)]
pub(crate) struct BinaryReader<'a> {
    cursor: Cursor<'a>,
    order: ByteOrder,
}

impl<'a> BinaryReader<'a> {
    /// Starts at an offset of a file.
    pub(crate) fn at(bytes: &'a [u8], order: ByteOrder, offset: u64, touched: Option<&'a AccessLog>) -> Result<Self> {
        Ok(Self { cursor: Cursor::new(bytes, FORMAT).with_access_log(touched).at(offset)?, order })
    }

    pub(crate) const fn set_place(&mut self, place: Field) {
        self.cursor.set_place(place);
    }

    pub(crate) fn offset(&self) -> u64 {
        self.cursor.offset()
    }

    pub(crate) fn error_at(&self, offset: u64, name: &'static str, kind: ErrorKind) -> crate::error::Error {
        self.cursor.error_at(offset, name, kind)
    }

    pub(crate) fn u32(&mut self, name: &'static str) -> Result<u32> {
        Ok(self.order.u32(*self.cursor.read::<RawWord>(name)?))
    }

    pub(crate) fn i32(&mut self, name: &'static str) -> Result<i32> {
        Ok(self.u32(name)?.cast_signed())
    }

    pub(crate) fn floats<const N: usize>(&mut self, name: &'static str) -> Result<[f32; N]> {
        let words = self.cursor.read::<[RawWord; N]>(name)?;
        Ok(words.map(|word| self.order.f32(word)))
    }

    /// Reads the flags that say what a vertex is made of.
    pub(crate) fn format(&mut self) -> Result<VertexFormat> {
        let offset = self.offset();
        let flags = self.u32("flags")?;
        VertexFormat::of_flags(flags).ok_or_else(|| {
            let expected = "none of the bits above 18".into();
            self.error_at(offset, "flags", ErrorKind::Value { expected, found: format!("{flags:#010x}").into() })
        })
    }

    /// Reads a position, a rotation and a scale.
    pub(crate) fn transform(&mut self) -> Result<Transform> {
        Ok(Transform {
            position: self.floats("position")?,
            rotation: self.floats("rotation")?,
            scale: self.floats("scale")?,
        })
    }

    pub(crate) fn text(&mut self, name: &'static str) -> Result<Name<'a>> {
        let length = self.u32(name)?;
        Ok(Name::new(self.cursor.bytes(length.into(), name)?))
    }

    /// Steps over a text.
    pub(crate) fn skip_text(&mut self, name: &'static str) -> Result<()> {
        let length = self.u32(name)?;
        self.cursor.lend(length.into(), 1, name).map(|_| ())
    }

    /// Lends the bytes of items, without looking at them.
    pub(crate) fn lend(&mut self, count: u64, size: u64, name: &'static str) -> Result<&'a [u8]> {
        self.cursor.lend(count, size, name)
    }

    /// Reads how many items of at least `size` bytes each follow, and tests that they can and are within the limit.
    pub(crate) fn count(&mut self, size: u64, most: u64, name: &'static str) -> Result<u32> {
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
