//! The blocks of compressed generations: one with the geometry of each surface, one with its tree.
//!
//! | field | type |
//! |---|---|
//! | bytes of what it holds | i64 |
//! | bytes that follow | i64 |
//! | one raw LZ4 block; what it holds, verbatim, where both numbers are equal | |
//!
//! What is stored verbatim is lent straight from the file. What is not is inflated once, when somebody first asks for
//! it, or into a [`Buffer`] that is lent for it.

mod inflate;
mod locate;
pub(crate) mod node;
mod regions;
mod table;
mod tree;
mod wide;
mod write;

use std::sync::{Mutex, OnceLock};

pub use node::Node;
pub(crate) use tree::HeldTree;
pub use tree::Tree;
pub(crate) use wide::Wide;
pub use write::Storage;

use super::layout::{FRAME, RawFrame};
use super::read::{Reader, Sink};
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;
use crate::model::Counts;
use crate::parse::{Cursor, Limits, MemoryBudget};

/// What a mesh remembers of the blocks of one surface.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    /// Held by whoever inflates one of them, so that nobody does so twice.
    pub(crate) busy: Mutex<()>,
    pub(crate) geometry: OnceLock<Box<Result<Held>>>,
    pub(crate) tree: OnceLock<Box<Result<HeldTree>>>,
    /// What the geometry was seen to have, whether or not it is still held.
    pub(crate) counts: OnceLock<Counts>,
}

/// Where a block stands, and how large it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Offset of its two sizes in the file; its bytes follow them.
    pub offset: u64,
    /// Bytes of what it holds, as the file says, which may be any number in a damaged file.
    pub raw: i64,
    /// Bytes that it takes in the file, without its sizes.
    pub stored: u64,
}

impl Block {
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
pub(crate) enum Named {
    Geometry,
    Tree,
}

impl Named {
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

impl<S: Sink> Reader<'_, S> {
    /// Reads a block's sizes, and steps over its bytes.
    pub(crate) fn block(&mut self, named: Named) -> Result<Block> {
        let block = self.block_sizes(named)?;
        self.cursor.lend(block.stored, 1, named.content())?;
        Ok(block)
    }

    /// Reads a block's sizes; its bytes are there, and follow.
    pub(crate) fn block_sizes(&mut self, named: Named) -> Result<Block> {
        let name = named.sizes();
        let offset = self.cursor.offset();
        let mut ahead = self.cursor.clone();
        let sizes = *ahead.read::<RawFrame>(name)?;
        let left = ahead.left();
        match u64::try_from(sizes.stored.get()) {
            Ok(stored) if stored <= left => {
                self.cursor = ahead;
                self.report(name, offset, FRAME, 1);
                Ok(Block { offset, raw: sizes.raw.get(), stored })
            }
            Ok(needed) => Err(self.cursor.error_at(offset, name, ErrorKind::UnexpectedEnd { needed, left })),
            Err(_) => {
                let found = sizes.stored.get().to_string().into();
                let kind = ErrorKind::Value { expected: "a stored size of 0 or more".into(), found };
                Err(self.cursor.error_at(offset, name, kind))
            }
        }
    }
}

/// A block as it can be read: where it lies in the file or, inflated, in memory.
#[derive(Debug, Default)]
pub(crate) struct Held {
    block: Option<Block>,
    /// Whether what it holds is in `buffer`, and not in the file.
    is_inflated: bool,
    buffer: Vec<u8>,
}

impl Held {
    /// Inflates a block, unless it is stored verbatim. `field` and `format` are for errors.
    pub(crate) fn fill(
        &mut self,
        file: &[u8],
        block: Block,
        limits: &Limits,
        budget: &mut MemoryBudget<'_>,
        (format, part): (&'static str, (Field, Named)),
    ) -> Result<()> {
        let (place, named) = part;
        self.block = Some(block);
        self.is_inflated = !block.is_verbatim();
        if block.is_verbatim() {
            return Ok(());
        }
        let size = inflate::check_size(block.stored, block.raw, limits)
            .map_err(|kind| Error::new(format, place.named(named.sizes()), block.offset, kind))?;
        inflate::inflate(block.bytes(file), size, budget, &mut self.buffer)
            .map_err(|kind| Error::new(format, place.named(named.content()), block.start(), kind))
    }

    /// Starts reading what the block holds, at its first byte. Offsets of a verbatim block are those of the file.
    pub(crate) fn cursor<'a>(&'a self, file: &'a [u8], format: &'static str) -> Result<Cursor<'a>> {
        let block = self.block.unwrap_or(Block { offset: 0, raw: 0, stored: 0 });
        if let Some(bytes) = self.inflated_bytes() {
            return Ok(Cursor::new(bytes, format).inflated_from(block.start()));
        }
        block.cursor(file, format)
    }

    /// Returns the offset of the block's bytes in the file, where what it holds lies elsewhere.
    pub(crate) fn inflated_from(&self) -> Option<u64> {
        self.block.filter(|_| self.is_inflated).map(|block| block.start())
    }

    /// Returns what the block inflates to; `None` where it lies in the file.
    pub(crate) fn inflated_bytes(&self) -> Option<&[u8]> {
        self.is_inflated.then_some(&*self.buffer)
    }

    /// Returns what the block holds, wherever it lies.
    pub(crate) fn bytes<'a>(&'a self, file: &'a [u8]) -> &'a [u8] {
        let in_file = || self.block.map(|block| block.bytes(file)).unwrap_or_default();
        self.inflated_bytes().unwrap_or_else(in_file)
    }

    /// Puts other bytes in the place of those that were read.
    pub(crate) fn replace(&mut self, bytes: Vec<u8>) {
        self.buffer = bytes;
        self.is_inflated = true;
    }

    /// Returns the bytes of memory that it holds.
    pub(crate) fn size(&self) -> u64 {
        as_u64(self.buffer.capacity())
    }
}

/// A buffer that blocks of a mesh are inflated into, one after another: lent and reused, it saves the allocations, and
/// the mesh keeps nothing.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::Array;
/// use meshpeek::unigine::{Buffer, Mesh};
/// let mesh = Mesh::open(meshpeek::read("data/unigine/room_ms14.mesh")?)?;
/// let mut buffer = Buffer::default();
/// for index in 0..mesh.surface_count() {
///     let surface = mesh.surface_in(index, &mut buffer)?;
///     println!("{}: {} positions", surface.name(), surface.positions()?.len());
/// }
/// assert_eq!(mesh.inflated_bytes(), 0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct Buffer {
    pub(crate) held: Held,
}
