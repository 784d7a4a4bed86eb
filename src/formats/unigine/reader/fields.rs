//! Reads the fields of UNIGINE files, and reports each field as a region to a [`RegionSink`].

use crate::decode::compact::{self, CompactError};
use crate::error::{Breaking as _, Cause, Field, Result, show_bytes};
use crate::formats::unigine::layout::{BOUNDS, COMPACT, MAGIC, RawBounds, RawTransform, TEXT, TEXT_32, TRANSFORM};
use crate::formats::unigine::validate::rules::WRONG_MAGIC;
use crate::math::as_u64;
use crate::parse::{Cursor, ElementType, Name, Record, Region};
use zerocopy::little_endian::I32;

/// Receives the region (byte range and name) of each field that a [`FieldReader`] reads. The type
/// [`NoRegions`] implements `RegionSink` and ignores all regions at no cost.
pub(crate) trait RegionSink {
    fn add(&mut self, region: Region);
}

/// A [`RegionSink`] that ignores all regions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoRegions;

impl RegionSink for NoRegions {
    #[inline]
    fn add(&mut self, _: Region) {}
}

impl<F: FnMut(Region)> RegionSink for F {
    fn add(&mut self, region: Region) {
        self(region);
    }
}

/// A cursor that reports each byte range it reads, with the field name, to a [`RegionSink`].
#[derive(Clone, Debug)]
pub(crate) struct FieldReader<'a, S> {
    pub(crate) cursor: Cursor<'a>,
    pub(crate) sink: S,
}

impl<'a, S: RegionSink> FieldReader<'a, S> {
    /// Reports the bytes from the offset `start` to the reading position as one region to the sink.
    pub(crate) fn report(&mut self, name: &'static str, start: u64, element: ElementType, count: u64) {
        let region = Region { field: self.cursor.field(name), start, end: self.cursor.offset(), element, count };
        self.sink.add(region);
    }

    /// Returns an error if the cursor has unread bytes.
    pub(crate) fn finish(&self, name: &'static str, expected: &'static str) -> Result<()> {
        match self.cursor.left() {
            0 => Ok(()),
            left => {
                let found = format!("{left} more bytes");
                Err(self.cursor.error(name, Cause::value(expected, found)))
            }
        }
    }

    /// Sets the list item, such as `surface[3]`, that contains the following fields. The field
    /// names in errors and regions contain this list item.
    pub(crate) const fn set_place(&mut self, place: Field) {
        self.cursor.set_place(place);
    }

    /// Reads a magic number, which occurs at the start, between the sections, and at the end of a
    /// file. Returns an error if the magic number is not `expected`.
    pub(crate) fn magic(&mut self, expected: &'static str, name: &'static str) -> Result<()> {
        let start = self.cursor.offset();
        let mut ahead = self.cursor.clone();
        let found = ahead.read::<[u8; 4]>(name).breaking(&WRONG_MAGIC)?;
        if found != expected.as_bytes() {
            let kind = Cause::Magic { expected, found: show_bytes(found) };
            return Err(self.cursor.error(name, kind).breaking(&WRONG_MAGIC));
        }
        self.cursor = ahead;
        self.report(name, start, MAGIC, 1);
        Ok(())
    }

    /// Reads one record of type `T` and reports its region.
    #[inline]
    pub(crate) fn record<T: Record>(&mut self, name: &'static str, element: ElementType) -> Result<&'a T> {
        let start = self.cursor.offset();
        let record = self.cursor.read(name)?;
        self.report(name, start, element, 1);
        Ok(record)
    }

    /// Reads a bounding box and a bounding sphere.
    pub(crate) fn bounds(&mut self) -> Result<&'a RawBounds> {
        self.record("bounds", BOUNDS)
    }

