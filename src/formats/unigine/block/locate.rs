//! The blocks of a mesh: inflating them, and lending what they hold.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::super::layout::index_element;
use super::super::mesh::Mesh;
use super::super::read::{Reader, Unseen};
use super::super::view::SurfaceView;
use super::tree::HeldTree;
use super::{Block, Blocks, Buffer, Held, Named, Tree, Wide};
use crate::error::{Error, ErrorKind, Field, PathSegment, Result};
use crate::math::as_u64;
use crate::model::Counts;
use crate::parse::MemoryBudget;

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Locates surface `index` and inflates its geometry into a buffer, unless the mesh holds it already, or it is stored
    /// as it is. The mesh keeps nothing of it. Of the generations before ms14, this is [`surface`](Self::surface).
    ///
    /// # Errors
    ///
    /// As [`surface`](Self::surface).
    pub fn surface_in<'b>(&'b self, index: usize, buffer: &'b mut Buffer) -> Result<SurfaceView<'b>> {
        let Some(blocks) = self.blocks.get(index) else { return self.surface(index) };
        if blocks.geometry.get().is_some_and(|held| held.is_ok()) {
            return self.surface(index);
        }
        let mut budget = MemoryBudget::alone(self.asset());
        self.fill_geometry(index, &mut buffer.held, &mut budget)?;
        self.view(index, Some(&buffer.held))
    }

    /// Inflates the geometry of several surfaces now, in parallel with the feature `rayon`: what
    /// [`surface`](Self::surface) does for each of them when it is first asked for. Of the generations before ms14, it
    /// locates them.
    ///
    /// # Errors
    ///
    /// The first failure in the order of `surfaces`; the others are inflated all the same.
    pub fn inflate(&self, surfaces: &[usize]) -> Result<()>
    where
        D: Sync,
    {
        #[cfg(feature = "rayon")]
        {
            use rayon::prelude::*;
            // What fails here is asked for again below, so that the first in order is told.
            surfaces.par_iter().for_each(|surface| drop(self.surface(*surface)));
        }
        let mut first = Ok(());
        for surface in surfaces {
            first = first.and(self.surface(*surface).map(drop));
        }
        first
    }

    /// Lends the spatial tree and the edge records that the engine stored with surface `index`; inflates them the first
    /// time, and nothing else. `None` in the generations before ms14.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`](crate::error::ErrorKind::NoSuch), or a fault of the tree's block, by field and offset.
    pub fn tree(&self, index: usize) -> Result<Option<Tree<'_>>> {
        self.head(index)?;
        let Some(blocks) = self.blocks.get(index) else { return Ok(None) };
        let busy = blocks.tree.get().is_none().then(|| lock(&blocks.busy));
        if blocks.tree.get().is_none() {
            let mut budget = MemoryBudget::shared(&self.alive, self.asset());
            let new = self.fresh_tree(index, &mut budget);
            keep(&blocks.tree, new, HeldTree::size, budget)?;
        }
        drop(busy);
        let held = lend(&blocks.tree, || self.no_such("surface", 0, index))?;
        held.view(self.file.bytes(), self.generation().format()).map(Some)
    }

    /// Returns where the blocks of surface `index` stand, geometry and tree, and how large they are; inflates nothing.
    /// `None` in the generations before ms14.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`](crate::error::ErrorKind::NoSuch), or a fault on the way to them, by field and offset.
    pub fn blocks(&self, index: usize) -> Result<Option<[Block; 2]>> {
        self.head(index)?;
        if !self.generation().is_compressed() {
            return Ok(None);
        }
        Ok(Some([self.geometry_block(index)?, self.tree_block(index)?]))
    }

    /// Counts what the header says that surface `index` has, and inflates nothing: positions, corners and shapes, and the
    /// bytes of an index into the positions; the rest is 0. `None` in the generations before ms14, whose headers say
    /// nothing of it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`](crate::error::ErrorKind::NoSuch) where there is no such surface.
    pub fn told_counts(&self, index: usize) -> Result<Option<Counts>> {
        let head = self.head(index)?;
        let Some(corners) = head.corners else { return Ok(None) };
        let first = self.targets(index)?.next().transpose()?;
        let vertices = first.and_then(|(_, positions)| positions).unwrap_or_default();
        let width = u8::try_from(index_element(vertices).size).unwrap_or_default();
        let [corners, _] = corners.counts;
        let index_widths = [width, 0];
        Ok(Some(Counts { vertices, corners, index_widths, targets: head.targets, ..Counts::default() }))
    }

    /// Returns how many bytes inflated blocks hold.
    #[must_use]
    pub fn inflated_bytes(&self) -> u64 {
        self.alive.load(Ordering::Relaxed)
    }

    /// Returns what the inflated blocks may hold together.
    fn asset(&self) -> u64 {
        self.file.limits().asset.max(as_u64(self.file.bytes().len()).saturating_mul(4))
    }

    pub(crate) fn geometry_block(&self, index: usize) -> Result<Block> {
        self.block_at(self.locate(index)?, index, Named::Geometry)
    }

    pub(crate) fn tree_block(&self, index: usize) -> Result<Block> {
        let behind = self.surface_count().saturating_add(1);
        self.block_at(self.locate(behind.saturating_add(index))?, index, Named::Tree)
    }

    pub(super) fn block_at(&self, start: u64, index: usize, named: Named) -> Result<Block> {
        let mut reader = self.reader(start)?;
        reader.set_place(Field::new("").in_list("surface", as_u64(index)));
        reader.block_sizes(named)
    }

    /// Returns the geometry of a surface, inflated the first time.
    pub(in super::super) fn geometry(&self, index: usize) -> Result<&Held> {
        let Some(blocks) = self.blocks.get(index) else {
            return Err(self.no_such("surface", self.blocks.len(), index));
        };
        let busy = blocks.geometry.get().is_none().then(|| lock(&blocks.busy));
        if blocks.geometry.get().is_none() {
            let mut budget = MemoryBudget::shared(&self.alive, self.asset());
            let mut held = Held::default();
            let new = self.fill_geometry(index, &mut held, &mut budget).map(|()| held);
            keep(&blocks.geometry, new, Held::size, budget)?;
        }
        drop(busy);
        lend(&blocks.geometry, || self.no_such("surface", 0, index))
    }

    /// Inflates the geometry of a surface, and walks its arrays: they fill the block, or it cannot be used.
    fn fill_geometry(&self, index: usize, held: &mut Held, budget: &mut MemoryBudget<'_>) -> Result<()> {
        let block = self.geometry_block(index)?;
        let part = (Field::new("").in_list("surface", as_u64(index)), Named::Geometry);
        held.fill(self.file.bytes(), block, self.file.limits(), budget, (self.generation().format(), part))?;
        if held.inflated_from().is_some() {
            self.note_whole(&block);
        }
        let counts = match self.walk(index, held) {
            Ok(counts) => counts,
            Err(error) if self.spell_out(index, held, budget)? => {
                self.note_whole(&block);
                self.walk(index, held).map_err(|_| error)?
            }
            Err(error) => return Err(error),
        };
        if let Some(blocks) = self.blocks.get(index) {
            blocks.counts.get_or_init(|| counts);
        }
        Ok(())
    }

    /// Walks the arrays of a surface to the end of its block.
    fn walk(&self, index: usize, held: &Held) -> Result<Counts> {
        let counts = self.view(index, Some(held))?.counts()?;
        self.arrays_in(index, held)?.finish_block()?;
        Ok(counts)
    }

    fn arrays_in<'a>(&'a self, index: usize, held: &'a Held) -> Result<super::super::geometry::Arrays<'a, Unseen>> {
        let cursor = held.cursor(self.file.bytes(), self.generation().format())?;
        self.arrays_of(index, Reader { cursor: cursor.with_access_log(self.touched_in(held)), sink: Unseen })
    }

    /// What is inflated was noted as a whole.
    pub(in super::super) fn touched_in(&self, held: &Held) -> Option<&crate::parse::AccessLog> {
        self.file.access_log().filter(|_| held.inflated_from().is_none())
    }

    /// Spells wide indices out, in a block that four bytes for each do not fill and compact ints do; otherwise `false`.
    fn spell_out(&self, index: usize, held: &mut Held, budget: &mut MemoryBudget<'_>) -> Result<bool> {
        let mut cursor = held.cursor(self.file.bytes(), self.generation().format())?;
        cursor.set_place(Field::new("").in_list("surface", as_u64(index)));
        let fail = |kind| cursor.error("indices", kind);
        let spelled = {
            let Some(wide) = self.wide(index, held) else { return Ok(false) };
            let asked = as_u64(wide.length());
            let allowed = super::inflate::allowed(self.geometry_block(index)?.stored, self.file.limits());
            if asked > allowed {
                return Err(fail(ErrorKind::Limit { name: "block", allowed, asked }));
            }
            budget.reserve(asked).map_err(fail)?;
            wide.spell().ok_or_else(|| fail(ErrorKind::OutOfMemory { asked }))?
        };
        held.replace(spelled);
        Ok(true)
    }

    /// Finds index streams that are wide, and compact ints.
    fn wide<'a>(&'a self, index: usize, held: &'a Held) -> Option<Wide<'a>> {
        use super::super::geometry::Part;
        let mut arrays = self.arrays_in(index, held).ok()?;
        let mut last = None;
        while last != Some(Part::Colors) {
            last = Some(arrays.next().ok()??.part);
        }
        let streams = arrays.index_streams()?;
        if streams.iter().all(|(_, width)| *width < 4) {
            return None;
        }
        let bytes = held.bytes(self.file.bytes());
        let start = bytes.len().checked_sub(arrays.reader.cursor.rest().len())?;
        Wide::find(bytes, start, streams)
    }

    /// Inflates the tree of a surface.
    pub(crate) fn fresh_tree(&self, index: usize, budget: &mut MemoryBudget<'_>) -> Result<HeldTree> {
        let block = self.tree_block(index)?;
        let place = Field::new("").in_list("surface", as_u64(index));
        let inside = place.in_inner_list("tree", PathSegment::ONLY);
        let format = self.generation().format();
        let mut held = Held::default();
        held.fill(self.file.bytes(), block, self.file.limits(), budget, (format, (place, Named::Tree)))?;
        self.note_whole(&block);
        HeldTree::new(held, self.file.bytes(), (format, inside), budget)
    }

    /// Returns the budget of what the mesh does not keep.
    pub(crate) fn alone(&self) -> MemoryBudget<'static> {
        MemoryBudget::alone(self.asset())
    }

    /// Notes that a block was read as a whole.
    fn note_whole(&self, block: &Block) {
        if let Some(touched) = self.file.access_log() {
            touched.record(block.start(), block.end());
        }
    }

    /// Returns what the geometry of a surface was seen to have.
    pub(in super::super) fn seen_counts(&self, index: usize) -> Option<Counts> {
        self.blocks.get(index)?.counts.get().copied()
    }
}

/// Remembers what was made of a block, and leaves its bytes taken. What fails for want of room may succeed another time, so
/// that is not remembered.
fn keep<T>(
    place: &OnceLock<Box<Result<T>>>,
    new: Result<T>,
    size: fn(&T) -> u64,
    budget: MemoryBudget<'_>,
) -> Result<()> {
    if let Err(error) = &new
        && matches!(error.kind(), ErrorKind::Limit { name: "asset", .. } | ErrorKind::OutOfMemory { .. })
    {
        return Err(error.clone());
    }
    budget.commit(new.as_ref().map_or(0, size));
    // Nobody else sets it while the lock is held.
    drop(place.set(Box::new(new)));
    Ok(())
}

/// A panic elsewhere leaves nothing half-done behind the lock.
fn lock(busy: &Mutex<()>) -> MutexGuard<'_, ()> {
    busy.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lends what is remembered of a block.
fn lend<T>(place: &OnceLock<Box<Result<T>>>, none: impl FnOnce() -> Error) -> Result<&T> {
    match place.get().map(|held| &**held) {
        Some(Ok(held)) => Ok(held),
        Some(Err(error)) => Err(error.clone()),
        None => Err(none()),
    }
}

const _: () = assert!(size_of::<Blocks>() <= 88);
