//! Regions: named byte ranges that together cover every byte of a file.
//!
//! A format describes a file as a sequence of [`Region`]s, which are named byte ranges without gaps
//! or overlaps. The function that reads a file also reports its regions, so the region list and the
//! views of a file always agree. Regions are passed to the closure of the caller one at a time. The
//! caller decides whether to keep them.

use crate::error::Field;

/// The type of the elements of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// Name of the element type, such as `f32x3`.
    pub name: &'static str,
    /// Size of one element in bytes, or 0 if the elements of the region vary in size.
    pub size: u32,
    /// Alignment of the native type of the element, in bytes.
    pub align: u32,
}

impl Element {
    /// Makes an element type from its name, its size and its alignment, both in bytes.
    #[must_use]
    pub const fn new(name: &'static str, size: u32, align: u32) -> Self {
        Self { name, size, align }
    }
}

/// A named range of bytes in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The name of the region, with its path in the structure of the file.
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

    /// Returns whether the region has no bytes, such as an array without elements.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether the offset of the region is a multiple of the native alignment of its
    /// elements.
    ///
    /// The views of this crate can read elements at any alignment.
    #[must_use]
    pub const fn is_aligned(&self) -> bool {
        match self.start.checked_rem(widen(self.element.align)) {
            Some(rest) => rest == 0,
            None => true,
        }
    }

    /// Returns the index of the element that contains the byte at `offset`, and the index of this
    /// byte in the element.
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

/// Passes the regions of a file to a closure, one after another.
pub(crate) struct Walk<'s> {
    at: u64,
    see: &'s mut dyn FnMut(Region),
}

impl<'s> Walk<'s> {
    pub(crate) fn new(see: &'s mut dyn FnMut(Region)) -> Self {
        Self { at: 0, see }
    }

    /// Returns the offset of the next region in the file.
    pub(crate) const fn at(&self) -> u64 {
        self.at
    }

    /// Passes a region of `count` elements to the closure.
    pub(crate) fn pass(&mut self, field: Field, element: Element, count: u64) {
        let start = self.at;
        self.at = start.saturating_add(count.saturating_mul(element.size.into()));
        (self.see)(Region { field, start, end: self.at, element, count });
    }

    /// Passes one region that ends at `end` to the closure. Each element of this region is one
    /// byte.
    pub(crate) fn pass_all(&mut self, field: Field, element: Element, end: u64) {
        let start = std::mem::replace(&mut self.at, end);
        (self.see)(Region { field, start, end, element, count: end.saturating_sub(start) });
    }

    /// Passes one region that ends at `end` to the closure, unless the region would be empty.
    pub(crate) fn pass_to(&mut self, field: Field, element: Element, end: u64) {
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
