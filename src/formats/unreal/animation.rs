//! The animation clips of a vertex mesh. A clip is a range of vertex frames, which store the
//! positions of all vertices.

use super::file::Mesh;
use super::header::no_such;
use crate::error::Result;
use crate::model::animation::{Animations, Clip, Event};
use crate::parse::Name;

/// The default playback rate of a sequence, in vertex frames per second.
const RATE: f32 = 30.0;

impl<D: AsRef<[u8]> + Send + Sync> Animations for Mesh<D> {
    fn has_bone_clips(&self) -> bool {
        false
    }

    fn clip_count(&self) -> Result<usize> {
        Ok(clip_count(self))
    }

    /// Returns the clip for one sequence of the script. If the script has no sequences for the
    /// mesh, all vertex frames form one clip without a name.
    fn clip(&self, clip: usize) -> Result<Clip<'_>> {
        if clip >= clip_count(self) {
            return Err(no_such("clip", clip_count(self), clip));
        }
        let all = self.header.frames;
        let Some(sequence) = self.script().and_then(|script| script.sequence(clip)) else {
            return Ok(Clip { name: Name::default(), frames: all, bones: 0, rate: None, first_vertex_frame: Some(0) });
        };
        // A sequence may refer to vertex frames that the mesh does not have. The clip contains only
        // the vertex frames of the sequence that the mesh has.
        let [first, end] =
            [sequence.start, sequence.start.saturating_add(sequence.frames)].map(|frame| clamp(frame).min(all));
        let frames = end.saturating_sub(first);
        // A rate that is missing, not finite or not above 0 is replaced by the default rate.
        let rate = sequence.rate.filter(|rate| rate.is_finite() && *rate > 0.0).or(Some(RATE));
        Ok(Clip { name: sequence.name, frames, bones: 0, rate, first_vertex_frame: Some(first) })
    }

    fn event(&self, clip: usize, index: usize) -> Result<Option<Event<'_>>> {
        self.clip(clip)?;
        let notify = self.script().and_then(|script| script.notify(clip, index));
        Ok(notify.map(|notify| Event { time: notify.time, function: notify.function }))
    }
}

/// Returns the number of sequences in the script of a mesh. If there are no sequences, all vertex
/// frames form one clip.
fn clip_count<D: AsRef<[u8]>>(mesh: &Mesh<D>) -> usize {
    match mesh.script().map_or(0, |script| script.sequence_count()) {
        0 => usize::from(mesh.frame_count() > 0),
        count => count,
    }
}

/// Converts a frame number from a script to `u32`. A negative number becomes 0, and a number that
/// is too large for `u32` becomes `u32::MAX`.
fn clamp(count: i64) -> u32 {
    u32::try_from(count.max(0)).unwrap_or(u32::MAX)
}
