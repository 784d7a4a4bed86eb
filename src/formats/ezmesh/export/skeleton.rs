//! The skeletons and animations of an exported EZ-Mesh file.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeMap;

use super::{AnimationContent, BoneContent, DistinctNames, ExportContent, SkeletonContent, TrackContent};
use crate::error::{Cause, Result};
use crate::export::bones::usable_skeleton;
use crate::export::loss::{ForeignClips, LossKind, LossList, counted};
use crate::export::options::ExportScene;
use crate::export::{clip_rate, fault};
use crate::math::as_index;
use crate::model::animation::{Animations, Skeleton, bones_by_name};
use crate::model::{Geometry, SpaceConversion, Transform};
use crate::parse::filled;

/// The greatest number of bones, whose indices have 16 bits.
const MAX_BONES: usize = 1 << 16;

/// The bones of an asset in the file.
pub(super) struct AssetBones {
    /// The name of the skeleton.
    pub(super) name: Vec<u8>,
    /// The index in the skeleton of each bone of the asset.
    pub(super) order: Vec<u32>,
    /// The conversion of the bones.
    pub(super) conversion: SpaceConversion,
    /// The conversion of the vertices, without the transform of an instance.
    pub(super) vertices: SpaceConversion,
}

/// Adds a bone that never moves, unless the skeleton has it. Its index follows those of the bones
/// of the asset. Vertices without weights follow it, because a vertex of the format follows a bone.
pub(super) fn add_still(bones: &AssetBones, content: &mut ExportContent) {
    let skeleton = content.skeletons.iter_mut().find(|skeleton| skeleton.name == bones.name);
    if let Some(skeleton) = skeleton.filter(|skeleton| skeleton.bones.len() == bones.order.len()) {
        let taken = skeleton.bones.iter().map(|bone| bone.name.clone()).collect();
        let name = DistinctNames { taken, ..DistinctNames::default() }.add(b"without bones", "");
        skeleton.bones.push(BoneContent { name, parent: None, bind: Transform::default() });
    }
}

/// Adds the skeletons and clips of all exported assets. Returns the bones of each asset that has
/// some.
pub(super) fn add(
    scene: &ExportScene<'_>,
    content: &mut ExportContent,
    losses: &mut LossList,
) -> Result<BTreeMap<usize, AssetBones>> {
    let mut all = BTreeMap::new();
    if scene.options.frame.is_some() {
        return Ok(all);
    }
    let mut names = DistinctNames::default();
    for index in scene.placed.assets()? {
        let asset = scene.placed.contents.asset(index)?;
        let animations = asset.animations();
        // The levels of an asset without bones are not inflated here.
        let Some(read) = usable_skeleton(animations, losses)? else { continue };
        let Some(level) = scene.placed.levels(&*asset)?.first().copied() else { continue };
        let geometry = asset.level(level)?;
        let geometry: &dyn Geometry = &*geometry;
        let adjustment = scene.placed.adjustment_of(index)?;
        let conversion = scene.placed.conversion(geometry, adjustment)?;
        let vertices = scene.placed.vertex_conversion(geometry, animations, &adjustment)?;
        let name = names.add(b"", "skeleton");
        let (bones, order) = skeleton(animations, &read, &conversion, losses)?;
        content.skeletons.push(SkeletonContent { name: name.clone(), bones });
        let own = AssetBones { name, order, conversion, vertices };
        add_clips(scene, animations, &own, content, losses)?;
        all.insert(index, own);
    }
    Ok(all)
}

/// Returns the bones, each after its parent, and the new index of each bone.
fn skeleton(
    animations: &dyn Animations,
    skeleton: &Skeleton,
    conversion: &SpaceConversion,
    losses: &mut LossList,
) -> Result<(Vec<BoneContent>, Vec<u32>)> {
    let count = skeleton.len();
    if count >= MAX_BONES {
        let expected = format!("fewer than {MAX_BONES} bones, whose indices have 16 bits").into();
        return Err(fault("bones", Cause::Refused { expected, found: counted(count, "bone").into() }));
    }
    let (mut names, mut replaced) = (DistinctNames::default(), 0_usize);
    let (mut bones, mut order) = (Vec::new(), filled("export", "bones", count, u32::MAX)?);
    for bone in 0..count {
        // The parents that have no index yet, from the bone to the root.
        let up = |bone: &usize| skeleton.parent(*bone);
        let path: Vec<usize> = std::iter::successors(Some(bone), up)
            .take_while(|bone| order.get(*bone).is_some_and(|index| *index == u32::MAX))
            .collect();
        for bone in path.into_iter().rev() {
            let stored = animations.bone(bone)?;
            let parent = skeleton.parent(bone).and_then(|parent| order.get(parent)).copied();
            let name = names.add(stored.name.as_bytes(), "bone");
            if let Some(index) = order.get_mut(bone) {
                *index = u32::try_from(bones.len()).unwrap_or(u32::MAX);
            }
            bones.push(BoneContent { name, parent, bind: finite(&conversion.local(&stored.bind), &mut replaced) });
        }
    }
    add_replaced(replaced, "bone", losses);
    Ok((bones, order))
}

