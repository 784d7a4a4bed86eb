//! Blocks of numbers. A block is the text of one XML element whose text is a list of numbers. This
//! module converts blocks of numbers to arrays.
//!
//! A block of numbers is parsed once, on the first request for one of the numbers in the block.
//! Each column of numbers becomes a separate little-endian array in a cache, and later requests
//! borrow this array. A caller that reads a block of numbers only once can decode the block
//! directly into a buffer. Arrays of a binary file are not parsed: they are borrowed from the file
//! without a copy.

use std::ops::Range;

use super::numbers::{self, NumberFault, NumberFaultKind, Tokens};
use crate::error::{Cause, Error, Field, Result};
use crate::formats::ezmesh::layout::{FORMAT, Semantic};
use crate::formats::ezmesh::validate::rules::{MISSING_NUMBERS, NUMBER_TYPE};
use crate::formats::ezmesh::vertex_format::VertexFormat;
use crate::math::as_u64;

/// Maximum number of floats in a batch. The floats of a batch are parsed together, and then copied
/// to the arrays of their columns.
pub(crate) const NUMBER_BATCH: usize = 512;

/// A block of numbers in a text file: its position in the file, its field for errors, and the
/// options for reading the numbers.
#[derive(Clone, Debug)]
pub(crate) struct NumberBlock<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) content: Range<usize>,
    pub(crate) field: Field,
    /// Maximum length of a number in the text, in bytes.
    pub(crate) longest: usize,
    /// Whether a text with more numbers than declared is an error.
    pub(crate) strict: bool,
    /// The plural name of the records in the block, such as `vertices`, for error messages.
    pub(crate) what: &'static str,
}

/// The parsed numbers of a block, as arrays.
#[derive(Debug)]
pub(crate) struct ParsedBlock {
    /// The number of floats per vertex in an `interp` column, if this number differs from the
    /// declared number.
    pub(crate) interp_width: Option<u8>,
    /// The bytes of the parsed arrays, one array after another.
    pub(crate) data: Box<[u8]>,
    /// Whether the text of the block has more numbers than declared.
    pub(crate) has_more: bool,
    /// The number of bytes that were read as the hexadecimal digit 0 but are not hexadecimal
    /// digits.
    pub(crate) bad_digits: u64,
}

