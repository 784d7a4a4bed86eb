//! Invariants of every format: errors name their position, and bones move vertices.

use std::collections::BTreeSet;

use meshpeek::internals::weld_reported;
use meshpeek::model::animation::{Affine, Channel, ClipKey, KeyValue, SkinMatrix};
use meshpeek::model::{Omitted, SpaceConversion, Transform};
use meshpeek::{Animations, Array, Error, ErrorKind, Geometry, MeshFile, Pose, Skeleton, SkinnedSurface, Surface};

/// The number of clips and surfaces of a file that are read.
const SAMPLES: usize = 4;
/// The maximum number of bones that are posed, and of vertices that are read one by one.
const MANY: usize = 1024;

/// The result of reading a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The file did not open.
    Refused,
    /// The header was read, and some later part cannot be read.
    Damaged,
    /// The complete file was read.
    Read,
}

/// Resolves bones, poses them and moves vertices by them.
///
/// The content of the file may be arbitrary.
pub fn pose_and_skin<D>(file: &dyn MeshFile<Data = D>) {
    let (animations, geometry): (&dyn Animations, &dyn Geometry) = (file, file);
    let Ok(count) = animations.bone_count() else { return };
    if count > MANY {
        return;
    }
    let Ok(mut pose) = Pose::rest(animations) else { return };
    for clip in 0..animations.clip_count().unwrap().min(SAMPLES) {
        let _ = pose.set_time(animations, clip, 0.05, Some(30.0), true);
        assert_eq!(
            (pose.bones().len(), animations.animated_bones(clip, &mut vec![false; count + 1]).is_err()),
            (count, true)
        );
        let _ = animations.animated_bones(clip, &mut vec![false; count]);
        replay_keys(animations, clip);
    }
    let Ok(skeleton) = Skeleton::new(animations) else { return };
    let (mut model, mut palette) = (vec![Affine::IDENTITY; count], vec![SkinMatrix::IDENTITY; count]);
    skeleton.model(pose.bones(), &mut model).unwrap();
    let is_made = skeleton.palette(&model, &mut palette).is_ok();
    assert_eq!(pose.palette(&skeleton, &SpaceConversion::IDENTITY).is_ok(), is_made);
    for surface in geometry.surfaces().into_iter().flatten().take(SAMPLES) {
        let Ok(skinned) = SkinnedSurface::new(&surface, &palette) else { continue };
        let mut moved = vec![[0.0; 3]; skinned.len()];
        if let Err(error) = skinned.positions_into(&mut moved) {
            // The key of Second Life starts with a capital letter.
            let is_weights = error.field().name().eq_ignore_ascii_case("weights");
            assert!(error.kind().id() == "value" && is_weights, "{error}");
            continue;
        }
        expect_unit_directions(&surface, &skinned);
        for (vertex, moved) in moved.iter().enumerate().take(MANY) {
            let alone = skinned.position(vertex as u32).unwrap().unwrap();
            let same = |(one, other): (&f32, f32)| *one == other || one.is_nan() && other.is_nan();
            assert!(moved.iter().zip(alone).all(same), "vertex {vertex}: {moved:?}, alone {alone:?}");
        }
    }
}

/// Welds a surface whose indices may be arbitrary, and leaves out its damaged triangles.
///
/// A surface is damaged if `weld` returns an error. The other triangles keep their positions.
pub fn expect_lossy_weld(surface: &Surface<'_>) {
    let (whole, lossy) = (surface.weld(), weld_reported(surface));
    let Ok((welded, omitted)) = lossy else { return assert!(whole.is_err()) };
    assert_eq!(whole.is_ok(), omitted == Omitted::default());
    assert!(whole.is_err() || whole.is_ok_and(|whole| whole == welded));
    let indices = surface.indices().unwrap();
    assert_eq!(welded.indices.len() / 3 + omitted.triangles.len(), indices.len() / 3);
    for (triangle, corners) in (0..).zip(welded.indices.chunks(3)) {
        let source = omitted.source_triangle(triangle);
        assert!(triangle as usize > MANY || !omitted.triangles.contains(&source));
        for (corner, vertex) in (source as usize * 3..).zip(corners) {
            assert_eq!(Some(welded.vertices[*vertex as usize].position), indices.get(corner));
        }
    }
    let positions = surface.positions().and_then(|positions| welded.gather(positions));
    assert!(positions.is_ok_and(|positions| positions.len() == welded.vertices.len()) || surface.positions().is_err());
}

