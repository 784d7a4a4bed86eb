//! Conversion of a frame number to two frames of an animation and a fraction.

use meshpeek::{Animations, Clip, FrameBlend, Geometry};

use crate::outcome::UsageError;

/// Returns the vertex frames before and after a frame number. The number is counted in a clip or,
/// if no clip is given, in all vertex frames of the mesh.
pub fn blend_vertex_frames(
    (geometry, animations): (&dyn Geometry, &dyn Animations),
    clip: Option<usize>,
    frame: f32,
) -> anyhow::Result<FrameBlend> {
    let frames = match clip {
        Some(clip) => animations.clip(clip)?,
        // All vertex frames in file order, which is the order in which they are played without a
        // script.
        None => Clip {
            name: meshpeek::Name::default(),
            frames: geometry.vertex_frame_count().try_into().unwrap_or(u32::MAX),
            bones: 0,
            rate: None,
            first_vertex_frame: Some(0),
        },
    };
    blend_frames(&frames, frame, if clip.is_some() { "the clip has" } else { "the mesh has" })
}

/// Returns the frames of a clip before and after a frame number. If the number is larger than the
/// number of the last frame, the error message begins with `subject`.
pub fn blend_frames(clip: &Clip<'_>, frame: f32, subject: &str) -> anyhow::Result<FrameBlend> {
    let last = clip.frames.saturating_sub(1);
    let beyond = f64::from(frame) > f64::from(last);
    clip.at_frame(frame, false).filter(|_| !beyond).ok_or_else(|| {
        UsageError(format!("--frame: {subject} {} frames, expected 0 to {last}, found {frame}", clip.frames)).into()
    })
}
