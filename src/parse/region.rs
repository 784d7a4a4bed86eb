//! Regions: named byte ranges that together cover every byte of a file.
//!
//! The parser of a format describes a file as a sequence of [`Region`]s, which are named byte
//! ranges without gaps or overlaps. The same parser code computes the regions of a file and the
//! offsets of its borrowed arrays, so regions and arrays always agree. Regions are passed to a
//! closure one at a time and are not stored.

use super::region_bytes::{Decoder, word};
use crate::error::Field;

/// The type of the elements of a region.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Element {
    /// Name of the element type, such as `f32x3` for three floats.
    pub name: &'static str,
    /// Size of one element in bytes, or 0 if the elements of the region vary in size.
    pub size: u32,
    /// Alignment of the native type of the element, in bytes.
    pub align: u32,
    /// Finds and decodes an element of a region of this type.
    pub(super) decoder: Decoder,
}

impl Element {
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

impl PartialEq for Element {
    fn eq(&self, other: &Self) -> bool {
        (self.name, self.size, self.align) == (other.name, other.size, other.align)
    }
}

impl Eq for Element {}

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
    pub element: Element,
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
    /// Returns `None` if `offset` lies outside the region, or if the elements of the region vary in
    /// size.
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
    pub fn pass(&mut self, field: Field, element: Element, count: u64) {
        let start = self.at;
        self.at = start.saturating_add(count.saturating_mul(element.size.into()));
        (self.see)(Region { field, start, end: self.at, element, count });
    }

    /// Passes a region of one-byte elements to the closure. The region ends at offset `end` of the
    /// file.
    pub fn pass_all(&mut self, field: Field, element: Element, end: u64) {
        let start = std::mem::replace(&mut self.at, end);
        (self.see)(Region { field, start, end, element, count: end.saturating_sub(start) });
    }

    /// Passes a region that ends at offset `end` of the file to the closure, unless the region
    /// would be empty.
    pub fn pass_to(&mut self, field: Field, element: Element, end: u64) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explains_a_byte() {
        let element = Element::new("f32x3", 12, 4);
        let region = Region { field: Field::new("positions"), start: 102, end: 126, element, count: 2 };
        assert!(!region.is_aligned());
        assert_eq!(region.element_at(101), None);
        assert_eq!(region.element_at(102), Some((0, 0)));
        assert_eq!(region.element_at(125), Some((1, 11)));
        assert_eq!(region.element_at(126), None);
    }
}
