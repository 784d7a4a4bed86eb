//! Reads the header of an animation file. The header consists of all bytes before the first
//! animation block.

use zerocopy::little_endian::I32;

use crate::error::{Field, Result};
use crate::formats::unigine::header::SharedHeader;
use crate::formats::unigine::layout::{AnimationGeneration, BYTE, I32 as INT};
use crate::formats::unigine::reader::fields::{FieldReader, RegionSink};
use crate::parse::Limits;

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
