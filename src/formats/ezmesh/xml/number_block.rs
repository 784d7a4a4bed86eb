//! Blocks of numbers: where they are, and how the text of one becomes arrays.
//!
//! A block of text is parsed once, when somebody first asks for one of its numbers: each group of numbers becomes an array
//! of its own, little-endian, and is lent like any other array from then on. Whoever goes through a block once can decode it
//! straight into a buffer instead. A binary file's blocks are lent as they are.

use std::ops::Range;

use super::numbers::{self, NumberFault, NumberFaultKind, TextPosition, Tokens};
use crate::error::{Error, ErrorKind, Field, Result};
use crate::formats::ezmesh::layout::FORMAT;
use crate::math::as_u64;

/// Numbers that are read at a time, before each goes to its place.
pub(crate) const NUMBER_BATCH: usize = 512;

/// The text of a block, its place for errors, and how many numbers it must have.
#[derive(Clone, Debug)]
pub(crate) struct NumberBlock<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) content: Range<usize>,
    pub(crate) field: Field,
    /// Bytes of a number at most.
    pub(crate) longest: usize,
    /// Whether numbers beyond those that are counted are an error.
    pub(crate) strict: bool,
    /// What a record is, in the plural.
    pub(crate) what: &'static str,
}

/// A block of text that became arrays.
#[derive(Debug)]
pub(crate) struct ParsedBlock {
    /// The floats of what is to be interpolated, where they are not as many as are declared.
    pub(crate) interp_width: Option<u8>,
    /// The arrays, one after another.
    pub(crate) data: Box<[u8]>,
    /// Whether there are more numbers than are counted.
    pub(crate) has_more: bool,
}

