//! Regions: named byte ranges that together cover every byte of a file.
//!
//! The parser of a format describes a file as a sequence of [`Region`]s, which are named byte
//! ranges without gaps or overlaps. The same parser code computes the regions of a file and the
//! offsets of its borrowed arrays, so regions and arrays always agree. Regions are passed to a
//! closure one at a time and are not stored.

use super::value::Value;
use crate::error::Field;

/// The longest word of a text whose ends are searched, to either side of a byte.
const MAX_WORD: usize = 100;

/// The type of the elements of a region.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ElementType {
    /// Name of the element type, such as `f32x3` for three floats.
    pub name: &'static str,
    /// Size of one element in bytes, or 0 if the elements of the region vary in size.
    pub size: u32,
    /// Alignment of the native type of the element, in bytes.
    pub align: u32,
    /// Finds and decodes an element of a region of this type.
    pub(super) decoder: Decoder,
}

impl ElementType {
    /// The type of the characters of a text: one byte, whose value is the word that contains it.
    #[doc(hidden)]
    pub const TEXT: Self = Self::new("text", 1, 1).decoded_by(word);

    /// Makes an element type from its name, its size in bytes and its alignment in bytes. Its
    /// elements have no value.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(name: &'static str, size: u32, align: u32) -> Self {
        Self { name, size, align, decoder: |here| here.item(|_, _| None) }
    }

    /// Returns the element type with a function that finds and decodes an element.
    #[doc(hidden)]
    #[must_use]
    pub const fn decoded_by(self, decoder: Decoder) -> Self {
        Self { decoder, ..self }
    }
}

impl PartialEq for ElementType {
    fn eq(&self, other: &Self) -> bool {
        (self.name, self.size, self.align) == (other.name, other.size, other.align)
    }
}

impl Eq for ElementType {}

/// A named range of bytes in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Region {
    /// The name of the region, with its path in the file structure, such as `surface[3].positions`.
    pub field: Field,
    /// Offset of the first byte of the region, from the start of the file.
    pub start: u64,
    /// Offset of the byte after the last byte of the region.
    pub end: u64,
    /// The type of the elements of the region.
    pub element: ElementType,
    /// The number of elements in the region.
    pub count: u64,
}

impl Region {
    /// Returns the length of the region, in bytes.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Returns whether the region has a length of 0 bytes, as the region of an array without
    /// elements.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether the offset of the region is a multiple of the native alignment of its
    /// elements.
    ///
    /// If the region is not aligned, the array types of this crate can still read its elements.
    #[doc(hidden)]
    #[must_use]
    pub const fn is_aligned(&self) -> bool {
        match self.start.checked_rem(widen(self.element.align)) {
            Some(rest) => rest == 0,
            None => true,
        }
    }

    /// Returns the index of the element that contains the byte at `offset` of the file, and the
    /// offset of this byte in the element.
    ///
    /// Returns `None` if `offset` lies outside the region, or if the elements of the region
    /// vary in size.
    #[doc(hidden)]
    #[must_use]
    pub const fn element_at(&self, offset: u64) -> Option<(u64, u64)> {
        if offset < self.start || offset >= self.end {
            return None;
        }
        let (into, size) = (offset.saturating_sub(self.start), widen(self.element.size));
        match (into.checked_div(size), into.checked_rem(size)) {
            (Some(element), Some(byte)) => Some((element, byte)),
            _ => None,
        }
    }
}

/// Passes the [`Region`]s of a file to a closure, in the order of their offsets.
pub struct Walk<'s> {
    at: u64,
    see: &'s mut dyn FnMut(Region),
}

impl<'s> Walk<'s> {
    /// Makes a walk at the start of a file, which passes each region to `see`.
    pub fn new(see: &'s mut dyn FnMut(Region)) -> Self {
        Self { at: 0, see }
    }

    /// Returns the offset in the file at which the next region starts, in bytes.
    #[must_use]
    pub const fn at(&self) -> u64 {
        self.at
    }

    /// Passes a region of `count` elements to the closure.
    pub fn pass(&mut self, field: Field, element: ElementType, count: u64) {
        let start = self.at;
        self.at = start.saturating_add(count.saturating_mul(element.size.into()));
        (self.see)(Region { field, start, end: self.at, element, count });
    }

    /// Passes a region of one-byte elements to the closure. The region ends at offset `end` of the
    /// file.
    pub fn pass_all(&mut self, field: Field, element: ElementType, end: u64) {
        let start = std::mem::replace(&mut self.at, end);
        (self.see)(Region { field, start, end, element, count: end.saturating_sub(start) });
    }

    /// Passes a region that ends at offset `end` of the file to the closure, unless the region
    /// would be empty.
    pub fn pass_to(&mut self, field: Field, element: ElementType, end: u64) {
        let length = end.saturating_sub(self.at);
        if length > 0 {
            self.pass(field, element, length.checked_div(element.size.into()).unwrap_or_default());
        }
    }
}

#[allow(clippy::as_conversions, reason = "widening; `u64::from` is not const")]
const fn widen(number: u32) -> u64 {
    number as u64
}

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
    use crate::parse::ElementType;

    #[test]
    fn explains_a_byte() {
        let element = ElementType::new("f32x3", 12, 4);
        let region = Region { field: Field::new("positions"), start: 102, end: 126, element, count: 2 };
        assert!(!region.is_aligned());
        assert_eq!(region.element_at(101), None);
        assert_eq!(region.element_at(102), Some((0, 0)));
        assert_eq!(region.element_at(125), Some((1, 11)));
        assert_eq!(region.element_at(126), None);
    }

    #[test]
    fn finds_the_word_around_a_byte() {
        let region = Region { field: Field::new("x"), start: 2, end: 15, element: ElementType::TEXT, count: 13 };
        let word = |offset| {
            let here = RegionBytes::new(b"..-0.5, 12\n<a b>", region, offset).unwrap();
            here.element().value.unwrap().to_string()
        };
        assert_eq!([2, 5, 6, 7, 9, 12].map(word), ["\"-0.5\"", "\"-0.5\"", "\",\"", "\" \"", "\"12\"", "\"a\""]);
        assert!(RegionBytes::new(b"..-0.5", region, 3).is_none());
    }
}
