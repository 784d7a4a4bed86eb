//! The trait of a file with bones and animations.

use super::clip::Clip;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::model::bone::{Bone, Transform};
use crate::model::format_version::FormatVersion;
use crate::parse::{Name, expect_length};

/// Something that a game is told of while a clip plays: the code of a footstep, of a shot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event<'a> {
    /// When: 0 is the clip's start, 1 its end.
    pub time: f32,
    /// What the game calls.
    pub function: Name<'a>,
}

/// A file's bones and the animations that move them. Implemented by each format's owner type.
///
/// Every method that takes a number fails as [`ErrorKind::NoSuch`] where there is no such item, and as the format says where
/// the bytes on the way to it are damaged; every one that takes places, as [`ErrorKind::Buffer`] where there are not as
/// many as bones.
#[allow(clippy::missing_errors_doc, reason = "said once, above")]
pub trait Animations: FormatVersion {
    /// Returns the number of bones.
    fn bone_count(&self) -> usize;
    /// Returns a bone.
    fn bone(&self, bone: usize) -> Result<Bone<'_>>;
    /// Returns the number of animations in the file.
    fn clip_count(&self) -> usize;
    /// Locates an animation.
    fn clip(&self, clip: usize) -> Result<Clip<'_>>;
    /// Returns what a game is told of while an animation plays, in file order; `None` after the last.
    fn event(&self, clip: usize, index: usize) -> Result<Option<Event<'_>>> {
        let _ = (clip, index);
        Ok(None)
    }
    /// Writes where a frame of an animation puts each bone, relative to its parent; a bone that it does not move rests. Takes
    /// as many places as there are bones.
    fn pose(&self, clip: usize, frame: usize, out: &mut [Transform]) -> Result<()> {
        let _ = (frame, out);
        self.clip(clip)?;
        let expected = "an animation of bones that is read by frames".into();
        Err(Error::without_offset(self.format(), Field::new("pose"), ErrorKind::Missing { expected }))
    }
    /// Tells of each bone whether an animation moves it; the others rest in each of its frames. Takes as many places as there
    /// are bones. Formats that do not say move them all.
    fn animated_bones(&self, clip: usize, out: &mut [bool]) -> Result<()> {
        self.clip(clip)?;
        expect_length(self.format(), "out", self.bone_count(), out.len())?;
        out.fill(true);
        Ok(())
    }
}