impl<'a> NumberBlock<'a> {
    pub(crate) fn tokens(&self) -> Tokens<'a> {
        Tokens::new(self.bytes, self.content.clone(), self.longest)
    }

    /// Starts in the middle.
    pub(crate) fn tokens_from(&self, place: TextPosition) -> Tokens<'a> {
        Tokens::resume(self.bytes, self.content.end, place, self.longest)
    }

    /// Words what is wrong with a number.
    #[cold]
    pub(crate) fn fault(&self, fault: NumberFault, rows: usize, width: usize) -> Error {
        let kind = match fault.what {
            NumberFaultKind::End => return self.miscount(rows, width),
            NumberFaultKind::Long => {
                let (name, allowed) = ("number", as_u64(self.longest));
                ErrorKind::Limit { name, allowed, asked: allowed.saturating_add(1) }
            }
            what => {
                let found = self.bytes.get(fault.at..self.content.end).unwrap_or_default();
                let end =
                    found.iter().position(|byte| numbers::is_separator(*byte) || *byte == b'<').unwrap_or(found.len());
                let found = crate::error::show_bytes(found.get(..end.min(24)).unwrap_or_default());
                ErrorKind::Value { expected: what.expected().into(), found: found.into() }
            }
        };
        Error::new(FORMAT, self.field, as_u64(fault.at), kind)
    }

    /// Says how many numbers there are instead of those that must be.
    #[cold]
    pub(crate) fn miscount(&self, rows: usize, width: usize) -> Error {
        let found = self.count().map_or_else(|_| "fewer".to_owned(), |count| count.to_string());
        let needed = as_u64(rows).saturating_mul(as_u64(width));
        let expected = format!("{needed} numbers, {rows} {} of {width}", self.what);
        let kind = ErrorKind::Value { expected: expected.into(), found: found.into() };
        Error::new(FORMAT, self.field, as_u64(self.content.start), kind)
    }

    /// Counts the numbers.
    pub(crate) fn count(&self) -> Result<u64> {
        numbers::count(self.bytes, self.content.clone()).map_err(|fault| self.fault(fault, 0, 0))
    }

    /// Tests that rows can follow, before anything is allocated for them. Where there are as many numbers and one of them is
    /// too short, whoever reads it says so.
    pub(crate) fn can_hold(&self, rows: usize, least: u64, width: usize) -> Result<()> {
        let room = as_u64(self.content.len()).saturating_add(1);
        match as_u64(rows).checked_mul(least) {
            Some(needed) if needed <= room => Ok(()),
            _ if self.count()? >= as_u64(rows).saturating_mul(as_u64(width)) => Ok(()),
            _ => Err(self.miscount(rows, width)),
        }
    }

    /// Tells whether there are no more numbers than were read. More are whole rows, or something is wrong with what is declared.
    /// Where numbers of a fixed width may stand without separators, only those that are left are counted.
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

    /// Decodes floats, so many to a row.
    pub(crate) fn floats_into(&self, rows: usize, width: usize, out: &mut [[u8; 4]]) -> Result<bool> {
        let (mut tokens, mut some) = (self.tokens(), [0.0; NUMBER_BATCH]);
        for places in out.chunks_mut(NUMBER_BATCH) {
            let floats = some.get_mut(..places.len()).unwrap_or_default();
            tokens.floats_into(floats).map_err(|fault| self.fault(fault, rows, width))?;
            places.iter_mut().zip(floats).for_each(|(place, float)| *place = float.to_le_bytes());
        }
        self.ends(&mut tokens, rows, width, true).map(|done| !done)
    }

    /// Decodes floats, so many to a row, into native ones.
    pub(crate) fn native_floats_into(&self, width: usize, out: &mut [f32]) -> Result<()> {
        let rows = out.len().checked_div(width).unwrap_or_default();
        let mut tokens = self.tokens();
        tokens.floats_into(out).map_err(|fault| self.fault(fault, rows, width))?;
        self.ends(&mut tokens, rows, width, true).map(|_| ())
    }

    /// Decodes indices, three to a triangle, into native ones.
    pub(crate) fn native_indices_into(&self, out: &mut [u32]) -> Result<()> {
        let rows = out.len() / 3;
        let mut tokens = self.tokens();
        tokens.indices_into(out).map_err(|fault| self.fault(fault, rows, 3))?;
        self.ends(&mut tokens, rows, 3, true).map(|_| ())
    }

    /// Decodes indices, three to a triangle.
    pub(crate) fn indices_into(&self, out: &mut [[u8; 4]]) -> Result<bool> {
        let rows = out.len() / 3;
        let (mut tokens, mut some) = (self.tokens(), [0; NUMBER_BATCH]);
        for places in out.chunks_mut(NUMBER_BATCH) {
            let indices = some.get_mut(..places.len()).unwrap_or_default();
            tokens.indices_into(indices).map_err(|fault| self.fault(fault, rows, 3))?;
            places.iter_mut().zip(indices).for_each(|(place, index)| *place = index.to_le_bytes());
        }
        self.ends(&mut tokens, rows, 3, true).map(|done| !done)
    }

    /// Parses rows of floats.
    pub(crate) fn parse_floats(&self, rows: usize, width: usize) -> Result<ParsedBlock> {
        self.can_hold(rows, as_u64(width).saturating_mul(2), width)?;
        let mut data = self.reserve(rows, width.saturating_mul(4))?;
        let has_more = self.floats_into(rows, width, data.as_chunks_mut().0)?;
        Ok(ParsedBlock { interp_width: None, data: data.into_boxed_slice(), has_more })
    }

    /// Parses the indices of triangles.
    pub(crate) fn parse_indices(&self, triangles: usize) -> Result<ParsedBlock> {
        self.can_hold(triangles, 6, 3)?;
        let mut data = self.reserve(triangles, 12)?;
        let has_more = self.indices_into(data.as_chunks_mut().0)?;
        Ok(ParsedBlock { interp_width: None, data: data.into_boxed_slice(), has_more })
    }

    pub(crate) fn reserve(&self, rows: usize, size: usize) -> Result<Vec<u8>> {
        let length = rows.saturating_mul(size);
        let mut data = Vec::new();
        data.try_reserve_exact(length).map_err(|_| {
            let kind = ErrorKind::OutOfMemory { asked: as_u64(length) };
            Error::new(FORMAT, self.field, as_u64(self.content.start), kind)
        })?;
        data.resize(length, 0);
        Ok(data)
    }

    /// Returns where a number starts; where the block starts, if there is no such number.
    pub(crate) fn offset_of(&self, number: u64) -> u64 {
        let mut tokens = self.tokens();
        let passed = (0..number).try_for_each(|_| tokens.word().map(|_| ()));
        let at = passed.and_then(|()| tokens.word()).map_or(self.content.start, |word| word.start);
        as_u64(at)
    }
}
