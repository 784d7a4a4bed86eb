//! Reads an animation file, and locates the animations of the file one after another.

use zerocopy::little_endian::I32;

use super::coding::Coding;
use super::stored_checkpoints::StoredCheckpoints;
use super::view::AnimationView;
use crate::error::{Field, Result};
use crate::formats::unigine::detect;
use crate::formats::unigine::header::{BOUNDS_AT, SharedHeader};
use crate::formats::unigine::layout::{AnimationGeneration, BYTE, I32 as INT, RawBounds};
use crate::formats::unigine::reader::fields::{FieldReader, NoRegions, RegionSink};
use crate::formats::unigine::reader::file_reader::{FileReader, FileState};
use crate::math::as_u64;
use crate::model::FileContext;
use crate::parse::{Cursor, Limits, Name, OpenOptions};

/// The data that an open animation file holds in addition to the bytes of the file.
#[derive(Debug)]
pub(crate) struct AnimationFileState {
    pub(crate) file: FileState,
    pub(crate) header: AnimationHeader,
}

impl AnimationFileState {
    /// Reads the header of an animation file.
    pub(crate) fn open(bytes: &[u8], options: &OpenOptions) -> Result<Self> {
        let generation = detect::animation(bytes)?;
        let context = FileContext::new(options);
        let cursor = Cursor::new(bytes, generation.format_name()).with_access_log(context.access_log());
        let mut fields = FieldReader { cursor, sink: NoRegions };
        let (shared, header) = fields.animation_header(generation, &options.limits)?;
        let animations = if generation.is_quantized() { shared.animations.len() } else { 1 };
        let file = FileState::new(context, shared, animations, animations, bytes.len())?;
        Ok(Self { file, header })
    }
}

/// The header fields that only animation files have. All offsets in this struct are in bytes from
/// the start of the file.
#[derive(Clone, Debug)]
pub(crate) struct AnimationHeader {
    pub(crate) generation: AnimationGeneration,
    /// Offset of the skeleton's GUID, which only an12 and an13 files store.
    pub(crate) skeleton: u64,
    /// Offset of the number of animated bones, which only the headers of an12 and an13 files store.
    pub(crate) animated: u64,
    pub(crate) rate: Option<i32>,
    /// Offset of the header bytes after the frame rate.
    pub(crate) tail: u64,
}

impl<S: RegionSink> FieldReader<'_, S> {
    /// Reads the whole header of an animation file, including the first magic number and the second
    /// magic number.
    pub(crate) fn animation_header(
        &mut self,
        generation: AnimationGeneration,
        limits: &Limits,
    ) -> Result<(SharedHeader, AnimationHeader)> {
        self.magic(generation.magic(), "magic")?;
        if generation.is_quantized() {
            self.bounds()?;
        }
        let bones = if generation.has_skeleton() { self.bones_32(limits)? } else { self.bones(limits)? };
        let animations = if generation.is_quantized() { self.animation_names(limits)? } else { Box::default() };
        let skeleton = self.cursor.offset();
        let (mut animated, mut rate, mut tail) = (0, None, 0);
        if generation.has_skeleton() {
            self.text_32("skeleton_guid")?;
            self.text_32("skeleton_path")?;
            animated = self.cursor.offset();
            self.set_place(Field::new("").in_list("animation", 0));
            self.bone_ids()?;
            self.set_place(Field::new(""));
            rate = Some(self.record::<I32>("rate", INT)?.get());
            tail = self.cursor.offset();
            self.record::<u8>("root_motion", BYTE)?;
            let start = self.cursor.offset();
            let unknown = generation.tail().saturating_sub(1);
            self.cursor.bytes(unknown.into(), "unknown")?;
            if unknown > 0 {
                self.report("unknown", start, BYTE, unknown.into());
            }
        }
        self.magic(generation.magic(), "inner_magic")?;
        let mut binds = None;
        if generation.has_binds() {
            binds = Some(self.cursor.offset());
            self.transforms(u32::try_from(bones.len()).unwrap_or(u32::MAX))?;
        }
        let body = self.cursor.offset();
        let shared = SharedHeader { format: generation.format_name(), bones, animations, binds, body };
        Ok((shared, AnimationHeader { generation, skeleton, animated, rate, tail }))
    }
}

/// The reader of an animation file, which borrows the bytes of the file and the cached results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnimationReader<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) state: &'a AnimationFileState,
}

