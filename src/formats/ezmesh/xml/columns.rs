//! Converts vertex text to arrays: each column of the vertices becomes a separate array.
//!
//! Floats are parsed in batches and then copied to the arrays of their columns. If all columns of a
//! vertex are floats, a batch contains the floats of many vertices.

use std::ops::{Range, RangeInclusive};

use super::number_block::{NUMBER_BATCH, NumberBlock, ParsedBlock};
use super::numbers::{self, NumberFault, NumberFaultKind, Tokens};
use crate::decode::ByteOrder;
use crate::decode::endian::RawWord;
use crate::error::Result;
use crate::formats::ezmesh::layout::{Scalar, VertexValue};
use crate::formats::ezmesh::vertex_format::{MAX_SCALARS, VertexFormat};
use crate::math::as_index;
use crate::parse::Name;
use zerocopy::FromBytes as _;
use zerocopy::little_endian::F32;

impl NumberBlock<'_> {
    /// Parses `rows` vertices from the text, and returns the allocated arrays of their columns: one
    /// little-endian array after another.
    pub(crate) fn parse_vertices(
        &self,
        format: &VertexFormat,
        rows: usize,
        interp_width: Option<u8>,
    ) -> Result<ParsedBlock> {
        let width = format.all_scalars().len();
        self.can_hold(rows, format.least_text().into(), width)?;
        let mut data = self.reserve(rows, format.size().into())?;
        let mut left = data.as_mut_slice();
        let mut groups: [ColumnTarget<'_>; MAX_SCALARS] = std::array::from_fn(|_| ColumnTarget::default());
        for (group, column) in groups.iter_mut().zip(format.columns()) {
            let (size, scalars) = (usize::from(column.size), format.scalars(column));
            let array = left.split_off_mut(..size.saturating_mul(rows)).unwrap_or_default();
            let all_floats = scalars.iter().all(|scalar| *scalar == Scalar::Float);
            *group = ColumnTarget { array, scalars, size, all_floats };
        }
        let groups = groups.get_mut(..format.columns().len()).unwrap_or_default();
        // If all numbers of a vertex are floats, the numbers of many vertices are parsed in one
        // batch.
        let most = if groups.iter().all(|group| group.all_floats) { NUMBER_BATCH.checked_div(width) } else { None };
        let most = most.unwrap_or_default().max(1);
        let (mut tokens, mut floats, mut left) = (self.tokens(), [0.0; NUMBER_BATCH], rows);
        while left > 0 {
            let some = left.min(most);
            for run in groups.chunk_by_mut(|one, next| one.all_floats && next.all_floats) {
                read(run, some, &mut tokens, &mut floats).map_err(|fault| self.fault(fault, rows, width))?;
            }
            left = left.saturating_sub(some);
        }
        let has_more = !self.ends(&mut tokens, rows, width, format.is_counted())?;
        let bad_digits = tokens.bad_digits();
        Ok(ParsedBlock { interp_width, data: data.into_boxed_slice(), has_more, bad_digits })
    }
}

/// The output of one vertex column. The slice `array` is the part of the column's output array that
/// has not been written yet.
#[derive(Default)]
struct ColumnTarget<'o> {
    array: &'o mut [u8],
    scalars: &'o [Scalar],
    size: usize,
    all_floats: bool,
}

/// Parses the numbers that `rows` vertices have in adjacent columns: either in one column of any
/// types, or in one or more float columns.
fn read(
    run: &mut [ColumnTarget<'_>],
    rows: usize,
    tokens: &mut Tokens<'_>,
    floats: &mut [f32; NUMBER_BATCH],
) -> std::result::Result<(), NumberFault> {
    match run {
        [group] if !group.all_floats => {
            for _ in 0..rows {
                let mut cells = group.next(1);
                for scalar in group.scalars {
                    let cell = cells.split_off_mut(..scalar.size().into()).unwrap_or_default();
                    read_scalar(tokens, *scalar, cell)?;
                }
            }
        }
        _ => {
            let width = run.iter().map(|group| group.scalars.len()).fold(0, usize::saturating_add);
            let floats = floats.get_mut(..width.saturating_mul(rows)).unwrap_or_default();
            tokens.floats_into(floats)?;
            let mut first = 0_usize;
            for group in run {
                group.put(rows, floats.chunks_exact(width.max(1)), first);
                first = first.saturating_add(group.scalars.len());
            }
        }
    }
    Ok(())
}

impl<'o> ColumnTarget<'o> {
    /// Returns the part of the column's output array for the next `rows` vertices.
    fn next(&mut self, rows: usize) -> &'o mut [u8] {
        self.array.split_off_mut(..self.size.saturating_mul(rows)).unwrap_or_default()
    }

    /// Writes floats of the next `rows` vertices to the output array of this column. The floats of
    /// the column start at index `first` in each item of `floats`.
    fn put<'f>(&mut self, rows: usize, floats: impl Iterator<Item = &'f [f32]>, first: usize) {
        let cells = self.next(rows);
        match self.scalars.len() {
            1 => put_floats::<1>(cells, floats, first),
            2 => put_floats::<2>(cells, floats, first),
            3 => put_floats::<3>(cells, floats, first),
            4 => put_floats::<4>(cells, floats, first),
            _ => {
                for (cell, floats) in cells.chunks_exact_mut(self.size.max(1)).zip(floats) {
                    let floats = floats.get(first..).unwrap_or_default();
                    cell.as_chunks_mut().0.iter_mut().zip(floats).for_each(|(cell, float)| *cell = float.to_le_bytes());
                }
            }
        }
    }
}

