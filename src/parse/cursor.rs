//! A cursor for bounds-checked reads of named header fields, which the parsers use when they open a
//! file.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::error::debug::short_debug;
use crate::error::{Cause, Error, Field, FormatName, Result};
use crate::math::as_u64;
use crate::parse::access_log::AccessLog;

/// A fixed-size record of a file, for which every bit pattern is allowed and which needs no
/// alignment.
///
/// `Record` is implemented for bytes, the little-endian and big-endian integers and floats of
/// `zerocopy`, and arrays and `repr(C)` structs of these types.
pub trait Record: FromBytes + IntoBytes + Immutable + KnownLayout + Unaligned {}

impl<T: FromBytes + IntoBytes + Immutable + KnownLayout + Unaligned> Record for T {}

/// Reads records of a file one after another.
///
/// Each error of a `Cursor` contains the name of the field and its byte offset.
#[derive(Clone)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    format: &'static FormatName,
    place: Field,
    access_log: Option<&'a AccessLog>,
    origin: CursorOrigin,
}

/// The origin of the bytes of a [`Cursor`].
#[derive(Clone, Copy)]
enum CursorOrigin {
    /// The bytes are the file.
    File,
    /// The bytes are the file up to the end of a part of the file, such as a block.
    Start,
    /// The bytes were inflated from the compressed block at this offset of the file.
    Block(u64),
}

