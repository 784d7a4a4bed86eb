//! The owner of a mesh file's bytes. It has no lifetime and can be stored; views are made from it in about a hundred
//! instructions each.

use std::sync::OnceLock;

use super::anim::EmbeddedAnimation;
use super::geometry::{Arrays, Memo, Starts, defaults};
use super::header::{BOUNDS_AT, Header, SurfaceHead};
use super::layout::{BYTE, Generation, RawBounds, RawTransform, TRANSFORM};
use super::magic;
use super::read::{Reader, Sink, Unseen};
use super::view::SurfaceView;
use crate::bytes::{Cursor, as_u64};
use crate::error::{Error, ErrorKind, Result};
use crate::field::Field;
use crate::limits::Limits;
use crate::name::Name;
use crate::region::Region;
use crate::surface::{Bone, Bounds, Sphere};
use crate::touched::Touched;

/// A UNIGINE mesh of generation ms10, ms11, ms12 or ms13, over any owner of bytes: a [`Map`](crate::Map), a `Vec<u8>`,
/// an `Arc<[u8]>`, a `&[u8]`.
///
/// | call | order | looks at | allocates |
/// |---|---|---|---|
/// | [`open`](Self::open) | bones + surfaces | the header | 8 bytes per bone, 16 per animation, 80 per surface |
/// | [`surface`](Self::surface) | surfaces not yet located | their counts; 1 byte per skinned vertex | nothing |
/// | [`surface`](Self::surface) again | 1 | one header entry | nothing |
/// | an array of a [`SurfaceView`] | the arrays before it | their counts | nothing |
/// | [`check`](Self::check) | surfaces + skinned vertices | every count | nothing |
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// let mesh = meshpeek::unigine::Mesh::open(meshpeek::read("data/unigine/cube_ms13.mesh")?)?;
/// let surface = mesh.surface(0)?;
/// assert_eq!(surface.name().to_string(), "cube");
/// assert_eq!(surface.positions()?.get(0), Some([0.5, 0.5, 0.5]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Mesh<D> {
    data: D,
    header: Header,
    limits: Limits,
    /// The embedded animations' blocks, the surfaces' geometry, and the closing magic, in file order.
    starts: Starts,
    memos: Box<[Memo]>,
    /// The section that cannot be passed, and why: nothing behind it can be located.
    fault: OnceLock<(usize, Error)>,
    touched: Option<Box<Touched>>,
}

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Reads the header, and nothing else.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Empty`], [`ErrorKind::Unknown`] or [`ErrorKind::Unsupported`] for what is not such a mesh; otherwise
    /// the header's first fault, by field and offset.
    pub fn open(data: D) -> Result<Self> {
        Self::open_with(data, &Limits::default())
    }

    /// Reads the header under limits of your own.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn open_with(data: D, limits: &Limits) -> Result<Self> {
        Self::start(data, limits, None)
    }

    /// Reads the header, and from then on records which bytes are looked at, for [`touched`](Self::touched).
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn watched(data: D, limits: &Limits) -> Result<Self> {
        Self::start(data, limits, Some(Box::default()))
    }

    fn start(data: D, limits: &Limits, touched: Option<Box<Touched>>) -> Result<Self> {
        let bytes = data.as_ref();
        let generation = magic::generation(bytes)?;
        let cursor = Cursor::new(bytes, generation.format()).watched_by(touched.as_deref());
        let header = Reader { cursor, sink: Unseen }.header(generation, limits)?;
        let out_of_memory = |count: usize, size: usize| {
            let asked = as_u64(count.saturating_mul(size));
            Error::without_offset(generation.format(), Field::new("surfaces"), ErrorKind::OutOfMemory { asked })
        };
        let surfaces = header.surfaces.len();
        let memos = defaults(surfaces).ok_or_else(|| out_of_memory(surfaces, size_of::<Memo>()))?;
        let sections = header.animations.len().saturating_add(surfaces).saturating_add(1);
        let starts = Starts::new(sections, header.body).ok_or_else(|| out_of_memory(sections, size_of::<u64>()))?;
        Ok(Self { data, limits: *limits, starts, memos, fault: OnceLock::new(), touched, header })
    }

    /// Returns the generation: which layout the file has.
    #[must_use]
    pub const fn generation(&self) -> Generation {
        self.header.generation
    }

    /// Returns the file's bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.data.as_ref()
    }

    /// Returns the owner of the bytes.
    #[must_use]
    pub const fn data(&self) -> &D {
        &self.data
    }

    /// Gives the owner of the bytes back.
    #[must_use]
    pub fn into_inner(self) -> D {
        self.data
    }

    /// Returns which bytes were looked at so far, of a mesh opened by [`watched`](Self::watched).
    #[must_use]
    pub fn touched(&self) -> Option<&Touched> {
        self.touched.as_deref()
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
        self.reader(BOUNDS_AT)?.bounds()
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

    /// Locates embedded animation `index`: looks at the flags of every key of it and of those before it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`], or the first fault on the way, by field and offset.
    pub fn animation(&self, index: usize) -> Result<EmbeddedAnimation<'_>> {
        let name = self.animation_name(index)?;
        let start = self.locate(index)?;
        self.reader(start)?.animation(as_u64(index), name)
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
        let (head, memo) = (self.head(index)?, self.memo(index)?);
        let start = self.locate(self.header.animations.len().saturating_add(index))?;
        Ok(SurfaceView::new(self.reader(start)?, self.generation(), as_u64(index), head, memo))
    }

    /// Reads what the header says of a surface, without locating it.
    pub(crate) fn head(&self, index: usize) -> Result<SurfaceHead<'_>> {
        self.entry("surface", &self.header.surfaces, index)?.surface_head(self.generation(), &self.limits)
    }

    /// Returns where the longest list of a surface's weights starts, in bytes from the first, and its length; `None` while
    /// nobody has walked the weights.
    pub(crate) fn longest_weights(&self, index: usize) -> Option<(u64, u8)> {
        self.memos.get(index)?.extent.get().map(|extent| extent.longest)
    }

    /// Passes the names of a surface's targets, in order.
    pub(crate) fn target_names(&self, index: usize) -> Result<impl Iterator<Item = Result<Name<'_>>>> {
        let head = self.head(index)?;
        let mut reader = self.reader(head.target_names)?;
        Ok((0..head.targets).map(move |_| reader.text("name")))
    }

    fn memo(&self, index: usize) -> Result<&Memo> {
        self.memos.get(index).ok_or_else(|| self.no_such("surface", self.memos.len(), index))
    }

    /// Returns all surfaces in file order, each located as the iterator reaches it.
    pub fn surfaces(&self) -> impl ExactSizeIterator<Item = Result<SurfaceView<'_>>> {
        (0..self.surface_count()).map(|index| self.surface(index))
    }

    /// Walks the whole structure: every count, every animation key's flags, the closing magic. No vertex is looked at.
    /// What [`validate`](Self::validate) finds beyond that is not an error here.
    ///
    /// # Errors
    ///
    /// The first fault, by field and offset.
    pub fn check(&self) -> Result<()> {
        self.end().map(drop)
    }

    /// Returns the offset of the byte after the closing magic; bytes from there on belong to no field.
    ///
    /// # Errors
    ///
    /// The first fault on the way, by field and offset.
    pub fn end(&self) -> Result<u64> {
        let mut reader = self.reader(self.locate(self.sections())?)?;
        reader.magic(self.generation(), "closing_magic")?;
        Ok(reader.cursor.offset())
    }

    /// Names every byte of the file, in file order and without gaps.
    ///
    /// # Errors
    ///
    /// The first fault, by field and offset; the regions before it have been handed out then.
    pub fn regions(&self, see: &mut dyn FnMut(Region)) -> Result<()> {
        let generation = self.generation();
        let mut reader = Reader { cursor: self.cursor(), sink: |region| see(region) };
        reader.header(generation, &self.limits)?;
        for index in 0..self.animation_count() {
            reader.animation(as_u64(index), Name::default())?;
        }
        for index in 0..self.surface_count() {
            let start = reader.cursor.offset();
            let mut arrays = self.arrays(index, start, &mut reader.sink)?;
            while arrays.next()?.is_some() {}
            reader.cursor = arrays.reader.cursor;
        }
        reader.set_place(Field::new(""));
        reader.magic(generation, "closing_magic")?;
        let left = reader.cursor.left();
        if left > 0 {
            let start = reader.cursor.offset();
            reader.cursor.lend(left, 1, "end")?;
            reader.report("end", start, BYTE, left);
        }
        Ok(())
    }

    /// Starts finding the arrays of surface `index`, whose geometry is at `start`.
    fn arrays<S: Sink>(&self, index: usize, start: u64, sink: S) -> Result<Arrays<'_, S>> {
        let (head, memo) = (self.head(index)?, self.memo(index)?);
        let reader = Reader { cursor: self.cursor().at(start)?, sink };
        Ok(Arrays::new(reader, self.generation(), as_u64(index), head.targets, memo))
    }

    /// Returns the number of sections: animations, surfaces.
    const fn sections(&self) -> usize {
        self.header.animations.len().saturating_add(self.header.surfaces.len())
    }

    /// Returns where a section starts: walks from the nearest one known, and remembers each on the way.
    fn locate(&self, section: usize) -> Result<u64> {
        if let Some((at, error)) = self.fault.get()
            && section > *at
        {
            return Err(error.clone());
        }
        let (mut known, mut start) = self.starts.nearest(section);
        while known < section {
            start = self.pass(known, start).map_err(|error| self.fault.get_or_init(|| (known, error)).1.clone())?;
            known = known.saturating_add(1);
            self.starts.set(known, start);
        }
        Ok(start)
    }

    /// Returns where a section ends that starts at `start`.
    fn pass(&self, section: usize, start: u64) -> Result<u64> {
        match section.checked_sub(self.header.animations.len()) {
            None => {
                let mut reader = self.reader(start)?;
                reader.animation(as_u64(section), Name::default())?;
                Ok(reader.cursor.offset())
            }
            Some(surface) => self.arrays(surface, start, Unseen)?.finish(),
        }
    }

    fn cursor(&self) -> Cursor<'_> {
        Cursor::new(self.data.as_ref(), self.generation().format()).watched_by(self.touched.as_deref())
    }

    fn reader(&self, offset: u64) -> Result<Reader<'_, Unseen>> {
        Ok(Reader { cursor: self.cursor().at(offset)?, sink: Unseen })
    }

    /// Starts reading item `index` of a list of the header.
    fn entry(&self, list: &'static str, starts: &[u64], index: usize) -> Result<Reader<'_, Unseen>> {
        let start = starts.get(index).ok_or_else(|| self.no_such(list, starts.len(), index))?;
        let mut reader = self.reader(*start)?;
        reader.set_place(Field::new("").of(list, as_u64(index)));
        Ok(reader)
    }

    fn no_such(&self, list: &'static str, count: usize, index: usize) -> Error {
        let kind = ErrorKind::NoSuch { count: as_u64(count), index: as_u64(index) };
        Error::without_offset(self.generation().format(), Field::new("").of(list, as_u64(index)), kind)
    }
}
