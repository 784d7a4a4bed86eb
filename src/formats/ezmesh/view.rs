//! A view of an opened EZ-Mesh file: the bytes of the file, together with the cached, parsed data.
//! The types that read single elements, such as meshes and sections, contain this view. The view
//! also gives the metadata of the whole file: asset name, versions, declared bounding box, and the
//! plane at the end of a binary file.

// Rule: this file sorts and maps by copies only.

use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::sync::{Mutex, OnceLock};

use super::binary::BinaryReader;
use super::element_index::{ElementIndex, ElementKind};
use super::elements::reader::ElementReader;
use super::layout::{FILE, FORMAT};
use super::vertex_format::VertexDeclaration;
use super::xml::number_block::ParsedBlock;
use super::xml::tag::{AttributeValue, Tag};
use crate::array::Bounds;
use crate::decode::ByteOrder;
use crate::error::debug::short_debug;
use crate::error::{Cause, Error, Field, Result};
use crate::model::{FileContext, WrittenForm};
use crate::parse::{Name, room};

/// Maximum length of an element name in the index, in bytes. Longer names are not indexed, to avoid
/// the cost of hashing very long names.
const MAX_NAME_LENGTH: usize = 4096;

/// The XML dialect of a text file, which the name of the root element determines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The root element is `MeshSystem`. Exporters have written the dialect `MeshSystem` since
    /// 2009.
    MeshSystem,
    /// The root element is a single `Mesh`. The dialect `Mesh` is older than the dialect
    /// `MeshSystem`.
    Mesh,
    /// The root element is `SceneGraph`. The dialect `SceneGraph` is older than the dialect `Mesh`.
    SceneGraph,
}

/// The encoding (form) of an EZ-Mesh file: XML text or binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// XML text, with the file name extension `.ezm`.
    Text(Dialect),
    /// Binary numbers and strings without field names, with the file name extension `.ezb`.
    Binary {
        /// The byte order of the numbers in a binary file.
        order: ByteOrder,
        /// The format version of a binary file: 100 or 101.
        version: u32,
    },
}

impl Form {
    /// Returns the name of the encoding, such as `ezm MeshSystem` or `ezb 101`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text(Dialect::MeshSystem) => "ezm MeshSystem",
            Self::Text(Dialect::Mesh) => "ezm Mesh",
            Self::Text(Dialect::SceneGraph) => "ezm SceneGraph",
            Self::Binary { version: 100, .. } => "ezb 100",
            Self::Binary { .. } => "ezb 101",
        }
    }

    /// Returns the form in which a file is written again. The writer of text knows one dialect
    /// only, [`Dialect::MeshSystem`].
    pub(super) fn written_form(self) -> WrittenForm {
        let Self::Text(dialect) = self else {
            return WrittenForm { extensions: &["ezb"], ..WrittenForm::default() };
        };
        let dialects = match dialect {
            Dialect::MeshSystem => None,
            Dialect::Mesh => Some(["Mesh", "MeshSystem"]),
            Dialect::SceneGraph => Some(["SceneGraph", "MeshSystem"]),
        };
        WrittenForm { extensions: &["ezm", "xml"], is_text: true, dialects, ..WrittenForm::default() }
    }
}

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
    /// For each kind of element, the index for finding its elements by name.
    pub(super) names: [OnceLock<NameIndex>; ElementKind::COUNT],
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
            *slots = room(FORMAT, "element", count)?;
            slots.resize_with(count, OnceLock::new);
        }
        Ok(Self { context, form, elements, blocks, caches: MeshCaches::default() })
    }
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

    /// Creates a reader that reads the fields of a binary file from a given byte offset on.
    pub(super) fn binary_reader(&self, order: ByteOrder, offset: u64, place: Field) -> Result<BinaryReader<'a>> {
        let mut reader = BinaryReader::at(self.bytes, order, offset, self.state.context.access_log())?;
        reader.cursor.set_place(place);
        Ok(reader)
    }

    /// Returns the XML tag that starts at a given byte offset in a text file.
    pub(super) fn tag(&self, start: u64) -> Result<Tag<'a>> {
        let tag = usize::try_from(start).ok().and_then(|start| Tag::at(self.bytes, start));
        tag.ok_or_else(|| Error::without_offset(FORMAT, Field::new("element"), Cause::Changed))
    }

    /// Returns the name of the asset, as stored in the file.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes of the file have changed since the file was opened.
    pub fn asset_name(&self) -> Result<Name<'a>> {
        self.root_text(["asset_name", "name"], "asset_name")
    }

    /// Returns the description of the asset, as stored in the file. The description is free text.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`asset_name`](Self::asset_name).
    pub fn asset_info(&self) -> Result<Name<'a>> {
        self.root_text(["asset_info"], "asset_info")
    }

    /// Returns the first attribute of the root element of a text file that exists, or a field of a
    /// binary file.
    fn root_text<const N: usize>(&self, attributes: [&str; N], field: &'static str) -> Result<Name<'a>> {
        match self.root_fields(field)? {
            Some(mut reader) => reader.text(field),
            None => Ok(self.root_values(attributes)?.into_iter().flatten().next().unwrap_or_default().name()),
        }
    }

    /// Returns two versions: the version of the file format, and the version of the asset. Each of
    /// the two returned versions is `None` if the file does not declare it.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::error::ErrorKind::Value) if a declared version is not an
    /// integer.
    pub fn versions(&self) -> Result<[Option<i64>; 2]> {
        if let Some(mut reader) = self.root_fields("system_version")? {
            let system = reader.i32("system_version")?;
            return Ok([Some(system.into()), Some(reader.i32("asset_version")?.into())]);
        }
        let [system, asset] = ["mesh_system_version", "mesh_system_asset_version"];
        let values = self.root_values([system, asset])?;
        let read = |value: Option<AttributeValue<'a>>, name| {
            value.map(|value| self.integer(value, Field::new(name))).transpose()
        };
        Ok([read(values[0], system)?, read(values[1], asset)?])
    }

    /// Creates a reader at a field of a binary file that is not in a list, or returns `None` for a
    /// text file.
    fn root_fields(&self, field: &str) -> Result<Option<BinaryReader<'a>>> {
        let Some(order) = self.order() else { return Ok(None) };
        let mut reader = self.binary_reader(order, self.state.elements.root, Field::new(""))?;
        reader.pass_to(FILE, field)?;
        Ok(Some(reader))
    }

    /// Returns the values of attributes of the root element of a text file.
    fn root_values<const N: usize>(&self, names: [&str; N]) -> Result<[Option<AttributeValue<'a>>; N]> {
        Ok(self.tag(self.state.elements.root)?.values(names))
    }

    /// Returns the bounding box that the file declares for all its contents, or `None` if the file
    /// declares no bounding box.
    ///
    /// The declared bounding box may be wrong: in some real files it is ten times smaller than the
    /// meshes.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::error::ErrorKind::Value) if the declared bounding box
    /// does not consist of six numbers.
    pub fn declared_bounds(&self) -> Result<Option<Bounds>> {
        let kind = ElementKind::SystemBox;
        let element = ElementReader { view: *self, kind, index: 0, place: Field::new("") };
        (self.count(kind) > 0).then(|| element.bounds()).transpose()
    }

    /// Returns the plane at the end of a binary file: the three components of the plane's normal,
    /// and the plane's distance from the origin. Returns `None` for a text file.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`asset_name`](Self::asset_name).
    pub fn plane(&self) -> Result<Option<[f32; 4]>> {
        let Some(order) = self.order() else { return Ok(None) };
        self.binary_reader(order, self.state.elements.plane, Field::new(""))?.floats("plane").map(Some)
    }
}

