//! Descriptions of clips (animations).
use crate::{Animations, Clip, Name};

/// The maximum total length of the names of moved bones in the output, in bytes. A small file may
/// have thousands of clips that move a bone with a long name.
const MAX_MOVED_NAMES: usize = 4 << 20;

/// The description of an animation.
pub struct ClipSummary {
    pub name: String,
    pub frames: u32,
    pub bones: u32,
    pub rate: Option<f32>,
    /// The length in seconds, as in glTF output, or `None` if the rate is not known.
    pub seconds: Option<f32>,
    /// The numbers of the bones that the clip moves, in ascending order, if they were requested and
    /// the file has them.
    pub moved: Option<Vec<u32>>,
}

/// Describes all clips of a file. If `with_bones` is true, the bones that they move are listed. If
/// `is_partial` is true, a damaged clip is described as empty.
pub fn clips(animations: &dyn Animations, with_bones: bool, is_partial: bool) -> crate::Result<Vec<ClipSummary>> {
    let mut left = MAX_MOVED_NAMES;
    let clips = (0..animations.clip_count()?).map(|index| {
        let empty = Clip { name: Name::default(), frames: 0, bones: 0, rate: None, first_vertex_frame: None };
        let clip = value_or(is_partial, animations.clip(index), empty)?;
        Ok(ClipSummary {
            name: clip.name.to_string_lossy(),
            frames: clip.frames,
            bones: clip.bones,
            rate: clip.rate,
            seconds: clip.seconds(steps(&clip), None),
            moved: if with_bones && clip.bones > 0 { moved_bones(animations, index, &mut left) } else { None },
        })
    });
    clips.collect()
}

/// Returns the number of steps between frames that a clip lasts. A clip of vertex frames
/// blends its last frame into its first, and a clip of bones ends at its last frame.
fn steps(clip: &Clip<'_>) -> u32 {
    if clip.first_vertex_frame.is_some() { clip.frames } else { clip.frames.saturating_sub(1) }
}

/// Returns the numbers of the bones that a clip moves, or `None` if they cannot be read, or if
/// their names are longer than `left` bytes. Subtracts their length from `left`.
fn moved_bones(animations: &dyn Animations, clip: usize, left: &mut usize) -> Option<Vec<u32>> {
    let count = animations.bone_count().ok().filter(|count| *count > 0)?;
    let mut moved = vec![false; count];
    animations.animated_bones(clip, &mut moved).ok()?;
    let moved = || moved.iter().enumerate().filter(|(_, moved)| **moved).map(|(bone, _)| bone);
    for bone in moved() {
        *left = left.checked_sub(animations.bone(bone).map_or(0, |bone| bone.name.as_bytes().len()))?;
    }
    Some(moved().filter_map(|bone| u32::try_from(bone).ok()).collect())
}

/// Returns the value of `result`. If `result` is an error in a file whose parts are independent,
/// the other parts of the file can still be read: returns `otherwise`, and the `validate` command
/// reports the error as a finding.
pub fn value_or<T>(are_independent: bool, result: crate::Result<T>, otherwise: T) -> crate::Result<T> {
    match result {
        Err(error) if are_independent && crate::finding(&error).is_some() => Ok(otherwise),
        result => result,
    }
}
