//! The [`Animation`] type, which holds the bytes of an animation file.
//!
//! An [`Animation`] has no lifetime parameter, therefore it can be stored in a struct.

use std::io::{self, Write};
use std::sync::Arc;

use super::key_values;
use super::reader::{AnimationFileState, AnimationReader};
use super::view::AnimationView;
use crate::array::{Bounds, Sphere};
use crate::error::debug::short_debug;
use crate::error::{Error, Result, no_such};
use crate::formats::unigine::geometry::SPACE;
use crate::formats::unigine::layout::AnimationGeneration;
use crate::formats::unigine::{properties, regions, validate, write};
use crate::model::{
    Bone, Counts, DescribedBlocks, FormatVersion, Geometry, Indices, MeshFile, Positions, Properties, Space,
    SurfaceArrays, WrittenForm,
};
use crate::parse::{AccessLog, Finding, Name, OpenOptions, Region, RegionBytes, RegionElement, Rule};
use crate::sidecar::{Builder, Sidecar, SidecarSlot};

/// A UNIGINE animation file (`.anim`) in one of the formats an10, an11, an12 and an13.
///
/// The bytes of the file can be held by any type that implements `AsRef<[u8]>`.
///
/// | call | time proportional to | reads | allocates |
/// |---|---|---|---|
/// | [`open`](Self::open) | bones | the header | 8 bytes per bone, 16 per animation |
/// | [`animation`](Self::animation), first call | keys | the flags of each key | 16 bytes per animation of the file, once; one cache entry if it has 64 keys or more |
/// | [`animation`](Self::animation) again | 1 | the counts of the block | nothing |
/// | a pose of an [`AnimationView`] | see [`AnimationView`] | | |
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
pub struct Animation<D> {
    data: D,
    state: AnimationFileState,
}

short_debug!([D: AsRef<[u8]>] Animation<D>: |file| {
    format: file.generation().format(), bytes: file.as_bytes().len(), bones: file.bone_count(),
    animations: file.animation_count(),
});

impl<D: AsRef<[u8]>> Animation<D> {
    /// Opens an animation file, and reads only the header of the file.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Empty`](crate::ErrorKind::Empty),
    /// [`ErrorKind::Unknown`](crate::ErrorKind::Unknown) or
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the bytes are not a supported
    /// animation file. If the header is damaged, returns the first error in the header, with the
    /// field and the byte offset of the error.
    pub fn open(data: D) -> Result<Self> {
        Self::open_with(data, &OpenOptions::default())
    }

    /// Opens an animation file with the given options, and reads only the header of the file.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`open`](Self::open).
    pub fn open_with(data: D, options: &OpenOptions) -> Result<Self> {
        let state = AnimationFileState::open(data.as_ref(), options)?;
        Ok(Self { data, state })
    }

