//! A reader for the XML of `.ezm` files: elements, attributes, and element text whose numbers are
//! parsed on request.
//!
//! The reader is a scanner that uses `memchr`, without an XML library. Measured on files in the
//! page cache, after a warm-up run: finding every element and checking every attribute takes 1.05
//! to 1.6 times as long as a search for `<` alone. Reading the measured `.ezm` files with the
//! borrowed events and attributes of `quick-xml` 0.41, without building an index, takes 1 to 1.4
//! times as long as this reader. Speed is therefore not the reason against an XML library. The
//! reason for a reader without an XML library is the content of real `.ezm` files, including files
//! that other readers cannot open. An XML library refuses or does not report attributes without
//! quotes, names with any mixture of upper and lower case, and files that end inside an element.
//! This XML reader leaves XML entities undecoded, and skips a DOCTYPE. The XML reader never expands
//! an entity and never loads an external file.

// The modules, from low level to high level: `tag` reads one tag, `element_name` lists the
// elements, `walk` scans a whole XML text, `scan` builds the index of its elements, and `entities`
// decodes names. `numbers` reads numbers in sequence.
// `number_block` reads all numbers in the text of an element. `columns` reads the vertices of an
// element as arrays.
pub(crate) mod columns;
pub(crate) mod element_name;
pub(crate) mod entities;
pub(crate) mod number_block;
pub(crate) mod numbers;
pub(crate) mod scan;
pub(crate) mod tag;
pub(crate) mod walk;
