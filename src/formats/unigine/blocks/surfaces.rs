//! Inflates the geometry blocks and tree blocks of a mesh and returns their contents.

use super::block::{BlockKind, BlockLocation};
use super::cache::{keep, lend, lock};
use super::inflate;
use super::inflated::{InflateBuffer, InflatedBlock};
use super::tree::{InflatedTree, SurfaceTree};
use crate::decode::compact;
use crate::error::{Cause, Field, PathSegment, Result};
use crate::formats::unigine::layout::index_element;
use crate::formats::unigine::reader::arrays::{ArrayKind, Arrays};
use crate::formats::unigine::reader::fields::{FieldReader, NoRegions};
use crate::formats::unigine::reader::mesh_reader::MeshReader;
use crate::formats::unigine::surface::SurfaceView;
use crate::math::as_u64;
use crate::model::Counts;
use crate::parse::MemoryBudget;

impl<'a> MeshReader<'a> {
    /// Locates a surface, and inflates its geometry into `buffer` instead of the cache of the mesh.
    ///
    /// The buffer is not used if the inflated geometry is already in the cache of the mesh, or if
    /// the geometry is stored uncompressed.
    pub(crate) fn surface_in<'b>(self, index: usize, buffer: &'b mut InflateBuffer) -> Result<SurfaceView<'b>>
    where
        'a: 'b,
    {
        let block = self.block_in(index, buffer)?;
        self.view(index, block)
    }

    /// Returns the geometry block of a surface, with uncompressed content, or `None` in format
    /// versions before ms14. The block is inflated into `buffer` if the mesh does not cache it.
    pub(super) fn block_in<'b>(self, index: usize, buffer: &'b mut InflateBuffer) -> Result<Option<&'b InflatedBlock>>
    where
        'a: 'b,
    {
        let Some(blocks) = self.state.blocks.surfaces.get(index) else {
            return self.surface_header(index).map(|_| None);
        };
        if blocks.geometry.get().is_some_and(|inflated| inflated.is_ok()) {
            return self.geometry(index).map(Some);
        }
        self.fill_geometry(index, &mut buffer.block, &mut self.alone())?;
        Ok(Some(&buffer.block))
    }

    /// Returns the spatial tree of a surface, or `None` in format versions before ms14. The first
    /// call of `tree` for a surface inflates the tree block of the surface.
    pub(crate) fn tree(self, index: usize) -> Result<Option<SurfaceTree<'a>>> {
        self.surface_header(index)?;
        let Some(blocks) = self.state.blocks.surfaces.get(index) else { return Ok(None) };
        let busy = blocks.tree.get().is_none().then(|| lock(&blocks.shared));
        if blocks.tree.get().is_none() {
            let mut budget = MemoryBudget::shared(&self.state.blocks.alive, self.asset());
            let new = self.fresh_tree(index, &mut budget);
            keep(&blocks.tree, new, InflatedTree::size, budget)?;
        }
        drop(busy);
        let inflated = lend(&blocks.tree, || self.no_surface(index))?;
        inflated.view(self.bytes, self.format()).map(Some)
    }

    /// Returns the locations of the geometry block and the tree block of a surface, or `None` in
    /// format versions before ms14.
    pub(crate) fn blocks(self, index: usize) -> Result<Option<[BlockLocation; 2]>> {
        self.surface_header(index)?;
        if !self.generation().is_compressed() {
            return Ok(None);
        }
        Ok(Some([self.geometry_block(index)?, self.tree_block(index)?]))
    }

    /// Returns the numbers of positions, triangle corners and shapes (base shape and morph targets)
    /// that the header stores for a surface, or `None` in format versions before ms14.
    pub(crate) fn header_counts(self, index: usize) -> Result<Option<Counts>> {
        let head = self.surface_header(index)?;
        let Some(corners) = head.corners else { return Ok(None) };
        let first = self.targets(index)?.next().transpose()?;
        let vertices = first.and_then(|(_, positions)| positions).unwrap_or_default();
        let width = u8::try_from(index_element(vertices).size).unwrap_or_default();
        let [corners, _] = corners.counts;
        let index_widths = [width, 0];
        Ok(Some(Counts { vertices, corners, index_widths, targets: head.targets, ..Counts::default() }))
    }

    /// Returns the maximum total size, in bytes, of all inflated blocks that are in memory at the
    /// same time.
    fn asset(self) -> u64 {
        self.limits().asset.max(as_u64(self.bytes.len()).saturating_mul(4))
    }

    pub(crate) fn geometry_block(self, index: usize) -> Result<BlockLocation> {
        self.block_at(self.locate(index)?, index, BlockKind::Geometry)
    }

    pub(crate) fn tree_block(self, index: usize) -> Result<BlockLocation> {
        let behind = self.surface_count().saturating_add(1);
        self.block_at(self.locate(behind.saturating_add(index))?, index, BlockKind::Tree)
    }

    pub(crate) fn block_at(self, start: u64, index: usize, kind: BlockKind) -> Result<BlockLocation> {
        let mut fields = self.file().fields(start)?;
        fields.set_place(Field::new("").in_list("surface", as_u64(index)));
        fields.block_sizes(kind)
    }

    /// Returns the geometry block of a surface, with uncompressed content. The first call of
    /// `geometry` for a surface inflates its geometry block, unless the block is stored
    /// uncompressed.
    pub(crate) fn geometry(self, index: usize) -> Result<&'a InflatedBlock> {
        let Some(blocks) = self.state.blocks.surfaces.get(index) else {
            return Err(self.no_surface(index));
        };
        let busy = blocks.geometry.get().is_none().then(|| lock(&blocks.shared));
        if blocks.geometry.get().is_none() {
            let mut budget = MemoryBudget::shared(&self.state.blocks.alive, self.asset());
            let mut inflated = InflatedBlock::default();
            let new = self.fill_geometry(index, &mut inflated, &mut budget).map(|()| inflated);
            keep(&blocks.geometry, new, InflatedBlock::size, budget)?;
        }
        drop(busy);
        lend(&blocks.geometry, || self.no_surface(index))
    }

    /// Inflates the geometry of a surface into `inflated`, and reads and caches the number of items
    /// of each array.
    ///
    /// Returns an error if the arrays do not fill the geometry block exactly.
    pub(super) fn fill_geometry(
        self,
        index: usize,
        inflated: &mut InflatedBlock,
        budget: &mut MemoryBudget<'_>,
    ) -> Result<()> {
        let block = self.geometry_block(index)?;
        let part = (Field::new("").in_list("surface", as_u64(index)), BlockKind::Geometry);
        inflated.fill(self.bytes, block, self.limits(), budget, self.format(), part)?;
        if inflated.inflated_from().is_some() {
            self.note_whole(&block);
        }
        let counts = match self.walk(index, inflated) {
            Ok(counts) => counts,
            Err(error) if self.spell_out(index, inflated, budget)? => {
                self.note_whole(&block);
                self.walk(index, inflated).map_err(|_| error)?
            }
            Err(error) => return Err(error),
        };
        if let Some(blocks) = self.state.blocks.surfaces.get(index) {
            blocks.counts.get_or_init(|| counts);
        }
        Ok(())
    }

    /// Locates all arrays in the geometry block of a surface, and returns the number of items of
    /// each array.
    ///
    /// Returns an error if the arrays do not end at the end of the block.
    fn walk(self, index: usize, inflated: &InflatedBlock) -> Result<Counts> {
        let counts = self.view(index, Some(inflated))?.counts()?;
        self.arrays_in(index, inflated)?.finish_block()?;
        Ok(counts)
    }

    fn arrays_in<'b>(self, index: usize, block: &'b InflatedBlock) -> Result<Arrays<'b, NoRegions>>
    where
        'a: 'b,
    {
        // If the block was inflated, the access log already contains all stored bytes of the block.
        let log = self.state.file.context.access_log().filter(|_| block.inflated_from().is_none());
        let cursor = block.cursor(self.bytes, self.format())?.with_access_log(log);
        self.arrays(index, FieldReader { cursor, sink: NoRegions })
    }

    /// Replaces indices that are stored as variable-length integers (compact ints) by integers of
    /// four bytes. Only index streams with an index width of four bytes are changed.
    ///
    /// The caller has already found that the two index streams, read with four bytes per index, do
    /// not end exactly at the end of the geometry block. `spell_out` changes the block only if they
    /// do when they are read as compact ints. `spell_out` returns `false` if it does not change the
    /// block.
    fn spell_out(self, index: usize, inflated: &mut InflatedBlock, budget: &mut MemoryBudget<'_>) -> Result<bool> {
        let mut cursor = inflated.cursor(self.bytes, self.format())?;
        cursor.set_place(Field::new("").in_list("surface", as_u64(index)));
        let fail = |kind| cursor.error("indices", kind);
        let spelled = {
            let Some(wide) = self.wide_indices(index, inflated) else { return Ok(false) };
            let asked = as_u64(wide.length());
            let allowed = inflate::allowed(self.geometry_block(index)?.stored, self.limits());
            if asked > allowed {
                return Err(fail(Cause::Limit { name: "block", allowed, asked }));
            }
            budget.reserve(asked).map_err(fail)?;
            wide.spell().ok_or_else(|| fail(Cause::OutOfMemory { asked }))?
        };
        inflated.replace(spelled);
        Ok(true)
    }

    /// Returns the index streams of a surface if at least one stream has an index width of four
    /// bytes and stores its indices as compact ints. Returns `None` if no index stream stores
    /// compact ints.
    fn wide_indices<'b>(self, index: usize, inflated: &'b InflatedBlock) -> Option<WideIndexStreams<'b>>
    where
        'a: 'b,
    {
        let mut arrays = self.arrays_in(index, inflated).ok()?;
        let mut last = None;
        while last != Some(ArrayKind::Colors) {
            last = Some(arrays.next().ok()??.kind);
        }
        let streams = arrays.index_streams()?;
        if streams.iter().all(|(_, width)| *width < 4) {
            return None;
        }
        let bytes = inflated.bytes(self.bytes);
        let start = bytes.len().checked_sub(arrays.reader.cursor.rest().len())?;
        WideIndexStreams::find(bytes, start, streams)
    }

    /// Inflates and reads the tree block of a surface. The method neither reads nor changes the
    /// cache of the mesh.
    pub(crate) fn fresh_tree(self, index: usize, budget: &mut MemoryBudget<'_>) -> Result<InflatedTree> {
        let block = self.tree_block(index)?;
        let place = Field::new("").in_list("surface", as_u64(index));
        let inside = place.in_inner_list("tree", PathSegment::ONLY);
        let format = self.format();
        let mut inflated = InflatedBlock::default();
        inflated.fill(self.bytes, block, self.limits(), budget, format, (place, BlockKind::Tree))?;
        self.note_whole(&block);
        InflatedTree::new(inflated, self.bytes, (format, inside), budget)
    }

    /// Returns a new memory budget for temporary data, which do not count toward the memory of the
    /// cached blocks.
    pub(crate) fn alone(self) -> MemoryBudget<'static> {
        MemoryBudget::alone(self.asset())
    }

    /// Records in the access log that all stored bytes of a block were read.
    pub(super) fn note_whole(self, block: &BlockLocation) {
        if let Some(touched) = self.state.file.context.access_log() {
            touched.record(block.start(), block.end());
        }
    }
}

