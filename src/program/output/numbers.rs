//! The types of the numbers in arrays, and the numbers of an array as little-endian bytes.

use std::io;
use std::ops::Range;

use crate::Array;
use bytemuck::{NoUninit, Zeroable};

use super::values::{Item, Values};
use crate::model::NumberType;

/// The number of items that are decoded at a time.
const ITEMS_BATCH: usize = 32 << 10;
/// The number of bytes that are collected before they are passed on.
const BYTES_BATCH: usize = 256 << 10;

/// A callback that gets the bytes of an array in chunks.
pub type Sink<'s> = &'s mut dyn FnMut(&[u8]) -> io::Result<()>;

/// The numbers in an item of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Every item has the same number of numbers.
    Numbers { number: NumberType, width: usize },
    /// Every item is a list of bones and weights of any length.
    Influences { bone: NumberType, weight: NumberType },
}

impl Layout {
    /// Returns the layout of items with `width` numbers of a type.
    pub const fn numbers(number: NumberType, width: usize) -> Self {
        Self::Numbers { number, width }
    }
}

impl NumberType {
    /// Returns the size of a number in bytes.
    pub(crate) const fn size(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
        }
    }

    /// Returns the name of the type in NumPy, such as `float32`, and its code with the byte order
    /// in an `.npy` file, such as `<f4`.
    pub(crate) const fn numpy(self) -> [&'static str; 2] {
        match self {
            Self::U8 => ["uint8", "|u1"],
            Self::U16 => ["uint16", "<u2"],
            Self::U32 => ["uint32", "<u4"],
            Self::I16 => ["int16", "<i2"],
            Self::I32 => ["int32", "<i4"],
            Self::F32 => ["float32", "<f4"],
        }
    }

    /// Adds an integer as bytes of this type. A number that is out of range becomes 0.
    pub(crate) fn push(self, number: i64, out: &mut Vec<u8>) {
        match self {
            Self::U8 => out.extend(u8::try_from(number).unwrap_or_default().to_le_bytes()),
            Self::U16 => out.extend(u16::try_from(number).unwrap_or_default().to_le_bytes()),
            Self::U32 => out.extend(u32::try_from(number).unwrap_or_default().to_le_bytes()),
            Self::I16 => out.extend(i16::try_from(number).unwrap_or_default().to_le_bytes()),
            Self::I32 => out.extend(i32::try_from(number).unwrap_or_default().to_le_bytes()),
            Self::F32 => {}
        }
    }
}

/// Passes the numbers of some items to `sink`, encoded one by one.
pub fn write_encoded<V: Values + ?Sized>(values: &V, range: Range<usize>, raw: bool, sink: Sink<'_>) -> io::Result<()> {
    let Layout::Numbers { number, .. } = values.layout(raw) else { return Ok(()) };
    let mut bytes = Vec::new();
    values.visit(range, raw, &mut |item| {
        encode(&item, number, &mut bytes);
        pass_on(&mut bytes, BYTES_BATCH, sink)
    })?;
    pass_on(&mut bytes, 0, sink)
}

/// Passes collected bytes on if there are at least `least` of them.
pub fn pass_on(bytes: &mut Vec<u8>, least: usize, sink: Sink<'_>) -> io::Result<()> {
    if bytes.len() >= least {
        sink(bytes)?;
        bytes.clear();
    }
    Ok(())
}

/// Passes bytes on if many were collected.
pub fn pass_on_full(bytes: &mut Vec<u8>, sink: Sink<'_>) -> io::Result<()> {
    pass_on(bytes, BYTES_BATCH, sink)
}

/// Adds the numbers of an item as bytes.
fn encode(item: &Item<'_>, number: NumberType, out: &mut Vec<u8>) {
    match item {
        Item::Floats(values) => values.iter().for_each(|value| out.extend(value.to_le_bytes())),
        Item::Integers(values) => values.iter().for_each(|value| number.push(*value, out)),
        Item::Influences(_) | Item::RawInfluences(_) => {}
    }
}

/// Decodes some items of an array in large chunks, converts them, and passes their bytes to `sink`.
/// An item consists of 32-bit numbers.
pub fn write_items<A: Array, T: NoUninit>(
    array: &A,
    range: Range<usize>,
    convert: impl Fn(A::Item) -> T,
    sink: Sink<'_>,
) -> io::Result<()> {
    let mut decoded = vec![A::Item::zeroed(); range.len().min(ITEMS_BATCH)];
    let mut items = Vec::with_capacity(decoded.len());
    let mut start = range.start;
    while start < range.end {
        let end = range.end.min(start.saturating_add(ITEMS_BATCH));
        let room = decoded.get_mut(..end.saturating_sub(start)).unwrap_or_default();
        let Some(part) = array.slice(start..end) else { return Ok(()) };
        part.prefetch();
        part.fill(room);
        items.clear();
        items.extend(room.iter().map(|item| convert(*item)));
        write_words(bytemuck::cast_slice(&items), sink)?;
        start = end;
    }
    Ok(())
}

/// Passes 32-bit numbers in the byte order of the machine to `sink`, in little-endian byte order.
fn write_words(bytes: &[u8], sink: Sink<'_>) -> io::Result<()> {
    if cfg!(target_endian = "little") {
        return sink(bytes);
    }
    let mut swapped = bytes.to_vec();
    swapped.as_chunks_mut::<4>().0.iter_mut().for_each(|word| word.reverse());
    sink(&swapped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ExtraArray, ExtraArrayInfo};

    #[test]
    fn writes_numbers_of_every_type() {
        static INFO: ExtraArrayInfo = ExtraArrayInfo { number: NumberType::I32, ..ExtraArrayInfo::bytes("", "", "") };
        let mut found = Vec::new();
        let values = ExtraArray::integers(&INFO, 2, |at| [[1, -2], [3, 70_000]].get(at).copied());
        assert_eq!(values.layout(false), Layout::numbers(NumberType::I32, 2));
        values.write_bytes(0..2, false, &mut |bytes| std::io::Write::write_all(&mut found, bytes)).unwrap();
        assert_eq!(found, [1_i32, -2, 3, 70_000].map(i32::to_le_bytes).concat());
        for (number, value, bytes) in [
            (NumberType::U8, 255, &[255][..]),
            (NumberType::U16, 258, &[2, 1]),
            (NumberType::I16, -2, &[254, 255]),
            (NumberType::U32, 0xffff_ffff, &[255; 4]),
            (NumberType::U8, 256, &[0]),
        ] {
            let mut found = Vec::new();
            number.push(value, &mut found);
            assert_eq!((found.as_slice(), found.len()), (bytes, number.size()));
        }
    }
}
