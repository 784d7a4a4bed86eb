//! [`AssetBlock`]: the inflated bytes of a block, and the LLSD value that these bytes encode.

use std::borrow::Cow;
use std::sync::OnceLock;

use flate2::Decompress;

use super::block_index::{HullIndex, SkinIndex};
use super::inflate::{self, InflateBudget, ZlibStream};
use super::layout::{AssetPart, FORMAT};
use super::llsd::{self, LlsdArray, LlsdFault, LlsdLimits, LlsdMap, LlsdValue};
use super::validate::rules;
use crate::array::runs::RunIndex;
use crate::error::debug::short_debug;
use crate::error::{Breaking as _, Cause, Error, Field, Result, Rule};
use crate::math::as_u64;
use crate::parse::{Limits, MemoryBudget};

/// A reusable buffer for one inflated block at a time. Inflating many blocks into the same buffer
/// saves memory allocations.
///
/// ```
/// use meshpeek::secondlife::{InflateBuffer, Lod, Mesh, AssetPart};
/// let mesh = Mesh::open(meshpeek::read("data/secondlife/quad.llmesh")?)?;
/// let mut buffer = InflateBuffer::default();
/// for lod in mesh.header()?.lods() {
///     let block = mesh.view().block_into(lod.part(), &mut buffer)?.unwrap();
///     println!("{}: {} submeshes", lod.name(), block.level()?.len());
/// }
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Default)]
pub struct InflateBuffer {
    data: BlockData,
    engine: Option<Decompress>,
}

short_debug!(InflateBuffer: |buffer| { block: AssetBlock { data: &buffer.data } });

impl InflateBuffer {
    /// Inflates a single compressed block, such as the reply to a network request for the block's
    /// byte range.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`AssetView::block`](super::AssetView::block). The byte offsets
    /// in the returned errors count from the first byte of `stored`.
    pub fn inflate(&mut self, part: AssetPart, stored: &[u8], limits: &Limits) -> Result<AssetBlock<'_>> {
        self.fill(part, stored, 0, limits)
    }

    pub(super) fn fill(&mut self, part: AssetPart, stored: &[u8], at: u64, limits: &Limits) -> Result<AssetBlock<'_>> {
        self.data.fill(part, stored, at, limits, &mut MemoryBudget::alone(limits.asset), &mut self.engine)?;
        Ok(AssetBlock { data: &self.data })
    }

    /// Inflates a block like [`fill`](Self::fill), and subtracts its size from `budget`.
    pub(super) fn fill_within(
        &mut self,
        part: AssetPart,
        stored: &[u8],
        at: u64,
        limits: &Limits,
        budget: &mut InflateBudget,
    ) -> Result<AssetBlock<'_>> {
        let within = budget.limits(limits);
        let mut memory = MemoryBudget::alone(limits.asset);
        let filled = self.data.fill(part, stored, at, &within, &mut memory, &mut self.engine);
        budget.spend(self.data.bytes.len(), self.data.lists.iter().map(Vec::len).fold(0, usize::saturating_add));
        filled.map_err(|error| budget.explain(error, limits, &within))?;
        Ok(AssetBlock { data: &self.data })
    }
}

/// A part of the message of an error.
pub(super) type Text = Cow<'static, str>;

/// The keys under which the LLSD map of a skin stores arrays. The field `lists` of [`BlockData`]
/// stores the offsets of the array items, one list of offsets per key, in the order of
/// `SKIN_LISTS`.
pub(super) const SKIN_LISTS: [&str; 3] = ["joint_names", "inverse_bind_matrix", "alt_inverse_bind_matrix"];

/// The inflated bytes of a block, and the offsets of values in these bytes.
#[derive(Debug, Default)]
pub(super) struct BlockData {
    part: Option<AssetPart>,
    bytes: Vec<u8>,
    /// Byte offset of the compressed block in the file, and length of the compressed block in
    /// bytes.
    stored: (u64, u64),
    stream: ZlibStream,
    limits: LlsdLimits,
    /// Start offset and end offset of the block's LLSD value, counted from the first inflated byte.
    /// The end offset is the offset of the first byte after the LLSD value.
    value: (usize, usize),
    /// For each LLSD array whose items are accessed by index, the offsets of the items in the
    /// inflated bytes. A block with geometry has one array of offsets, for the submeshes. A skin
    /// has three arrays of offsets: for joint names, inverse bind matrices and alternative inverse
    /// bind matrices.
    lists: [Vec<u32>; 3],
    /// For each submesh, an index structure that finds the weights of a vertex in the weight data.
    /// The index structure of a submesh is built on the first access to the weights of the submesh.
    indices: Vec<OnceLock<Option<RunIndex>>>,
    /// The places of the arrays of convex hulls, which are found on the first access to a hull.
    hulls: OnceLock<HullIndex>,
    /// The index of a skin, which is computed on the first access to a joint.
    skin: OnceLock<SkinIndex>,
}

