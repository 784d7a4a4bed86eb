//! Reads the fields of a binary file (`.ezb`) in file order: numbers and strings, in little-endian
//! or big-endian byte order.

use crate::decode::ByteOrder;
use crate::decode::endian::RawWord;
use crate::error::{Cause, Field, Result};
use crate::model::Transform;
use crate::parse::{AccessLog, Cursor, Name};

use super::layout::{FORMAT, RecordPart};
use super::validate::rules::INVALID_BINARY_FIELD;
use super::vertex_format::VertexFormat;

/// Reads the fields of a binary file in sequence. Each returned error contains the name of the
/// field that could not be read.
#[derive(Clone, Debug)]
pub(crate) struct BinaryReader<'a> {
    cursor: Cursor<'a>,
    order: ByteOrder,
}

impl<'a> BinaryReader<'a> {
    /// Creates a reader that reads from a given byte offset in the file.
    pub(crate) fn at(bytes: &'a [u8], order: ByteOrder, offset: u64, touched: Option<&'a AccessLog>) -> Result<Self> {
        Ok(Self { cursor: Cursor::new(bytes, FORMAT).with_access_log(touched).at(offset)?, order })
    }

    pub(crate) const fn set_place(&mut self, place: Field) {
        self.cursor.set_place(place);
    }

    pub(crate) fn offset(&self) -> u64 {
        self.cursor.offset()
    }

    pub(crate) fn error_at(&self, offset: u64, name: &'static str, kind: Cause) -> crate::error::Error {
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

    /// Reads the vertex flags: 32 bits that define the columns of a vertex.
    pub(crate) fn format(&mut self) -> Result<VertexFormat> {
        let offset = self.offset();
        let flags = self.u32("flags")?;
        VertexFormat::of_flags(flags).ok_or_else(|| {
            let expected = "none of the bits above 18".into();
            self.error_at(offset, "flags", Cause::Value { expected, found: format!("{flags:#010x}").into() })
                .breaking(&INVALID_BINARY_FIELD)
        })
    }

    /// Reads a transform: a position, a rotation and a scale, ten floats in total.
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

    /// Skips a string and the length field of four bytes before the string.
    pub(crate) fn skip_text(&mut self, name: &'static str) -> Result<()> {
        let length = self.u32(name)?;
        self.cursor.lend(length.into(), 1, name).map(|_| ())
    }

    /// Skips the parts of a record before the field `name`.
    pub(crate) fn pass_to(&mut self, parts: &[RecordPart], name: &str) -> Result<()> {
        for part in parts {
            match part {
                RecordPart::Text(own) | RecordPart::Number(own, ..) | RecordPart::Count(own, ..) if *own == name => {
                    return Ok(());
                }
                RecordPart::Text(own) => self.skip_text(own)?,
                RecordPart::Number(own, ..) | RecordPart::Count(own, ..) => self.lend(4, 1, own).map(|_| ())?,
                RecordPart::Fixed(_, _, fields) => {
                    for (own, element, count) in *fields {
                        if *own == name {
                            return Ok(());
                        }
                        self.lend((*count).into(), element.size.into(), own)?;
                    }
                }
                RecordPart::Start(_) => {}
                RecordPart::Items(_) | RecordPart::Array(..) | RecordPart::Empty(..) | RecordPart::Vertices => {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Returns the next `count * size` bytes of the file as a borrowed slice: `count` items of
    /// `size` bytes each, not decoded.
    pub(crate) fn lend(&mut self, count: u64, size: u64, name: &'static str) -> Result<&'a [u8]> {
        self.cursor.lend(count, size, name)
    }

    /// Reads the number of items of the list that starts at the reading position.
    ///
    /// Returns an error if the number of items is greater than `most`. Also returns an error if the
    /// rest of the file is shorter than the number of items times `size` bytes, the minimum size of
    /// an item.
    pub(crate) fn count(&mut self, size: u64, most: u64, name: &'static str) -> Result<u32> {
        let offset = self.offset();
        let count = self.u32(name)?;
        if u64::from(count) > most {
            return Err(self.error_at(
                offset,
                name,
                Cause::Limit { name: "items", allowed: most, asked: count.into() },
            ));
        }
        self.cursor.can_hold(offset, count.into(), size, name)?;
        Ok(count)
    }
}
