//! Reads the tracks of an animation as keys of bones, one key after another.

use super::clip::Animation;
use super::track::{Keys as TrackFloats, Track};
use crate::error::Result;
use crate::formats::ezmesh::layout::FORMAT;
use crate::formats::ezmesh::view::View;
use crate::math::as_index;
use crate::model::animation::{BoneKey, POSITION, ROTATION, SCALE};
use crate::parse::{filled, room};

/// The track that moves a bone: the index of the track in the file, and the index of the bone.
type MovedBone = (usize, usize);

/// Returns the track of each bone that an animation moves, or of the bone `only`, in the order of
/// the bones.
///
/// If several tracks have the name of a bone, the last track with key frames moves the bone.
pub(super) fn moved_bones(view: View<'_>, animation: &Animation<'_>, only: Option<usize>) -> Result<Vec<MovedBone>> {
    let mut last = filled(FORMAT, "tracks", if only.is_none() { view.bone_count() } else { 1 }, None)?;
    let entry = |bone: usize| match only {
        Some(only) => (only == bone).then_some(0),
        None => Some(bone),
    };
    for track in animation.track_range() {
        let bone = view.find_bone(Track::new(view, track).name()?);
        if let Some(last) = bone.and_then(entry).and_then(|entry| last.get_mut(entry))
            && Track::new(view, track).frame_count()? > 0
        {
            *last = Some(track);
        }
    }
    let mut moved = room(FORMAT, "tracks", last.iter().flatten().count())?;
    let bones = last.iter().enumerate();
    moved.extend(bones.filter_map(|(bone, track)| Some(((*track)?, only.unwrap_or(bone)))));
    Ok(moved)
}

/// The keys of tracks, one track after another.
pub(super) struct TrackReader<'a> {
    view: View<'a>,
    moved: std::vec::IntoIter<MovedBone>,
    /// The bone and the key frames of the current track, and the next frame.
    current: Option<(usize, TrackFloats<'a>, u32)>,
}

impl<'a> TrackReader<'a> {
    pub(super) fn new(view: View<'a>, moved: Vec<MovedBone>) -> Self {
        Self { view, moved: moved.into_iter(), current: None }
    }
}

impl Iterator for TrackReader<'_> {
    type Item = Result<BoneKey>;

    fn next(&mut self) -> Option<Result<BoneKey>> {
        loop {
            if let Some((bone, keys, next)) = &mut self.current
                && let Some(transform) = keys.get(as_index(*next))
            {
                let (bone, frame) = (*bone, *next);
                *next = frame.saturating_add(1);
                // The key frames of a track without scales have the scale 1.
                let scale = if keys.has_scale() || frame == 0 { SCALE } else { 0 };
                return Some(Ok(BoneKey { frame, bone, stored: POSITION | ROTATION | scale, transform }));
            }
            let (track, bone) = self.moved.next()?;
            match Track::new(self.view, track).keys() {
                Ok(keys) => self.current = Some((bone, keys, 0)),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
