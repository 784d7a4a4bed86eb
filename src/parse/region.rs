//! Every byte of a file has a name.
//!
//! A format describes a file as a sequence of [`Region`]s: named byte ranges without gaps or overlaps. The same
//! function that reads a file emits them, so what the map of a file says and what a view lends cannot drift apart.
//! Regions are handed out one at a time; keeping them is the caller's choice.

use crate::error::Field;

/// What a region is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// The type's name, such as `f32x3`.
    pub name: &'static str,
    /// Bytes of one element; 0 where elements vary in size.
    pub size: u32,
    /// The alignment that the native type wants, in bytes.
    pub align: u32,
}

impl Element {
    /// Describes an element.
    #[must_use]
    pub const fn new(name: &'static str, size: u32, align: u32) -> Self {
        Self { name, size, align }
    }
}

/// A named byte range of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Where it stands in the file's structure.
    pub field: Field,
    /// Offset of its first byte from the start of the file.
    pub start: u64,
    /// Offset of the byte after its last.
    pub end: u64,
    /// What it is made of.
    pub element: Element,
    /// How many elements.
    pub count: u64,
}

impl Region {
    /// Returns its length in bytes.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Tells whether it has no bytes, as an array of no elements has.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Tells whether it starts at a multiple of its element's native alignment. Views of this crate do not care.
    #[must_use]
    pub const fn is_aligned(&self) -> bool {
        match self.start.checked_rem(widen(self.element.align)) {
            Some(rest) => rest == 0,
            None => true,
        }
    }

    /// Returns which element the byte at `offset` belongs to, and which byte of that element it is; `None` where the
    /// offset lies outside, or elements vary in size.
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

/// Goes through a file, and names one region after another.
pub(crate) struct Walk<'s> {
    at: u64,
    see: &'s mut dyn FnMut(Region),
}

impl<'s> Walk<'s> {
    pub(crate) fn new(see: &'s mut dyn FnMut(Region)) -> Self {
        Self { at: 0, see }
    }

    /// Returns the offset of what comes next.
    pub(crate) const fn at(&self) -> u64 {
        self.at
    }

    /// Names the next `count` elements.
    pub(crate) fn pass(&mut self, field: Field, element: Element, count: u64) {
        let start = self.at;
        self.at = start.saturating_add(count.saturating_mul(element.size.into()));
        (self.see)(Region { field, start, end: self.at, element, count });
    }

    /// Names what there is up to `end` as one thing, whose elements are its bytes.
    pub(crate) fn pass_all(&mut self, field: Field, element: Element, end: u64) {
        let start = std::mem::replace(&mut self.at, end);
        (self.see)(Region { field, start, end, element, count: end.saturating_sub(start) });
    }

    /// Names what there is up to `end`, if anything.
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
