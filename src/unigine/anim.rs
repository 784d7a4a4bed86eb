//! Animations embedded in ms10, ms11 and ms12 meshes: located, counted, and walked. Their poses are not decoded yet.
//!
//! | field | type |
//! |---|---|
//! | animated bone count *n* | compact int |
//! | bone ids | i16 × n |
//! | global flags | u8 |
//! | frame count | compact int |
//! | frames × n keys, frame by frame | flags u8, then the flagged components in the order of their bits |
//!
//! Key flags: bits 0, 1, 2 position x, y, z (f32 each); bit 3 rotation (four i16); bits 4, 5, 6 scale x, y, z (f32 each);
//! bit 7 is never set. Frame 0 holds every component of the global flags; in a later frame an absent component keeps
//! its value.

use zerocopy::little_endian::I16;

use super::layout::{BYTE, KEYS, PARENT};
use super::read::{Reader, Sink};
use crate::bytes::{Cursor, as_u64};
use crate::error::{ErrorKind, Result};
use crate::field::Field;
use crate::name::Name;
use crate::source::ReadAhead;

/// The flag that no key has.
pub(super) const NEVER: u8 = 0x80;
/// Bytes of a key with all components.
const LONGEST: usize = 1 + 3 * 4 + 4 * 2 + 3 * 4;

/// An animation embedded in a mesh, borrowed from the file.
#[derive(Clone, Copy, Debug)]
pub struct EmbeddedAnimation<'a> {
    /// Its name.
    pub name: Name<'a>,
    /// The numbers of the bones it moves, as stored.
    pub bones: &'a [I16],
    /// Which components its first frame holds: the bits of a key's flags.
    pub flags: u8,
    /// Frames. The file has no rate.
    pub frames: u32,
    bones_at: u64,
    keys: &'a [u8],
    keys_at: u64,
}

/// One bone at one frame: the flags, and the raw bytes of the flagged components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key<'a> {
    /// Which components follow.
    pub flags: u8,
    /// Their bytes, in the order of their bits.
    pub components: &'a [u8],
    /// Offset of the flags from the start of the file.
    pub offset: u64,
}

/// Returns the bytes that the components of `flags` take.
#[must_use]
pub fn key_size(flags: u8) -> u64 {
    let floats = u64::from((flags & 0x77).count_ones()).saturating_mul(4);
    floats.saturating_add(if flags & 0x08 == 0 { 0 } else { 8 })
}

impl<'a> EmbeddedAnimation<'a> {
    /// Returns all keys in file order: all bones of frame 0, then of frame 1, and so on.
    pub fn keys(&self) -> impl Iterator<Item = Key<'a>> + use<'a> {
        let mut cursor = Cursor::new(self.keys, "unigine");
        let base = self.keys_at;
        std::iter::from_fn(move || {
            let offset = base.saturating_add(cursor.offset());
            let flags = *cursor.read::<u8>("flags").ok()?;
            let components = cursor.bytes(key_size(flags), "key").ok()?;
            Some(Key { flags, components, offset })
        })
    }

    /// Returns the offset of the first bone number from the start of the file.
    #[must_use]
    pub const fn bones_offset(&self) -> u64 {
        self.bones_at
    }

    /// Returns the offset of the first key from the start of the file.
    #[must_use]
    pub const fn keys_offset(&self) -> u64 {
        self.keys_at
    }

    pub(crate) const fn key_bytes(&self) -> &'a [u8] {
        self.keys
    }
}

impl<'a, S: Sink> Reader<'a, S> {
    /// Reads an animation's block, and walks its keys to find its end.
    pub(crate) fn animation(&mut self, index: u64, name: Name<'a>) -> Result<EmbeddedAnimation<'a>> {
        self.set_place(Field::new("").of("animation", index));
        let count = self.count_of("bones.count", 2, u64::MAX)?;
        let bones_at = self.cursor.offset();
        let bones = self.cursor.array::<I16>(count, "bone_ids")?;
        self.report("bone_ids", bones_at, PARENT, count.into());
        let flags = *self.record::<u8>("flags", BYTE)?;
        let at = self.cursor.offset();
        let frames = self.count("frames.count")?;
        // Both are below 2^31, so the product fits. Each key takes at least its flags.
        let keys = u64::from(count).saturating_mul(frames.into());
        self.cursor.can_hold(at, keys, 1, "frames.count")?;
        let keys_at = self.cursor.offset();
        let records = self.walk_keys(keys)?;
        self.report("keys", keys_at, KEYS, keys);
        self.set_place(Field::new(""));
        Ok(EmbeddedAnimation { name, bones, flags, frames, bones_at, keys: records, keys_at })
    }

    /// Steps over `keys` keys, looking at the flags of each, and lends the bytes they take.
    fn walk_keys(&mut self, keys: u64) -> Result<&'a [u8]> {
        let start = self.cursor.offset();
        let rest = self.cursor.rest();
        let mut at = 0_usize;
        let mut ahead = ReadAhead::default();
        for key in 0..keys {
            ahead.pass(rest, at, || {
                usize::try_from(keys.saturating_sub(key)).unwrap_or(usize::MAX).saturating_mul(LONGEST)
            });
            let offset = start.saturating_add(as_u64(at));
            let left = as_u64(rest.len().saturating_sub(at));
            let Some(&flags) = rest.get(at) else {
                return Err(self.cursor.error_at(offset, "keys", ErrorKind::UnexpectedEnd { needed: 1, left }));
            };
            if flags & NEVER != 0 {
                let kind =
                    ErrorKind::Value { expected: "key flags below 80".into(), found: format!("{flags:02x}").into() };
                return Err(self.cursor.error_at(offset, "keys", kind));
            }
            let size = key_size(flags).saturating_add(1);
            if size > left {
                return Err(self.cursor.error_at(offset, "keys", ErrorKind::UnexpectedEnd { needed: size, left }));
            }
            at = at.saturating_add(usize::try_from(size).unwrap_or(usize::MAX));
        }
        let records = self.cursor.lend(as_u64(at), 1, "keys")?;
        self.cursor.note_spread(start, keys);
        Ok(records)
    }
}
