//! An inflated block: its bytes, and the one value that they are.

use std::sync::OnceLock;

use flate2::Decompress;

use super::inflate::{self, Inflated};
use super::layout::{FORMAT, Part};
use super::llsd::{self, Array, Fault, Map, Rules, Value};
use crate::array::runs::RunIndex;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;
use crate::parse::{Budget, Limits};

/// Bytes of a block for which there is one place for an index into weights. It belongs to the last submesh that begins in
/// them; weights of the others end there, and are walked.
const INDEXED: usize = 512;

/// A buffer that blocks are inflated into, one after another: lent and reused, it saves the allocations.
///
/// ```
/// use meshpeek::secondlife::{Buffer, Lod, Mesh, Part};
/// let mesh = Mesh::open(meshpeek::read("data/secondlife/quad.llmesh")?)?;
/// let mut buffer = Buffer::default();
/// for lod in mesh.header()?.lods() {
///     let block = mesh.view().block_into(lod.part(), &mut buffer)?.unwrap();
///     println!("{}: {} submeshes", lod.name(), block.level()?.len());
/// }
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Buffer {
    held: Held,
    engine: Option<Decompress>,
}

impl Buffer {
    /// Inflates a stored block that stands alone, such as the reply to a request for its range.
    ///
    /// # Errors
    ///
    /// As [`View::block`](super::View::block); offsets count from the first stored byte.
    pub fn inflate(&mut self, part: Part, stored: &[u8], limits: &Limits) -> Result<Block<'_>> {
        self.fill(part, stored, 0, limits)
    }

    pub(super) fn fill(&mut self, part: Part, stored: &[u8], at: u64, limits: &Limits) -> Result<Block<'_>> {
        self.held.fill(part, stored, at, limits, &mut Budget::alone(limits.asset), &mut self.engine)?;
        Ok(Block { held: &self.held })
    }
}

/// What a block is made of.
#[derive(Debug, Default)]
pub(super) struct Held {
    part: Option<Part>,
    bytes: Vec<u8>,
    /// Offset of the stored block in the file, and its length.
    stored: (u64, u64),
    inflated: Inflated,
    rules: Rules,
    /// Where the value starts and ends.
    value: (usize, usize),
    /// Where the items of its lists stand: submeshes; or joint names, inverse bind matrices and their alternatives.
    lists: [Vec<u32>; 3],
    /// Indices into the weights of submeshes, by where they begin.
    indices: Vec<OnceLock<Option<RunIndex>>>,
}

impl Held {
    pub(super) fn new(part: Part, stored: &[u8], at: u64, limits: &Limits, mut budget: Budget<'_>) -> Result<Self> {
        let mut new = Self::default();
        new.fill(part, stored, at, limits, &mut budget, &mut None)?;
        // What was reserved in vain is given back, unless it is little.
        if new.bytes.capacity().saturating_sub(new.bytes.len()) > new.bytes.len() / 4 {
            new.bytes.shrink_to_fit();
        }
        budget.keep(new.size());
        Ok(new)
    }

    fn fill(
        &mut self,
        part: Part,
        stored: &[u8],
        at: u64,
        limits: &Limits,
        budget: &mut Budget<'_>,
        engine: &mut Option<Decompress>,
    ) -> Result<()> {
        self.part = Some(part);
        self.stored = (at, as_u64(stored.len()));
        self.rules = Rules::from(limits);
        self.lists.iter_mut().for_each(Vec::clear);
        self.indices.clear();
        self.inflated = inflate::inflate(stored, limits, budget, engine, &mut self.bytes).map_err(|failure| {
            Error::new(FORMAT, Field::new(part.key()), at.saturating_add(failure.at), failure.kind)
        })?;
        let read = llsd::marker_line(&self.bytes).and_then(|start| {
            let item = llsd::read_at(&self.bytes, start, &self.rules)?;
            Ok((start, item.end))
        });
        self.value = read.map_err(|fault| self.blame(Field::new(part.key()), fault))?;
        self.list(part).map_err(|kind| Error::new(FORMAT, Field::new(part.key()), at, kind))
    }

    /// Notes where the items stand that are asked for by number.
    fn list(&mut self, part: Part) -> Result<(), ErrorKind> {
        let mut lists = std::mem::take(&mut self.lists);
        let block = Block { held: self };
        if part.is_geometry() {
            note(block.value().array(), &mut lists[0])?;
        } else if part == Part::Skin {
            let map = block.value().map();
            let keys = ["joint_names", "inverse_bind_matrix", "alt_inverse_bind_matrix"];
            for (list, key) in lists.iter_mut().zip(keys) {
                note(map.and_then(|map| map.get(key)).and_then(|entry| entry.value.array()), list)?;
            }
        }
        if part.is_geometry() {
            let count = if lists[0].is_empty() { 0 } else { self.value.1.div_ceil(INDEXED) };
            self.indices.try_reserve_exact(count).map_err(|_| ErrorKind::OutOfMemory { asked: as_u64(count) })?;
            self.indices.resize_with(count, OnceLock::new);
        }
        self.lists = lists;
        Ok(())
    }

    /// Returns the bytes of memory that it holds.
    pub(super) fn size(&self) -> u64 {
        as_u64(self.bytes.capacity())
    }