short_debug!(Cursor<'_>: |cursor| { format: cursor.format.name(), at: cursor.at, bytes: cursor.bytes.len() });

impl<'a> Cursor<'a> {
    /// Makes a cursor at the first byte of a file.
    ///
    /// `bytes` is the content of the file, and `format` is the name of its format for errors.
    #[must_use]
    pub const fn new(bytes: &'a [u8], format: &'static FormatName) -> Self {
        Self { bytes, at: 0, format, place: Field::new(""), access_log: None, origin: CursorOrigin::File }
    }

    /// Sets the log in which the cursor records the byte ranges that it reads.
    #[must_use]
    pub const fn with_access_log(mut self, access_log: Option<&'a AccessLog>) -> Self {
        self.access_log = access_log;
        self
    }

    /// Marks the bytes of the cursor as the inflated content of the compressed block at `offset` of
    /// the file.
    ///
    /// Each error of this cursor then contains two offsets: the offset of the compressed block in
    /// the file and the offset of the value in the inflated content.
    #[must_use]
    pub const fn inflated_from(mut self, offset: u64) -> Self {
        self.origin = CursorOrigin::Block(offset);
        self
    }

    /// Marks the end of the cursor's bytes as the end of a part of the file, such as a block.
    ///
    /// The errors of this cursor have no [needed range](Error::needed_range).
    #[must_use]
    pub(crate) const fn ending_early(mut self) -> Self {
        self.origin = CursorOrigin::Start;
        self
    }

    /// Returns the file format that the errors of this cursor are about.
    pub(crate) const fn format(&self) -> &'static FormatName {
        self.format
    }

    /// Moves the cursor to the byte at `offset`, which may be the end of the file.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::UnexpectedEnd`] if the file is shorter than `offset`.
    ///
    /// [`ErrorKind::UnexpectedEnd`]: crate::ErrorKind::UnexpectedEnd
    pub fn at(mut self, offset: u64) -> Result<Self> {
        let found = usize::try_from(offset).ok().filter(|at| *at <= self.bytes.len());
        let Some(at) = found else {
            let (left, end) = (self.left(), as_u64(self.bytes.len()));
            let error = self.error("offset", Cause::UnexpectedEnd { needed: offset, left });
            return Err(self.needing(error, end, offset));
        };
        self.at = at;
        Ok(self)
    }

    /// Sets the path prefix, such as `surface[3]`, of the fields that are read next.
    ///
    /// Errors about these fields contain the path, such as `surface[3].name`.
    pub const fn set_place(&mut self, place: Field) {
        self.place = place;
    }

    /// Returns the [`Field`] called `name` with the path prefix of the last call of
    /// [`set_place`](Self::set_place).
    #[must_use]
    pub const fn field(&self, name: &'static str) -> Field {
        self.place.named(name)
    }

    /// Returns the offset of the next byte to read, in bytes from the start of the file.
    #[inline]
    #[must_use]
    pub fn offset(&self) -> u64 {
        as_u64(self.at)
    }

    /// Returns the number of bytes from the cursor to the end of the file.
    #[inline]
    #[must_use]
    pub fn left(&self) -> u64 {
        as_u64(self.rest().len())
    }

    /// Returns the bytes from the cursor to the end of the file, without moving the cursor.
    #[inline]
    #[must_use]
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Makes an error about the field `name` at the current offset of the cursor.
    #[cold]
    #[must_use]
    pub fn error(&self, name: &'static str, kind: Cause) -> Error {
        self.error_at(self.offset(), name, kind)
    }

    /// Makes an error about the field `name` at byte `offset` of the file.
    #[cold]
    #[must_use]
    pub fn error_at(&self, offset: u64, name: &'static str, kind: Cause) -> Error {
        let field = self.field(name);
        match self.origin {
            CursorOrigin::File => Error::new(self.format, field, offset, kind),
            CursorOrigin::Start => Error::new(self.format, field, offset, kind).at_fixed_end(),
            CursorOrigin::Block(block) => Error::new(self.format, field, block, kind).at_inflated(offset),
        }
    }

    /// Stores in an error about missing bytes that the bytes from `start` to `end` are needed,
    /// unless the cursor does not end with the file.
    pub(crate) fn needing(&self, error: Error, start: u64, end: u64) -> Error {
        if matches!(self.origin, CursorOrigin::File) { error.needing(start..end) } else { error }
    }

    /// Reads one record and moves the cursor to the byte after it.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::UnexpectedEnd`] if the file ends before the end of the record.
    ///
    /// [`ErrorKind::UnexpectedEnd`]: crate::ErrorKind::UnexpectedEnd
    #[inline]
    pub fn read<T: Record>(&mut self, name: &'static str) -> Result<&'a T> {
        let Ok((record, _)) = T::ref_from_prefix(self.rest()) else {
            return Err(self.error(name, Cause::UnexpectedEnd { needed: as_u64(size_of::<T>()), left: self.left() }));
        };
        self.pass(size_of::<T>(), true);
        Ok(record)
    }

    /// Reads `length` bytes and moves the cursor forward by `length` bytes.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::UnexpectedEnd`] if fewer than `length` bytes remain in the file.
    ///
    /// [`ErrorKind::UnexpectedEnd`]: crate::ErrorKind::UnexpectedEnd
    #[inline]
    pub fn bytes(&mut self, length: u64, name: &'static str) -> Result<&'a [u8]> {
        let bytes = self.lend(length, 1, name)?;
        self.record(as_u64(bytes.len()));
        Ok(bytes)
    }

    /// Borrows an array of `count` records without reading any of the records.
    ///
    /// The product of `count` and the record size is checked for overflow. The parsers compute the
    /// byte size of an array of records only with `array`, which makes this check.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Count`] if fewer than `count` records follow in the file.
    ///
    /// [`ErrorKind::Count`]: crate::ErrorKind::Count
    #[inline]
    pub fn array<T: Record>(&mut self, count: u32, name: &'static str) -> Result<&'a [T]> {
        let start = self.clone();
        let bytes = self.lend(u64::from(count), as_u64(size_of::<T>()), name)?;
        <[T]>::ref_from_bytes(bytes).map_err(|_| start.error(name, Cause::UnexpectedEnd { needed: 0, left: 0 }))
    }

    /// Borrows the bytes of `count` items of `size` bytes each, without reading any of the items.
    ///
    /// # Errors
    ///
    /// If fewer than `count` items follow in the file, returns [`ErrorKind::Count`], or
    /// [`ErrorKind::UnexpectedEnd`] if `size` is 1.
    ///
    /// [`ErrorKind::Count`]: crate::ErrorKind::Count
    /// [`ErrorKind::UnexpectedEnd`]: crate::ErrorKind::UnexpectedEnd
    #[inline]
    pub fn lend(&mut self, count: u64, size: u64, name: &'static str) -> Result<&'a [u8]> {
        let needed = count.checked_mul(size).and_then(|needed| usize::try_from(needed).ok());
        let Some(bytes) = needed.and_then(|needed| self.rest().get(..needed)) else {
            let left = self.left();
            return Err(match size {
                1 => self.error(name, Cause::UnexpectedEnd { needed: count, left }),
                _ => self.error(name, Cause::Count { count, size, left }),
            });
        };
        self.pass(bytes.len(), false);
        Ok(bytes)
    }

    /// Returns all bytes of the file, the offset of the cursor and its access log.
    pub(crate) fn into_parts(self) -> (&'a [u8], u64, Option<&'a AccessLog>) {
        (self.bytes, self.offset(), self.access_log)
    }

    /// Checks that `count` items of at least `size` bytes each fit in the bytes after the cursor.
    ///
    /// Call `can_hold` with the number of items that a file declares, before you allocate memory
    /// for these items.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Count`] if the items do not fit in the remaining bytes.
    ///
    /// [`ErrorKind::Count`]: crate::ErrorKind::Count
    #[inline]
    pub fn can_hold(&self, offset: u64, count: u64, size: u64, name: &'static str) -> Result<()> {
        let left = self.left();
        match count.checked_mul(size) {
            Some(needed) if needed <= left => Ok(()),
            _ => {
                let (start, error) = (self.offset(), self.error_at(offset, name, Cause::Count { count, size, left }));
                Err(self.needing(error, start, start.saturating_add(count.saturating_mul(size))))
            }
        }
    }

    /// Adds the `length` bytes before the cursor to the access log, as bytes that were read.
    #[inline]
    fn record(&self, length: u64) {
        if let Some(log) = self.access_log {
            log.record(self.offset().saturating_sub(length), self.offset());
        }
    }

    /// Adds the range from offset `start` to the cursor to the access log, as a range from which
    /// `bytes` bytes at unknown offsets were read.
    pub(crate) fn record_partial(&self, start: u64, bytes: u64) {
        if let Some(log) = self.access_log {
            log.record_partial(start, self.offset(), bytes);
        }
    }

    #[inline]
    fn pass(&mut self, length: usize, read: bool) {
        self.at = self.at.saturating_add(length);
        if read {
            self.record(as_u64(length));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zerocopy::little_endian::U32;

    const TEST: &FormatName = &FormatName::new("test", |_, _| None);

    #[test]
    fn reads_at_any_offset_and_names_what_is_missing() {
        let bytes = [9, 1, 0, 0, 0, 2, 0, 0, 0, 3];
        let access_log = AccessLog::default();
        let mut cursor = Cursor::new(&bytes, TEST).with_access_log(Some(&access_log));
        cursor.set_place(Field::new("").in_list("thing", 2));
        assert_eq!(*cursor.read::<u8>("tag").unwrap(), 9);
        assert_eq!(cursor.array::<U32>(2, "numbers").unwrap(), [U32::new(1), U32::new(2)]);
        assert_eq!((access_log.bytes(), cursor.offset(), cursor.left()), (1, 9, 1));
        let error = cursor.read::<U32>("last").unwrap_err();
        assert_eq!(
            error.to_string().split(';').next(),
            Some("test: thing[2].last at byte 9: expected 4 bytes, found 1")
        );
        let error = cursor.array::<U32>(u32::MAX, "many").unwrap_err();
        assert!(matches!(error.cause(), Cause::Count { size: 4, left: 1, .. }), "{error}");
        assert!(cursor.can_hold(0, 1, 1, "one").is_ok());
        assert!(cursor.can_hold(0, u64::MAX, 2, "wraps").is_err());
        assert!(cursor.clone().at(10).is_ok());
        assert!(cursor.at(11).is_err());
    }
}
