//! The content of an exported EZ-Mesh file except its meshes.

use super::super::builder::{Output, VERSIONS};
use crate::array::Bounds;
use crate::error::Result;
use crate::math::as_index;
use crate::model::Transform;

/// The content of a file before its meshes.
#[derive(Debug, Default)]
pub(super) struct ExportContent {
    pub(super) asset_name: Vec<u8>,
    pub(super) skeletons: Vec<SkeletonContent>,
    pub(super) animations: Vec<AnimationContent>,
    /// The name and the description of each material.
    pub(super) materials: Vec<[Vec<u8>; 2]>,
    /// Keys and values, which only a binary file contains.
    pub(super) user_data: Vec<[Vec<u8>; 2]>,
    /// Names and bytes, which only a binary file contains.
    pub(super) user_binary_data: Vec<[Vec<u8>; 2]>,
}

#[derive(Debug)]
pub(super) struct SkeletonContent {
    pub(super) name: Vec<u8>,
    pub(super) bones: Vec<BoneContent>,
}

#[derive(Debug)]
pub(super) struct BoneContent {
    pub(super) name: Vec<u8>,
    pub(super) parent: Option<u32>,
    pub(super) bind: Transform,
}

/// The name and the keys of a track.
pub(super) type TrackContent = (Vec<u8>, Vec<Transform>);

#[derive(Debug)]
pub(super) struct AnimationContent {
    pub(super) name: Vec<u8>,
    pub(super) frames: u32,
    /// The duration of the animation, and the time between two frames.
    pub(super) seconds: [f32; 2],
    pub(super) tracks: Vec<TrackContent>,
}

impl ExportContent {
    /// Writes the content, or checks the names if `out` writes nothing.
    pub(super) fn write(&self, bounds: Option<Bounds>, out: &mut Output<'_>) -> Result<()> {
        out.start_system([&self.asset_name, b""], VERSIONS, bounds)?;
        out.no_list();
        out.no_list();
        out.list(("Skeletons", "skeleton"), self.skeletons.iter(), SkeletonContent::write)?;
        out.list(("Animations", "animation"), self.animations.iter(), AnimationContent::write)?;
        out.list(("Materials", "material"), self.materials.iter(), |out, [name, more]| out.material(name, more))?;
        if out.order().is_none() {
            return Ok(());
        }
        for lists in [&self.user_data, &self.user_binary_data] {
            out.list(("", "user_data"), lists.iter(), |out, [name, value]| {
                out.text("name", name).text("value", value).empty()
            })?;
        }
        Ok(())
    }
}

impl SkeletonContent {
    fn write(out: &mut Output<'_>, skeleton: &Self) -> Result<()> {
        let place = out.place;
        out.start_skeleton(&skeleton.name, skeleton.bones.len())?;
        for (number, bone) in (0..).zip(&skeleton.bones) {
            out.place = place.in_inner_list("bone", number);
            let parent = bone.parent.and_then(|parent| Some((parent, skeleton.bones.get(as_index(parent))?)));
            out.bone(&bone.name, parent.map(|(parent, bone)| (parent, bone.name.as_slice())), &bone.bind)?;
        }
        out.close("Skeleton")
    }
}

impl AnimationContent {
    fn write(out: &mut Output<'_>, animation: &Self) -> Result<()> {
        let (place, [duration, dtime]) = (out.place, animation.seconds);
        let counts = [animation.tracks.len(), as_index(animation.frames)];
        out.start_animation(&animation.name, counts, [Some(duration), Some(dtime)])?;
        for (number, (name, keys)) in (0..).zip(&animation.tracks) {
            out.place = place.in_inner_list("track", number);
            out.start_track(name, keys.len(), animation.seconds)?;
            if !out.is_checking() {
                keys.iter().try_for_each(|key| out.transform(key))?;
            }
            out.close("AnimTrack")?;
        }
        out.close("Animation")
    }
}
