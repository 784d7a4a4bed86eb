//! The bytes of a file with what is known of them: what every reader of a part starts from.

use std::ops::Range;
use std::sync::OnceLock;

use super::binary_reader::BinaryReader;
use super::checkpoints::RowCheckpoints;
use super::element_index::{ElementIndex, ElementKind};
use super::form::Form;
use super::layout::FORMAT;
use super::name_index::NameIndex;
use super::value_cache::ValueCache;
use super::vertex_format::VertexDeclaration;
use super::xml::number_block::ParsedBlock;
use super::xml::tag::Tag;
use crate::array::Bounds;
use crate::decode::ByteOrder;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;
use crate::model::FileContext;

/// A block of text that was parsed, or why it cannot be.
pub(super) type BlockSlot = OnceLock<Box<Result<ParsedBlock>>>;

/// Kinds of blocks that hold vertices of surfaces. Their checkpoints are numbered in this order.
pub(super) const VERTEX_KINDS: [ElementKind; 2] = [ElementKind::MeshVertices, ElementKind::SectionVertices];

/// What is known of a file, without its bytes.
#[derive(Debug)]
pub(super) struct MeshState {
    pub(super) context: FileContext,
    pub(super) form: Form,
    pub(super) elements: ElementIndex,
    /// The blocks of text that were parsed, by kind and index.
    pub(super) blocks: [Vec<BlockSlot>; ElementKind::COUNT],
    /// Where the vertices of each block of text start; `None` without the memory for it.
    pub(super) checkpoints: Vec<OnceLock<Option<Box<RowCheckpoints>>>>,
    pub(super) caches: MeshCaches,
}

/// What is computed or looked up once.
#[derive(Debug, Default)]
pub(super) struct MeshCaches {
    /// The parent of each bone of text.
    pub(super) parents: OnceLock<Box<[i32]>>,
    /// Bones by name.
    pub(super) bones: OnceLock<NameIndex>,
    /// Skeletons by name.
    pub(super) skeletons: OnceLock<NameIndex>,
    /// Materials by name.
    pub(super) materials: OnceLock<NameIndex>,
    /// Meshes by name.
    pub(super) meshes: OnceLock<NameIndex>,
    /// The shared vertices that were located last, by mesh.
    pub(super) declaration: ValueCache<Result<VertexDeclaration>>,
    /// The name and the skeleton's name of the mesh that was read last, as ranges of the file; and its skeleton.
    pub(super) named: ValueCache<[Range<usize>; 2]>,
    pub(super) skeleton: ValueCache<Option<usize>>,
    /// The box of everything.
    pub(super) bounds: OnceLock<Bounds>,
}

impl MeshState {
    /// Makes the state of a file of which only the elements are known.
    pub(super) fn new(context: FileContext, form: Form, elements: ElementIndex) -> Result<Self> {
        let mut blocks: [Vec<BlockSlot>; ElementKind::COUNT] = Default::default();
        for (slots, count) in blocks.iter_mut().zip(elements.block_counts()) {
            *slots = empty_slots(count)?;
        }
        let counts = VERTEX_KINDS.map(|kind| elements.block_count(kind));
        let checkpoints = empty_slots(counts.into_iter().fold(0, usize::saturating_add))?;
        Ok(Self { context, form, elements, blocks, checkpoints, caches: MeshCaches::default() })
    }
}

fn empty_slots<T>(count: usize) -> Result<Vec<OnceLock<T>>> {
    let mut slots = Vec::new();
    slots.try_reserve_exact(count).map_err(|_| {
        let asked = as_u64(count).saturating_mul(as_u64(size_of::<OnceLock<T>>()));
        Error::without_offset(FORMAT, Field::new("element"), ErrorKind::OutOfMemory { asked })
    })?;
    slots.resize_with(count, OnceLock::new);
    Ok(slots)
}

/// A file's contents, borrowed from its [`Mesh`](super::Mesh).
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) state: &'a MeshState,
}

impl<'a> View<'a> {
    pub(super) fn order(&self) -> Option<ByteOrder> {
        match self.state.form {
            Form::Text(_) => None,
            Form::Binary { order, .. } => Some(order),
        }
    }

    pub(super) fn count(&self, kind: ElementKind) -> usize {
        self.state.elements.count(kind)
    }

    pub(super) fn within(&self, kind: ElementKind, outer: ElementKind, index: usize) -> Range<usize> {
        self.state.elements.within(kind, outer, index)
    }

    /// Makes a reader of the binary form at an offset.
    pub(super) fn binary_reader(&self, order: ByteOrder, offset: u64, place: Field) -> Result<BinaryReader<'a>> {
        let mut reader = BinaryReader::at(self.bytes, order, offset, self.state.context.access_log())?;
        reader.set_place(place);
        Ok(reader)
    }

    /// Returns the tag that starts at an offset.
    pub(super) fn tag(&self, start: u64) -> Result<Tag<'a>> {
        let tag = usize::try_from(start).ok().and_then(|start| Tag::at(self.bytes, start));
        tag.ok_or_else(|| Error::without_offset(FORMAT, Field::new("element"), ErrorKind::Changed))
    }
}