    /// Reads the bind transforms of `count` bones.
    pub(crate) fn transforms(&mut self, count: u32) -> Result<&'a [RawTransform]> {
        let start = self.cursor.offset();
        let transforms = self.cursor.array(count, "bind_transforms")?;
        self.report("bind_transforms", start, TRANSFORM, count.into());
        Ok(transforms)
    }

    /// Reads a count: a variable-length integer (compact int) that is not negative.
    #[inline]
    pub(crate) fn count(&mut self, name: &'static str) -> Result<u32> {
        let start = self.cursor.offset();
        let value = self.compact(name)?;
        let count = self.not_negative(name, start, value)?;
        self.report(name, start, COMPACT, 1);
        Ok(count)
    }

    /// Converts `value`, the integer that was read at the offset `start`, to a count. Returns an
    /// error if `value` is negative.
    #[inline]
    fn not_negative(&self, name: &'static str, start: u64, value: i32) -> Result<u32> {
        u32::try_from(value).map_err(|_| {
            let kind = Cause::value("a count of 0 or more", value.to_string());
            self.cursor.error_at(start, name, kind)
        })
    }

    /// Reads the number of items of a list. Each item of the list takes at least `size` bytes.
    ///
    /// Returns an error if the remaining bytes cannot hold the items, before any memory is
    /// allocated for the items.
    pub(crate) fn count_of(&mut self, name: &'static str, size: u64, limit: u64) -> Result<u32> {
        let start = self.cursor.offset();
        let count = self.count(name)?;
        self.fits(start, count, size, limit, name)?;
        Ok(count)
    }

    /// Reads a string: its length, and that number of bytes. The last byte of the string should be
    /// NUL.
    ///
    /// The returned name does not include the closing NUL.
    #[inline]
    pub(crate) fn text(&mut self, name: &'static str) -> Result<Name<'a>> {
        let start = self.cursor.offset();
        let length = self.compact(name)?;
        self.string(name, start, length, TEXT)
    }

    /// Reads a count that is stored as a 32-bit integer. Only a few fields of an12 and an13 files
    /// have 32-bit counts.
    pub(crate) fn count_32(&mut self, name: &'static str, size: u64, limit: u64) -> Result<u32> {
        let start = self.cursor.offset();
        let value = self.record::<I32>(name, crate::formats::unigine::layout::I32)?.get();
        let count = self.not_negative(name, start, value)?;
        self.fits(start, count, size, limit, name)?;
        Ok(count)
    }

    /// Reads a string whose length is stored as a 32-bit integer. The returned name does not
    /// include its closing NUL.
    pub(crate) fn text_32(&mut self, name: &'static str) -> Result<Name<'a>> {
        let start = self.cursor.offset();
        let length = self.cursor.read::<I32>(name)?.get();
        self.string(name, start, length, TEXT_32)
    }

    #[inline]
    fn string(&mut self, name: &'static str, start: u64, length: i32, element: ElementType) -> Result<Name<'a>> {
        let Ok(length) = u64::try_from(length) else {
            let kind = Cause::value("a length of 0 or more", length.to_string());
            return Err(self.cursor.error_at(start, name, kind));
        };
        let bytes = self.cursor.bytes(length, name)?;
        self.report(name, start, element, length);
        Ok(Name::new(bytes.strip_suffix(&[0]).unwrap_or(bytes)))
    }

    /// Returns an error if the remaining bytes cannot hold `count` items of at least `size` bytes
    /// each, or if `count` exceeds `limit`.
    fn fits(&self, at: u64, count: u32, size: u64, limit: u64, name: &'static str) -> Result<()> {
        self.cursor.can_hold(at, count.into(), size, name)?;
        if u64::from(count) > limit {
            let kind = Cause::Limit { name: "items", allowed: limit, asked: count.into() };
            return Err(self.cursor.error_at(at, name, kind));
        }
        Ok(())
    }

    pub(crate) fn compact(&mut self, name: &'static str) -> Result<i32> {
        let rest = self.cursor.rest();
        match compact::decode(rest) {
            Ok((value, length)) => {
                self.cursor.bytes(as_u64(length), name)?;
                Ok(value)
            }
            Err(CompactError::End) => {
                let left = self.cursor.left();
                Err(self.cursor.error(name, Cause::UnexpectedEnd { needed: left.saturating_add(1), left }))
            }
            Err(fault) => {
                let found = show_bytes(rest.get(..compact::MAX_BYTES).unwrap_or(rest));
                let expected = match fault {
                    CompactError::Long => "a compact integer of at most 5 bytes",
                    CompactError::Large | CompactError::End => "a compact integer below 2^31",
                };
                Err(self.cursor.error(name, Cause::value(expected, found)))
            }
        }
    }
}
