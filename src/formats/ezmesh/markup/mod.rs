//! XML, as far as these files go: elements, their attributes, and text that nobody looks at until it is asked for.
//!
//! A scanner of our own over `memchr`, not a library's events. Measured over files in cache, each warmed before: finding every
//! element and checking every attribute takes 1.05 to 1.6 times as long as looking for `<` alone; the borrowed events and
//! attributes of `quick-xml` 0.41, without an outline, take as long as that or up to 1.4 times as long. So it is not for speed:
//! real files, and the cases that other readers lose, have what an XML library refuses or does not tell: attributes without
//! quotes, names in any case, files that end within an element. Nothing is ever expanded or fetched: entities stay as they are
//! written, and a DOCTYPE is passed over.

pub(super) mod element;
pub(super) mod scan;
pub(super) mod tag;
pub(super) mod text;
pub(super) mod walk;

/// Tells XML's blanks.
pub(super) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}