    pub(crate) fn reader(&self) -> AnimationReader<'_> {
        AnimationReader { bytes: self.as_bytes(), state: &self.state }
    }

    /// Returns the format generation of the animation file, from an10 to an13. The format
    /// generation determines the layout of the file.
    #[must_use]
    pub const fn generation(&self) -> AnimationGeneration {
        self.state.header.generation
    }

    /// Returns the bytes of the file.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.data.as_ref()
    }

    /// Returns a reference to the value that holds the bytes of the file.
    #[must_use]
    pub const fn data(&self) -> &D {
        &self.data
    }

    /// Consumes the animation file and returns the value that holds the bytes of the file.
    #[must_use]
    pub fn into_inner(self) -> D {
        self.data
    }

    /// Returns the bounding box and the bounding sphere as stored in the header. In real an10
    /// files, the bounds in the header are often empty (the minimum exceeds the maximum).
    ///
    /// Returns `None` for the formats an11, an12 and an13, which store no bounds.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes of the file have changed since the file was opened.
    pub fn bounds(&self) -> Result<Option<(Bounds, Sphere)>> {
        Ok(self.reader().raw_bounds()?.map(|raw| (raw.bounds(), raw.sphere())))
    }

    /// Returns the number of bones of the skeleton.
    #[must_use]
    pub const fn bone_count(&self) -> usize {
        self.state.file.header.bones.len()
    }

    /// Returns the bone with the index `index`: its name, parent and bind transform.
    ///
    /// In an12 and an13, which do not store bind transforms, the bind transform of each bone is the
    /// default transform (position 0, no rotation, scale 1).
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if the index is out of range.
    pub fn bone(&self, index: usize) -> Result<Bone<'_>> {
        self.reader().file().bone(index)
    }

    /// Returns the GUID and the path of the skeleton that the file was made for.
    ///
    /// Returns `None` in an10 and an11, which store no reference to a skeleton.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes of the file have changed since the file was opened.
    pub fn skeleton(&self) -> Result<Option<[Name<'_>; 2]>> {
        self.reader().skeleton()
    }

    /// Returns the frame rate in frames per second, as stored in the file. Returns `None` in an10
    /// and an11, which store no frame rate.
    #[must_use]
    pub const fn raw_rate(&self) -> Option<i32> {
        self.state.header.rate
    }

    /// Returns the frame rate in frames per second, or `None` if the file does not store a frame
    /// rate above 0.
    #[must_use]
    pub fn rate(&self) -> Option<f32> {
        self.reader().rate()
    }

    /// Returns the bytes between the frame rate and the second magic number of the file.
    ///
    /// In an12, the returned slice has one byte, which is not 0 if a bone moves the whole model
    /// (root motion). In an13, twelve bytes of unknown meaning follow the byte for root motion.
    /// They are 0 in every known file.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes of the file have changed since the file was opened.
    pub fn tail(&self) -> Result<&[u8]> {
        self.reader().tail()
    }

    /// Returns the number of animations in the file.
    ///
    /// From an11 on, the number of animations is always 1. In an10, the file stores the number of
    /// animations, which is 1 in every known file.
    #[must_use]
    pub const fn animation_count(&self) -> usize {
        self.state.file.animations.len()
    }

    /// Locates the animation with the index `index`, and returns a view of this animation.
    ///
    /// The first call for an animation reads the flags of every key of this animation and of the
    /// animations before it. Later calls for the animation use the cached result of that read. The
    /// method `animation` does not build checkpoints.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if the index is out of range, or the
    /// first error in the bytes up to the end of the animation, with the field and the byte offset
    /// of the error.
    pub fn animation(&self, index: usize) -> Result<AnimationView<'_>> {
        self.reader().animation(index)
    }

    /// Returns the offset of the first byte after the closing magic number, in bytes from the start
    /// of the file.
    ///
    /// Bytes at and after the returned offset belong to no field of the animation file.
    ///
    /// # Errors
    ///
    /// Returns the first error in the bytes up to the closing magic number, with the field and the
    /// byte offset of the error.
    pub fn end(&self) -> Result<u64> {
        self.reader().end()
    }

    /// Adds to a sidecar those byte offsets in this file that take long to find.
    ///
    /// # Errors
    ///
    /// Returns the first error in the structure, with its field and offset, or
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory).
    pub fn index(&self, builder: &mut Builder) -> Result<()> {
        self.reader().index(builder)
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

    fn element(&self, here: &RegionBytes<'_>) -> RegionElement {
        key_values::element(here, |index| self.animation(index))
    }

    fn properties(&self, _: &DescribedBlocks, out: &mut Properties<'_>) -> io::Result<()> {
        properties::of_animation(self, out)
    }

    fn remarks(&self) -> Vec<(&'static str, String)> {
        properties::skeleton_in_words(self).map(|text| ("skeleton", text)).into_iter().collect()
    }

    fn rules(&self) -> &'static [Rule] {
        validate::RULES
    }

    fn validate_structure(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        validate::animation_file_structure(self.reader(), report)
    }

    fn validate(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        self.prefetch();
        validate::animation_file(self.reader(), report)
    }

    fn write_to(&self, source: usize, out: &mut dyn Write) -> Result<()> {
        self.expect_source(source)?;
        write::animation_file(self.reader(), out)
    }

    fn written_form(&self) -> WrittenForm {
        WrittenForm::new(&["anim"])
    }

    fn set_sidecar(&mut self, sidecar: Arc<Sidecar>) {
        if sidecar.matches(self.reader().file().header_bytes()) {
            self.state.file.context.sidecar = SidecarSlot::new(sidecar);
        }
    }

    fn has_surfaces(&self) -> bool {
        false
    }
}

impl<D: AsRef<[u8]> + Send + Sync> Geometry for Animation<D> {
    fn space(&self) -> Space {
        SPACE
    }

    fn bounds(&self) -> Result<Bounds> {
        Ok(Self::bounds(self)?.map_or(Bounds::EMPTY, |(bounds, _)| bounds))
    }

    fn sphere(&self) -> Result<Option<Sphere>> {
        Ok(Self::bounds(self)?.map(|(_, sphere)| sphere))
    }
}

/// An animation file has no surfaces, and hence no index for which a method is called.
impl<D: AsRef<[u8]> + Send + Sync> SurfaceArrays for Animation<D> {
    fn surface_count(&self) -> Result<usize> {
        Ok(0)
    }

    fn surface_name(&self, surface: usize) -> Result<Name<'_>> {
        Err(no_surface(surface))
    }

    fn surface_bounds(&self, surface: usize) -> Result<Bounds> {
        Err(no_surface(surface))
    }

    fn counts(&self, surface: usize) -> Result<Counts> {
        Err(no_surface(surface))
    }

    fn positions(&self, surface: usize, _: usize) -> Result<Positions<'_>> {
        Err(no_surface(surface))
    }

    fn indices(&self, surface: usize) -> Result<Indices<'_>> {
        Err(no_surface(surface))
    }

    fn fault(&self, surface: usize, _: &'static str, _: u64, _: Error) -> Error {
        no_surface(surface)
    }
}

fn no_surface(surface: usize) -> Error {
    no_such("unigine", "surface", 0, surface)
}