impl BlockData {
    pub(super) fn new(
        part: AssetPart,
        stored: &[u8],
        at: u64,
        limits: &Limits,
        mut budget: MemoryBudget<'_>,
    ) -> Result<Self> {
        let mut new = Self::default();
        new.fill(part, stored, at, limits, &mut budget, &mut None)?;
        // The unused capacity of the vector `bytes` is freed if it is larger than a quarter of the
        // length of the inflated bytes.
        if new.bytes.capacity().saturating_sub(new.bytes.len()) > new.bytes.len() / 4 {
            new.bytes.shrink_to_fit();
        }
        budget.commit(new.size());
        Ok(new)
    }

    fn fill(
        &mut self,
        part: AssetPart,
        stored: &[u8],
        at: u64,
        limits: &Limits,
        budget: &mut MemoryBudget<'_>,
        engine: &mut Option<Decompress>,
    ) -> Result<()> {
        self.part = Some(part);
        self.stored = (at, as_u64(stored.len()));
        self.limits = LlsdLimits::from(limits);
        self.lists.iter_mut().for_each(Vec::clear);
        self.indices.clear();
        self.hulls = OnceLock::new();
        self.skin = OnceLock::new();
        self.stream = inflate::inflate(stored, limits, budget, engine, &mut self.bytes).map_err(|error| {
            let is_limit = matches!(error.kind, Cause::Limit { .. });
            let rule = if is_limit { &rules::DAMAGED_BLOCK_VALUE } else { &rules::DAMAGED_ZLIB_STREAM };
            Error::new(FORMAT, Field::new(part.key()), at.saturating_add(error.at), error.kind).breaking(rule)
        })?;
        let read = llsd::marker_line(&self.bytes).and_then(|start| {
            let item = llsd::read_at(&self.bytes, start, &self.limits)?;
            Ok((start, item.end))
        });
        self.value = read.map_err(|fault| self.error(&rules::DAMAGED_BLOCK_VALUE, Field::new(part.key()), fault))?;
        let lists = self.fill_lists(part).map_err(|kind| Error::new(FORMAT, Field::new(part.key()), at, kind));
        lists.breaking(&rules::DAMAGED_ZLIB_STREAM)
    }

    /// Fills the field `lists` with the byte offsets of the submeshes if the block holds geometry,
    /// or with the byte offsets of the joint names and matrices if the block holds a skin.
    fn fill_lists(&mut self, part: AssetPart) -> Result<(), Cause> {
        let mut lists = std::mem::take(&mut self.lists);
        let value = AssetBlock { data: self }.value();
        if part.is_geometry() {
            list_offsets(value.array(), &mut lists[0])?;
            let count = lists[0].len();
            self.indices.try_reserve_exact(count).map_err(|_| Cause::OutOfMemory { asked: as_u64(count) })?;
            self.indices.resize_with(count, OnceLock::new);
        } else if part == AssetPart::Skin {
            for (list, key) in lists.iter_mut().zip(SKIN_LISTS) {
                let entry = value.map().and_then(|map| map.get(key));
                list_offsets(entry.and_then(|entry| entry.value.array()), list)?;
            }
        }
        self.lists = lists;
        Ok(())
    }

    /// Returns the size in bytes of the memory allocation for the inflated bytes of the block.
    pub(super) fn size(&self) -> u64 {
        as_u64(self.bytes.capacity())
    }

    fn error(&self, rule: &'static Rule, field: Field, fault: LlsdFault) -> Error {
        Error::new(FORMAT, field, self.stored.0, fault.kind).at_inflated(fault.at).breaking(rule)
    }
}

/// Appends the byte offsets of all items of an LLSD array to `list`.
fn list_offsets(array: Option<LlsdArray<'_>>, list: &mut Vec<u32>) -> Result<(), Cause> {
    let Some(array) = array else { return Ok(()) };
    list.try_reserve_exact(array.len()).map_err(|_| Cause::OutOfMemory { asked: as_u64(array.len()) })?;
    for item in array.iter() {
        let at = u32::try_from(item.at).map_err(|_| Cause::Limit {
            name: "block",
            allowed: u32::MAX.into(),
            asked: as_u64(item.at),
        })?;
        list.push(at);
    }
    Ok(())
}

/// An inflated block, borrowed from a [`Mesh`](super::Mesh) or from an [`InflateBuffer`].
#[derive(Clone, Copy)]
pub struct AssetBlock<'a> {
    data: &'a BlockData,
}

