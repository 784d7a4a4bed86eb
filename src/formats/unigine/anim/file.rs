//! The owner of an animation file's bytes. It has no lifetime and can be stored.

use std::sync::OnceLock;

use super::super::geometry::Starts;
use super::super::layout::{AnimationGeneration, RawBounds, RawTransform, TRANSFORM};
use super::super::magic;
use super::super::read::{Reader, Unseen};
use super::header::Header;
use super::kept::Kept;
use super::view::AnimationView;
use crate::array::{Bounds, Sphere};
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;
use crate::model::{Bone, FileData};
use crate::parse::{Cursor, Name, OpenOptions};

/// A UNIGINE animation file of generation an10 to an13, over any owner of bytes.
///
/// | call | order | looks at | allocates |
/// |---|---|---|---|
/// | [`open`](Self::open) | bones | the header | 8 bytes per bone, 16 per animation |
/// | [`animation`](Self::animation), first time | keys | the flags of each key | nothing |
/// | [`animation`](Self::animation) again | 1 | the block's counts | nothing |
/// | a pose of an [`AnimationView`] | see there | | |
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::model::Transform;
/// use meshpeek::unigine::Animation;
/// let file = Animation::open(meshpeek::read("data/unigine/wave_an10.anim")?)?;
/// let walk = file.animation(0)?;
/// let mut pose = vec![Transform::default(); file.bone_count()];
/// walk.pose(walk.frames - 1, &mut pose)?;
/// println!("{} at the end: {:?}", file.bone(0)?.name, pose[0].position);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Animation<D> {
    pub(super) file: FileData<D>,
    pub(super) generation: AnimationGeneration,
    pub(super) header: Header,
    /// For each animation its block, and the closing magic.
    pub(super) starts: Starts,
    pub(super) kept: Kept,
    /// The animation that cannot be passed, and why.
    pub(super) fault: OnceLock<(usize, Error)>,
}

impl<D: AsRef<[u8]>> Animation<D> {
    /// Reads the header, and nothing else.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Empty`], [`ErrorKind::Unknown`] or [`ErrorKind::Unsupported`] for what is not such a file; otherwise the
    /// header's first fault, by field and offset.
    pub fn open(data: D) -> Result<Self> {
        Self::open_with(data, &OpenOptions::default())
    }

