//! Blocks of numbers: where they are, and how the text of one becomes arrays.
//!
//! A block of text is unfolded once, when somebody first asks for one of its numbers: each group of numbers becomes an array
//! of its own, little-endian, and is lent like any other array from then on. Whoever goes through a block once can decode it
//! straight into a buffer instead. A binary file's blocks are lent as they are.

use std::ops::{Range, RangeInclusive};

use super::layout::Layout;
use super::number::{self, Fault, Place, Tokens, What};
use super::semantic::{Scalar, Semantic};
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;

use super::FORMAT;

/// Numbers that are read at a time, before each goes to its place.
pub(super) const AT_ONCE: usize = 512;

/// The text of a block, its place for errors, and how many numbers it must have.
#[derive(Clone, Debug)]
pub(super) struct Text<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) content: Range<usize>,
    pub(super) field: Field,
    /// Bytes of a number at most.
    pub(super) longest: usize,
    /// Whether numbers beyond those that are counted are an error.
    pub(super) strict: bool,
    /// What a record is, in the plural.
    pub(super) what: &'static str,
}

/// A block of text that became arrays.
#[derive(Debug)]
pub(super) struct Unfolded {
    /// The floats of what is to be interpolated, where they are not as many as are declared.
    pub(super) interp_width: Option<u8>,
    /// The arrays, one after another.
    pub(super) data: Box<[u8]>,
    /// Whether there are more numbers than are counted.
    pub(super) has_more: bool,
}

