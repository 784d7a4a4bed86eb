//! Reads the animation blocks of mesh files and animation files.
//!
//! The reader reads the counts of an animation block, and scans the flags of all keys to find the
//! end of the block. Reading an animation block does not decode the components of its keys.

use zerocopy::little_endian::I16;

use super::cache::CacheSlot;
use super::coding::Coding;
use super::view::{AnimationView, BoneIds};
use crate::decode::OffsetScale16;
use crate::error::{Cause, Error, Field, Result};
use crate::formats::unigine::layout::{BOX, BYTE, KEYS, PARENT, RawBox};
use crate::formats::unigine::reader::fields::{FieldReader, RegionSink};
use crate::formats::unigine::validate::rules::ANIMATED_BONE;
use crate::math::as_u64;
use zerocopy::little_endian::F32;

impl RawBox {
    /// Returns the decoder that converts 16-bit codes to values in this quantization box.
    #[must_use]
    pub fn decoder(&self) -> OffsetScale16 {
        OffsetScale16 { min: self.min.map(F32::get), size: self.size.map(F32::get) }
    }
}

impl<'a, S: RegionSink> FieldReader<'a, S> {
    /// Reads the animation block of an embedded animation and returns its view.
    pub(crate) fn embedded_animation(
        &mut self,
        index: u64,
        cache: CacheSlot<'a>,
        share: u64,
    ) -> Result<AnimationView<'a>> {
        self.set_place(Field::new("").in_list("animation", index));
        let bones = self.bone_ids()?;
        let flags_at = self.cursor.offset();
        let flags = *self.record::<u8>("flags", BYTE)?;
        let view = self.keys(bones, Coding::Changes, cache, share)?;
        Ok(view.flagged(flags, flags_at))
    }

    /// Reads the animation block of an animation in an an10 file and returns its view.
    pub(crate) fn quantized_animation(&mut self, cache: CacheSlot<'a>, share: u64) -> Result<AnimationView<'a>> {
        let bones = self.bone_ids()?;
        let positions = self.record::<RawBox>("position_box", BOX)?;
        let scales = self.record::<RawBox>("scale_box", BOX)?;
        let flags_at = self.cursor.offset();
        let flags = *self.record::<u8>("flags", BYTE)?;
        let coding = Coding::Quantized([positions.decoder(), scales.decoder()]);
        Ok(self.keys(bones, coding, cache, share)?.flagged(flags, flags_at))
    }

    /// Reads the indices of the bones that an animation moves.
    pub(crate) fn bone_ids(&mut self) -> Result<BoneIds<'a>> {
        let count = self.count_of("bones.count", 2, u64::MAX)?;
        let at = self.cursor.offset();
        let ids = self.cursor.array::<I16>(count, "bone_ids")?;
        self.report("bone_ids", at, PARENT, count.into());
        Ok(BoneIds { ids, at })
    }

    /// Reads the number of animation frames and skips the keys of all frames.
    ///
    /// The first call for an animation scans the flags of all keys of the animation. If the
    /// animation has at least 64 keys, later calls use the cached result of the key scan.
    pub(crate) fn keys(
        &mut self,
        bones: BoneIds<'a>,
        coding: Coding,
        cache: CacheSlot<'a>,
        share: u64,
    ) -> Result<AnimationView<'a>> {
        let at = self.cursor.offset();
        let frames = self.count("frames.count")?;
        // The number of bones and the number of frames are below 2^31, so their product fits in 64
        // bits. Each key takes at least one byte for its flags.
        let count = as_u64(bones.ids.len()).saturating_mul(frames.into());
        self.cursor.can_hold(at, count, 1, "frames.count")?;
        let start = self.cursor.offset();
        let (scan, looked) = cache.scan(self.cursor.rest(), count, &coding).map_err(|fault| {
            if let Some(unknown) = fault.unknown {
                return self.unknown_flags(start.saturating_add(unknown), &coding);
            }
            let kind = Cause::UnexpectedEnd { needed: fault.needed, left: self.cursor.left().saturating_sub(fault.at) };
            self.cursor.error_at(start.saturating_add(fault.at), "keys", kind)
        })?;
        let keys = self.cursor.lend(scan.bytes, 1, "keys")?;
        if looked {
            self.cursor.record_partial(start, count);
        }
        self.report("keys", start, KEYS, count);
        let view = AnimationView::new(bones, coding, frames, (keys, start), (scan, cache), share);
        Ok(view.placed(self.cursor.format(), self.cursor.field("")))
    }

    /// Creates the error for the key at the offset `at`, whose flags contain bits of unknown
    /// meaning.
    ///
    /// Flags of unknown meaning may add an unknown number of bytes to a key, so the data after the
    /// key may be misread.
    pub(crate) fn unknown_flags(&self, at: u64, coding: &Coding) -> Error {
        let flags = self.cursor.clone().at(at).ok().and_then(|mut key| key.read::<u8>("keys").copied().ok());
        let expected = format!("key flags without any of the bits 0x{:02x}", coding.unknown());
        let found = format!("0x{:02x}", flags.unwrap_or_default());
        self.cursor.error_at(at, "keys", Cause::value(expected, found)).breaking(&ANIMATED_BONE)
    }
}