/// Replays the keys of a clip, if there are few, and compares the first poses.
fn replay_keys(animations: &dyn Animations, clip: usize) {
    let Ok(keys) = animations.keys(clip, None) else { return };
    let Ok(mut keys) = keys.take(8 * MANY).collect::<Result<Vec<ClipKey>, Error>>() else { return };
    let channels: BTreeSet<Channel> = keys.iter().map(ClipKey::channel).collect();
    if keys.len() == 8 * MANY || channels.iter().any(|channel| channel.bone.is_none()) {
        return;
    }
    assert!(animations.channels(clip).unwrap().into_iter().eq(channels));
    keys.sort_by_key(|key| key.frame);
    let mut keys = keys.into_iter().peekable();
    let mut pose = Pose::rest(animations).unwrap().bones().to_vec();
    let mut expected = pose.clone();
    for frame in 0..64 {
        while let Some(key) = keys.next_if(|key| key.frame <= frame) {
            let bone = &mut pose[key.bone.unwrap()];
            match key.value {
                KeyValue::Position(position) => bone.position = position,
                KeyValue::Rotation(rotation) => bone.rotation = rotation,
                KeyValue::Scale(scale) => bone.scale = scale,
                other => panic!("{other:?}"),
            }
        }
        if animations.pose(clip, usize::try_from(frame).unwrap(), &mut expected).is_err() {
            return;
        }
        let floats = |bone: &Transform| bone.position.into_iter().chain(bone.rotation).chain(bone.scale);
        let bits = |bones: &[Transform]| bones.iter().flat_map(floats).map(f32::to_bits).collect::<Vec<_>>();
        assert!(bits(&pose) == bits(&expected), "clip {clip}, frame {frame}");
    }
}

/// Skins the normals and tangent frames of the first corners. A skinned normal is the stored
/// normal, or has unit length.
fn expect_unit_directions(surface: &Surface<'_>, skinned: &SkinnedSurface<'_, '_>) {
    let Ok(corners) = surface.corners() else { return };
    let (normals, frames) = (skinned.normals().ok().flatten(), skinned.tangent_frames().ok().flatten());
    let stored = surface.normals().ok().flatten();
    for corner in corners.iter().take(MANY) {
        if let (Some(normals), Some(stored)) = (&normals, &stored)
            && let Ok(Some(normal)) = normals.get(corner)
        {
            let own = stored.get(usize::try_from(corner.attribute).unwrap()).unwrap();
            let length: f32 = normal.iter().map(|part| part * part).sum();
            let is_own = normal.map(f32::to_bits) == own.map(f32::to_bits);
            assert!(is_own || (length - 1.0).abs() < 1e-5, "{corner:?}: {normal:?}, stored {own:?}");
        }
        if let Some(frames) = &frames
            && let Ok(Some(frame)) = frames.get(corner)
        {
            assert!(frame.handedness.abs() == 1.0 || frame.handedness.is_nan(), "{corner:?}: {frame:?}");
        }
    }
}

/// Asserts that an error names its field and has an offset inside the file of `length` bytes. The
/// error of a file of another program says which one instead.
pub fn expect_named(error: &Error, length: u64) {
    let text = error.to_string();
    assert!(!error.format().is_empty() && !error.field().to_string().is_empty(), "{text}");
    let is_foreign = error.kind() == ErrorKind::Unsupported
        && error.offset() == Some(0)
        && [", which meshpeek does not read; ", ", which is not the mesh itself; "]
            .iter()
            .any(|end| text.contains(end));
    let is_named = text.contains(error.format()) && text.contains(&error.field().to_string());
    assert!(is_foreign || is_named, "{text}");
    assert!(error.offset().is_none_or(|offset| offset <= length), "{text} is outside of the file of {length} bytes");
    assert!(
        !matches!(error.kind(), ErrorKind::Io | ErrorKind::Changed | ErrorKind::OutOfMemory),
        "{text} is not an error of the file"
    );
}

/// Returns all items of an array as text.
fn items<A: Array>(array: Option<A>) -> Option<String>
where
    A::Item: std::fmt::Debug,
{
    array.map(|array| format!("{:?}", array.iter().collect::<Vec<_>>()))
}

/// Asserts that two surfaces have the same name, bounds, counts and arrays.
pub fn expect_same_surface(one: &Surface<'_>, other: &Surface<'_>) {
    let header = |surface: &Surface<'_>| {
        let name = surface.name().unwrap().to_vec();
        let material = surface.material().unwrap().map(|name| name.to_vec());
        let boxes = format!("{:?}", (surface.bounds().unwrap(), surface.sphere().unwrap()));
        (name, material, boxes, surface.is_drawn().unwrap(), surface.counts().unwrap())
    };
    assert_eq!(header(one), header(other));
    let shape = |surface: &Surface<'_>, target: usize| {
        let frames = items(surface.target_tangent_frames(target).unwrap());
        (items(surface.target_positions(target).ok()), items(surface.target_normals(target).unwrap()), frames)
    };
    let targets = usize::try_from(one.counts().unwrap().targets).unwrap();
    (0..targets).for_each(|target| assert_eq!(shape(one, target), shape(other, target)));
    let attributes = |surface: &Surface<'_>| {
        let uvs: Vec<_> = (0..4).map(|set| items(surface.uvs(set).unwrap())).collect();
        let weights = surface.weights().unwrap().map(|weights| {
            let list = |vertex| format!("{:?}", weights.get(vertex).unwrap().iter().collect::<Vec<_>>());
            (0..weights.len() as u32).map(list).collect::<Vec<_>>()
        });
        (uvs, items(surface.colors().unwrap()), weights)
    };
    assert_eq!(attributes(one), attributes(other));
    let triangles = |surface: &Surface<'_>| {
        let indices = [surface.indices().unwrap(), surface.attribute_indices().unwrap()].map(|all| items(Some(all)));
        let nodes = surface.partition().unwrap().map(|tree| (tree.node_count(), tree.triangle_count()));
        (indices, nodes, surface.weld().map_err(|error| error.to_string()))
    };
    assert_eq!(triangles(one), triangles(other));
}
