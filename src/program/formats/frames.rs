//! Converts a fractional frame index to two adjacent frames of an animation and an interpolation
//! fraction.

use crate::{Animations, Clip, FrameBlend, Geometry};

use crate::program::args::FrameIndex;
use crate::program::outcome::UsageError;

/// Returns the vertex frames before and after a fractional frame index, and the interpolation
/// fraction between these two vertex frames. The frame index counts from the start of the clip or,
/// if `clip` is `None`, from the first vertex frame of the mesh.
pub fn blend_vertex_frames(
    (geometry, animations): (&dyn Geometry, &dyn Animations),
    clip: Option<usize>,
    frame: &FrameIndex,
) -> anyhow::Result<FrameBlend> {
    let frames = match clip {
        Some(clip) => animations.clip(clip)?,
        // If no clip is chosen, all vertex frames of the mesh are one clip, in the order of the
        // file.
        None => Clip {
            name: crate::Name::default(),
            frames: geometry.vertex_frame_count()?.try_into().unwrap_or(u32::MAX),
            bones: 0,
            rate: None,
            first_vertex_frame: Some(0),
        },
    };
    blend_frames(&frames, frame, if clip.is_some() { "the clip has" } else { "the mesh has" })
}

/// Returns the frames of a clip before and after a fractional frame index, and the interpolation
/// fraction between these two frames. If the frame index is greater than the index of the last
/// frame, returns an error. The message of the error begins with `subject`.
pub fn blend_frames(clip: &Clip<'_>, frame: &FrameIndex, subject: &str) -> anyhow::Result<FrameBlend> {
    let last = clip.frames.saturating_sub(1);
    let beyond = f64::from(frame.value) > f64::from(last);
    clip.at_frame(frame.value, false).filter(|_| !beyond).ok_or_else(|| {
        let expected = if clip.frames > 0 { format!(", expected 0 to {last}") } else { String::new() };
        UsageError(format!("--frame: {subject} {} frames{expected}, found {frame}", clip.frames)).into()
    })
}