    /// Reads the header, with options.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn open_with(data: D, options: &OpenOptions) -> Result<Self> {
        let generation = magic::animation(data.as_ref())?;
        let file = FileData::new(data, options);
        let cursor = file.cursor(generation.format());
        let header = Reader { cursor, sink: Unseen }.animation_header(generation, file.limits())?;
        let count = if generation.is_quantized() { header.names.len() } else { 1 };
        let out_of_memory = || {
            let asked = as_u64(count.saturating_add(1).saturating_mul(size_of::<u64>()));
            Error::without_offset(generation.format(), Field::new("animations"), ErrorKind::OutOfMemory { asked })
        };
        let starts = Starts::new(count.saturating_add(1), header.body).ok_or_else(out_of_memory)?;
        let (kept, fault) = (Kept::new(count), OnceLock::new());
        Ok(Self { file, generation, header, starts, kept, fault })
    }

    /// Returns the generation: which layout the file has.
    #[must_use]
    pub const fn generation(&self) -> AnimationGeneration {
        self.generation
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

    /// Returns the box and sphere as stored: of an10 files only, where they often bound nothing.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn bounds(&self) -> Result<Option<(Bounds, Sphere)>> {
        Ok(self.raw_bounds()?.map(|raw| (raw.bounds(), raw.sphere())))
    }

    pub(crate) fn raw_bounds(&self) -> Result<Option<&RawBounds>> {
        if !self.generation.is_quantized() {
            return Ok(None);
        }
        self.reader(super::super::header::BOUNDS_AT)?.bounds().map(Some)
    }

    /// Returns the number of bones.
    #[must_use]
    pub const fn bone_count(&self) -> usize {
        self.header.bones.len()
    }

    /// Returns bone `index`. It rests at the origin in generations that do not say where.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`] where there is no such bone.
    pub fn bone(&self, index: usize) -> Result<Bone<'_>> {
        let (name, parent) = self.bone_head(index)?;
        let bind = self.raw_bind(index)?.map(RawTransform::get).unwrap_or_default();
        Ok(Bone { name, parent: parent.into(), bind })
    }

    pub(crate) fn bone_head(&self, index: usize) -> Result<(Name<'_>, i16)> {
        let start = self.header.bones.get(index);
        let start = start.ok_or_else(|| self.no_such("bone", self.bone_count(), index))?;
        let mut reader = self.reader(*start)?;
        reader.set_place(Field::new("").in_list("bone", as_u64(index)));
        reader.bone_head()
    }

    /// Returns a bone's bind transform, in generations that have them.
    pub(crate) fn raw_bind(&self, index: usize) -> Result<Option<&RawTransform>> {
        if !self.generation.has_binds() {
            return Ok(None);
        }
        self.reader(self.bind_at(index))?.record("bind_transform", TRANSFORM).map(Some)
    }

    /// Returns the offset of a bone's bind transform.
    pub(crate) fn bind_at(&self, index: usize) -> u64 {
        self.header.binds.saturating_add(as_u64(index).saturating_mul(TRANSFORM.size.into()))
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

    /// Returns the GUID and the path of the skeleton that the file was made for: of an12 and an13.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn skeleton(&self) -> Result<Option<[Name<'_>; 2]>> {
        if !self.generation.has_skeleton() {
            return Ok(None);
        }
        let mut reader = self.reader(self.header.skeleton)?;
        Ok(Some([reader.text_32("skeleton_guid")?, reader.text_32("skeleton_path")?]))
    }

    /// Returns the frames per second as stored: of an12 and an13.
    #[must_use]
    pub const fn raw_rate(&self) -> Option<i32> {
        self.header.rate
    }

    /// Returns the frames per second, where the file says so and the number is above 0.
    #[must_use]
    pub fn rate(&self) -> Option<f32> {
        self.header.rate.filter(|rate| *rate > 0).map(narrow)
    }

    /// Returns what stands between the rate and the magic: of an12 a byte, not 0 where a bone moves the whole; of an13 twelve
    /// unknown bytes more, 0 in every file seen.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn tail(&self) -> Result<&[u8]> {
        let length = self.generation.tail();
        self.reader(self.header.tail)?.cursor.array(length, "unknown")
    }

    /// Returns the offset of those bytes.
    pub(crate) const fn tail_at(&self) -> u64 {
        self.header.tail
    }

    /// Returns the number of animations: 1 but in an10 files, and there, too, in every file seen.
    #[must_use]
    pub const fn animation_count(&self) -> usize {
        self.kept.len()
    }

    pub(crate) fn animation_name(&self, index: usize) -> Result<Name<'_>> {
        if index >= self.animation_count() {
            return Err(self.no_such("animation", self.animation_count(), index));
        }
        match self.header.names.get(index) {
            Some(start) => {
                let mut reader = self.reader(*start)?;
                reader.set_place(Field::new("").in_list("animation", as_u64(index)));
                reader.text("name")
            }
            None => Ok(Name::default()),
        }
    }

    /// Locates animation `index`: looks at the flags of every key of it and of those before it, once, and indexes nothing.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`], or the first fault on the way, by field and offset.
    pub fn animation(&self, index: usize) -> Result<AnimationView<'_>> {
        let name = self.animation_name(index)?;
        let start = self.locate(index)?;
        let view = self.read_animation(&mut self.reader(start)?, index)?.named(name);
        if !self.generation.has_binds() {
            return Ok(view.of(self.bone_count(), self.rate()));
        }
        let bones = u32::try_from(self.bone_count()).unwrap_or(u32::MAX);
        Ok(view.resting(self.reader(self.header.binds)?.transforms(bones)?))
    }

    pub(super) const fn body(&self) -> u64 {
        self.header.body
    }

    pub(super) fn cursor(&self) -> Cursor<'_> {
        self.file.cursor(self.generation.format())
    }

    pub(super) fn reader(&self, offset: u64) -> Result<Reader<'_, Unseen>> {
        Ok(Reader { cursor: self.cursor().at(offset)?, sink: Unseen })
    }

    pub(super) fn no_such(&self, list: &'static str, count: usize, index: usize) -> Error {
        let kind = ErrorKind::NoSuch { count: as_u64(count), index: as_u64(index) };
        Error::without_offset(self.generation.format(), Field::new("").in_list(list, as_u64(index)), kind)
    }
}

#[allow(clippy::as_conversions, clippy::cast_precision_loss, reason = "rates are small; others are rounded")]
fn narrow(rate: i32) -> f32 {
    rate as f32
}
