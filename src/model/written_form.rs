//! The format and version of a mesh file, and the form in which it is written again:
//! [`WrittenForm`] and [`Storage`].

/// The format and the version of a file, or of a section of a file. Error messages contain the
/// format.
pub trait FormatVersion: Send + Sync {
    /// Returns the name of the format of the file, in lower case and without spaces.
    fn format(&self) -> &'static str;

    /// Returns the name of the version within the format, such as `ms13`.
    fn version(&self) -> &'static str;
}

/// The form in which [`Model::write_to`](crate::Model::write_to) writes a mesh again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WrittenForm {
    /// The extensions of the written file, without a dot.
    pub extensions: &'static [&'static str],
    /// What the name of each file of a mesh of several files has after the common stem, such as
    /// `_d.3d`, by the index of the file. The last one is that of the script. The list is empty for
    /// a mesh of one file.
    pub endings: &'static [&'static str],
    /// Whether the file is text, which is formatted again. A binary file without errors is written
    /// byte for byte.
    pub is_text: bool,
    /// Whether the file has blocks, which [`Storage`] applies to.
    pub has_blocks: bool,
    /// The names of the dialects of the file and of the written file, if they differ.
    pub dialects: Option<[&'static str; 2]>,
}

impl WrittenForm {
    /// Makes the form of one binary file without blocks.
    #[must_use]
    pub const fn new(extensions: &'static [&'static str]) -> Self {
        Self { extensions, endings: &[], is_text: false, has_blocks: false, dialects: None }
    }
}

/// How a writer stores the blocks of a file whose content may be compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Storage {
    /// Copies the stored bytes of each block from the source file without changes.
    #[default]
    Kept,
    /// Stores the content of each block uncompressed. An uncompressed mesh file is larger than a
    /// compressed one, but a reader can borrow the arrays directly from the file without inflating
    /// blocks.
    Raw,
    /// Compresses each block with LZ4 if the compressed block is smaller than its content.
    ///
    /// Different LZ4 encoders make different bytes from the same content. With [`Storage::Lz4`],
    /// the blocks of the written file may therefore differ from the blocks of the source file.
    Lz4,
}
