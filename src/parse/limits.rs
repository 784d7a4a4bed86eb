//! Limits on the memory and time that reading a file may take.

/// Limits on the memory and time that reading one file may take, even if the file is malicious.
///
/// The number of items that a file declares may be wrong. No memory is allocated for more items
/// than the available bytes could hold, and these limits apply in addition. If a file exceeds a
/// limit, the result is an error that contains the name of the limit.
///
/// ```
/// let limits = meshpeek::Limits { items: 1000, ..Default::default() };
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of items in one list: surfaces, bones, animations, morph targets, or values
    /// in one block of structured data. 1,048,576 by default.
    ///
    /// Vertices and indices are not limited by this number, because they are borrowed and not
    /// stored.
    pub items: u64,
    /// Maximum number of bytes that are read from a stream that is not a regular file, such as a
    /// pipe. 1 GiB by default.
    pub stream: u64,
    /// Maximum size of a script, such as a `.uc` file, in bytes. 16 MiB by default.
    pub script: u64,
    /// Maximum inflated size of one compressed block, in bytes. 64 MiB by default.
    ///
    /// The inflated size of a compressed block also never exceeds the maximum of its encoding:
    /// 1,032 times its stored size for zlib, and 255 times its stored size plus 64 bytes for LZ4.
    /// An LZ4 block declares its inflated size, so it may always inflate to 32 times its stored
    /// size.
    pub block: u64,
    /// Maximum size of all inflated blocks of one file that are in memory at the same time, in
    /// bytes. 128 MiB by default.
    ///
    /// For a large file, this limit is raised to 4 times the size of the file.
    pub asset: u64,
    /// Maximum size of a header that does not store its own length, such as the header of a Second
    /// Life mesh, in bytes. 64 KiB by default.
    pub header: u64,
    /// Maximum nesting depth of arrays and maps in structured data. 96 by default. A value above
    /// 256 has the effect of 256.
    pub depth: u32,
    /// Maximum nesting depth of elements in XML. 64 by default. A value above 256 has the effect of
    /// 256.
    pub elements: u32,
    /// Maximum number of attributes of one element in XML. 64 by default. A larger value has the
    /// effect of 64.
    pub attributes: u32,
    /// Maximum size of one attribute value in XML, in bytes. 1 MiB by default.
    pub attribute: u64,
    /// Maximum size of one number in text, in bytes. 128 by default. A larger value has the effect
    /// of 128.
    pub number: u64,
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
