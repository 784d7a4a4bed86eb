//! The byte range of the file that a reader needed when the file ended too early.

use std::ops::Range;

use super::{Cause, Error};

/// How the needed byte range of an [`Error`] is known.
#[derive(Clone, Debug)]
pub(super) enum Extent {
    /// The kind of the error and its offset determine the byte range.
    OfKind,
    /// The reader stored the byte range.
    Known(Range<u64>),
    /// More bytes at the end of the file would not help.
    None,
}

impl Error {
    /// Returns the byte range that the reader needed, if the file ended too early, or `None` for
    /// every other error.
    ///
    /// A program with I/O of its own can open the start of a file, load the file up to the end of
    /// the returned range, and try again. Each attempt needs more bytes than the one before it. If
    /// the whole file does not contain the range, the file is damaged.
    ///
    /// If the reader cannot know how many bytes are missing, as in text, the range ends one byte
    /// after the end of the loaded bytes. The program should then load more than this byte.
    /// [`source_index`](Self::source_index) returns the file that the range belongs to.
    ///
    /// An error in the content of a compressed block has no needed range, because more bytes at the
    /// end of the file do not change the content.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// let bytes = meshpeek::read("data/unigine/cube_ms12.mesh")?;
    /// let error = meshpeek::Model::open(&bytes[..3]).unwrap_err();
    /// assert_eq!(error.needed_range(), Some(0..4)); // the magic number
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn needed_range(&self) -> Option<Range<u64>> {
        match &self.0.extent {
            Extent::Known(range) => Some(range.clone()),
            Extent::OfKind if self.0.inflated.is_none() => self.range_of_kind(),
            Extent::OfKind | Extent::None => None,
        }
    }

    /// Returns the index of the file that the error is about, among the sources of a
    /// [`Model`](crate::Model).
    ///
    /// The index is 0 for a mesh of one file.
    #[must_use]
    pub fn source_index(&self) -> usize {
        self.0.source
    }

    fn range_of_kind(&self) -> Option<Range<u64>> {
        let start = self.0.offset?;
        let size = match self.0.cause {
            Cause::Empty => 1,
            Cause::UnexpectedEnd { needed, .. } => needed,
            Cause::Count { count, size, .. } => count.saturating_mul(size),
            _ => return None,
        };
        Some(start..start.saturating_add(size))
    }

    /// Stores the byte range that the reader needed.
    #[must_use]
    pub(crate) fn needing(mut self, range: Range<u64>) -> Self {
        self.0.extent = Extent::Known(range);
        self
    }

    /// Marks the error as one of a part of the file whose end is known, such as a block. More bytes
    /// at the end of the file would not help.
    #[must_use]
    pub(crate) fn at_fixed_end(mut self) -> Self {
        self.0.extent = Extent::None;
        self
    }

    /// Stores the index of the file that the error is about.
    #[must_use]
    pub(crate) fn of_source(mut self, source: usize) -> Self {
        self.0.source = source;
        self
    }
}