fn put_floats<'f, const N: usize>(cells: &mut [u8], floats: impl Iterator<Item = &'f [f32]>, first: usize) {
    for (cell, floats) in <[[F32; N]]>::mut_from_bytes(cells).unwrap_or_default().iter_mut().zip(floats) {
        let Some(floats) = floats.get(first..).and_then(<[f32]>::first_chunk::<N>) else { return };
        *cell = floats.map(F32::new);
    }
}

/// The accepted values of a two-byte integer in text: the range of `i16` and the range of `u16`.
const SHORT: RangeInclusive<i64> = -0x8000..=0xffff;
/// The accepted values of a one-byte integer in text: the range of `i8` and the range of `u8`.
const BYTE: RangeInclusive<i64> = -0x80..=0xff;

/// Skips a word and returns its byte range in the file.
///
/// A word that contains XML markup is an error, because a parsed array stores only the byte offset
/// at which the word starts.
fn word(tokens: &mut Tokens<'_>) -> std::result::Result<Range<usize>, NumberFault> {
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
fn read_scalar(tokens: &mut Tokens<'_>, scalar: Scalar, cell: &mut [u8]) -> std::result::Result<(), NumberFault> {
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

#[cfg(test)]
mod tests {
    use crate::formats::ezmesh::{Mesh, VertexValue};

    /// Creates the XML text of vertices with `width` numbers each. The numbers are 0, 1, 2 and so
    /// on.
    fn text(ctype: &str, semantic: &str, width: usize, rows: usize) -> String {
        let numbers =
            (0..rows * width).fold(String::new(), |numbers, number| numbers + &format!("{} ", number % 60_000));
        let buffer =
            format!("<vertexbuffer count='{rows}' ctype='{ctype}' semantic='{semantic}'>{numbers}</vertexbuffer>");
        format!("<MeshSystem><Meshes><Mesh name='a'>{buffer}</Mesh></Meshes></MeshSystem>")
    }

    #[test]
    fn many_at_a_time_are_those_that_are_one_after_another() {
        let layouts = [
            ("fff fff ff fffff f", "position normal texcoord1 some radius", 14),
            ("fff h fff f ff hhhh", "position some normal radius texcoord1 blendindices", 14),
        ];
        for (ctype, semantic, width) in layouts {
            for rows in [0, 1, 35, 36, 37, 200] {
                let text = text(ctype, semantic, width, rows);
                let system = Mesh::open(text.as_str()).unwrap();
                let buffer = system.view().meshes().next().unwrap().vertex_buffer().unwrap().unwrap();
                let vertices = buffer.vertices().unwrap();
                let cells: Vec<_> = (0..rows).flat_map(|row| vertices.values(row).enumerate()).collect();
                assert_eq!(cells.len(), rows * width);
                for (count, (number, cell)) in cells.iter().enumerate() {
                    let expected = u16::try_from(count % 60_000).unwrap();
                    assert_eq!(*number, count % width);
                    match cell {
                        VertexValue::Float(float) => assert_eq!(float.to_bits(), f32::from(expected).to_bits()),
                        VertexValue::Integer(integer) => assert_eq!(*integer, i64::from(expected.cast_signed())),
                        other => panic!("{other:?}"),
                    }
                }
            }
        }
    }

    #[test]
    fn names_the_place_of_what_is_no_number() {
        for (ctype, semantic) in [("fff fff", "position normal"), ("fff ffh", "position some")] {
            let text = text(ctype, semantic, 6, 100).replace(" 411 ", " 4l1 ");
            let system = Mesh::open(text.as_str()).unwrap();
            let buffer = system.view().meshes().next().unwrap().vertex_buffer().unwrap().unwrap();
            let at = u64::try_from(text.find("4l1").unwrap()).unwrap();
            assert_eq!(buffer.vertices().unwrap_err().offset(), Some(at));
        }
    }
}