/// Adds the clips of an asset, and those of other files, whose bones are matched by name.
fn add_clips(
    scene: &ExportScene<'_>,
    own: &dyn Animations,
    bones: &AssetBones,
    content: &mut ExportContent,
    losses: &mut LossList,
) -> Result<()> {
    let identity: Vec<Option<usize>> = (0..bones.order.len()).map(Some).collect();
    for clip in 0..own.clip_count()? {
        if scene.options.clip.is_none_or(|chosen| chosen == clip) {
            let source = (own, clip, scene.options.source.name().unwrap_or_default());
            add_clip(scene, source, &identity, bones, content, losses)?;
        }
    }
    let mut foreign = ForeignClips::default();
    for &(name, animations) in scene.placed.input.clips {
        let (map, count) = (bones_by_name(own, animations)?, animations.clip_count()?);
        if map.iter().all(Option::is_none) {
            foreign.add(name, count);
            continue;
        }
        for clip in 0..count {
            let source = (animations, clip, name);
            foreign.moves_mesh |= add_clip(scene, source, &map, bones, content, losses)?;
        }
    }
    foreign.finish(losses);
    Ok(())
}

/// Adds a clip: a key of each moved bone in each frame. `map` has the bone of the asset for each
/// bone of the file. Returns `false` if the clip moves nothing.
fn add_clip(
    scene: &ExportScene<'_>,
    (animations, index, name): (&dyn Animations, usize, &str),
    map: &[Option<usize>],
    bones: &AssetBones,
    content: &mut ExportContent,
    losses: &mut LossList,
) -> Result<bool> {
    let clip = animations.clip(index)?;
    let count = animations.bone_count()?;
    let mut moved = filled("export", "bones", count, false)?;
    animations.animated_bones(index, &mut moved)?;
    let missing = moved.iter().zip(map).filter(|(moved, bone)| **moved && bone.is_none()).count();
    let stored = clip.name.to_string_lossy();
    let name = if stored.is_empty() { name.to_owned() } else { stored };
    if missing > 0 {
        let text = format!("{} of clip `{name}`, which the mesh does not have", counted(missing, "bone"));
        let fits = moved.iter().zip(map).any(|(moved, bone)| *moved && bone.is_some());
        losses.add(if fits { LossKind::ClipBones } else { LossKind::Clips }, None, text);
    }
    let skeleton = content.skeletons.iter().find(|skeleton| skeleton.name == bones.name);
    let target = |target: usize| skeleton?.bones.get(as_index(*bones.order.get(target)?));
    let moving = map.iter().enumerate().filter(|(bone, _)| moved.get(*bone) == Some(&true));
    let named = moving.filter_map(|(bone, map)| Some((bone, (target((*map)?)?.name.clone(), Vec::new()))));
    let mut tracks: Vec<(usize, TrackContent)> = named.collect();
    let (mut pose, mut replaced) = (filled("export", "pose", count, Transform::default())?, 0_usize);
    for frame in 0..clip.frames {
        animations.pose(index, as_index(frame), &mut pose)?;
        for (bone, (_, keys)) in &mut tracks {
            let local = pose.get(*bone).copied().unwrap_or_default();
            keys.push(finite(&bones.conversion.local(&local), &mut replaced));
        }
    }
    add_replaced(replaced, "key", losses);
    if tracks.is_empty() || clip.frames == 0 {
        return Ok(false);
    }
    let (rate, _) = clip_rate(clip.rate, scene.options.rate);
    content.animations.push(AnimationContent {
        name: super::text(name.as_bytes()),
        frames: clip.frames,
        seconds: [crate::math::narrow(f64::from(clip.frames) / f64::from(rate)), 1.0 / rate],
        tracks: tracks.into_iter().map(|(_, track)| track).collect(),
    });
    Ok(true)
}

/// Adds the number of transforms in which numbers that are not finite were replaced.
fn add_replaced(count: usize, of: &str, losses: &mut LossList) {
    if count > 0 {
        let text = format!("the transforms of {}, which are not finite", counted(count, of));
        losses.add(LossKind::Values, None, text);
    }
}

/// Returns a transform without numbers that are not finite, and counts one in which they are
/// replaced.
fn finite(transform: &Transform, replaced: &mut usize) -> Transform {
    *replaced = replaced.saturating_add(usize::from(!transform.is_finite()));
    let Transform { position, rotation, scale } = *transform;
    let or = |part: f32, default: f32| if part.is_finite() { part } else { default };
    let rotation = if rotation.iter().all(|part| part.is_finite()) { rotation } else { [0.0, 0.0, 0.0, 1.0] };
    Transform { position: position.map(|part| or(part, 0.0)), rotation, scale: scale.map(|part| or(part, 1.0)) }
}
