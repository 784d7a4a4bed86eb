//! Reads one number of a vertex from text, and copies it to an array or returns it as a value.

use std::ops::{Range, RangeInclusive};

use super::numbers::{self, NumberFault, NumberFaultKind, Tokens};
use crate::decode::ByteOrder;
use crate::decode::endian::RawWord;
use crate::formats::ezmesh::semantic::{Scalar, VertexValue};
use crate::math::as_index;
use crate::parse::Name;

/// The accepted values of a two-byte integer in text: the range of `i16` and the range of `u16`.
const SHORT: RangeInclusive<i64> = -0x8000..=0xffff;
/// The accepted values of a one-byte integer in text: the range of `i8` and the range of `u8`.
const BYTE: RangeInclusive<i64> = -0x80..=0xff;

/// Skips a word and returns its byte range in the file.
///
/// A word that contains XML markup is an error, because a parsed array stores only the byte offset
/// at which the word starts.
fn word(tokens: &mut Tokens<'_>) -> Result<Range<usize>, NumberFault> {
    let word = tokens.word()?;
    let bytes = tokens.bytes().get(word.clone()).unwrap_or_default();
    let end = word.start.saturating_add(end_of_word(bytes));
    // In the byte range of the token, only separators or XML markup may follow the word.
    match Tokens::new(tokens.bytes(), end..word.end, usize::MAX).is_done() {
        Ok(true) => Ok(word.start..end),
        _ => Err(NumberFault { at: word.start, what: NumberFaultKind::Element }),
    }
}

/// Returns the length of the word at the start of `bytes`, in bytes. The word ends before a
/// separator or before markup.
fn end_of_word(bytes: &[u8]) -> usize {
    let ends = |(at, byte): (usize, &u8)| {
        numbers::is_separator(*byte) || *byte == b'<' || bytes.get(at..).is_some_and(|rest| rest.starts_with(b"]]>"))
    };
    bytes.iter().enumerate().position(ends).unwrap_or(bytes.len())
}

/// Reads one number from the text, and writes its little-endian bytes to `cell`, a slice of the
/// output array.
pub(crate) fn read_scalar(tokens: &mut Tokens<'_>, scalar: Scalar, cell: &mut [u8]) -> Result<(), NumberFault> {
    let low_bytes = |number: i64| number.to_le_bytes();
    match scalar {
        Scalar::Float => put(cell, &tokens.float()?.to_le_bytes()),
        Scalar::Int32 => put(cell, &tokens.index()?.to_le_bytes()),
        Scalar::Int16 => put(cell, &low_bytes(tokens.integer_within(SHORT)?)),
        Scalar::Int8 => put(cell, &low_bytes(tokens.integer_within(BYTE)?)),
        Scalar::Character => put(cell, &[tokens.character()?]),
        Scalar::Hex8 => put(cell, &tokens.hex(2)?.to_le_bytes()),
        Scalar::Hex16 => put(cell, &tokens.hex(4)?.to_le_bytes()),
        Scalar::Hex32 => put(cell, &tokens.hex(8)?.to_le_bytes()),
        Scalar::Word => {
            let word = word(tokens)?;
            let start = u32::try_from(word.start);
            let far = NumberFault { at: word.start, what: NumberFaultKind::Far };
            put(cell, &start.map_err(|_| far)?.to_le_bytes());
        }
    }
    Ok(())
}

/// Copies the first bytes of a little-endian number to `cell`, until `cell` is full.
fn put(cell: &mut [u8], bytes: &[u8]) {
    for (place, byte) in cell.iter_mut().zip(bytes) {
        *place = *byte;
    }
}

/// Reads one number from the text, and returns it as a value with its type.
pub(crate) fn read_value<'a>(tokens: &mut Tokens<'a>, scalar: Scalar) -> Result<VertexValue<'a>, NumberFault> {
    let mut cell = [0; 4];
    read_scalar(tokens, scalar, &mut cell)?;
    Ok(value_of(scalar, &cell, ByteOrder::Little, tokens.bytes()))
}

/// Returns the value of a number that is stored in an array or a record. A word is an offset in the
/// text.
pub(crate) fn value_of<'a>(scalar: Scalar, bytes: &[u8], order: ByteOrder, text: &'a [u8]) -> VertexValue<'a> {
    let word = || RawWord(*bytes.first_chunk().unwrap_or(&[0; 4]));
    let short = || order.u16(*bytes.first_chunk().unwrap_or(&[0; 2]));
    let byte = || bytes.first().copied().unwrap_or_default();
    match scalar {
        Scalar::Float => VertexValue::Float(order.f32(word())),
        Scalar::Int32 => VertexValue::Integer(order.u32(word()).cast_signed().into()),
        Scalar::Int16 => VertexValue::Integer(short().cast_signed().into()),
        Scalar::Int8 => VertexValue::Integer(byte().cast_signed().into()),
        Scalar::Character => VertexValue::Character(byte()),
        Scalar::Hex8 => VertexValue::Hex(byte().into()),
        Scalar::Hex16 => VertexValue::Hex(short().into()),
        Scalar::Hex32 => VertexValue::Hex(order.u32(word())),
        Scalar::Word => {
            let rest = text.get(as_index(order.u32(word()))..).unwrap_or_default();
            let near = rest.get(..256).unwrap_or(rest);
            VertexValue::Word(Name::new(near.get(..end_of_word(near)).unwrap_or_default()))
        }
    }
}
