//! Animations: tracks of key frames, one to a bone.

use std::ops::Range;

use super::track::Track;
use crate::error::{Field, Result};
use crate::formats::ezmesh::element_index::ElementKind;
use crate::formats::ezmesh::elements::reader::ElementReader;
use crate::formats::ezmesh::view::View;
use crate::math::as_u64;
use crate::parse::Name;

/// An animation: tracks for some of the bones.
#[derive(Clone, Copy, Debug)]
pub struct Animation<'a> {
    element: ElementReader<'a>,
}

/// What an animation says of itself. None of it can be relied on: real files have every relation between these numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timing {
    /// Tracks that the file says there are.
    pub tracks: Option<u32>,
    /// Frames.
    pub frames: Option<u32>,
    /// Seconds that all frames take.
    pub duration: Option<f32>,
    /// Seconds from one frame to the next.
    pub dtime: Option<f32>,
}

impl<'a> Animation<'a> {
    pub(crate) fn new(view: View<'a>, index: usize) -> Self {
        let place = Field::new("").in_list("animation", as_u64(index));
        Self { element: ElementReader { view, kind: ElementKind::Animation, index, place } }
    }

    /// Returns its name.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn name(&self) -> Result<Name<'a>> {
        self.element.first_text("name")
    }

    /// Returns what it says of itself.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where one of it is no number.
    pub fn timing(&self) -> Result<Timing> {
        let Some(mut reader) = self.element.fields()? else {
            let [duration, dtime] = [self.element.floats("duration")?, self.element.floats("dtime")?];
            return Ok(Timing {
                tracks: self.element.counted("trackcount")?,
                frames: self.element.counted("framecount")?,
                duration: duration.map(|[duration]| duration),
                dtime: dtime.map(|[dtime]| dtime),
            });
        };
        reader.skip_text("name")?;
        let [tracks, frames] = [reader.u32("tracks")?, reader.u32("frames")?];
        let [duration, dtime] = reader.floats("duration")?;
        Ok(Timing { tracks: Some(tracks), frames: Some(frames), duration: Some(duration), dtime: Some(dtime) })
    }

    /// Returns the numbers of its tracks among all of the file's.
    pub(crate) fn track_range(&self) -> Range<usize> {
        self.element.view.within(ElementKind::Track, ElementKind::Animation, self.element.index)
    }

    /// Returns its tracks.
    #[must_use]
    pub fn tracks(&self) -> impl ExactSizeIterator<Item = Track<'a>> + use<'a> {
        let view = self.element.view;
        self.track_range().map(move |track| Track::new(view, track))
    }

    /// Returns how many frames its longest track has.
    ///
    /// # Errors
    ///
    /// As [`Track::frame_count`].
    pub fn frame_count(&self) -> Result<u32> {
        self.tracks().try_fold(0, |most, track| Ok(track.frame_count()?.max(most)))
    }
}
