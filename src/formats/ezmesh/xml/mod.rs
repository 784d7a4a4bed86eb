//! XML, as far as these files go: elements, their attributes, and text that nobody looks at until it is asked for.
//!
//! A scanner of our own over `memchr`, not a library's events. Measured over files in cache, each warmed before: finding every
//! element and checking every attribute takes 1.05 to 1.6 times as long as looking for `<` alone; the borrowed events and
//! attributes of `quick-xml` 0.41, without an index, take as long as that or up to 1.4 times as long. So it is not for speed:
//! real files, and the cases that other readers lose, have what an XML library refuses or does not tell: attributes without
//! quotes, names in any case, files that end within an element. Nothing is ever expanded or fetched: entities stay as they are
//! written, and a DOCTYPE is passed over.

// Bottom up: `tag` reads one tag, `element_name` knows the elements, `walk` goes through a whole text, `scan` makes the index of
// its elements, and `entities` decodes names. `numbers` reads one number after another, `scalars` each type of them,
// `number_block` a whole block, `columns` and `vertex_rows` a block of vertices: as arrays, or vertex by vertex.
pub(crate) mod columns;
pub(crate) mod element_name;
pub(crate) mod entities;
pub(crate) mod number_block;
pub(crate) mod numbers;
pub(crate) mod scalars;
pub(crate) mod scan;
pub(crate) mod tag;
pub(crate) mod vertex_rows;
pub(crate) mod walk;

pub use entities::{unescape, unescape_percent};
