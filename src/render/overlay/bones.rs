//! The bones of the assets, in the pose of the picture.

use super::stroke::{Point, Stroke, StrokeInk, StrokeList, StrokeShape};
use crate::error::Result;
use crate::math::{as_u64, dot, subtract};
use crate::model::animation::{Affine, Animations};
use crate::model::{Geometry, Space};
use crate::scene::shape::PosedBones;
use crate::scene::{PlacedScene, inflated_bytes};

/// The load of a place, and that of a bone.
const PLACE: u64 = 16;
const BONE: u64 = 8;

/// The map from the model space to the converted space and the bones of one asset at one place.
struct PlacedBones {
    bones: PosedBones,
    map: Affine,
}

/// Adds the bones of all places, and returns their number. If `is_alone` is set, there are no
/// surfaces, and a file without a chosen frame shows the first frame of its clip.
pub(crate) fn add_bones(scene: &PlacedScene<'_>, is_alone: bool, out: &mut StrokeList) -> Result<u64> {
    let (mut count, mut load) = (0_u64, scene.load());
    for place in &scene.places {
        if !load.take(PLACE) {
            out.miss();
            break;
        }
        let asset = scene.contents.asset(place.asset)?;
        let bones = as_u64(asset.animations().bone_count()?);
        if bones > 0 && (out.is_full() || !load.take(bones.saturating_mul(BONE))) {
            out.miss();
            break;
        }
        let Some(level) = scene.levels(&*asset)?.first().copied() else { continue };
        let geometry = asset.level(level)?;
        let space = PlacedScene::space(&*geometry, PlacedScene::bone_placement(place, asset.animations()));
        let Some(placed) = placed_bones(scene, &*geometry, asset.animations(), &space, is_alone)? else { continue };
        count = count.saturating_add(placed.add(out));
        if !load.take_inflated(inflated_bytes(&asset)) {
            out.miss();
            break;
        }
    }
    Ok(count)
}

/// Reads the bones of an asset, or returns `None` if it has none.
fn placed_bones(
    scene: &PlacedScene<'_>,
    geometry: &dyn Geometry,
    animations: &dyn Animations,
    space: &Space,
    is_alone: bool,
) -> Result<Option<PlacedBones>> {
    if animations.bone_count()? == 0 {
        return Ok(None);
    }
    let (options, clips) = (&scene.options, scene.input.clips);
    let map = *space.conversion_to(&scene.target)?.map();
    let has_vertex_frames = clips.is_empty() && geometry.vertex_frame_count()? > 0;
    let clip = options.clip.unwrap_or_default();
    let other = clips.first().map(|source| source.animations);
    let source = other.unwrap_or(animations);
    let first = is_alone && source.clip_count()? > clip && source.clip(clip)?.frames > 0;
    let frame = options.frame.filter(|_| !has_vertex_frames).or(first.then_some(0.0));
    let Some(frame) = frame else {
        return Ok(Some(PlacedBones { bones: PosedBones::at_rest(animations)?, map }));
    };
    let bones = PosedBones::at_frame(animations, clips, clip, frame)?;
    Ok(Some(PlacedBones { bones, map }))
}

/// Returns whether two points differ.
fn is_apart(one: Point, other: Point) -> bool {
    let offset = subtract(one, other);
    dot(offset, offset) > 0.0
}

impl PlacedBones {
    /// Adds the bones, and returns their number. Bones that are not finite are left out.
    fn add(&self, out: &mut StrokeList) -> u64 {
        let mut count = 0_u64;
        for bone in 0..self.bones.model.len() {
            let Some(joint) = self.joint(bone) else { continue };
            let parent = self.bones.skeleton.parent(bone).and_then(|parent| self.joint(parent));
            let mut push = |ends, shape| out.push(Stroke { ends, shape, ink: StrokeInk::Bones });
            let is_drawn = match parent.filter(|parent| is_apart(*parent, joint)) {
                Some(parent) => push([parent, joint], StrokeShape::Bone) && push([joint, parent], StrokeShape::Joint),
                None => push([joint, joint], StrokeShape::Joint),
            };
            count = count.saturating_add(u64::from(is_drawn));
        }
        count
    }

    /// Returns the place of the joint of a bone, or `None` if it is not finite.
    fn joint(&self, bone: usize) -> Option<Point> {
        let [.., place] = self.bones.model.get(bone)?.then(&self.map).columns();
        Some(place).filter(|place| place.iter().all(|part| part.is_finite() && part.abs() < 1e30))
    }
}