impl<'a> AnimationReader<'a> {
    /// Returns a reader for the fields that animation files and mesh files have in common.
    pub(crate) const fn file(self) -> FileReader<'a> {
        FileReader { bytes: self.bytes, state: &self.state.file }
    }

    pub(crate) fn raw_bounds(self) -> Result<Option<&'a RawBounds>> {
        if !self.state.header.generation.is_quantized() {
            return Ok(None);
        }
        self.file().fields(BOUNDS_AT)?.bounds().map(Some)
    }

    /// Returns the GUID and the path of the skeleton, or `None` for the formats an10 and an11,
    /// which store no reference to a skeleton.
    pub(crate) fn skeleton(self) -> Result<Option<[Name<'a>; 2]>> {
        if !self.state.header.generation.has_skeleton() {
            return Ok(None);
        }
        let mut fields = self.file().fields(self.state.header.skeleton)?;
        Ok(Some([fields.text_32("skeleton_guid")?, fields.text_32("skeleton_path")?]))
    }

    /// Returns the frame rate in frames per second, or `None` if the file does not store a frame
    /// rate above 0.
    pub(crate) fn rate(self) -> Option<f32> {
        self.state.header.rate.filter(|rate| *rate > 0).map(narrow)
    }

    /// Returns the bytes between the frame rate and the second magic number of the file.
    pub(crate) fn tail(self) -> Result<&'a [u8]> {
        let length = self.state.header.generation.tail();
        self.file().fields(self.state.header.tail)?.cursor.array(length, "unknown")
    }

    pub(crate) fn animation(self, index: usize) -> Result<AnimationView<'a>> {
        let file = self.file();
        let name = file.animation_name(index)?;
        let start = self.locate(index)?;
        let view = self.read_animation(&mut file.fields(start)?, index)?.named(name);
        Ok(match file.binds()? {
            Some(binds) => view.resting(binds),
            None => view.of(file.bone_count(), self.rate()),
        })
    }

    /// Reads the animation block of animation `index`. In an12 and an13, the indices of the
    /// animated bones are in the file header.
    pub(crate) fn read_animation(
        self,
        fields: &mut FieldReader<'a, impl RegionSink>,
        index: usize,
    ) -> Result<AnimationView<'a>> {
        let (file, header) = (self.file(), &self.state.header);
        let cache = file.animation_cache(index)?;
        cache.recall_from(|| StoredCheckpoints::of(self.sidecar()?, index));
        let share = file.bytes_per_animation();
        let bones =
            if header.generation.has_skeleton() { Some(file.fields(header.animated)?.bone_ids()?) } else { None };
        fields.set_place(Field::new("").in_list("animation", as_u64(index)));
        if header.generation.is_quantized() {
            return fields.quantized_animation(cache, share);
        }
        let bones = match bones {
            Some(bones) => bones,
            None => fields.bone_ids()?,
        };
        fields.keys(bones, Coding::Whole, cache, share)
    }

    /// Returns the start offset of the animation block with the index `section`. If `section` is
    /// the number of animations, returns the offset of the closing magic number.
    pub(crate) fn locate(self, section: usize) -> Result<u64> {
        let pass = |known, start| {
            let mut fields = self.file().fields(start)?;
            self.read_animation(&mut fields, known)?;
            Ok(fields.cursor.offset())
        };
        self.state.file.sections.locate(section, || self.file().section_of(self.sidecar()?, section), pass)
    }

    /// Reads the structure of the whole file: every count, the flags of every key, and the closing
    /// magic number. Returns the first error in the file.
    pub(crate) fn check(self) -> Result<()> {
        match self.state.file.options_without_sidecar() {
            // The sidecar may not match the file, so the check of the file structure does not use
            // the sidecar.
            Some(options) => {
                AnimationReader { state: &AnimationFileState::open(self.bytes, &options)?, ..self }.check()
            }
            None => self.end().map(drop),
        }
    }

    /// Returns the offset of the byte after the closing magic number.
    pub(crate) fn end(self) -> Result<u64> {
        let mut fields = self.file().fields(self.locate(self.file().animation_count())?)?;
        self.closing_magic(&mut fields)?;
        Ok(fields.cursor.offset())
    }

    /// Reads the magic number that closes the file.
    ///
    /// If the closing magic number is missing, and some keys have flags of unknown meaning, the
    /// error refers to the first key with flags of unknown meaning.
    pub(crate) fn closing_magic<S: RegionSink>(self, fields: &mut FieldReader<'_, S>) -> Result<()> {
        fields.set_place(Field::new(""));
        let Err(error) = fields.magic(self.state.header.generation.magic(), "closing_magic") else { return Ok(()) };
        for index in 0..self.file().animation_count() {
            let Ok(view) = self.animation(index) else { continue };
            if let Some(at) = view.first_unknown() {
                fields.set_place(Field::new("").in_list("animation", as_u64(index)));
                return Err(fields.unknown_flags(at, &view.coding()));
            }
        }
        Err(error)
    }
}

#[allow(clippy::as_conversions, clippy::cast_precision_loss, reason = "rates are small; others are rounded")]
fn narrow(rate: i32) -> f32 {
    rate as f32
}
