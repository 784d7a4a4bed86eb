//! A view of an opened EZ-Mesh file: the bytes of the file, together with the cached, parsed data.
//! The types that read single elements, such as meshes and sections, contain this view.

use std::ops::Range;
use std::sync::OnceLock;

use super::binary::BinaryReader;
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
use crate::error::debug::short_debug;
use crate::error::{Cause, Error, Field, Result};
use crate::math::as_u64;
use crate::model::FileContext;

/// The cache slot for the numbers in the text of one element. The slot contains the parsed numbers,
/// or the error that the parser returned.
pub(super) type BlockSlot = OnceLock<Box<Result<ParsedBlock>>>;

/// The data that an open file holds in addition to its bytes: options, element index and caches.
#[derive(Debug)]
pub(super) struct MeshState {
    pub(super) context: FileContext,
    pub(super) form: Form,
    pub(super) elements: ElementIndex,
    /// The cache slots for the parsed numbers of a text file: for each kind of element, one slot
    /// per element of this kind.
    pub(super) blocks: [Vec<BlockSlot>; ElementKind::COUNT],
    pub(super) caches: MeshCaches,
}

/// Cached values that are read or computed from a file on the first request.
#[derive(Debug, Default)]
pub(super) struct MeshCaches {
    /// The index of the parent bone of each bone in a text file. The index of a bone without a
    /// parent is negative.
    pub(super) parents: OnceLock<Box<[i32]>>,
    /// The cached name index for finding bones by name.
    pub(super) bones: OnceLock<NameIndex>,
    /// The cached name index for finding skeletons by name.
    pub(super) skeletons: OnceLock<NameIndex>,
    /// The cached name index for finding materials by name.
    pub(super) materials: OnceLock<NameIndex>,
    /// The cached name index for finding meshes by name.
    pub(super) meshes: OnceLock<NameIndex>,
    /// The vertex declaration of the mesh whose shared vertices were requested last.
    pub(super) declaration: ValueCache<Result<VertexDeclaration>>,
    /// The name and the skeleton name of the mesh that was read last, as byte ranges of the file.
    /// The field `skeleton` of [`MeshCaches`] caches the index of the mesh's skeleton.
    pub(super) named: ValueCache<[Range<usize>; 2]>,
    pub(super) skeleton: ValueCache<Option<usize>>,
    /// The computed bounding box of all positions of the file.
    pub(super) bounds: OnceLock<Bounds>,
}

impl MeshState {
    /// Creates the data of an open file from its element index, with empty caches.
    pub(super) fn new(context: FileContext, form: Form, elements: ElementIndex) -> Result<Self> {
        let mut blocks: [Vec<BlockSlot>; ElementKind::COUNT] = Default::default();
        for (slots, count) in blocks.iter_mut().zip(elements.block_counts()) {
            *slots = empty_slots(count)?;
        }
        Ok(Self { context, form, elements, blocks, caches: MeshCaches::default() })
    }
}

fn empty_slots<T>(count: usize) -> Result<Vec<OnceLock<T>>> {
    let mut slots = Vec::new();
    slots.try_reserve_exact(count).map_err(|_| {
        let asked = as_u64(count).saturating_mul(as_u64(size_of::<OnceLock<T>>()));
        Error::without_offset(FORMAT, Field::new("element"), Cause::OutOfMemory { asked })
    })?;
    slots.resize_with(count, OnceLock::new);
    Ok(slots)
}

/// The contents of a file, borrowed from its [`Mesh`](super::Mesh).
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) state: &'a MeshState,
}

short_debug!(View<'_>: |view| { format: FORMAT, version: view.state.form.name(), bytes: view.bytes.len() });

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

    /// Creates a reader that reads the fields of a binary file from a given byte offset on.
    pub(super) fn binary_reader(&self, order: ByteOrder, offset: u64, place: Field) -> Result<BinaryReader<'a>> {
        let mut reader = BinaryReader::at(self.bytes, order, offset, self.state.context.access_log())?;
        reader.set_place(place);
        Ok(reader)
    }

    /// Returns the XML tag that starts at a given byte offset in a text file.
    pub(super) fn tag(&self, start: u64) -> Result<Tag<'a>> {
        let tag = usize::try_from(start).ok().and_then(|start| Tag::at(self.bytes, start));
        tag.ok_or_else(|| Error::without_offset(FORMAT, Field::new("element"), Cause::Changed))
    }
}