/// A sorted index that maps the name of an element to the index of the element.
///
/// The index stores only a 64-bit hash of each name. The hash function has a random key, therefore
/// a file cannot be constructed with names whose hashes are equal. A hash collision of two names is
/// less likely than a hardware error. Hence a search compares only hashes, and does not read the
/// names again.
#[derive(Debug)]
pub(super) struct NameIndex {
    keys: Vec<(u64, u32)>,
    state: RandomState,
}

impl NameIndex {
    /// Builds the index from tuples of a group index, an element name and an element index. A
    /// search finds only names of a given group. For bone names, the group is the skeleton: a
    /// search finds only bones of one skeleton.
    ///
    /// Empty names and names longer than 4 KiB are not indexed.
    pub(super) fn of<'a>(names: impl Iterator<Item = (u32, &'a [u8], u32)> + Clone) -> Self {
        let state = RandomState::new();
        let all = names.filter(|(_, name, _)| is_name(name));
        let mut keys = Vec::new();
        // If the allocation fails, the index is empty and a search finds no name. The names are
        // counted before the vector is allocated, because a vector that grows allocates more than
        // it needs.
        let count = all.clone().count();
        if keys.try_reserve_exact(count).is_ok() {
            // Each name is read once. In a mapped file that changes, the second iteration could
            // find more names than the first.
            keys.extend(all.take(count).map(|(group, name, number)| (state.hash_one((group, name)), number)));
        }
        keys.sort_unstable();
        Self { keys, state }
    }

    /// Returns the smallest element index that has the name `name` in the group `group`.
    pub(super) fn find(&self, group: u32, name: &[u8]) -> Option<u32> {
        if !is_name(name) {
            return None;
        }
        let hash = self.state.hash_one((group, name));
        let first = self.keys.partition_point(|(key, _)| *key < hash);
        self.keys.get(first).filter(|(key, _)| *key == hash).map(|(_, number)| *number)
    }
}

fn is_name(name: &[u8]) -> bool {
    !name.is_empty() && name.len() <= MAX_NAME_LENGTH
}

/// A cache for one item of a list: the index and the computed value of the item that was requested
/// last.
///
/// All sections of a mesh request the same data of the mesh, such as its vertex declaration.
/// Without this cache, a long XML tag of the mesh would be parsed again for each section.
#[derive(Debug)]
pub(super) struct ValueCache<T>(Mutex<Option<(usize, T)>>);

impl<T> Default for ValueCache<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T: Clone> ValueCache<T> {
    /// Returns the value of the item with the index `index`. If the cache does not contain it, the
    /// closure `find` computes it.
    pub(super) fn get_or(&self, index: usize, find: impl FnOnce() -> T) -> T {
        // If the lock of the cache is poisoned, the cache is treated as empty.
        if let Ok(last) = self.0.lock()
            && let Some((_, found)) = last.as_ref().filter(|(known, _)| *known == index)
        {
            return found.clone();
        }
        let found = find();
        if let Ok(mut last) = self.0.lock() {
            *last = Some((index, found.clone()));
        }
        found
    }
}