impl<'a> NumberBlock<'a> {
    pub(crate) fn tokens(&self) -> Tokens<'a> {
        Tokens::new(self.bytes, self.content.clone(), self.longest)
    }

    /// Returns the byte range of the block in the file.
    pub(crate) fn byte_range(&self) -> Range<u64> {
        as_u64(self.content.start)..as_u64(self.content.end)
    }

    /// Converts a [`NumberFault`] to an error that contains the field of the block and the byte
    /// offset of the fault.
    #[cold]
    pub(crate) fn fault(&self, fault: NumberFault, rows: usize, width: usize) -> Error {
        let kind = match fault.what {
            NumberFaultKind::End => return self.miscount(rows, width),
            NumberFaultKind::Long => {
                let (name, allowed) = ("number", as_u64(self.longest));
                Cause::Limit { name, allowed, asked: allowed.saturating_add(1) }
            }
            what => {
                let found = self.bytes.get(fault.at..self.content.end).unwrap_or_default();
                let end =
                    found.iter().position(|byte| numbers::is_separator(*byte) || *byte == b'<').unwrap_or(found.len());
                let found = crate::error::show_bytes(found.get(..end.min(24)).unwrap_or_default());
                let kind = Cause::value(what.expected(), found);
                return Error::new(FORMAT, self.field, as_u64(fault.at), kind).breaking(&NUMBER_TYPE);
            }
        };
        Error::new(FORMAT, self.field, as_u64(fault.at), kind)
    }

    /// Creates the error for a block of numbers that has too many or too few numbers for `rows`
    /// rows of `width` numbers.
    #[cold]
    pub(crate) fn miscount(&self, rows: usize, width: usize) -> Error {
        let found = self.count().map_or_else(|_| "fewer".to_owned(), |count| count.to_string());
        let needed = as_u64(rows).saturating_mul(as_u64(width));
        let expected = format!("{needed} numbers, {rows} {} of {width} each", self.what);
        let kind = Cause::value(expected, found);
        Error::new(FORMAT, self.field, as_u64(self.content.start), kind).breaking(&MISSING_NUMBERS)
    }

    /// Counts the numbers of the block, without parsing them.
    pub(crate) fn count(&self) -> Result<u64> {
        numbers::count(self.bytes, self.content.clone()).map_err(|fault| self.fault(fault, 0, 0))
    }

    /// Checks that the text of the block of numbers is long enough for `rows` rows, before memory
    /// is allocated for the rows.
    ///
    /// If the text is too short for `rows` rows, the check still succeeds if the text contains
    /// `rows * width` numbers. If a text that is too short for its rows contains enough numbers, at
    /// least one number is too short for its data type; the error is returned when this number is
    /// read.
    pub(crate) fn can_hold(&self, rows: usize, least: u64, width: usize) -> Result<()> {
        let room = as_u64(self.content.len()).saturating_add(1);
        match as_u64(rows).checked_mul(least) {
            Some(needed) if needed <= room => Ok(()),
            _ if self.count()? >= as_u64(rows).saturating_mul(as_u64(width)) => Ok(()),
            _ => Err(self.miscount(rows, width)),
        }
    }

    /// Returns whether all numbers of the block have been read.
    ///
    /// If the block has unread numbers and the count of its numbers is not a multiple of `width`,
    /// the declared columns are wrong and an error is returned. With the option `strict`, returns
    /// an error if any number of the block has not been read. If `is_counted` is false, numbers may
    /// have no separators between them, and only the unread numbers of the block are counted.
    pub(crate) fn ends(&self, tokens: &mut Tokens<'a>, rows: usize, width: usize, is_counted: bool) -> Result<bool> {
        let at = tokens.at();
        let done = tokens.is_done().map_err(|fault| self.fault(fault, rows, width))?;
        let are_rows = || {
            let start = if is_counted { self.content.start } else { at };
            let found = numbers::count(self.bytes, start..self.content.end);
            found
                .map(|found| found.is_multiple_of(as_u64(width).max(1)))
                .map_err(|fault| self.fault(fault, rows, width))
        };
        if done || !self.strict && are_rows()? {
            return Ok(done);
        }
        Err(self.miscount(rows, width))
    }

    /// Parses `rows` rows of `width` floats each into a little-endian array.
    pub(crate) fn parse_floats(&self, rows: usize, width: usize) -> Result<ParsedBlock> {
        self.parse(rows, width, Tokens::floats_into, f32::to_le_bytes)
    }

    /// Parses the indices of triangles into a little-endian array.
    pub(crate) fn parse_indices(&self, triangles: usize) -> Result<ParsedBlock> {
        self.parse(triangles, 3, Tokens::indices_into, u32::to_le_bytes)
    }

    fn parse<T: Copy + Default>(
        &self,
        rows: usize,
        width: usize,
        read: impl Fn(&mut Tokens<'a>, &mut [T]) -> std::result::Result<(), NumberFault>,
        bytes: impl Fn(T) -> [u8; 4],
    ) -> Result<ParsedBlock> {
        self.can_hold(rows, as_u64(width).saturating_mul(2), width)?;
        let mut data = self.reserve(rows, width.saturating_mul(4))?;
        let (mut tokens, mut some) = (self.tokens(), [T::default(); NUMBER_BATCH]);
        for places in data.as_chunks_mut().0.chunks_mut(NUMBER_BATCH) {
            let numbers = some.get_mut(..places.len()).unwrap_or_default();
            read(&mut tokens, numbers).map_err(|fault| self.fault(fault, rows, width))?;
            places.iter_mut().zip(numbers).for_each(|(place, number)| *place = bytes(*number));
        }
        let has_more = !self.ends(&mut tokens, rows, width, true)?;
        Ok(ParsedBlock { interp_width: None, data: data.into_boxed_slice(), has_more, bad_digits: 0 })
    }

    pub(crate) fn reserve(&self, rows: usize, size: usize) -> Result<Vec<u8>> {
        let length = rows.saturating_mul(size);
        let mut data = Vec::new();
        data.try_reserve_exact(length).map_err(|_| {
            let kind = Cause::OutOfMemory { asked: as_u64(length) };
            Error::new(FORMAT, self.field, as_u64(self.content.start), kind)
        })?;
        data.resize(length, 0);
        Ok(data)
    }

    /// Returns the byte offset in the file of the index with the number `number` in a block whose
    /// indices have been parsed. Returns the byte offset at which the block starts if the block has
    /// no such index.
    pub(crate) fn offset_of_index(&self, number: u64) -> u64 {
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        let (mut tokens, mut some) = (self.tokens(), [0; NUMBER_BATCH]);
        let mut passed = Ok(());
        for start in (0..number).step_by(NUMBER_BATCH) {
            let count = number.saturating_sub(start).min(NUMBER_BATCH);
            passed = passed.and_then(|()| tokens.indices_into(some.get_mut(..count).unwrap_or_default()));
        }
        as_u64(passed.and_then(|()| tokens.word()).map_or(self.content.start, |word| word.start))
    }

    /// Returns the number of floats per vertex in an `interp` column, or `None` if the declared
    /// number of floats is correct.
    ///
    /// Returns 3 or 4 if the total count of numbers in the vertex text fits 3 or 4 floats per
    /// `interp` column and does not fit the declared number of floats. Returns `None` if it fits
    /// the declared number, or neither 3 nor 4 floats.
    pub(crate) fn interp_width(&self, declared: &VertexFormat, rows: usize) -> Result<Option<u8>> {
        if !declared.columns().iter().any(|column| matches!(column.semantic, Semantic::Interp(_))) {
            return Ok(None);
        }
        let found = self.count()?;
        let width = |format: &VertexFormat| as_u64(format.all_scalars().len());
        let fits = |format: &VertexFormat| width(format).checked_mul(as_u64(rows)) == Some(found);
        if fits(declared) {
            return Ok(None);
        }
        // If the vertex text has more numbers than declared, the total count of numbers must be a
        // multiple of the count per vertex.
        let has_rows = |format: &VertexFormat| {
            found.is_multiple_of(width(format).max(1)) && found > width(format).saturating_mul(as_u64(rows))
        };
        // Numbers without separators between them cannot be counted without parsing them.
        let holds =
            |format: &VertexFormat| self.parse_vertices(format, rows, None).is_ok_and(|parsed| !parsed.has_more);
        let tests: &[&dyn Fn(&VertexFormat) -> bool] =
            if declared.is_counted() { &[&fits, &has_rows] } else { &[&holds] };
        let width = tests.iter().find_map(|test| {
            let other = |width: &u8| declared.with_interp_width(*width).is_some_and(|format| test(&format));
            if test(declared) { Some(None) } else { [3, 4].into_iter().find(other).map(Some) }
        });
        Ok(width.flatten())
    }
}
