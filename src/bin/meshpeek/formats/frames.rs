//! Frames of animations by number.

use meshpeek::{Animations, Clip, FrameBlend, Geometry};

use crate::outcome::UsageError;

/// Finds the vertex frames before and after a frame of a clip or, without a clip, of all frames.
pub fn blend_vertex_frames(
    (geometry, animations): (&dyn Geometry, &dyn Animations),
    clip: Option<usize>,
    frame: f32,
) -> anyhow::Result<FrameBlend> {
    let frames = match clip {
        Some(clip) => animations.clip(clip)?,
        // All frames, as a mesh without a script plays them.
        None => Clip {
            name: meshpeek::Name::default(),
            frames: geometry.vertex_frame_count().try_into().unwrap_or(u32::MAX),
            bones: 0,
            rate: None,
            first_vertex_frame: Some(0),
        },
    };
    blend_frames(&frames, frame, if clip.is_some() { "the clip has" } else { "there are" })
}

/// Finds the frames before and after a frame of a clip; `subject` begins the error about a frame beyond the last.
pub fn blend_frames(clip: &Clip<'_>, frame: f32, subject: &str) -> anyhow::Result<FrameBlend> {
    let last = clip.frames.saturating_sub(1);
    let beyond = f64::from(frame) > f64::from(last);
    clip.at_frame(frame, false).filter(|_| !beyond).ok_or_else(|| {
        UsageError(format!("--frame: {subject} {} frames, expected 0 to {last}, found {frame}", clip.frames)).into()
    })
}
