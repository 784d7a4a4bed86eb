//! Reads the data that exists in both meshes and animation files: bones, and the offsets of
//! sections and animations.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::fields::{FieldReader, NoRegions};
use crate::error::{Cause, Error, Field, FormatName, Result};
use crate::formats::unigine::animation::cache::{AnimationCaches, CacheSlot};
use crate::formats::unigine::header::SharedHeader;
use crate::formats::unigine::layout::{RawTransform, TRANSFORM};
use crate::math::as_u64;
use crate::model::{Bone, FileContext};
use crate::parse::{Cursor, Name, OpenOptions, room};

/// The data that an open mesh or animation file holds in addition to the bytes of the file: the
/// options, the offsets of header fields, and cached results.
#[derive(Debug)]
pub(crate) struct FileState {
    pub(crate) context: FileContext,
    pub(crate) header: SharedHeader,
    pub(crate) sections: Sections,
    pub(crate) animations: AnimationCaches,
}

impl FileState {
    pub(crate) fn new(
        context: FileContext,
        header: SharedHeader,
        sections: usize,
        animations: usize,
        file_size: usize,
    ) -> Result<Self> {
        let sections = Sections::new(header.format, sections, header.body)?;
        let animations = AnimationCaches::new(animations, file_size);
        Ok(Self { context, header, sections, animations })
    }

    /// Returns the options for opening the file again without its sidecar, or `None` if the file
    /// has no sidecar.
    pub(crate) fn options_without_sidecar(&self) -> Option<OpenOptions> {
        let options = OpenOptions { record_access: false, ..self.context.options };
        self.context.sidecar.is_there().then_some(options)
    }
}

/// Reads the data that exists in both meshes and animation files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileReader<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) state: &'a FileState,
}

impl<'a> FileReader<'a> {
    pub(crate) const fn format(self) -> &'static FormatName {
        self.state.header.format
    }

    pub(crate) fn cursor(self) -> Cursor<'a> {
        Cursor::new(self.bytes, self.format()).with_access_log(self.state.context.access_log())
    }

    pub(crate) fn fields(self, offset: u64) -> Result<FieldReader<'a, NoRegions>> {
        Ok(FieldReader { cursor: self.cursor().at(offset)?, sink: NoRegions })
    }

    /// Returns a field reader at the start of entry `index` of a list in the header, such as the
    /// list of bones.
    pub(crate) fn entry(self, list: &'static str, starts: &[u64], index: usize) -> Result<FieldReader<'a, NoRegions>> {
        let start = starts.get(index).ok_or_else(|| self.no_such(list, starts.len(), index))?;
        let mut fields = self.fields(*start)?;
        fields.set_place(Field::new("").in_list(list, as_u64(index)));
        Ok(fields)
    }

    pub(crate) fn no_such(self, list: &'static str, count: usize, index: usize) -> Error {
        let kind = Cause::NoSuch { count: as_u64(count), index: as_u64(index) };
        Error::without_offset(self.format(), Field::new("").in_list(list, as_u64(index)), kind)
    }

    /// Returns the bytes of the header. A sidecar identifies its mesh or animation file by the
    /// header bytes of the file.
    pub(crate) fn header_bytes(self) -> &'a [u8] {
        let end = usize::try_from(self.state.header.body).unwrap_or(usize::MAX);
        self.bytes.get(..end).unwrap_or_default()
    }

    pub(crate) const fn bone_count(self) -> usize {
        self.state.header.bones.len()
    }

    /// Returns the name, the parent and the bind transform of bone `index`. In format generations
    /// without bind transforms, the bind transform is the default transform.
    pub(crate) fn bone(self, index: usize) -> Result<Bone<'a>> {
        let (name, parent) = self.bone_header(index)?;
        let bind = self.bind(index)?.map(RawTransform::get).unwrap_or_default();
        Ok(Bone { name, parent: parent.into(), bind })
    }

    /// Returns the name and the parent index of bone `index`.
    pub(crate) fn bone_header(self, index: usize) -> Result<(Name<'a>, i16)> {
        self.entry("bone", &self.state.header.bones, index)?.bone_header()
    }

    /// Returns the offset of a bone's entry in the header.
    pub(crate) fn bone_at(self, index: usize) -> u64 {
        self.state.header.bones.get(index).copied().unwrap_or_default()
    }

    /// Returns the offset of a bone's parent index, which is the last field of the bone's header
    /// entry.
    pub(crate) fn parent_at(self, index: usize) -> Result<u64> {
        let mut fields = self.fields(self.bone_at(index))?;
        fields.text("name")?;
        Ok(fields.cursor.offset())
    }

    /// Returns the bind transform of bone `index`, or `None` in format generations without bind
    /// transforms.
    pub(crate) fn bind(self, index: usize) -> Result<Option<&'a RawTransform>> {
        let Some(at) = self.bind_at(index) else { return Ok(None) };
        self.fields(at)?.record("bind_transform", TRANSFORM).map(Some)
    }

    /// Returns the offset of the bind transform of bone `index`, or `None` in format generations
    /// without bind transforms.
    pub(crate) fn bind_at(self, index: usize) -> Option<u64> {
        let first = self.state.header.binds?;
        Some(first.saturating_add(as_u64(index).saturating_mul(TRANSFORM.size.into())))
    }

    /// Returns the bind transforms of all bones, or `None` in format generations without bind
    /// transforms.
    pub(crate) fn binds(self) -> Result<Option<&'a [RawTransform]>> {
        let Some(at) = self.state.header.binds else { return Ok(None) };
        let bones = u32::try_from(self.bone_count()).unwrap_or(u32::MAX);
        self.fields(at)?.transforms(bones).map(Some)
    }

    pub(crate) const fn animation_count(self) -> usize {
        self.state.animations.len()
    }

    /// Returns the name of animation `index`, which is empty in format generations without
    /// animation names.
    pub(crate) fn animation_name(self, index: usize) -> Result<Name<'a>> {
        self.animation_cache(index)?;
        let names = &self.state.header.animations;
        if names.is_empty() { Ok(Name::default()) } else { self.entry("animation", names, index)?.text("name") }
    }

    pub(crate) fn animation_cache(self, index: usize) -> Result<CacheSlot<'a>> {
        let cache = self.state.animations.slot(index);
        cache.ok_or_else(|| self.no_such("animation", self.animation_count(), index))
    }

    /// Returns the file size divided by the number of animations, in bytes.
    ///
    /// The maximum size of an animation's checkpoint index is a fraction (2 %) of the returned
    /// number.
    pub(crate) fn bytes_per_animation(self) -> u64 {
        as_u64(self.bytes.len()).checked_div(as_u64(self.animation_count())).unwrap_or_default()
    }
}

