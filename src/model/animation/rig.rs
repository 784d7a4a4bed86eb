//! A rig for tests: bones and clips that are in memory and not in a file.

use super::affine::Affine;
use super::animations::Animations;
use super::clip::Clip;
use crate::error::{Cause, Error, Field, Result};
use crate::math::as_u64;
use crate::model::bone::{Bone, Transform};
use crate::model::written_form::FormatVersion;
use crate::parse::Name;

/// The transforms of all bones, for each animation frame.
type Frames = Vec<Vec<Transform>>;

/// Bones and clips in memory, which implement [`Animations`] like a file.
pub(super) struct Rig {
    bones: Vec<(String, i32, Transform)>,
    clips: Vec<(Option<f32>, Vec<bool>, Frames)>,
    shape: Affine,
    inverses: Vec<Option<Affine>>,
    /// The number of frames that can be read.
    readable: usize,
}

impl Rig {
    pub(super) fn new(bones: &[(&str, i32, Transform)]) -> Self {
        let bones = bones.iter().map(|(name, parent, bind)| ((*name).to_owned(), *parent, *bind));
        Self {
            bones: bones.collect(),
            clips: Vec::new(),
            shape: Affine::IDENTITY,
            inverses: Vec::new(),
            readable: usize::MAX,
        }
    }

    /// Sets the bind shape matrix, and the stored inverse bind matrices of the first bones.
    pub(super) fn with_binds(self, shape: Affine, inverses: &[Option<Affine>]) -> Self {
        Self { shape, inverses: inverses.to_vec(), ..self }
    }

    /// Makes the frames from `readable` on fail.
    pub(super) fn with_failing_pose(self, readable: usize) -> Self {
        Self { readable, ..self }
    }

    pub(super) fn with_clip(mut self, rate: Option<f32>, moved: &[bool], frames: Frames) -> Self {
        self.clips.push((rate, moved.to_vec(), frames));
        self
    }
}

impl FormatVersion for Rig {
    fn format(&self) -> &'static str {
        "rig"
    }
    fn version(&self) -> &'static str {
        "rig 1"
    }
}

impl Animations for Rig {
    fn bone_count(&self) -> Result<usize> {
        Ok(self.bones.len())
    }
    fn bone(&self, bone: usize) -> Result<Bone<'_>> {
        let (name, parent, bind) = &self.bones[bone];
        Ok(Bone { name: Name::new(name.as_bytes()), parent: *parent, bind: *bind })
    }
    fn bind_shape(&self) -> Result<Affine> {
        Ok(self.shape)
    }
    fn inverse_bind(&self, bone: usize) -> Result<Option<Affine>> {
        Ok(self.inverses.get(bone).copied().flatten())
    }
    fn clip_count(&self) -> Result<usize> {
        Ok(self.clips.len())
    }
    fn clip(&self, clip: usize) -> Result<Clip<'_>> {
        let kind = Cause::NoSuch { count: as_u64(self.clips.len()), index: as_u64(clip) };
        let error = Error::without_offset("rig", Field::new("clip"), kind);
        let (rate, _, frames) = self.clips.get(clip).ok_or(error)?;
        let frames = u32::try_from(frames.len()).unwrap();
        Ok(Clip { name: Name::new(b"clip"), frames, bones: 0, rate: *rate, first_vertex_frame: None })
    }
    fn pose(&self, clip: usize, frame: usize, out: &mut [Transform]) -> Result<()> {
        self.clip(clip)?;
        let kind = Cause::NoSuch { count: 0, index: as_u64(frame) };
        let error = Error::without_offset("rig", Field::new("frame"), kind);
        out.copy_from_slice(self.clips[clip].2.get(frame).filter(|_| frame < self.readable).ok_or(error)?);
        Ok(())
    }
    fn animated_bones(&self, clip: usize, out: &mut [bool]) -> Result<()> {
        self.clip(clip)?;
        out.copy_from_slice(&self.clips[clip].1);
        Ok(())
    }
}

/// Returns a transform that moves a bone to the position `x` on the x axis.
pub(super) fn at(x: f32) -> Transform {
    Transform { position: [x, 0.0, 0.0], ..Transform::default() }
}
