//! The bytes of a region with one byte of it, and the element that contains this byte.

use super::region::Region;
use super::value::Value;

/// The longest word of a text whose ends are searched, to either side of a byte.
const MAX_WORD: usize = 100;

/// The element of a region that contains a byte.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RegionElement {
    /// The index of the element in its region, or `None` if it is unknown.
    pub index: Option<u64>,
    /// The offset of the byte from the start of the element, or of the region if the index is
    /// unknown.
    pub byte: u64,
    /// The decoded value, or `None` if the element has no value, such as a compressed block.
    pub value: Option<Value>,
}

/// The bytes of a region, with a byte of it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RegionBytes<'b> {
    /// The region.
    pub region: Region,
    /// The bytes of the region.
    pub bytes: &'b [u8],
    /// The offset of the byte from the start of the region.
    pub at: usize,
    /// Whether the numbers of the file are big-endian.
    pub is_big_endian: bool,
}

/// The function that finds the element of a region with the type of this function, and decodes it.
pub type Decoder = fn(&RegionBytes<'_>) -> Option<RegionElement>;

impl<'b> RegionBytes<'b> {
    /// Returns the bytes of the region that contains the byte at `offset` of the file. Returns
    /// `None` if they lie outside the file.
    #[must_use]
    pub fn new(file: &'b [u8], region: Region, offset: u64) -> Option<Self> {
        let place = |offset: u64| usize::try_from(offset).ok();
        let bytes = file.get(place(region.start)?..place(region.end)?)?;
        let at = place(offset.checked_sub(region.start)?)?;
        (at < bytes.len()).then_some(Self { region, bytes, at, is_big_endian: false })
    }

    /// Returns the element that contains the byte, decoded as the type of the element states.
    #[must_use]
    pub fn element(&self) -> RegionElement {
        let unknown = || RegionElement { index: None, byte: self.at.try_into().unwrap_or(u64::MAX), value: None };
        (self.region.element.decoder)(self).unwrap_or_else(unknown)
    }

    /// Returns the element of a known size that contains the byte. `decode` receives the bytes of
    /// the element and the offset of the byte in it.
    pub fn item(&self, decode: impl FnOnce(&[u8], usize) -> Option<Value>) -> Option<RegionElement> {
        let size = usize::try_from(self.region.element.size).ok()?;
        let index = self.at.checked_div(size)?;
        let start = index.checked_mul(size)?;
        let bytes = self.bytes.get(start..start.checked_add(size)?)?;
        Some(self.found(index.try_into().ok()?, start, decode(bytes, self.at.checked_sub(start)?)))
    }

    /// Returns an element of the known index, whose bytes start at the offset `start`.
    pub(crate) fn found(&self, index: u64, start: usize, value: Option<Value>) -> RegionElement {
        let byte = self.at.saturating_sub(start).try_into().unwrap_or(u64::MAX);
        RegionElement { index: Some(index), byte, value }
    }

    /// Returns the character of a text, with the word that contains it as its value.
    fn word(&self) -> Option<RegionElement> {
        let (before, after) = self.bytes.split_at_checked(self.at)?;
        let is_end = |byte: &&u8| byte.is_ascii_whitespace() || b"<>=\"',".contains(byte);
        let head = before.iter().rev().take(MAX_WORD).take_while(|byte| !is_end(byte)).count();
        let tail = after.iter().take(MAX_WORD).take_while(|byte| !is_end(byte)).count();
        // A separator is a word of its own.
        let (head, tail) = if tail == 0 { (0, 1) } else { (head, tail) };
        let word = self.bytes.get(self.at.checked_sub(head)?..self.at.checked_add(tail)?)?;
        Some(self.found(self.at.try_into().ok()?, self.at, Some(Value::cut_text(word))))
    }
}

/// Decodes the word of a text that contains the byte.
pub(crate) fn word(here: &RegionBytes<'_>) -> Option<RegionElement> {
    here.word()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Field;
    use crate::parse::Element;

    #[test]
    fn finds_the_word_around_a_byte() {
        let region = Region { field: Field::new("x"), start: 2, end: 15, element: Element::TEXT, count: 13 };
        let word = |offset| {
            let here = RegionBytes::new(b"..-0.5, 12\n<a b>", region, offset).unwrap();
            here.element().value.unwrap().to_string()
        };
        assert_eq!([2, 5, 6, 7, 9, 12].map(word), ["\"-0.5\"", "\"-0.5\"", "\",\"", "\" \"", "\"12\"", "\"a\""]);
        assert!(RegionBytes::new(b"..-0.5", region, 3).is_none());
    }
}
