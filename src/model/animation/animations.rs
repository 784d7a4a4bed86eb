//! The trait of files that contain bones and animations.

use super::clip::Clip;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::model::bone::{Bone, Transform};
use crate::model::format_version::FormatVersion;
use crate::parse::{Name, expect_length};

/// An event of a clip: a time at which the game calls a function, for example for a footstep or a
/// shot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event<'a> {
    /// Time of the event within the clip: 0 is the start of the clip, 1 is its end.
    pub time: f32,
    /// Name of the function that the game calls at this time.
    pub function: Name<'a>,
}

/// The bones of a file and the animations that move them. The main type of each format, such as
/// [`unigine::Mesh`](crate::unigine::Mesh), implements this trait.
///
/// Every method with an index returns [`ErrorKind::NoSuch`] if the index is out of range. If the
/// bytes that a method has to read are damaged or missing, the method returns the error that the
/// reader of the file format reports. Every method with an output slice returns
/// [`ErrorKind::Buffer`] if the length of the slice is not the number of bones.
#[allow(clippy::missing_errors_doc, reason = "documented once on the trait")]
pub trait Animations: FormatVersion {
    /// Returns the number of bones.
    fn bone_count(&self) -> Result<usize>;
    /// Returns bone `bone` of the file.
    fn bone(&self, bone: usize) -> Result<Bone<'_>>;
    /// Returns the number of animations in the file.
    fn clip_count(&self) -> Result<usize>;
    /// Finds animation `clip` in the file, without reading its key frames.
    fn clip(&self, clip: usize) -> Result<Clip<'_>>;
    /// Returns event `index` of an animation, in file order, or `None` if `index` is not below the
    /// number of events of the animation.
    fn event(&self, clip: usize, index: usize) -> Result<Option<Event<'_>>> {
        let _ = index;
        self.clip(clip).map(|_| None)
    }
    /// Writes to `out` the transform of each bone in frame `frame` of animation `clip`. Each
    /// transform is relative to the parent of the bone.
    ///
    /// A bone that the animation does not move gets its rest transform. The length of `out` must be
    /// the number of bones.
    fn pose(&self, clip: usize, frame: usize, out: &mut [Transform]) -> Result<()> {
        let _ = (frame, out);
        self.clip(clip)?;
        let expected = "an animation of bones that can be read by frames".into();
        Err(Error::without_offset(self.format(), Field::new("pose"), ErrorKind::Missing { expected }))
    }
    /// Writes to `out`, for each bone, whether animation `clip` moves the bone. A bone that the
    /// animation does not move keeps its rest transform in all frames of the animation.
    ///
    /// The length of `out` must be the number of bones. For formats that do not store this
    /// information, the method writes `true` for all bones.
    fn animated_bones(&self, clip: usize, out: &mut [bool]) -> Result<()> {
        self.clip(clip)?;
        expect_length(self.format(), "out", self.bone_count()?, out.len())?;
        out.fill(true);
        Ok(())
    }
}
