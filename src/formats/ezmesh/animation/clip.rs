//! Animations (clips): lists of tracks. Each track contains the key frames of one bone.

use std::ops::Range;

use super::track::Track;
use crate::error::{Breaking as _, Result};
use crate::formats::ezmesh::element_index::ElementKind;
pub use crate::formats::ezmesh::elements::Animation;
use crate::formats::ezmesh::validate::rules::NUMBER_TYPE;
use crate::parse::Name;

/// The counts and times that a file declares for an animation.
///
/// The declared counts and times are unreliable: in real files, they can contradict each other and
/// the stored key frames.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timing {
    /// The declared number of tracks of the animation.
    pub tracks: Option<u32>,
    /// The declared number of animation frames.
    pub frames: Option<u32>,
    /// The declared duration of the whole animation, in seconds.
    pub duration: Option<f32>,
    /// The declared time from one animation frame to the next, in seconds.
    pub dtime: Option<f32>,
}

impl<'a> Animation<'a> {
    /// Returns the name of the animation.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes have changed since the file was opened.
    pub fn name(&self) -> Result<Name<'a>> {
        self.element.text("name")
    }

    /// Returns the counts and times that the file declares for the animation.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::error::ErrorKind::Value) if a declared count or time is
    /// not a number.
    pub fn timing(&self) -> Result<Timing> {
        let Some(mut reader) = self.element.fields_from("tracks")? else {
            let [duration, dtime] = [self.element.floats("duration")?, self.element.floats("dtime")?];
            return Ok(Timing {
                tracks: self.element.counted("trackcount").breaking(&NUMBER_TYPE)?,
                frames: self.element.counted("framecount").breaking(&NUMBER_TYPE)?,
                duration: duration.map(|[duration]| duration),
                dtime: dtime.map(|[dtime]| dtime),
            });
        };
        let [tracks, frames] = [reader.u32("tracks")?, reader.u32("frames")?];
        let [duration, dtime] = reader.floats("duration")?;
        Ok(Timing { tracks: Some(tracks), frames: Some(frames), duration: Some(duration), dtime: Some(dtime) })
    }

    /// Returns the index range of the tracks of this animation. The track indices continue from one
    /// animation of the file to the next.
    pub(crate) fn track_range(&self) -> Range<usize> {
        self.element.view.within(ElementKind::Track, ElementKind::Animation, self.element.index)
    }

    /// Returns the tracks of the animation, in file order.
    #[must_use]
    pub fn tracks(&self) -> impl ExactSizeIterator<Item = Track<'a>> + use<'a> {
        let view = self.element.view;
        self.track_range().map(move |track| Track::new(view, track))
    }

    /// Returns the number of animation frames, which is the number of key frames of the longest
    /// track.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Track::frame_count`].
    pub fn frame_count(&self) -> Result<u32> {
        self.tracks().try_fold(0, |most, track| Ok(track.frame_count()?.max(most)))
    }
}
