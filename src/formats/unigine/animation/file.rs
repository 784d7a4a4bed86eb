//! The owner of an animation file's bytes. It has no lifetime and can be stored.

use std::io::Write;
use std::sync::Arc;

use super::reader::{AnimationFileState, AnimationReader};
use super::view::AnimationView;
use crate::array::{Bounds, Sphere};
use crate::error::Result;
use crate::formats::unigine::layout::AnimationGeneration;
use crate::formats::unigine::{regions, validate, write};
use crate::model::animation::Animations;
use crate::model::{Bone, FormatVersion, Geometry, MeshFile};
use crate::parse::{AccessLog, Finding, Name, OpenOptions, Region, Rule};
use crate::sidecar::{Builder, Sidecar, SidecarSlot};

/// A UNIGINE animation file of generation an10 to an13, over any owner of bytes.
///
/// | call | order | looks at | allocates |
/// |---|---|---|---|
/// | [`open`](Self::open) | bones | the header | 8 bytes per bone, 32 per animation |
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
    data: D,
    state: AnimationFileState,
}

impl<D: AsRef<[u8]>> Animation<D> {
    /// Reads the header, and nothing else.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Empty`](crate::ErrorKind::Empty), [`ErrorKind::Unknown`](crate::ErrorKind::Unknown) or
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for what is not such a file; otherwise the header's first
    /// fault, by field and offset.
    pub fn open(data: D) -> Result<Self> {
        Self::open_with(data, &OpenOptions::default())
    }

    /// Reads the header, with options.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn open_with(data: D, options: &OpenOptions) -> Result<Self> {
        let state = AnimationFileState::open(data.as_ref(), options)?;
        Ok(Self { data, state })
    }

    fn reader(&self) -> AnimationReader<'_> {
        AnimationReader { bytes: self.as_bytes(), state: &self.state }
    }

    /// Returns the generation: which layout the file has.
    #[must_use]
    pub const fn generation(&self) -> AnimationGeneration {
        self.state.header.generation
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

    /// Returns the box and sphere as stored: of an10 files only, where they often bound nothing.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn bounds(&self) -> Result<Option<(Bounds, Sphere)>> {
        Ok(self.reader().raw_bounds()?.map(|raw| (raw.bounds(), raw.sphere())))
    }

    /// Returns the number of bones.
    #[must_use]
    pub const fn bone_count(&self) -> usize {
        self.state.file.header.bones.len()
    }

    /// Returns bone `index`. It rests at the origin in generations that do not say where.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) where there is no such bone.
    pub fn bone(&self, index: usize) -> Result<Bone<'_>> {
        self.reader().file().bone(index)
    }

    /// Returns the GUID and the path of the skeleton that the file was made for: of an12 and an13.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn skeleton(&self) -> Result<Option<[Name<'_>; 2]>> {
        self.reader().skeleton()
    }

    /// Returns the frames per second as stored: of an12 and an13.
    #[must_use]
    pub const fn raw_rate(&self) -> Option<i32> {
        self.state.header.rate
    }

    /// Returns the frames per second, where the file says so and the number is above 0.
    #[must_use]
    pub fn rate(&self) -> Option<f32> {
        self.reader().rate()
    }

    /// Returns what stands between the rate and the magic: of an12 a byte, not 0 where a bone moves the whole; of an13 twelve
    /// unknown bytes more, 0 in every file seen.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn tail(&self) -> Result<&[u8]> {
        self.reader().tail()
    }

    /// Returns the number of animations: 1 but in an10 files, and there, too, in every file seen.
    #[must_use]
    pub const fn animation_count(&self) -> usize {
        self.state.file.animations.len()
    }

    /// Locates animation `index`: looks at the flags of every key of it and of those before it, once, and indexes nothing.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch), or the first fault on the way, by field and offset.
    pub fn animation(&self, index: usize) -> Result<AnimationView<'_>> {
        self.reader().animation(index)
    }

    /// Returns the offset of the byte after the closing magic; bytes from there on belong to no field.
    ///
    /// # Errors
    ///
    /// The first fault on the way, by field and offset.
    pub fn end(&self) -> Result<u64> {
        self.reader().end()
    }
}

impl<D: AsRef<[u8]> + Send + Sync> FormatVersion for Animation<D> {
    fn format(&self) -> &'static str {
        "unigine"
    }

    fn version(&self) -> &'static str {
        self.generation().magic()
    }
}

impl<D: AsRef<[u8]> + Send + Sync> MeshFile for Animation<D> {
    type Data = D;

    fn source(&self, source: usize) -> Option<&D> {
        (source == 0).then_some(&self.data)
    }

    fn access_log(&self, source: usize) -> Option<&AccessLog> {
        self.state.file.context.access_log().filter(|_| source == 0)
    }

    fn check(&self) -> Result<()> {
        self.reader().check()
    }

    fn regions(&self, source: usize, visit: &mut dyn FnMut(Region)) -> Result<()> {
        self.expect_source(source)?;
        regions::of_animation_file(self.reader(), visit)
    }

    fn rules(&self) -> &'static [Rule] {
        validate::RULES
    }

    fn validate_structure(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        validate::animation_file_structure(self.reader(), report)
    }

    fn validate(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        validate::animation_file(self.reader(), report)
    }

    fn write_to(&self, source: usize, out: &mut dyn Write) -> Result<()> {
        self.expect_source(source)?;
        write::animation_file(self.reader(), out)
    }

    fn set_sidecar(&mut self, sidecar: Arc<Sidecar>) {
        if sidecar.matches(self.reader().file().header_bytes()) {
            self.state.file.context.sidecar = SidecarSlot::new(sidecar);
        }
    }

    fn index(&self, builder: &mut Builder) -> Result<()> {
        self.reader().index(builder)
    }

    fn geometry(&self) -> Option<&dyn Geometry> {
        Some(self)
    }

    fn animations(&self) -> Option<&dyn Animations> {
        Some(self)
    }
}
