//! Implements the format-independent [`Animations`] trait for meshes and animation files.

use super::file::Animation;
use super::scan::scan;
use super::view::AnimationView;
use crate::error::{Cause, Error, Result};
use crate::formats::unigine::file::Mesh;
use crate::math::as_u64;
use crate::model::animation::{Animations, Clip, ClipKeys};
use crate::model::{Bone, Transform};

impl<'a> AnimationView<'a> {
    /// Returns the format-independent description of the animation: a [`Clip`].
    #[must_use]
    pub fn clip(&self) -> Clip<'a> {
        let bones = u32::try_from(self.bones.len()).unwrap_or(u32::MAX);
        Clip { name: self.name, frames: self.frames, bones, rate: self.rate, first_vertex_frame: None }
    }

    /// Sets `out[i]` to `true` if the animation moves bone `i` of the skeleton, and otherwise to
    /// `false`.
    pub(crate) fn animated_bones(&self, out: &mut [bool]) -> Result<()> {
        crate::parse::expect_length("unigine", "out", self.bone_count(), out.len())?;
        out.fill(false);
        for id in self.bones {
            if let Some(moved) = usize::try_from(id.get()).ok().and_then(|id| out.get_mut(id)) {
                *moved = true;
            }
        }
        Ok(())
    }

    /// Writes the pose of an animation frame to `out`. Returns an error if `frame` is not below the
    /// number of animation frames.
    pub(crate) fn pose_at(&self, frame: usize, out: &mut [Transform]) -> Result<()> {
        let number = u32::try_from(frame).map_err(|_| self.no_frame(as_u64(frame)))?;
        self.pose(number, out)
    }

    /// Returns the offset in the file of the first key of a frame, or of the end of the keys if
    /// `frame` is the number of frames.
    pub(crate) fn frame_at(&self, frame: usize) -> Result<u64> {
        let number = as_u64(frame);
        if number > self.frames.into() {
            return Err(self.no_frame(number.saturating_sub(1)));
        }
        let keys = number.saturating_mul(as_u64(self.bones.len()));
        let passed = scan(self.keys, keys, &self.coding()).map_err(|_| self.error("keys", Cause::Changed))?;
        Ok(self.keys_offset().saturating_add(passed.bytes))
    }

    /// Creates the error for a frame index that is out of range.
    pub(super) fn no_frame(&self, index: u64) -> Error {
        self.error("frame", Cause::NoSuch { count: self.frames.into(), index })
    }
}

/// Implements [`Animations`] for the types of files with animations.
macro_rules! impl_animations {
    ($($file:ident)+) => {$(
        impl<D: AsRef<[u8]> + Send + Sync> Animations for $file<D> {
            fn bone_count(&self) -> Result<usize> {
                Ok(Self::bone_count(self))
            }

            fn bone(&self, bone: usize) -> Result<Bone<'_>> {
                Self::bone(self, bone)
            }

            fn clip_count(&self) -> Result<usize> {
                Ok(self.animation_count())
            }

            fn clip(&self, clip: usize) -> Result<Clip<'_>> {
                self.animation(clip).map(|view| view.clip())
            }

            fn pose(&self, clip: usize, frame: usize, out: &mut [Transform]) -> Result<()> {
                self.animation(clip)?.pose_at(frame, out)
            }

            fn keys(&self, clip: usize, bone: Option<usize>) -> Result<ClipKeys<'_>> {
                self.animation(clip)?.bone_keys(bone)
            }

            fn animated_bones(&self, clip: usize, out: &mut [bool]) -> Result<()> {
                self.animation(clip)?.animated_bones(out)
            }
        }
    )+};
}
impl_animations!(Mesh Animation);
