//! The header of an animation file: everything before the first animation block.

use zerocopy::little_endian::I32;

use super::super::header::{Claims, Counted};
use super::super::layout::{AnimationGeneration, BYTE, I32 as INT};
use super::super::read::{Reader, Sink};
use crate::error::{Field, Result};
use crate::parse::Limits;

/// Where things start, in bytes from the start of the file.
#[derive(Clone, Debug)]
pub(super) struct Header {
    /// For each bone, its name.
    pub(super) bones: Box<[u64]>,
    /// For each animation of an an10 file, its name.
    pub(super) names: Box<[u64]>,
    /// What the newest generations say of the skeleton: its GUID.
    pub(super) skeleton: u64,
    /// The animated bones of the newest generations: their count.
    pub(super) animated: u64,
    pub(super) rate: Option<i32>,
    /// What follows the rate.
    pub(super) tail: u64,
    /// The first bone's bind transform.
    pub(super) binds: u64,
    /// The first animation block.
    pub(super) body: u64,
}

impl<S: Sink> Reader<'_, S> {
    /// Reads all before the first animation block, the magic included.
    pub(super) fn animation_header(&mut self, generation: AnimationGeneration, limits: &Limits) -> Result<Header> {
        self.magic(generation.magic(), "magic")?;
        if generation.is_quantized() {
            self.bounds()?;
        }
        let counted = if generation.has_skeleton() { Counted::Wide } else { Counted::Compact };
        let mut claims = Claims::default();
        let bones = self.bones(counted, limits, &mut claims)?;
        let names = if generation.is_quantized() { self.animation_names(limits, &mut claims)? } else { Box::default() };
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
        let binds = self.cursor.offset();
        if generation.has_binds() {
            self.transforms(u32::try_from(bones.len()).unwrap_or(u32::MAX))?;
        }
        let body = self.cursor.offset();
        Ok(Header { bones, names, skeleton, animated, rate, tail, binds, body })
    }
}
