//! The owner of a mesh file's bytes. It has no lifetime and can be stored; views are made from it in about a hundred
//! instructions each.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize};

use super::anim::{AnimationView, Kept, Recalled};
use super::block::{Blocks, Held};
use super::geometry::{Memo, Starts, defaults};
use super::header::{BOUNDS_AT, Header, SurfaceHead};
use super::layout::{Generation, RawBounds, RawTransform, TRANSFORM};
use super::magic;
use super::read::{Reader, Sink, Unseen};
use super::view::SurfaceView;
use crate::array::{Bounds, Sphere};
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;
use crate::model::{Bone, FileData};
use crate::parse::{Cursor, Name, OpenOptions};

/// A UNIGINE mesh of generation ms10 to ms15, over any owner of bytes: a [`Map`](crate::io::Map), a `Vec<u8>`,
/// an `Arc<[u8]>`, a `&[u8]`.
///
/// | call | order | looks at | allocates |
/// |---|---|---|---|
/// | [`open`](Self::open) | bones + surfaces | the header | 8 bytes per bone, 16 per animation, 88 per surface, 168 of ms14 and ms15 |
/// | [`surface`](Self::surface) | surfaces not yet located | their counts; 1 byte per skinned vertex | nothing |
/// | [`surface`](Self::surface) of ms14, ms15, first time | bytes of its block | the table, once; its block | its inflated bytes |
/// | [`surface`](Self::surface) again | 1 | one header entry | nothing |
/// | an array of a [`SurfaceView`] | the arrays before it | their counts | nothing |
/// | [`check`](Self::check) | surfaces + skinned vertices | every count; of ms14 and ms15, every block of geometry | the largest of them |
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::Array;
/// let mesh = meshpeek::unigine::Mesh::open(meshpeek::read("data/unigine/cube_ms13.mesh")?)?;
/// let surface = mesh.surface(0)?;
/// assert_eq!(surface.name().to_string(), "cube");
/// assert_eq!(surface.positions()?.get(0), Some([0.5, 0.5, 0.5]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Mesh<D> {
    pub(super) file: FileData<D>,
    pub(super) header: Header,
    /// The embedded animations' blocks, the surfaces' geometry, and the closing magic, in file order. In compressed
    /// generations, the surfaces' geometry, the magic behind it, the surfaces' trees, and the magic behind those.
    pub(super) starts: Starts,
    memos: Box<[Memo]>,
    pub(super) animations: Kept,
    /// For each surface of a compressed generation, its blocks.
    pub(super) blocks: Box<[Blocks]>,
    /// Where the table of blocks stands, once somebody looked for it.
    pub(super) table: OnceLock<Option<u64>>,
    /// Bytes that inflated blocks hold.
    pub(super) alive: AtomicU64,
    /// The section that cannot be passed, and why: nothing behind it can be located by walking. Second, of the trees.
    pub(super) faults: [OnceLock<(usize, Error)>; 2],
    /// How far the walks over blocks have come: of geometry, and of trees.
    pub(super) walked: [AtomicUsize; 2],
    /// Where a walk over the geometry's blocks comes to each, where the table does not tell.
    pub(super) walk: OnceLock<Option<Starts>>,
}

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Reads the header, and nothing else.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Empty`], [`ErrorKind::Unknown`] or [`ErrorKind::Unsupported`] for what is not such a mesh; otherwise
    /// the header's first fault, by field and offset.
    pub fn open(data: D) -> Result<Self> {
        Self::open_with(data, &OpenOptions::default())
    }

    /// Reads the header, with options.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn open_with(data: D, options: &OpenOptions) -> Result<Self> {
        let generation = magic::generation(data.as_ref())?;
        let file = FileData::new(data, options);
        let cursor = file.cursor(generation.format());
        let header = Reader { cursor, sink: Unseen }.header(generation, file.limits())?;
        let out_of_memory = |count: usize, size: usize| {
            let asked = as_u64(count.saturating_mul(size));
            Error::without_offset(generation.format(), Field::new("surfaces"), ErrorKind::OutOfMemory { asked })
        };
        let surfaces = header.surfaces.len();
        let memos = defaults(surfaces).ok_or_else(|| out_of_memory(surfaces, size_of::<Memo>()))?;
        let sections = super::sections::sections(&header).saturating_add(1);
        let starts = Starts::new(sections, header.body).ok_or_else(|| out_of_memory(sections, size_of::<u64>()))?;
        let count = header.animations.len();
        let animations = Kept::new(count);
        let count = if generation.is_compressed() { surfaces } else { 0 };
        let blocks = defaults(count).ok_or_else(|| out_of_memory(count, size_of::<Blocks>()))?;
        Ok(Self {
            file,
            starts,
            memos,
            animations,
            blocks,
            table: OnceLock::new(),
            alive: AtomicU64::new(0),
            faults: [const { OnceLock::new() }; 2],
            walked: [AtomicUsize::new(0), AtomicUsize::new(surfaces)],
            walk: OnceLock::new(),
            header,
        })
    }

    /// Returns the generation: which layout the file has.
    #[must_use]
    pub const fn generation(&self) -> Generation {
        self.header.generation
    }

    /// Returns the file's bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.file.bytes()
    }

    /// Returns the owner of the bytes.
    #[must_use]
    pub const fn data(&self) -> &D {
        self.file.data()
    }

    /// Gives the owner of the bytes back.
    #[must_use]
    pub fn into_inner(self) -> D {
        self.file.into_data()
    }

    /// Returns the box and sphere around the whole mesh, as stored.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn bounds(&self) -> Result<(Bounds, Sphere)> {
        let raw = self.raw_bounds()?;
        Ok((raw.bounds(), raw.sphere()))
    }

    pub(crate) fn raw_bounds(&self) -> Result<&RawBounds> {
        self.reader(self.bounds_at())?.bounds()
    }

    /// Returns the offset of the bounds.
    pub(crate) fn bounds_at(&self) -> u64 {
        self.header.particular.map_or(BOUNDS_AT, |particular| particular.bounds_at)
    }

    /// Returns where the header ends.
    pub(crate) const fn body(&self) -> u64 {
        self.header.body
    }

    /// Returns how many triangles the engine wanted in a leaf of a surface's tree: 4 in every file seen. Of compressed
    /// generations only.
    #[must_use]
    pub fn leaf_triangles(&self) -> Option<u32> {
        self.header.particular.map(|particular| particular.leaf)
    }

    /// Returns how many bytes of memory the engine reckons that the mesh takes. Of compressed generations only; by which
    /// formula is unknown.
    #[must_use]
    pub fn memory_estimate(&self) -> Option<i64> {
        self.header.particular.map(|particular| particular.memory)
    }

    /// Returns the number of bones.
    #[must_use]
    pub const fn bone_count(&self) -> usize {
        self.header.bones.len()
    }

    /// Returns bone `index`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`] where there is no such bone.
    pub fn bone(&self, index: usize) -> Result<Bone<'_>> {
        let (name, parent, transform) = self.raw_bone(index)?;
        Ok(Bone { name, parent: parent.into(), bind: transform.get() })
    }

    pub(crate) fn raw_bone(&self, index: usize) -> Result<(Name<'_>, i16, &RawTransform)> {
        let (name, parent) = self.entry("bone", &self.header.bones, index)?.bone_head()?;
        Ok((name, parent, self.reader(self.bind_at(index))?.record("bind_transform", TRANSFORM)?))
    }

    /// Returns the number of embedded animations.
    #[must_use]
    pub const fn animation_count(&self) -> usize {
        self.header.animations.len()
    }

    /// Returns the offset of a bone's entry in the header.
    pub(crate) fn bone_at(&self, index: usize) -> u64 {
        self.header.bones.get(index).copied().unwrap_or_default()
    }

    /// Returns the offset of a bone's parent, which ends its entry.
    pub(crate) fn parent_at(&self, index: usize) -> Result<u64> {
        let mut reader = self.reader(self.bone_at(index))?;
        reader.text("name")?;
        Ok(reader.cursor.offset())
    }

    /// Returns the offset of a bone's bind transform.
    pub(crate) fn bind_at(&self, index: usize) -> u64 {
        self.header.binds.saturating_add(as_u64(index).saturating_mul(TRANSFORM.size.into()))
    }

    /// Returns the offset of a surface's entry in the header.
    pub(crate) fn head_at(&self, index: usize) -> u64 {
        self.header.surfaces.get(index).copied().unwrap_or_default()
    }

    pub(crate) fn animation_name(&self, index: usize) -> Result<Name<'_>> {
        self.entry("animation", &self.header.animations, index)?.text("name")
    }

    /// Locates embedded animation `index`: looks at the flags of every key of it and of those before it, once.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`], or the first fault on the way, by field and offset.
    pub fn animation(&self, index: usize) -> Result<AnimationView<'_>> {
        let name = self.animation_name(index)?;
        let start = self.locate(index)?;
        let view = self.read_animation(&mut self.reader(start)?, index)?;
        let binds = u32::try_from(self.bone_count()).unwrap_or(u32::MAX);
        Ok(view.named(name).resting(self.reader(self.header.binds)?.transforms(binds)?))
    }

    pub(super) fn read_animation<'a>(
        &'a self,
        reader: &mut Reader<'a, impl Sink>,
        index: usize,
    ) -> Result<AnimationView<'a>> {
        let kept =
            self.animations.slot(index).ok_or_else(|| self.no_such("animation", self.animations.len(), index))?;
        kept.recall_from(|| Recalled::of(self.believed()?, index));
        let share = as_u64(self.file.bytes().len()).checked_div(as_u64(self.animations.len())).unwrap_or_default();
        reader.embedded_animation(as_u64(index), kept, share)
    }

    /// Returns the number of surfaces.
    #[must_use]
    pub const fn surface_count(&self) -> usize {
        self.header.surfaces.len()
    }

    /// Locates surface `index`. Surfaces before it that nobody asked for yet are walked over: their counts are looked
    /// at and, where they are skinned, one byte per vertex. Where it starts is remembered.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`], or the first fault on the way, by field and offset.
    pub fn surface(&self, index: usize) -> Result<SurfaceView<'_>> {
        if self.generation().is_compressed() {
            return self.view(index, Some(self.geometry(index)?));
        }
        self.view(index, None)
    }

    /// Makes the view of a surface: of its geometry in the file or, of a compressed generation, in a block.
    pub(super) fn view<'a>(&'a self, index: usize, held: Option<&'a Held>) -> Result<SurfaceView<'a>> {
        let start = self.locate(self.header.animations.len().saturating_add(index))?;
        let (reader, memo) = (self.reader(start)?, self.memo(index)?);
        Ok(SurfaceView::new(reader, self.generation(), as_u64(index), (self.head(index)?, held), memo))
    }

    /// Returns the lightmap bytes of surface `index`, as [`SurfaceView::lightmap`] does, without locating it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`] where there is no such surface.
    pub fn lightmap(&self, index: usize) -> Result<Option<[u8; 2]>> {
        self.head(index).map(|head| head.lightmap)
    }

    /// Reads what the header says of a surface, without locating it.
    pub(crate) fn head(&self, index: usize) -> Result<SurfaceHead<'_>> {
        self.entry("surface", &self.header.surfaces, index)?.surface_head(self.generation(), self.file.limits())
    }

    /// Returns where the longest list of a surface's weights starts, in bytes from the first, and its length; `None` while
    /// nobody has walked the weights.
    pub(crate) fn longest_weights(&self, index: usize) -> Option<(u64, u8)> {
        self.memos.get(index)?.totals.get().map(|totals| totals.longest)
    }

    /// Passes what the header says of a surface's targets, in order.
    pub(crate) fn targets(&self, index: usize) -> Result<impl Iterator<Item = Result<(Name<'_>, Option<u32>)>>> {
        let head = self.head(index)?;
        let mut reader = self.reader(head.target_names)?;
        let generation = self.generation();
        Ok((0..head.targets).map(move |_| reader.target(generation)))
    }

    pub(super) fn memo(&self, index: usize) -> Result<&Memo> {
        let memo = self.memos.get(index).ok_or_else(|| self.no_such("surface", self.memos.len(), index))?;
        self.recall(index, memo);
        Ok(memo)
    }

    /// Returns all surfaces in file order, each located as the iterator reaches it.
    pub fn surfaces(&self) -> impl ExactSizeIterator<Item = Result<SurfaceView<'_>>> {
        (0..self.surface_count()).map(|index| self.surface(index))
    }

    pub(super) fn cursor(&self) -> Cursor<'_> {
        self.file.cursor(self.generation().format())
    }

    pub(super) fn reader(&self, offset: u64) -> Result<Reader<'_, Unseen>> {
        Ok(Reader { cursor: self.cursor().at(offset)?, sink: Unseen })
    }

    /// Starts reading item `index` of a list of the header.
    fn entry(&self, list: &'static str, starts: &[u64], index: usize) -> Result<Reader<'_, Unseen>> {
        let start = starts.get(index).ok_or_else(|| self.no_such(list, starts.len(), index))?;
        let mut reader = self.reader(*start)?;
        reader.set_place(Field::new("").in_list(list, as_u64(index)));
        Ok(reader)
    }

    pub(super) fn no_such(&self, list: &'static str, count: usize, index: usize) -> Error {
        let kind = ErrorKind::NoSuch { count: as_u64(count), index: as_u64(index) };
        Error::without_offset(self.generation().format(), Field::new("").in_list(list, as_u64(index)), kind)
    }
}
