//! Maximum sizes and counts that bound the memory and time for reading a file.

use crate::parse::setters::setters;

/// Maximum sizes and counts that bound the memory and time for reading one file, even if it is
/// malicious.
///
/// A damaged or malicious file may declare a wrong number of items. A parser never allocates memory
/// for more items than the remaining bytes of the file can hold, and the fields of `Limits` are
/// further upper bounds. If a file exceeds an upper bound in `Limits`, opening or reading it
/// returns [`ErrorKind::Limit`](crate::error::ErrorKind::Limit) with the name of the field.
///
/// ```
/// let limits = meshpeek::Limits::default().with_items(1000).with_block(256 << 20);
/// assert_eq!((limits.items, limits.depth), (1000, 96));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct Limits {
    /// Maximum number of items in one list of a file: surfaces, bones, animations, morph targets,
    /// or values in one block of structured data. 1,048,576 by default.
    ///
    /// The number of vertices and indices is not limited, because vertex arrays and index arrays
    /// are borrowed from the file and not copied.
    pub items: u64,
    /// Maximum number of bytes that are read from a stream, such as a pipe, that is not a regular
    /// file. 1 GiB by default.
    pub stream: u64,
    /// Maximum size of a script, such as a `.uc` file, in bytes. 16 MiB by default.
    pub script: u64,
    /// Maximum size of one compressed block after it is inflated, in bytes. 64 MiB by default.
    ///
    /// The inflated size of a block is also bounded by its compression format: at most 1,032 times
    /// the compressed size for zlib, and at most 255 times the compressed size plus 64 bytes for
    /// LZ4. An LZ4 block declares its inflated size and may therefore inflate to 32 times its
    /// compressed size, even if the inflated size exceeds the limit `block`.
    pub block: u64,
    /// Maximum size of all inflated blocks of one file that are in memory at the same time, in
    /// bytes. 128 MiB by default.
    ///
    /// If 4 times the file size is more than `asset`, all inflated blocks together may have up to 4
    /// times the file size. A block in a buffer of the caller, or in a surface that was
    /// [lent](crate::Geometry::lend), does not count toward the other blocks.
    pub asset: u64,
    /// Maximum size of a header that does not store its own length, such as the header of a Second
    /// Life mesh, in bytes. 64 KiB by default.
    pub header: u64,
    /// Maximum nesting depth of arrays and maps in structured data. 96 by default. A maximum depth
    /// above 256 has the effect of 256.
    pub depth: u32,
    /// Maximum nesting depth of elements in XML. 64 by default. A maximum depth above 256 has the
    /// effect of 256.
    pub elements: u32,
    /// Maximum number of attributes of one element in XML. 64 by default. A limit above 64
    /// attributes has the effect of 64.
    pub attributes: u32,
    /// Maximum size of one attribute value in XML, in bytes. 1 MiB by default.
    pub attribute: u64,
    /// Maximum size of one number in text, in bytes. 128 by default. A limit above 128 bytes has
    /// the effect of 128.
    pub number: u64,
}

impl Limits {
    setters! {
        this: "limits";
        with_items(items: u64);
        with_stream(stream: u64);
        with_script(script: u64);
        with_block(block: u64);
        with_asset(asset: u64);
        with_header(header: u64);
        with_depth(depth: u32);
        with_elements(elements: u32);
        with_attributes(attributes: u32);
        with_attribute(attribute: u64);
        with_number(number: u64);
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            items: 1 << 20,
            stream: 1 << 30,
            script: 16 << 20,
            block: 64 << 20,
            asset: 128 << 20,
            header: 64 << 10,
            depth: 96,
            elements: 64,
            attributes: 64,
            attribute: 1 << 20,
            number: 128,
        }
    }
}
