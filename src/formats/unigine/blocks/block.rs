//! Where a block is in the file, and how large it is.

use crate::error::{ErrorKind, Result};
use crate::formats::unigine::layout::{FRAME, RawFrame};
use crate::formats::unigine::reader::fields::{FieldReader, RegionSink};
use crate::parse::Cursor;

/// Where a block stands, and how large it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockLocation {
    /// Offset of its two sizes in the file; its bytes follow them.
    pub offset: u64,
    /// Bytes of what it holds, as the file says, which may be any number in a damaged file.
    pub raw: i64,
    /// Bytes that it takes in the file, without its sizes.
    pub stored: u64,
}

impl BlockLocation {
    /// Tells whether it is stored as it is: its bytes are lent, and nothing is inflated.
    #[must_use]
    pub fn is_verbatim(&self) -> bool {
        u64::try_from(self.raw) == Ok(self.stored)
    }

    /// Returns the offset of its bytes in the file.
    #[must_use]
    pub const fn start(&self) -> u64 {
        self.offset.saturating_add(16)
    }

    /// Returns the offset of the byte after it.
    #[must_use]
    pub const fn end(&self) -> u64 {
        self.start().saturating_add(self.stored)
    }

    /// Starts reading its bytes, as they lie in the file, and up to its end.
    pub(crate) fn cursor<'a>(&self, file: &'a [u8], format: &'static str) -> Result<Cursor<'a>> {
        let end = usize::try_from(self.end()).unwrap_or(usize::MAX);
        Cursor::new(file.get(..end).unwrap_or(file), format).at(self.start())
    }

    /// Returns its bytes.
    pub(crate) fn bytes<'a>(&self, file: &'a [u8]) -> &'a [u8] {
        let [start, end] = [self.start(), self.end()].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        file.get(start..end).unwrap_or_default()
    }
}

/// Which of a surface's blocks one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockKind {
    Geometry,
    Tree,
}

impl BlockKind {
    /// Returns the name of the block's two sizes.
    pub(crate) const fn sizes(self) -> &'static str {
        match self {
            Self::Geometry => "geometry.sizes",
            Self::Tree => "tree.sizes",
        }
    }

    /// Returns the name of what it holds.
    pub(crate) const fn content(self) -> &'static str {
        match self {
            Self::Geometry => "geometry",
            Self::Tree => "tree",
        }
    }
}

impl<S: RegionSink> FieldReader<'_, S> {
    /// Reads a block's sizes, and steps over its bytes.
    pub(crate) fn block(&mut self, kind: BlockKind) -> Result<BlockLocation> {
        let block = self.block_sizes(kind)?;
        self.cursor.lend(block.stored, 1, kind.content())?;
        Ok(block)
    }

    /// Reads a block's sizes; its bytes are there, and follow.
    pub(crate) fn block_sizes(&mut self, kind: BlockKind) -> Result<BlockLocation> {
        let name = kind.sizes();
        let offset = self.cursor.offset();
        let mut ahead = self.cursor.clone();
        let sizes = *ahead.read::<RawFrame>(name)?;
        let left = ahead.left();
        match u64::try_from(sizes.stored.get()) {
            Ok(stored) if stored <= left => {
                self.cursor = ahead;
                self.report(name, offset, FRAME, 1);
                Ok(BlockLocation { offset, raw: sizes.raw.get(), stored })
            }
            Ok(needed) => Err(self.cursor.error_at(offset, name, ErrorKind::UnexpectedEnd { needed, left })),
            Err(_) => {
                let found = sizes.stored.get().to_string().into();
                let fault = ErrorKind::Value { expected: "a stored size of 0 or more".into(), found };
                Err(self.cursor.error_at(offset, name, fault))
            }
        }
    }
}