    fn blame(&self, field: Field, fault: Fault) -> Error {
        Error::new(FORMAT, field, self.stored.0, fault.kind).at_inflated(fault.at)
    }
}

/// Notes where the items of an array stand.
fn note(array: Option<Array<'_>>, list: &mut Vec<u32>) -> Result<(), ErrorKind> {
    let Some(array) = array else { return Ok(()) };
    list.try_reserve_exact(array.len()).map_err(|_| ErrorKind::OutOfMemory { asked: as_u64(array.len()) })?;
    for item in array.iter() {
        let at = u32::try_from(item.at).map_err(|_| ErrorKind::Limit {
            name: "block",
            allowed: u32::MAX.into(),
            asked: as_u64(item.at),
        })?;
        list.push(at);
    }
    Ok(())
}

/// An inflated block, borrowed from its owner or from the buffer that was lent for it.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    held: &'a Held,
}

impl<'a> Block<'a> {
    pub(super) const fn new(held: &'a Held) -> Self {
        Self { held }
    }

    /// Returns which block it is.
    #[must_use]
    pub fn part(&self) -> Part {
        self.held.part.unwrap_or(Part::HighLod)
    }

    /// Returns the inflated bytes.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        &self.held.bytes
    }

    /// Returns the value that it is. A [marker line](llsd::marker_line) in front is not part of it.
    #[must_use]
    pub fn value(&self) -> Value<'a> {
        let (start, end) = self.held.value;
        llsd::walked_at(&self.held.bytes, start, end, &self.held.rules).unwrap_or(Value::Undefined)
    }

    /// Returns the value whose marker stands at `at`, which a [list](Self::list) says. All of the block was walked when it was
    /// inflated.
    pub(super) fn item_at(self, at: usize) -> Option<Value<'a>> {
        llsd::walked_at(&self.held.bytes, at, self.held.value.1, &self.held.rules)
    }

    /// Returns the offset of the value in the inflated bytes: 0 unless a marker line stands in front.
    #[must_use]
    pub const fn value_at(&self) -> usize {
        self.held.value.0
    }

    /// Returns what follows the value: nothing in a sound block.
    #[must_use]
    pub fn rest(&self) -> &'a [u8] {
        self.held.bytes.get(self.held.value.1..).unwrap_or_default()
    }

    /// Returns how many of the stored bytes follow the compressed stream: 0 in a sound block.
    #[must_use]
    pub const fn unused(&self) -> u64 {
        self.held.stored.1.saturating_sub(self.held.inflated.used)
    }

    /// Tells whether it is wrapped as gzip does it, and not as zlib.
    #[must_use]
    pub const fn is_gzip(&self) -> bool {
        self.held.inflated.gzip
    }

    /// Returns the offset of the stored block in its file.
    #[must_use]
    pub const fn stored_at(&self) -> u64 {
        self.held.stored.0
    }

    /// Returns the number of stored bytes.
    #[must_use]
    pub const fn stored_len(&self) -> u64 {
        self.held.stored.1
    }

    /// Looks at it as geometry: an array of submeshes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where it is no array.
    pub fn level(&self) -> Result<super::Level<'a>> {
        super::Level::new(*self)
    }

    /// Looks at it as convex hulls; `None` where it holds no value, as that of a sub-model.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where it is no map.
    pub fn convex(&self) -> Result<Option<super::Convex<'a>>> {
        super::Convex::new(*self)
    }

    /// Looks at it as a skin.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where it is no map.
    pub fn skin(&self) -> Result<super::Skin<'a>> {
        super::Skin::new(*self)
    }

    /// Looks at it as a map; as nothing where it holds no value, as the hulls of a sub-model do.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where it is something else.
    pub(super) fn map(self) -> Result<Option<Map<'a>>> {
        match self.value() {
            Value::Map(map) => Ok(Some(map)),
            Value::Undefined => Ok(None),
            other => Err(self.wrong(Field::new(self.part().key()), self.value_at(), "a map", other.kind())),
        }
    }

    pub(super) fn rules(self) -> &'a Rules {
        &self.held.rules
    }

    /// Returns where the items of a list stand.
    pub(super) fn list(self, number: usize) -> &'a [u32] {
        self.held.lists.get(number).map_or(&[], Vec::as_slice)
    }

    /// Returns the place for the index into the weights of a submesh.
    pub(super) fn index(self, submesh: usize) -> Option<&'a OnceLock<Option<RunIndex>>> {
        let starts = self.list(0);
        let place = |submesh: usize| usize::try_from(*starts.get(submesh)?).ok().map(|at| at / INDEXED);
        let own = place(submesh)?;
        let is_last = place(submesh.saturating_add(1)) != Some(own);
        self.held.indices.get(own).filter(|_| is_last)
    }

    /// Makes an error about inflated byte `at`.
    pub(super) fn error(self, field: Field, at: usize, kind: ErrorKind) -> Error {
        self.held.blame(field, Fault { at: as_u64(at), kind })
    }

    /// Makes an error about a value that is not what it must be.
    pub(super) fn wrong(self, field: Field, at: usize, expected: &'static str, found: &str) -> Error {
        self.error(field, at, ErrorKind::Value { expected: expected.into(), found: found.to_owned().into() })
    }
}