/// The two index streams at the end of a geometry block. If the index width of a stream is four
/// bytes, the stream stores each index as a variable-length integer (compact int).
///
/// No real ms14 or ms15 file with four-byte indices is known. The vendor's documentation describes
/// compact ints, but earlier format versions store four bytes per index. The reader therefore
/// first reads four bytes per index, and compact ints only if these do not end exactly at the end
/// of the block.
#[derive(Clone, Copy, Debug)]
struct WideIndexStreams<'a> {
    before: &'a [u8],
    streams: &'a [u8],
    /// For each of the two index streams, the number of indices and the width of one index in
    /// bytes.
    shapes: [(u32, u32); 2],
    /// The size of the whole block in bytes, after each index that is stored as a compact int is
    /// replaced by an integer of four bytes.
    length: usize,
}

impl<'a> WideIndexStreams<'a> {
    /// Reads the two index streams from byte `start` to the end of the block. Indices with a width
    /// of four bytes are read as compact ints.
    ///
    /// Returns `None` if the index streams do not end exactly at the end of the block.
    fn find(bytes: &'a [u8], start: usize, shapes: [(u32, u32); 2]) -> Option<Self> {
        let (before, streams) = bytes.split_at_checked(start)?;
        let mut length = before.len();
        let mut rest = streams;
        for (count, width) in shapes {
            let [count, width] = [usize::try_from(count).ok()?, usize::try_from(width).ok()?];
            length = length.checked_add(count.checked_mul(width)?)?;
            if width < 4 {
                rest = rest.get(count.checked_mul(width)?..)?;
                continue;
            }
            for _ in 0..count {
                let (_, taken) = compact::decode(rest).ok()?;
                rest = rest.get(taken..)?;
            }
        }
        rest.is_empty().then_some(Self { before, streams, shapes, length })
    }

