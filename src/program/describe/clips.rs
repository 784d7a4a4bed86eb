//! Descriptions of clips (animations).

use super::partial::value_or;
use crate::{Animations, Clip, Name};

/// The maximum number of bones that are listed as moved by one clip.
const MAX_MOVED: usize = 4096;

/// The description of an animation.
pub struct ClipSummary {
    pub name: String,
    pub frames: u32,
    pub bones: u32,
    pub rate: Option<f32>,
    /// The length in seconds, or `None` if the rate is not known.
    pub seconds: Option<f32>,
    /// The names of the bones that the clip moves, if they were requested and the file has them.
    pub moved: Option<Vec<String>>,
}

/// Describes all clips of a file. If `with_bones` is true, the bones that they move are listed.
pub fn clips(animations: &dyn Animations, with_bones: bool) -> crate::Result<Vec<ClipSummary>> {
    let clips = (0..animations.clip_count()?).map(|index| {
        let empty = Clip { name: Name::default(), frames: 0, bones: 0, rate: None, first_vertex_frame: None };
        let clip = value_or(animations.clip(index), empty)?;
        Ok(ClipSummary {
            name: clip.name.to_string_lossy(),
            frames: clip.frames,
            bones: clip.bones,
            rate: clip.rate,
            seconds: clip.seconds(clip.frames, None),
            moved: if with_bones && clip.bones > 0 { moved_bones(animations, index) } else { None },
        })
    });
    clips.collect()
}

/// Returns the names of the bones that a clip moves, or `None` if they cannot be read.
fn moved_bones(animations: &dyn Animations, clip: usize) -> Option<Vec<String>> {
    let count = animations.bone_count().ok().filter(|count| (1..=MAX_MOVED).contains(count))?;
    let mut moved = vec![false; count];
    animations.animated_bones(clip, &mut moved).ok()?;
    let names = moved.iter().enumerate().filter(|(_, moved)| **moved);
    Some(names.filter_map(|(bone, _)| Some(animations.bone(bone).ok()?.name.to_string_lossy())).collect())
}
