//! Bone animations: the tracks and times that a file stores, and the implementation of the
//! format-independent trait [`Animations`]: bones, animation clips and poses.

pub(crate) mod track;

use super::element_index::ElementKind;
use super::elements::{Animation, Track};
use super::file::Mesh;
use super::layout::FORMAT;
use super::view::View;
use crate::error::{Cause, Error, Field, Result};
use crate::math::{as_index, as_u64};
use crate::model::animation::{
    Animations, BoneKey, Channel, Clip, ClipKeys, POSITION, ROTATION, SCALE, channels_of_bits, find_in_order,
};
use crate::model::{Bone, Transform};
use crate::parse::{Name, expect_length, filled, room};

impl<D: AsRef<[u8]> + Send + Sync> Animations for Mesh<D> {
    /// Returns the total number of bones in all skeletons. The bone indices continue from one
    /// skeleton to the next.
    fn bone_count(&self) -> Result<usize> {
        Ok(self.view().bone_count())
    }

    fn bone(&self, bone: usize) -> Result<Bone<'_>> {
        self.view().bone(bone)
    }

    fn find_bone(&self, name: &[u8]) -> Result<Option<usize>> {
        let view = self.view();
        // The index of names has hashes, and leaves out names that are empty or very long.
        match view.find(ElementKind::Bone, Name::new(name)) {
            Some(bone) if view.bone_name(bone)?.as_bytes() == name => Ok(Some(bone)),
            _ => find_in_order(self, name),
        }
    }

    fn clip_count(&self) -> Result<usize> {
        Ok(self.view().count(ElementKind::Animation))
    }

    /// Returns the name, the number of animation frames and the number of tracks of a clip. The
    /// frame rate of the returned clip is `None`.
    ///
    /// The frame rate is not returned, because the times that real files declare are unreliable.
    fn clip(&self, clip: usize) -> Result<Clip<'_>> {
        let animation = self.animation(clip)?;
        let bones = u32::try_from(animation.tracks().len()).unwrap_or(u32::MAX);
        let (name, frames) = (animation.name()?, animation.frame_count()?);
        Ok(Clip { name, frames, bones, rate: None, first_vertex_frame: None })
    }

    fn pose(&self, clip: usize, frame: usize, out: &mut [Transform]) -> Result<()> {
        let view = self.view();
        let animation = self.animation(clip)?;
        expect_length(FORMAT, "out", view.bone_count(), out.len())?;
        expect_frame(&animation, clip, frame)?;
        for (bone, out) in out.iter_mut().enumerate() {
            *out = view.bone(bone)?.bind;
        }
        for track in animation.tracks() {
            let bone = view.find(ElementKind::Bone, track.name()?).and_then(|bone| out.get_mut(bone));
            if let (Some(bone), Some(key)) = (bone, track.keys()?.at(frame)) {
                *bone = key;
            }
        }
        Ok(())
    }

    fn track_pose(&self, clip: usize, frame: usize) -> Result<Option<Vec<(Name<'_>, Transform)>>> {
        let animation = self.animation(clip)?;
        expect_frame(&animation, clip, frame)?;
        let tracks = animation.tracks().map(|track| Ok((track.name()?, track.keys()?.at(frame).unwrap_or_default())));
        tracks.collect::<Result<_>>().map(Some)
    }

    /// Returns the keys of the tracks. After the last key of a track, the bone keeps its transform.
    ///
    /// If a track has no scales, the only scale key of its bone is 1, at frame 0.
    fn keys(&self, clip: usize, bone: Option<usize>) -> Result<ClipKeys<'_>> {
        let (view, animation) = (self.view(), self.animation(clip)?);
        if let Some(bone) = bone {
            view.bone_name(bone)?;
        }
        let moved = moved_bones(view, &animation, bone)?;
        Ok(ClipKeys::of_bones(moved.into_iter().flat_map(move |moved| track_keys(view, moved))))
    }

    fn channels(&self, clip: usize) -> Result<Vec<Channel>> {
        let view = self.view();
        let mut stored = filled(FORMAT, "channels", view.bone_count(), 0)?;
        for (_, bone) in moved_bones(view, &self.animation(clip)?, None)? {
            if let Some(stored) = stored.get_mut(bone) {
                *stored = POSITION | ROTATION | SCALE;
            }
        }
        channels_of_bits(FORMAT, &stored)
    }

    /// Sets `out[i]` to `true` if bone `i` has a track with at least one key frame, and otherwise
    /// to `false`. A track refers to its bone by name.
    fn animated_bones(&self, clip: usize, out: &mut [bool]) -> Result<()> {
        let (view, animation) = (self.view(), self.animation(clip)?);
        expect_length(FORMAT, "out", view.bone_count(), out.len())?;
        out.fill(false);
        for (_, bone) in moved_bones(view, &animation, None)? {
            out.get_mut(bone).into_iter().for_each(|moved| *moved = true);
        }
        Ok(())
    }
}

/// Returns an error if an animation does not have a frame.
fn expect_frame(animation: &Animation<'_>, clip: usize, frame: usize) -> Result<()> {
    let count = animation.frame_count()?;
    if frame < as_index(count) {
        return Ok(());
    }
    let kind = Cause::NoSuch { count: count.into(), index: as_u64(frame) };
    Err(Error::without_offset(FORMAT, Field::new("frame").in_list("animation", as_u64(clip)), kind))
}

/// The track that moves a bone: the index of the track in the file, and the index of the bone.
type MovedBone = (usize, usize);

/// Returns the track of each bone that an animation moves, or of the bone `only`, in the order of
/// the bones.
///
/// If several tracks have the name of a bone, the last track with key frames moves the bone.
fn moved_bones(view: View<'_>, animation: &Animation<'_>, only: Option<usize>) -> Result<Vec<MovedBone>> {
    let mut last = filled(FORMAT, "tracks", if only.is_none() { view.bone_count() } else { 1 }, None)?;
    let entry = |bone: usize| match only {
        Some(only) => (only == bone).then_some(0),
        None => Some(bone),
    };
    for track in animation.element.inside(ElementKind::Track) {
        let bone = view.find(ElementKind::Bone, Track::new(view, track).name()?);
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

/// Returns the keys of a track, which moves a bone.
fn track_keys(view: View<'_>, (track, bone): MovedBone) -> impl Iterator<Item = Result<BoneKey>> {
    let keys = Track::new(view, track).keys();
    let key = move |frame: u32| match &keys {
        Ok(keys) => {
            // The key frames of a track without scales have the scale 1.
            let scale = if keys.has_scale() || frame == 0 { SCALE } else { 0 };
            let transform = keys.get(as_index(frame))?;
            Some(Ok(BoneKey { frame, bone, stored: POSITION | ROTATION | scale, transform }))
        }
        Err(error) => (frame == 0).then(|| Err(error.clone())),
    };
    (0..u32::MAX).map_while(key)
}
