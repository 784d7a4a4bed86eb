//! Counts the items of the arrays of a surface, without keeping the inflated geometry block of the
//! surface.

use super::block::{BlockKind, BlockLocation};
use super::inflate::{allowed, check_size};
use super::inflate_stream::InflateStream;
use super::inflated::InflatedBlock;
use crate::decode::influence4::RawInfluence4;
use crate::error::{Error, Field, Result};
use crate::formats::unigine::reader::arrays::ArrayKind;
use crate::formats::unigine::reader::mesh_reader::MeshReader;
use crate::formats::unigine::validate::rules::INVALID_BLOCK;
use crate::math::as_u64;
use crate::model::Counts;

/// For each of the two index streams, the number of indices and the size of one index in bytes.
type IndexStreams = [(u32, u8); 2];

impl MeshReader<'_> {
    /// Returns the lengths of the arrays of a surface. The lengths are cached, but a geometry block
    /// that is inflated to count the items is not.
    pub(crate) fn counts(self, index: usize) -> Result<Counts> {
        let Some(blocks) = self.state.blocks.surfaces.get(index) else { return self.surface(index)?.counts() };
        if let Some(counts) = blocks.counts.get() {
            return Ok(*counts);
        }
        if blocks.geometry.get().is_some() {
            return self.surface(index)?.counts();
        }
        let block = self.geometry_block(index)?;
        if let Some(counts) = self.count_while_inflating(index, &block)? {
            self.note_whole(&block);
            return Ok(*blocks.counts.get_or_init(|| counts));
        }
        // The block is stored uncompressed, or it is damaged. If it is damaged, inflating it as a
        // whole finds the field and the offset of the error.
        let mut content = InflatedBlock::default();
        self.fill_geometry(index, &mut content, &mut self.alone())?;
        self.view(index, Some(&content))?.counts()
    }

    /// Counts the items of the arrays in a compressed geometry block while the block is inflated in
    /// a window of 128 KiB. Returns `None` if the block is stored uncompressed or if it is damaged.
    fn count_while_inflating(self, index: usize, block: &BlockLocation) -> Result<Option<Counts>> {
        let Ok(size) = check_size(block.stored, block.raw, self.limits()) else { return Ok(None) };
        if block.is_verbatim() {
            return Ok(None);
        }
        let stored = block.bytes(self.bytes);
        let mut stream = InflateStream::new(stored, size).map_err(|kind| {
            let field = Field::new(BlockKind::Geometry.content()).in_list("surface", as_u64(index));
            Error::new(self.format(), field, block.start(), kind).breaking(&INVALID_BLOCK)
        })?;
        crate::io::prefetch(stored);
        let counts = self.count_arrays(index, &mut stream).and_then(|(counts, streams)| {
            self.skip_indices(streams, block, &mut stream)?;
            stream.finish()?;
            Some(counts)
        });
        Ok(counts)
    }

    /// Reads the lengths of all arrays, and skips the arrays before the two index streams. Also
    /// returns, for each index stream, the number of indices and the size of one index in bytes.
    fn count_arrays(self, index: usize, stream: &mut InflateStream<'_>) -> Option<(Counts, IndexStreams)> {
        let (generation, head) = (self.generation(), self.surface_header(index).ok()?);
        let mut in_header = self.array_counts(&head).ok()??;
        let mut counts = Counts { targets: head.targets, ..Counts::default() };
        let mut next = Some(ArrayKind::Positions(0));
        while let Some(kind) = next {
            let count = match in_header.count(kind, generation).ok()? {
                Some((count, _)) => count,
                None => stream.compact()?.try_into().ok()?,
            };
            let element = kind.element(generation, [counts.vertices, counts.attribute_vertices]);
            kind.add_to(&mut counts, count, element);
            match kind {
                ArrayKind::Weights => {
                    for _ in 0..count {
                        let influences = stream.byte()?;
                        stream.skip(as_u64(size_of::<RawInfluence4>()).checked_mul(influences.into())?)?;
                    }
                }
                ArrayKind::Indices | ArrayKind::AttributeIndices => {}
                _ => stream.skip(u64::from(count).checked_mul(element.size.into())?)?,
            }
            next = kind.next(head.targets, generation);
        }
        let ([first, second], [narrow, wide]) = (in_header.corners.counts, counts.index_widths);
        Some((counts, [(first, narrow), (second, wide)]))
    }

    /// Skips the two index streams, which must end at the end of the block. Like
    /// [`WideIndexStreams`](super::surfaces::WideIndexStreams), reads indices of four bytes as
    /// compact ints if the streams do not end there otherwise.
    fn skip_indices(self, streams: IndexStreams, block: &BlockLocation, stream: &mut InflateStream<'_>) -> Option<()> {
        let size = |(count, width): (u32, u8)| u64::from(count).saturating_mul(width.into());
        let fixed = streams.into_iter().map(size).fold(0, u64::saturating_add);
        let left = stream.left();
        if left == fixed {
            return stream.skip(left);
        }
        let spelled_out = u64::try_from(block.raw).ok()?.checked_sub(left)?.checked_add(fixed)?;
        if spelled_out > allowed(block.stored, self.limits()) {
            return None;
        }
        for (count, width) in streams {
            if width < 4 {
                stream.skip(size((count, width)))?;
                continue;
            }
            for _ in 0..count {
                stream.compact()?;
            }
        }
        (stream.left() == 0).then_some(())
    }
}