impl<'a> Text<'a> {
    pub(super) fn tokens(&self) -> Tokens<'a> {
        Tokens::new(self.bytes, self.content.clone(), self.longest)
    }

    /// Starts in the middle.
    pub(super) fn tokens_from(&self, place: Place) -> Tokens<'a> {
        Tokens::resume(self.bytes, self.content.end, place, self.longest)
    }

    /// Words what is wrong with a number.
    #[cold]
    pub(super) fn fault(&self, fault: Fault, rows: usize, width: usize) -> Error {
        let kind = match fault.what {
            What::End => return self.miscount(rows, width),
            What::Long => {
                let (name, allowed) = ("number", as_u64(self.longest));
                ErrorKind::Limit { name, allowed, asked: allowed.saturating_add(1) }
            }
            what => {
                let found = self.bytes.get(fault.at..self.content.end).unwrap_or_default();
                let end =
                    found.iter().position(|byte| number::is_separator(*byte) || *byte == b'<').unwrap_or(found.len());
                let found = crate::error::show_bytes(found.get(..end.min(24)).unwrap_or_default());
                ErrorKind::Value { expected: what.expected().into(), found: found.into() }
            }
        };
        Error::new(FORMAT, self.field, as_u64(fault.at), kind)
    }

    /// Says how many numbers there are instead of those that must be.
    #[cold]
    pub(super) fn miscount(&self, rows: usize, width: usize) -> Error {
        let found = self.count().map_or_else(|_| "fewer".to_owned(), |count| count.to_string());
        let needed = as_u64(rows).saturating_mul(as_u64(width));
        let expected = format!("{needed} numbers, {rows} {} of {width}", self.what);
        let kind = ErrorKind::Value { expected: expected.into(), found: found.into() };
        Error::new(FORMAT, self.field, as_u64(self.content.start), kind)
    }

    /// Counts the numbers.
    pub(super) fn count(&self) -> Result<u64> {
        number::count(self.bytes, self.content.clone()).map_err(|fault| self.fault(fault, 0, 0))
    }

    /// Tells whether the numbers are those of so many rows, and no more.
    fn holds(&self, layout: &Layout, rows: usize) -> bool {
        let mut tokens = self.tokens();
        let mut row = || {
            layout
                .all_scalars()
                .iter()
                .try_for_each(|scalar| super::spread::read_scalar(&mut tokens, *scalar, &mut []))
                .is_ok()
        };
        (0..rows).all(|_| row()) && tokens.is_done() == Ok(true)
    }

    /// Tests that rows can follow, before anything is allocated for them. Where there are as many numbers and one of them is
    /// too short, whoever reads it says so.
    pub(super) fn can_hold(&self, rows: usize, least: u64, width: usize) -> Result<()> {
        let room = as_u64(self.content.len()).saturating_add(1);
        match as_u64(rows).checked_mul(least) {
            Some(needed) if needed <= room => Ok(()),
            _ if self.count()? >= as_u64(rows).saturating_mul(as_u64(width)) => Ok(()),
            _ => Err(self.miscount(rows, width)),
        }
    }

    /// Tells whether there are no more numbers than were read. More are whole rows, or something is wrong with what is declared.
    /// Where numbers of a fixed width may stand without separators, only those that are left are counted.
    pub(super) fn ends(&self, tokens: &mut Tokens<'a>, rows: usize, width: usize, is_counted: bool) -> Result<bool> {
        let at = tokens.at();
        let done = tokens.is_done().map_err(|fault| self.fault(fault, rows, width))?;
        let are_rows = || {
            let start = if is_counted { self.content.start } else { at };
            let found = number::count(self.bytes, start..self.content.end);
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
    pub(super) fn floats_into(&self, rows: usize, width: usize, out: &mut [[u8; 4]]) -> Result<bool> {
        let (mut tokens, mut some) = (self.tokens(), [0.0; AT_ONCE]);
        for places in out.chunks_mut(AT_ONCE) {
            let floats = some.get_mut(..places.len()).unwrap_or_default();
            tokens.floats_into(floats).map_err(|fault| self.fault(fault, rows, width))?;
            places.iter_mut().zip(floats).for_each(|(place, float)| *place = float.to_le_bytes());
        }
        self.ends(&mut tokens, rows, width, true).map(|done| !done)
    }

    /// Decodes floats, so many to a row, into native ones.
    pub(super) fn native_floats_into(&self, width: usize, out: &mut [f32]) -> Result<()> {
        let rows = out.len().checked_div(width).unwrap_or_default();
        let mut tokens = self.tokens();
        tokens.floats_into(out).map_err(|fault| self.fault(fault, rows, width))?;
        self.ends(&mut tokens, rows, width, true).map(|_| ())
    }

    /// Decodes indices, three to a triangle, into native ones.
    pub(super) fn native_indices_into(&self, out: &mut [u32]) -> Result<()> {
        let rows = out.len() / 3;
        let mut tokens = self.tokens();
        tokens.indices_into(out).map_err(|fault| self.fault(fault, rows, 3))?;
        self.ends(&mut tokens, rows, 3, true).map(|_| ())
    }

    /// Decodes indices, three to a triangle.
    pub(super) fn indices_into(&self, out: &mut [[u8; 4]]) -> Result<bool> {
        let rows = out.len() / 3;
        let (mut tokens, mut some) = (self.tokens(), [0; AT_ONCE]);
        for places in out.chunks_mut(AT_ONCE) {
            let indices = some.get_mut(..places.len()).unwrap_or_default();
            tokens.indices_into(indices).map_err(|fault| self.fault(fault, rows, 3))?;
            places.iter_mut().zip(indices).for_each(|(place, index)| *place = index.to_le_bytes());
        }
        self.ends(&mut tokens, rows, 3, true).map(|done| !done)
    }

    /// Unfolds vertices.
    pub(super) fn unfold(&self, layout: &Layout, rows: usize, interp_width: Option<u8>) -> Result<Unfolded> {
        let width = layout.all_scalars().len();
        self.can_hold(rows, layout.least_text().into(), width)?;
        let mut data = self.reserve(rows, layout.size().into())?;
        let has_more = self.columns_into(layout, rows, &mut data)?;
        Ok(Unfolded { interp_width, data: data.into_boxed_slice(), has_more })
    }

    /// Unfolds rows of floats.
    pub(super) fn unfold_floats(&self, rows: usize, width: usize) -> Result<Unfolded> {
        self.can_hold(rows, as_u64(width).saturating_mul(2), width)?;
        let mut data = self.reserve(rows, width.saturating_mul(4))?;
        let has_more = self.floats_into(rows, width, data.as_chunks_mut().0)?;
        Ok(Unfolded { interp_width: None, data: data.into_boxed_slice(), has_more })
    }

    /// Unfolds the indices of triangles.
    pub(super) fn unfold_indices(&self, triangles: usize) -> Result<Unfolded> {
        self.can_hold(triangles, 6, 3)?;
        let mut data = self.reserve(triangles, 12)?;
        let has_more = self.indices_into(data.as_chunks_mut().0)?;
        Ok(Unfolded { interp_width: None, data: data.into_boxed_slice(), has_more })
    }

    fn reserve(&self, rows: usize, size: usize) -> Result<Vec<u8>> {
        let length = rows.saturating_mul(size);
        let mut data = Vec::new();
        data.try_reserve_exact(length).map_err(|_| {
            let kind = ErrorKind::OutOfMemory { asked: as_u64(length) };
            Error::new(FORMAT, self.field, as_u64(self.content.start), kind)
        })?;
        data.resize(length, 0);
        Ok(data)
    }

    /// Reads every number, one after another, and shows it with its vertex's number and its own within the vertex.
    pub(super) fn visit(
        &self,
        layout: &Layout,
        rows: usize,
        see: &mut dyn FnMut(usize, usize, Cell<'a>),
    ) -> Result<()> {
        let width = layout.all_scalars().len();
        let mut tokens = self.tokens();
        for row in 0..rows {
            for (number, scalar) in layout.all_scalars().iter().enumerate() {
                let cell = self.cell(&mut tokens, *scalar).map_err(|fault| self.fault(fault, rows, width))?;
                see(row, number, cell);
            }
        }
        self.ends(&mut tokens, rows, width, layout.is_counted()).map(|_| ())
    }

    /// Returns where a number starts; where the block starts, if there is no such number.
    pub(super) fn offset_of(&self, number: u64) -> u64 {
        let mut tokens = self.tokens();
        let passed = (0..number).try_for_each(|_| tokens.word().map(|_| ()));
        let at = passed.and_then(|()| tokens.word()).map_or(self.content.start, |word| word.start);
        as_u64(at)
    }

    /// Counts the characters that stand for hexadecimal digits and are none.
    pub(super) fn bad_digits(&self, layout: &Layout, rows: usize) -> Result<u64> {
        let width = layout.all_scalars().len();
        let mut tokens = self.tokens();
        for _ in 0..rows {
            for scalar in layout.all_scalars() {
                super::spread::read_scalar(&mut tokens, *scalar, &mut [])
                    .map_err(|fault| self.fault(fault, rows, width))?;
            }
        }
        Ok(tokens.bad_digits())
    }

    pub(super) fn cell(&self, tokens: &mut Tokens<'a>, scalar: Scalar) -> std::result::Result<Cell<'a>, Fault> {
        Ok(match scalar {
            Scalar::Float => Cell::Float(tokens.float()?),
            Scalar::Int32 => Cell::Integer(tokens.index()?.cast_signed().into()),
            Scalar::Int16 => Cell::Integer(short(tokens.integer_within(SHORT)?)),
            Scalar::Int8 => Cell::Integer(byte(tokens.integer_within(BYTE)?)),
            Scalar::Character => Cell::Character(tokens.character()?),
            Scalar::Hex8 => Cell::Hex(tokens.hex(2)?),
            Scalar::Hex16 => Cell::Hex(tokens.hex(4)?),
            Scalar::Hex32 => Cell::Hex(tokens.hex(8)?),
            Scalar::Word => {
                let word = word(tokens)?;
                Cell::Word(crate::parse::Name::new(self.bytes.get(word).unwrap_or_default()))
            }
        })
    }
}

/// One number of a vertex, whatever its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// A float.
    Float(f32),
    /// An integer, with the sign that its bytes have.
    Integer(i64),
    /// A number that is written in hexadecimal digits.
    Hex(u32),
    /// A character.
    Character(u8),
    /// A word.
    Word(crate::parse::Name<'a>),
}

/// What an integer of two bytes may be, with or without a sign.
pub(super) const SHORT: RangeInclusive<i64> = -0x8000..=0xffff;
/// What an integer of one byte may be, with or without a sign.
pub(super) const BYTE: RangeInclusive<i64> = -0x80..=0xff;

/// Returns the value of the lowest two bytes, with a sign.
pub(super) fn short(number: i64) -> i64 {
    let [low, high, ..] = number.to_le_bytes();
    i16::from_le_bytes([low, high]).into()
}

/// Returns the value of the lowest byte, with a sign.
pub(super) fn byte(number: i64) -> i64 {
    let [low, ..] = number.to_le_bytes();
    i8::from_le_bytes([low]).into()
}

/// Passes over a word. Of those that markup splits, no array could tell where they end.
pub(super) fn word(tokens: &mut Tokens<'_>) -> std::result::Result<Range<usize>, Fault> {
    let word = tokens.word()?;
    let bytes = tokens.bytes().get(word.clone()).unwrap_or_default();
    let end = word.start.saturating_add(end_of_word(bytes));
    // Behind a whole word there is nothing, or markup only.
    match Tokens::new(tokens.bytes(), end..word.end, usize::MAX).is_done() {
        Ok(true) => Ok(word.start..end),
        _ => Err(Fault { at: word.start, what: What::Element }),
    }
}

/// Returns where a word ends: before a separator, or markup.
pub(super) fn end_of_word(bytes: &[u8]) -> usize {
    let ends = |(at, byte): (usize, &u8)| {
        number::is_separator(*byte) || *byte == b'<' || bytes.get(at..).is_some_and(|rest| rest.starts_with(b"]]>"))
    };
    bytes.iter().enumerate().position(ends).unwrap_or(bytes.len())
}

/// Returns how many floats what is to be interpolated has: 3 or 4, where the numbers do not fit what is declared and fit that.
/// `None` where they are as declared, or fit nothing.
pub(super) fn interp_width(text: &Text<'_>, declared: &Layout, rows: usize) -> Result<Option<u8>> {
    if !declared.columns().iter().any(|column| matches!(column.semantic, Semantic::Interp(_))) {
        return Ok(None);
    }
    let found = text.count()?;
    let fits = |layout: &Layout| as_u64(layout.all_scalars().len()).checked_mul(as_u64(rows)) == Some(found);
    if fits(declared) {
        return Ok(None);
    }
    if !declared.is_counted() {
        let other = |width: &u8| declared.with_interp_width(*width).is_some_and(|layout| text.holds(&layout, rows));
        return Ok(if text.holds(declared, rows) { None } else { [3, 4].into_iter().find(other) });
    }
    let is =
        |fits: &dyn Fn(&Layout) -> bool, width: u8| declared.with_interp_width(width).is_some_and(|one| fits(&one));
    if let Some(width) = [3, 4].into_iter().find(|width| is(&fits, *width)) {
        return Ok(Some(width));
    }
    // More whole rows than are counted tell as much.
    let has_rows = |layout: &Layout| {
        let width = as_u64(layout.all_scalars().len());
        found.is_multiple_of(width.max(1)) && found > width.saturating_mul(as_u64(rows))
    };
    Ok(if has_rows(declared) { None } else { [3, 4].into_iter().find(|width| is(&has_rows, *width)) })
}
