//! How much a file may ask for.

/// What reading one file may cost, however the file is made.
///
/// A count in a file is a claim: nothing is allocated that the bytes in hand could not pay for, and these limits hold
/// on top of that. Exceeding one is an error that names it.
///
/// ```
/// let limits = meshpeek::Limits { items: 1000, ..Default::default() };
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Items in one list: surfaces, bones, animations, morph targets; values in one block of structured data. Vertices and
    /// indices are not counted: they are lent, not stored. 1,048,576 by default.
    pub items: u64,
    /// Bytes read from something that is not a regular file, such as a pipe. 1 GiB by default.
    pub stream: u64,
    /// Bytes of a script, such as a `.uc` file. 16 MiB by default.
    pub script: u64,
    /// Bytes that one compressed block may inflate to; never more than its encoding can give either: 1,032 times its stored
    /// size of zlib, 255 times and 64 bytes of LZ4. An LZ4 block, whose size is declared, may always inflate to 32 times its
    /// stored size. 64 MiB by default.
    pub block: u64,
    /// Bytes of all inflated blocks of one file that are held at a time; 4 times the file's size where that is more.
    /// 128 MiB by default.
    pub asset: u64,
    /// Bytes of a header that says nowhere how long it is, as that of a Second Life mesh. 64 KiB by default.
    pub header: u64,
    /// Arrays and maps that stand in each other in structured data. 96 by default, and 256 whatever is set.
    pub depth: u32,
    /// Elements that stand in each other in XML. 64 by default, and 256 whatever is set.
    pub elements: u32,
    /// Attributes of one element in XML. 64 by default, and no more whatever is set.
    pub attributes: u32,
    /// Bytes of one attribute's value in XML. 1 MiB by default.
    pub attribute: u64,
    /// Bytes of one number in text. 128 by default, and no more whatever is set.
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
