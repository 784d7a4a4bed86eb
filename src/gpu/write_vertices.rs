//! Writing the vertices of a source, a block at a time.

use std::ops::Range;

use super::gathered::{self, GatheredArrays};
use super::input::Scratch;
use super::interleave::{ColumnBuffer, MAX_VERTICES, MAX_WORDS, WordBuffer};
use super::output::{Block, Blocks, Buffer};
use super::source::{SourceAttribute, VertexSource};
use crate::array::bulk::CHUNK_BYTES;
use crate::error::{Cause, Result};
use crate::io::prefetch_all;
use crate::model::WeightsIter;

impl SourceAttribute<'_> {
    /// Decodes the attribute of the vertices of a block to a column.
    fn decode<'c, const BYTES: usize>(
        &self,
        source: &VertexSource<'_>,
        block: &mut Block<'_>,
        scratch: &mut Scratch,
        column: &'c mut Buffer<BYTES>,
    ) -> Result<&'c [u8]> {
        let column = column.values::<u8>(block.len().saturating_mul(self.column.width)).unwrap_or_default();
        let picks = block.picks(self.array.stream());
        let written = self.array.write(picks, self.number, source.conversion.as_ref(), scratch, column);
        written.ok_or_else(|| source.surface.fault(self.array.name(), missing_item()))?;
        Ok(column)
    }
}

/// Returns the cause of an error that the checks of the constructors rule out.
fn missing_item() -> Cause {
    Cause::Missing { expected: "an item for each vertex".into() }
}

/// The memory that writing a range of vertices needs.
pub(super) struct BlockMemory<'a> {
    block: Block<'a>,
    scratch: Scratch,
    column: ColumnBuffer,
    /// The columns of the words that follow a triple.
    words: [WordBuffer; MAX_WORDS],
    /// The columns of joints and weights.
    skin: Option<[ColumnBuffer; 2]>,
    /// The next lists of influences, if they are read in order.
    lists: Option<WeightsIter<'a>>,
}

impl<'a> Blocks for VertexSource<'a> {
    const NAME: &'static str = "vertices";
    type Memory = BlockMemory<'a>;

    fn count(&self) -> usize {
        self.vertex_count
    }

    fn item_size(&self) -> usize {
        self.stride()
    }

    fn block(&self) -> usize {
        CHUNK_BYTES.checked_div(self.stride()).unwrap_or_default().clamp(1, MAX_VERTICES)
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "the memory must not be moved")]
    fn memory() -> BlockMemory<'a> {
        BlockMemory {
            block: Block::new(),
            scratch: Scratch::new(),
            column: ColumnBuffer::EMPTY,
            words: [WordBuffer::EMPTY; MAX_WORDS],
            skin: None,
            lists: None,
        }
    }

    fn start(&self, range: &Range<usize>, memory: &mut BlockMemory<'a>) {
        let direct = Some(range).filter(|_| self.order.is_none());
        let parts = self
            .attributes
            .iter()
            .map(|SourceAttribute { array, .. }| array.bytes(Some(direct.unwrap_or_else(|| self.used(array)))));
        // Attributes in the same records have the same bytes.
        let before = std::iter::once(&[][..]).chain(parts.clone());
        prefetch_all(parts.zip(before).filter(|(part, before)| !std::ptr::eq(*part, *before)).map(|(part, _)| part));
        memory.lists = self.skin.as_ref().filter(|_| self.order.is_none()).map(|skin| skin.lists_from(range.start));
    }

    fn write_block(&self, memory: &mut BlockMemory<'a>, range: Range<usize>, out: &mut [u8]) -> Result<()> {
        memory.block.move_to(range, self.order);
        if self.has_template {
            out.chunks_exact_mut(self.stride()).for_each(|vertex| vertex.copy_from_slice(&self.template));
        }
        self.write_attributes(memory, out)?;
        match &self.skin {
            Some(skin) => {
                let BlockMemory { block, lists, skin: columns, .. } = memory;
                skin.write(block, lists, columns, out, self.stride())
            }
            None => Ok(()),
        }
    }
}

impl<'a> VertexSource<'a> {
    /// Writes the attributes of a block. A triple and the words after it are written together.
    fn write_attributes(&self, memory: &mut BlockMemory<'a>, out: &mut [u8]) -> Result<()> {
        let BlockMemory { block, scratch, column: buffer, words: word_buffers, .. } = memory;
        let mut attributes = self.attributes.as_slice();
        while let Some((attribute, after)) = attributes.split_first() {
            if let Some((corners, arrays)) = block.corners().zip(GatheredArrays::find(self, attributes)) {
                let written = gathered::write(arrays, corners, out, self.stride(), attribute.column.offset);
                written.ok_or_else(|| self.surface.fault(attribute.array.name(), missing_item()))?;
                attributes = attributes.get(3..).unwrap_or_default();
                continue;
            }
            let column = attribute.decode(self, block, scratch, buffer)?;
            let (words, rest) = after.split_at_checked(attribute.words).unwrap_or_default();
            attributes = rest;
            if words.is_empty() {
                attribute.column.put(column, out, self.stride());
                continue;
            }
            let mut columns = [&[][..]; MAX_WORDS];
            for ((word, buffer), place) in words.iter().zip(word_buffers.iter_mut()).zip(&mut columns) {
                *place = word.decode(self, block, scratch, buffer)?.as_chunks().0;
            }
            let columns = columns.get(..words.len()).unwrap_or_default();
            attribute.column.put_with_words(column, columns, out, self.stride());
        }
        Ok(())
    }
}
