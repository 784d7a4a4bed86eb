//! Reads the keys of an animation as keys of bones, one key after another.

use super::view::AnimationView;
use crate::error::{Cause, Result};
use crate::formats::unigine::animation::coding::Coding;
use crate::formats::unigine::layout::RawTransform;
use crate::io::ReadAhead;
use crate::math::as_u64;
use crate::model::Transform;
use crate::model::animation::{BoneKey, ClipKeys, POSITION, ROTATION, SCALE};
use crate::parse::room;

impl<'a> AnimationView<'a> {
    /// Returns the keys of all bones, or of one bone, without interpolation.
    ///
    /// In embedded animations and an10, a key is a property of which the file stores a component.
    /// In an11 to an13, frame 0 has a key of each property, and a later frame has a key of a
    /// property that the file stores, or that returns to its default value.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`] if `bone` is not below the number of bones. Returns
    /// [`ErrorKind::Value`] if a bone index of the animation refers to no bone of the skeleton, or
    /// occurs twice. Returns [`ErrorKind::OutOfMemory`] if an allocation fails.
    ///
    /// [`ErrorKind::NoSuch`]: crate::ErrorKind::NoSuch
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    /// [`ErrorKind::OutOfMemory`]: crate::ErrorKind::OutOfMemory
    pub fn bone_keys(&self, bone: Option<usize>) -> Result<ClipKeys<'a>> {
        self.check_bones()?;
        let Some(bone) = bone else { return self.read_keys(None) };
        if bone >= self.bone_count() {
            let kind = Cause::NoSuch { count: as_u64(self.bone_count()), index: as_u64(bone) };
            return Err(self.error("bone", kind));
        }
        match self.bones.iter().position(|id| usize::try_from(id.get()) == Ok(bone)) {
            Some(slot) => self.read_keys(Some(slot)),
            None => Ok(ClipKeys::empty()),
        }
    }

    /// Returns the keys of all moved bones, or of the moved bone at `only` in the list of moved
    /// bones.
    fn read_keys(&self, only: Option<usize>) -> Result<ClipKeys<'a>> {
        let moved = self.bones.len();
        let wanted = only.map_or(0..moved, |slot| slot..slot.saturating_add(1));
        let mut states = room(self.format, "keys", wanted.len())?;
        states.extend(wanted.clone().map(|slot| BoneState { transform: self.bind_of(slot), stored: 0 }));
        let reader = BoneKeyReader {
            view: *self,
            first: wanted.start,
            states,
            at: 0,
            frame: 0,
            slot: 0,
            ahead: ReadAhead::default(),
        };
        Ok(ClipKeys::of_bones(reader))
    }

    /// Returns the bone at `slot` in the list of moved bones.
    fn moved_bone(&self, slot: usize) -> usize {
        self.bones.get(slot).and_then(|id| usize::try_from(id.get()).ok()).unwrap_or(usize::MAX)
    }

    /// Returns the transform that a moved bone has before its first key.
    fn bind_of(&self, slot: usize) -> Transform {
        self.binds.get(self.moved_bone(slot)).map(RawTransform::get).unwrap_or_default()
    }
}

/// The last transform of a bone whose keys are read, and the bits of the properties that the last
/// key of the bone stores.
struct BoneState {
    transform: Transform,
    stored: u8,
}

impl BoneState {
    /// Applies a key, and returns the bits of the properties that have a key.
    fn take(&mut self, coding: &Coding, flags: u8, components: &[u8], frame: u32) -> u8 {
        let bit = |mask: u8, bit: u8| if flags & mask == 0 { 0 } else { bit };
        let stored = if coding.is_delta() {
            bit(0x07, POSITION) | bit(0x08, ROTATION) | bit(0x70, SCALE)
        } else {
            self.transform = Transform::default();
            bit(0x01, POSITION) | bit(0x02, ROTATION) | bit(0x04, SCALE)
        };
        coding.apply(flags, components, &mut self.transform);
        let before = std::mem::replace(&mut self.stored, stored);
        match (coding.is_delta(), frame) {
            (true, _) => stored,
            (false, 0) => POSITION | ROTATION | SCALE,
            // A property that the key before stores, and this key does not, has its default value.
            (false, _) => stored | before,
        }
    }
}

/// The keys of an animation, from the first key on.
struct BoneKeyReader<'a> {
    view: AnimationView<'a>,
    /// The slot of the first bone in `states`, in the list of moved bones.
    first: usize,
    /// The states of the bones whose keys are wanted.
    states: Vec<BoneState>,
    /// Offset of the next key from the first key, in bytes.
    at: usize,
    /// The frame and the slot of the next key.
    frame: u32,
    slot: usize,
    ahead: ReadAhead,
}

impl<'a> BoneKeyReader<'a> {
    /// Reads the flags and the components of the next key. Returns `None` if the bytes end before
    /// the key.
    fn read(&mut self) -> Option<(u8, &'a [u8])> {
        let keys = self.view.keys;
        self.ahead.pass(keys, self.at, || keys.len().saturating_sub(self.at));
        let (flags, rest) = keys.get(self.at..)?.split_first()?;
        let size = self.view.coding().key_size(*flags);
        let components = rest.get(..usize::try_from(size).ok()?)?;
        self.at = self.at.saturating_add(components.len()).saturating_add(1);
        Some((*flags, components))
    }
}

impl Iterator for BoneKeyReader<'_> {
    type Item = Result<BoneKey>;

    fn next(&mut self) -> Option<Result<BoneKey>> {
        let view = self.view;
        while self.frame < view.frames && !self.states.is_empty() {
            let (frame, slot) = (self.frame, self.slot);
            let (at, coding) = (self.at, view.coding());
            let Some((flags, components)) = self.read() else { return Some(Err(view.changed(at))) };
            self.slot = slot.saturating_add(1);
            if self.slot >= view.bones.len() {
                (self.slot, self.frame) = (0, frame.saturating_add(1));
            }
            let state = slot.checked_sub(self.first).and_then(|index| self.states.get_mut(index));
            let Some(state) = state else { continue };
            let stored = state.take(&coding, flags, components, frame);
            if stored != 0 {
                return Some(Ok(BoneKey { frame, bone: view.moved_bone(slot), stored, transform: state.transform }));
            }
        }
        None
    }
}