/// The start offsets of the sections of a file that were found so far. An unknown offset is stored
/// as 0, because no section can start at offset 0, where the magic number of the file is.
///
/// Two threads that search for the same section at the same time store the same offset. Because all
/// threads store the same offset for a section, the offsets need no lock.
#[derive(Debug)]
struct SectionOffsets(Box<[AtomicU64]>);

impl SectionOffsets {
    fn get(&self, index: usize) -> Option<u64> {
        self.0.get(index).map(|start| start.load(Ordering::Relaxed)).filter(|start| *start != 0)
    }

    fn set(&self, index: usize, offset: u64) {
        if let Some(start) = self.0.get(index) {
            start.store(offset, Ordering::Relaxed);
        }
    }

    /// Returns the index and the start offset of the nearest section before or at `index` whose
    /// start offset is known.
    fn nearest(&self, index: usize) -> (usize, u64) {
        let known = self.0.iter().take(index.saturating_add(1)).enumerate().rev();
        let mut known = known.map(|(index, start)| (index, start.load(Ordering::Relaxed)));
        known.find(|(_, start)| *start != 0).unwrap_or_default()
    }
}

/// The sections of a file, with the start offsets that are known so far.
///
/// Except in ms14 and ms15, the sections (animations, surface geometry and trees) follow each other
/// without a table of offsets, so a section is located by reading the sections before it. Each
/// section is read only once, because the start offset of the next section is then stored.
#[derive(Debug)]
pub(crate) struct Sections {
    offsets: SectionOffsets,
    /// The index of the first section that cannot be read, and the error of reading this section.
    /// If a section cannot be read, the sections after it cannot be located.
    fault: OnceLock<(usize, Error)>,
}

impl Sections {
    /// Allocates memory for the start offsets of `count` sections and the end offset of the last
    /// section. The first section of the file starts at the offset `first`.
    pub(crate) fn new(format: &'static str, count: usize, first: u64) -> Result<Self> {
        let offsets = SectionOffsets(slots(format, "sections", count.saturating_add(1))?);
        offsets.set(0, first);
        Ok(Self { offsets, fault: OnceLock::new() })
    }

    /// Returns the start offset of a section, or `None` if the offset is not known yet.
    pub(crate) fn get(&self, section: usize) -> Option<u64> {
        self.offsets.get(section)
    }

    /// Stores the start offset of a section.
    pub(crate) fn set(&self, section: usize, start: u64) {
        self.offsets.set(section, start);
    }

    /// Returns the start offset of a section.
    ///
    /// If the start offset is not known yet, the closure `stored` can return it from a sidecar. If
    /// `stored` returns `None`, the method reads all sections from the nearest earlier section with
    /// a known start offset up to the requested section. The closure `pass` receives the index and
    /// the start offset of a section, and returns the end offset of that section. The method stores
    /// the start offset of each section that it reads.
    pub(crate) fn locate(
        &self,
        section: usize,
        stored: impl FnOnce() -> Option<u64>,
        pass: impl Fn(usize, u64) -> Result<u64>,
    ) -> Result<u64> {
        if let Some(start) = self.get(section) {
            return Ok(start);
        }
        if let Some(start) = stored() {
            self.set(section, start);
            return Ok(start);
        }
        if let Some((at, error)) = self.fault.get()
            && section > *at
        {
            return Err(error.clone());
        }
        let (mut known, mut start) = self.offsets.nearest(section);
        while known < section {
            start = pass(known, start).map_err(|error| self.fault.get_or_init(|| (known, error)).1.clone())?;
            known = known.saturating_add(1);
            self.set(known, start);
        }
        Ok(start)
    }
}

/// Allocates a slice of `count` default values. Returns an error if there is not enough memory.
pub(crate) fn slots<T: Default>(format: &'static str, name: &'static str, count: usize) -> Result<Box<[T]>> {
    let mut slots = room(format, name, count)?;
    slots.resize_with(count, T::default);
    Ok(slots.into())
}