    /// Returns the size of the whole block in bytes, after each index that is stored as a compact
    /// int is replaced by an integer of four bytes.
    const fn length(&self) -> usize {
        self.length
    }

    /// Returns a copy of the block in which each index that is stored as a compact int is replaced
    /// by an integer of four bytes. Returns `None` if there is not enough memory.
    fn spell(&self) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        out.try_reserve_exact(self.length).ok()?;
        out.extend_from_slice(self.before);
        let mut rest = self.streams;
        for (count, width) in self.shapes {
            if width < 4 {
                let length = usize::try_from(count).ok()?.checked_mul(usize::try_from(width).ok()?)?;
                let (stream, after) = rest.split_at_checked(length)?;
                out.extend_from_slice(stream);
                rest = after;
                continue;
            }
            for _ in 0..count {
                let (index, length) = compact::decode(rest).ok()?;
                out.extend_from_slice(&index.to_le_bytes());
                rest = rest.get(length..)?;
            }
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spells_compact_ints_out() {
        let mut bytes = vec![9, 9, 1, 2, 3];
        for index in [0, 70_000, 62] {
            let (spelled, length) = compact::encode(index);
            bytes.extend_from_slice(&spelled[..length]);
        }
        let expected = [9, 9, 1, 2, 3, 0, 0, 0, 0, 0x70, 0x11, 1, 0, 62, 0, 0, 0];
        let wide = WideIndexStreams::find(&bytes, 2, [(3, 1), (3, 4)]).unwrap();
        assert_eq!((wide.spell().unwrap().as_slice(), wide.length()), (&expected[..], expected.len()));
        for (start, shapes) in
            [(2, [(3, 1), (2, 4)]), (2, [(3, 1), (4, 4)]), (2, [(u32::MAX, 4), (u32::MAX, 4)]), (99, [(0, 1), (0, 4)])]
        {
            assert!(WideIndexStreams::find(&bytes, start, shapes).is_none(), "{shapes:?}");
        }
    }
}
