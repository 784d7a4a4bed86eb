//! The bytes of a region with the byte that `map --at` explains, and the element that contains it.

use crate::Region;
use crate::decode::ByteOrder;

use crate::program::render::decoded::DecodedValue;

/// The longest word of a text whose ends are searched, to either side of a byte.
const MAX_WORD: usize = 100;

/// The element of a region that contains a byte.
#[derive(Debug, Default)]
pub struct RegionElement {
    /// The index of the element in its region, or `None` if it is unknown.
    pub index: Option<u64>,
    /// The offset of the byte from the start of the element, or of the region if the index is
    /// unknown.
    pub byte: u64,
    /// The decoded value, or `None` if the element has no value, such as a compressed block.
    pub value: Option<DecodedValue>,
}

/// The bytes of a region, with a byte of it.
#[derive(Clone, Copy, Debug)]
pub struct RegionBytes<'b> {
    pub region: Region,
    pub bytes: &'b [u8],
    /// The offset of the byte from the start of the region.
    pub at: usize,
    /// The byte order of the numbers in the file.
    pub order: ByteOrder,
}

impl<'b> RegionBytes<'b> {
    /// Returns the bytes of the region that contains the byte at `offset` of the file. Returns
    /// `None` if they lie outside the file.
    pub fn new(file: &'b [u8], region: Region, offset: u64) -> Option<Self> {
        let place = |offset: u64| usize::try_from(offset).ok();
        let bytes = file.get(place(region.start)?..place(region.end)?)?;
        let at = place(offset.checked_sub(region.start)?)?;
        (at < bytes.len()).then_some(Self { region, bytes, at, order: ByteOrder::Little })
    }

    /// Returns an element of the known index, whose bytes are `bytes` from the offset `start` on.
    pub fn found(&self, index: u64, start: usize, value: Option<DecodedValue>) -> RegionElement {
        let byte = self.at.saturating_sub(start).try_into().unwrap_or(u64::MAX);
        RegionElement { index: Some(index), byte, value }
    }

    /// Returns the character of a text, with the word that contains it as its value.
    pub fn word(&self) -> Option<RegionElement> {
        let (before, after) = self.bytes.split_at_checked(self.at)?;
        let is_end = |byte: &&u8| byte.is_ascii_whitespace() || b"<>=\"',".contains(byte);
        let head = before.iter().rev().take(MAX_WORD).take_while(|byte| !is_end(byte)).count();
        let tail = after.iter().take(MAX_WORD).take_while(|byte| !is_end(byte)).count();
        // A separator is a word of its own.
        let (head, tail) = if tail == 0 { (0, 1) } else { (head, tail) };
        let word = self.bytes.get(self.at.checked_sub(head)?..self.at.checked_add(tail)?)?;
        Some(self.found(self.at.try_into().ok()?, self.at, Some(DecodedValue::text(word))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Field;
    use crate::parse::Element;

    #[test]
    fn finds_the_word_around_a_byte() {
        let element = Element::new("text", 1, 1);
        let region = Region { field: Field::new("x"), start: 2, end: 15, element, count: 13 };
        let word = |offset| {
            let here = RegionBytes::new(b"..-0.5, 12\n<a b>", region, offset).unwrap();
            here.word().unwrap().value.unwrap().to_string()
        };
        assert_eq!([2, 5, 6, 7, 9, 12].map(word), ["\"-0.5\"", "\"-0.5\"", "\",\"", "\" \"", "\"12\"", "\"a\""]);
        assert!(RegionBytes::new(b"..-0.5", region, 3).is_none());
    }
}