short_debug!(AssetBlock<'_>: |block| { part: block.data.part, bytes: block.data.bytes.len(), stored: block.data.stored });

impl<'a> AssetBlock<'a> {
    pub(super) const fn new(data: &'a BlockData) -> Self {
        Self { data }
    }

    /// Returns the type of the block, as given by the block's key in the asset header.
    #[must_use]
    pub fn part(&self) -> AssetPart {
        self.data.part.unwrap_or(AssetPart::HighLod)
    }

    /// Returns the inflated bytes of the block.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        &self.data.bytes
    }

    /// Returns the LLSD value of the block. A [marker line](llsd::marker_line) before the value is
    /// not part of the value.
    #[must_use]
    pub fn value(&self) -> LlsdValue<'a> {
        let (start, end) = self.data.value;
        llsd::walked_at(&self.data.bytes, start, end, &self.data.limits).unwrap_or(LlsdValue::Undefined)
    }

    /// Returns the LLSD value whose marker byte is at offset `at` of the inflated bytes. The
    /// argument `at` must be one of the offsets that [`list`](Self::list) returns.
    ///
    /// This function does not check the bytes of the value, because the whole block was already
    /// checked after it was inflated.
    pub(super) fn item_at(self, at: usize) -> Option<LlsdValue<'a>> {
        llsd::walked_at(&self.data.bytes, at, self.data.value.1, &self.data.limits)
    }

    /// Returns the byte offset of the LLSD value in the inflated bytes: 0 unless the block begins
    /// with a marker line.
    #[must_use]
    pub const fn value_at(&self) -> usize {
        self.data.value.0
    }

    /// Returns the inflated bytes after the LLSD value. In a well-formed block, the result is
    /// empty.
    #[must_use]
    pub fn rest(&self) -> &'a [u8] {
        self.data.bytes.get(self.data.value.1..).unwrap_or_default()
    }

    /// Returns the number of bytes between the end of the compressed stream and the end of the
    /// stored block: 0 in a well-formed block.
    #[must_use]
    pub const fn unused(&self) -> u64 {
        self.data.stored.1.saturating_sub(self.data.stream.used)
    }

    /// Returns whether the compressed block has a gzip wrapper instead of a zlib wrapper.
    #[must_use]
    pub const fn is_gzip(&self) -> bool {
        self.data.stream.gzip
    }

    /// Returns the offset of the compressed block in the file, in bytes.
    #[must_use]
    pub const fn stored_at(&self) -> u64 {
        self.data.stored.0
    }

    /// Returns the length of the compressed block in the file, in bytes.
    #[must_use]
    pub const fn stored_len(&self) -> u64 {
        self.data.stored.1
    }

    /// Returns the LLSD value of the block as a map, or `None` if the value is undefined. In the
    /// block of convex hulls, the LLSD value is undefined if the mesh is a sub-model, that is, one
    /// of several meshes of a split model.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the LLSD value of the block is neither a map nor undefined.
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub(super) fn map(self) -> Result<Option<LlsdMap<'a>>> {
        match self.value() {
            LlsdValue::Map(map) => Ok(Some(map)),
            LlsdValue::Undefined => Ok(None),
            other => Err(self.wrong_type("a map", other.kind())),
        }
    }

    pub(super) fn llsd_limits(self) -> &'a LlsdLimits {
        &self.data.limits
    }

    /// Returns the byte offsets of the items of one LLSD array of the block, counted from the first
    /// inflated byte. In a block with geometry, the only array is array 0, which contains the
    /// submeshes. In a block with a skin, the argument `number` is the index of the array's key in
    /// [`SKIN_LISTS`].
    pub(super) fn list(self, number: usize) -> &'a [u32] {
        self.data.lists.get(number).map_or(&[], Vec::as_slice)
    }

    /// Returns the cache slot for the index structure that finds a vertex's weights in a submesh,
    /// or `None` if `submesh` is out of range.
    pub(super) fn weight_index(self, submesh: usize) -> Option<&'a OnceLock<Option<RunIndex>>> {
        self.data.indices.get(submesh)
    }

    /// Returns the cache slot for the places of the arrays of convex hulls.
    pub(super) const fn hull_index(self) -> &'a OnceLock<HullIndex> {
        &self.data.hulls
    }

    /// Returns the cache slot for the index of a skin.
    pub(super) const fn skin_index(self) -> &'a OnceLock<SkinIndex> {
        &self.data.skin
    }

    /// Creates an error about the byte at offset `at` of the inflated bytes.
    pub(super) fn error(self, rule: &'static Rule, field: Field, at: usize, kind: Cause) -> Error {
        self.data.error(rule, field, LlsdFault { at: as_u64(at), kind })
    }

    /// Creates an error about an LLSD value that has the wrong type or the wrong contents.
    pub(super) fn wrong(
        self,
        rule: &'static Rule,
        field: Field,
        at: usize,
        expected: &'static str,
        found: impl Into<Text>,
    ) -> Error {
        self.error(rule, field, at, Cause::value(expected, found))
    }

    /// Creates an error about the LLSD value of the block, which has the wrong type.
    pub(super) fn wrong_type(self, expected: &'static str, found: &'static str) -> Error {
        let field = Field::new(self.part().key());
        self.wrong(&rules::WRONG_BLOCK_TYPE, field, self.value_at(), expected, found)
    }
}
