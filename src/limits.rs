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
    /// Items in one list: surfaces, bones, animations, morph targets. Vertices and indices are not counted: they are
    /// lent, not stored. 1,048,576 by default.
    pub items: u64,
    /// Bytes read from something that is not a regular file, such as a pipe. 1 GiB by default.
    pub stream: u64,
    /// Bytes of a script, such as a `.uc` file. 16 MiB by default.
    pub script: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { items: 1 << 20, stream: 1 << 30, script: 16 << 20 }
    }
}
