//! The location and the size of a geometry block or a tree block in the file.

use crate::error::{Breaking as _, Cause, FormatName, Result};
use crate::formats::unigine::layout::{FRAME, RawFrame};
use crate::formats::unigine::reader::fields::{FieldReader, RegionSink};
use crate::formats::unigine::validate::rules::INVALID_BLOCK;
use crate::parse::Cursor;

/// The location and the size of a geometry block or a tree block in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockLocation {
    /// File offset of the block, in bytes. The block starts with two size fields, which the stored
    /// bytes follow.
    pub offset: u64,
    /// Size of the uncompressed content in bytes, as stored in the file. In a damaged file, this
    /// stored size may have any value, also a negative one.
    pub raw: i64,
    /// Number of stored (compressed or uncompressed) bytes of the block in the file, without the 16
    /// bytes of the two size fields.
    pub stored: u64,
}

impl BlockLocation {
    /// Returns whether the content of the block is stored uncompressed.
    ///
    /// The content is stored uncompressed if its size equals the number of stored bytes.
    /// Uncompressed content is borrowed from the file.
    #[must_use]
    pub fn is_verbatim(&self) -> bool {
        u64::try_from(self.raw) == Ok(self.stored)
    }

    /// Returns the file offset of the stored bytes, which follow the two size fields of the block.
    #[must_use]
    pub const fn start(&self) -> u64 {
        self.offset.saturating_add(16)
    }

    /// Returns the file offset of the first byte after the block.
    #[must_use]
    pub const fn end(&self) -> u64 {
        self.start().saturating_add(self.stored)
    }

    /// Returns a cursor that reads the stored bytes of the block and fails at the end of the block.
    pub(crate) fn cursor<'a>(&self, file: &'a [u8], format: &'static FormatName) -> Result<Cursor<'a>> {
        let end = usize::try_from(self.end()).unwrap_or(usize::MAX);
        Cursor::new(file.get(..end).unwrap_or(file), format).ending_early().at(self.start())
    }

    /// Returns the stored bytes of the block, or an empty slice if the file is too short.
    pub(crate) fn bytes<'a>(&self, file: &'a [u8]) -> &'a [u8] {
        let [start, end] = [self.start(), self.end()].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        file.get(start..end).unwrap_or_default()
    }
}

/// The content of a block of a surface: its geometry or its spatial tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockKind {
    Geometry,
    Tree,
}

impl BlockKind {
    /// Returns the name that errors and regions use for the two size fields of a block, such as
    /// `geometry.sizes`.
    pub(crate) const fn sizes(self) -> &'static str {
        match self {
            Self::Geometry => "geometry.sizes",
            Self::Tree => "tree.sizes",
        }
    }

    /// Returns the name that errors and regions use for the content of a block, such as `geometry`.
    pub(crate) const fn content(self) -> &'static str {
        match self {
            Self::Geometry => "geometry",
            Self::Tree => "tree",
        }
    }
}

impl<S: RegionSink> FieldReader<'_, S> {
    /// Reads the two size fields of a block and skips the stored bytes of the block.
    pub(crate) fn block(&mut self, kind: BlockKind) -> Result<BlockLocation> {
        let block = self.block_sizes(kind)?;
        self.skip_content(block.stored, kind)?;
        Ok(block)
    }

    /// Skips `length` stored bytes of a block.
    pub(super) fn skip_content(&mut self, length: u64, kind: BlockKind) -> Result<()> {
        self.cursor.lend(length, 1, kind.content()).map(drop).breaking(&INVALID_BLOCK)
    }

    /// Reads the two size fields of a block. Returns an error if the file is too short to contain
    /// all stored bytes.
    ///
    /// After the call, the cursor is at the first stored byte of the block.
    pub(crate) fn block_sizes(&mut self, kind: BlockKind) -> Result<BlockLocation> {
        let name = kind.sizes();
        let offset = self.cursor.offset();
        let mut ahead = self.cursor.clone();
        let sizes = *ahead.read::<RawFrame>(name).breaking(&INVALID_BLOCK)?;
        let left = ahead.left();
        match u64::try_from(sizes.stored.get()) {
            Ok(stored) if stored <= left => {
                self.cursor = ahead;
                self.report(name, offset, FRAME, 1);
                Ok(BlockLocation { offset, raw: sizes.raw.get(), stored })
            }
            Ok(needed) => {
                let (start, kind) = (ahead.offset(), Cause::UnexpectedEnd { needed, left });
                let error = self.cursor.error_at(offset, name, kind).breaking(&INVALID_BLOCK);
                Err(self.cursor.needing(error, start, start.saturating_add(needed)))
            }
            Err(_) => {
                let fault = Cause::value("a stored size of 0 or more", sizes.stored.get().to_string());
                Err(self.cursor.error_at(offset, name, fault).breaking(&INVALID_BLOCK))
            }
        }
    }
}
