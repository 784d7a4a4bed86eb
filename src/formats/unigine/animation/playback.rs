//! Computes the poses of an animation, frame by frame.

use super::view::AnimationView;
use crate::error::Result;
use crate::error::debug::{items, short_debug};
use crate::model::Transform;

impl<'a> AnimationView<'a> {
    /// Returns a [`Playback`], which computes the poses of all animation frames in order.
    ///
    /// The time to compute a pose depends only on the keys of its animation frame.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`pose`](Self::pose), and
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory).
    pub fn play(&self) -> Result<Playback<'a>> {
        let mut pose = crate::parse::filled(self.format, "pose", self.bone_count(), Transform::default())?;
        self.check_bones()?;
        self.rest(&mut pose);
        crate::io::prefetch(self.keys);
        Ok(Playback { view: *self, pose, frame: 0, at: 0 })
    }
}

/// Computes the poses of an animation from its first frame to its last frame. See
/// [`AnimationView::play`].
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// let file = meshpeek::unigine::Animation::open(meshpeek::read("data/unigine/wave_an10.anim")?)?;
/// let mut frames = file.animation(0)?.play()?;
/// while let Some(pose) = frames.next()? {
///     println!("{:?}", pose[0].position);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Playback<'a> {
    view: AnimationView<'a>,
    pose: Vec<Transform>,
    frame: u32,
    at: usize,
}

short_debug!(Playback<'_>: |playback| { view: playback.view, frame: playback.frame, pose: items(&playback.pose) });

impl Playback<'_> {
    /// Returns the pose of the next animation frame, equal to the result of
    /// [`AnimationView::pose`]. Returns `None` after the last frame.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes of the file have changed since the file was opened.
    #[allow(
        clippy::should_implement_trait,
        reason = "an iterator cannot return a borrow of data that it changes later"
    )]
    pub fn next(&mut self) -> Result<Option<&[Transform]>> {
        if self.frame >= self.view.frames {
            return Ok(None);
        }
        self.view.apply(self.view.keys, &mut self.at, &mut self.pose)?;
        self.frame = self.frame.saturating_add(1);
        Ok(Some(&self.pose))
    }

    /// Returns the index of the animation frame whose pose the following call to
    /// [`next`](Self::next) returns.
    #[must_use]
    pub const fn frame(&self) -> u32 {
        self.frame
    }
}
