//! Sequences of vertex frames as clips.

use super::file::Mesh;
use super::header::no_such;
use crate::error::Result;
use crate::model::Bone;
use crate::model::animation::{Animations, Clip, Event};
use crate::parse::Name;

/// Frames per second of a sequence that gives no rate.
const RATE: f32 = 30.0;

impl<D: AsRef<[u8]> + Send + Sync> Animations for Mesh<D> {
    fn bone_count(&self) -> usize {
        0
    }

    fn bone(&self, bone: usize) -> Result<Bone<'_>> {
        Err(no_such("bone", 0, bone))
    }

    fn clip_count(&self) -> usize {
        match self.script().map_or(0, |script| script.sequence_count()) {
            0 => usize::from(self.frame_count() > 0),
            count => count,
        }
    }

    /// A script's sequences; without any, all frames are one clip that has no name.
    fn clip(&self, clip: usize) -> Result<Clip<'_>> {
        if clip >= self.clip_count() {
            return Err(no_such("clip", self.clip_count(), clip));
        }
        let all = self.header.frames;
        let Some(sequence) = self.script().and_then(|script| script.sequence(clip)) else {
            return Ok(Clip { name: Name::default(), frames: all, bones: 0, rate: None, first_vertex_frame: Some(0) });
        };
        // A script may name frames that do not exist: a clip has those that do.
        let [first, end] =
            [sequence.start, sequence.start.saturating_add(sequence.frames)].map(|frame| clamp(frame).min(all));
        let frames = end.saturating_sub(first);
        // What is no rate gives way to the default, as what is missing does.
        let rate = sequence.rate.filter(|rate| rate.is_finite() && *rate > 0.0).or(Some(RATE));
        Ok(Clip { name: sequence.name, frames, bones: 0, rate, first_vertex_frame: Some(first) })
    }

    fn event(&self, clip: usize, index: usize) -> Result<Option<Event<'_>>> {
        self.clip(clip)?;
        let notify = self.script().and_then(|script| script.notify(clip, index));
        Ok(notify.map(|notify| Event { time: notify.time, function: notify.function }))
    }
}

/// What a script counts may be negative, or more than there is room for.
fn clamp(count: i64) -> u32 {
    u32::try_from(count.max(0)).unwrap_or(u32::MAX)
}
