//! Tests the keys and channels of clips: replayed frame by frame, they are the poses.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::support::unigine::builder;
use meshpeek::model::Transform;
use meshpeek::model::animation::{Channel, ClipKey, KeyValue, Property};
use meshpeek::unigine::{Animation, AnimationGeneration};
use meshpeek::{Animations, Model, Pose, unreal};

/// The number of frames of a long clip that are compared with the poses.
const COMPARED: usize = 400;

fn keys(motion: &dyn Animations, clip: usize, bone: Option<usize>) -> Vec<ClipKey> {
    motion.keys(clip, bone).unwrap().map(Result::unwrap).collect()
}

/// The values of a clip's channels by frame.
type Tracks = BTreeMap<Channel, Vec<(u32, KeyValue)>>;

fn tracks(keys: &[ClipKey]) -> Tracks {
    let mut tracks = Tracks::new();
    for key in keys {
        let track = tracks.entry(key.channel()).or_default();
        assert!(track.last().is_none_or(|(frame, _)| *frame < key.frame), "the frames of a channel ascend");
        track.push((key.frame, key.value));
    }
    tracks
}

fn bits(bones: &[Transform]) -> Vec<u32> {
    let floats =
        |bone: &Transform| bone.position.into_iter().chain(bone.rotation).chain(bone.scale).collect::<Vec<_>>();
    bones.iter().flat_map(floats).map(f32::to_bits).collect()
}

/// Replays the keys from the rest pose, and compares each frame with the pose of the file.
fn expect_poses(motion: &dyn Animations, clip: usize, tracks: &Tracks, what: &Path) {
    let frames = usize::try_from(motion.clip(clip).unwrap().frames).unwrap();
    let mut pose = Pose::rest(motion).unwrap().bones().to_vec();
    let mut by_frame: BTreeMap<u32, Vec<(Channel, KeyValue)>> = BTreeMap::new();
    for (channel, values) in tracks {
        assert!(usize::try_from(values.last().unwrap().0).unwrap() < frames);
        for (frame, value) in values {
            by_frame.entry(*frame).or_default().push((*channel, *value));
        }
    }
    let mut expected = vec![Transform::default(); pose.len()];
    for frame in 0..frames.min(COMPARED) {
        for (channel, value) in by_frame.remove(&u32::try_from(frame).unwrap()).into_iter().flatten() {
            let bone = &mut pose[channel.bone.unwrap()];
            match value {
                KeyValue::Position(position) => bone.position = position,
                KeyValue::Rotation(rotation) => bone.rotation = rotation,
                KeyValue::Scale(scale) => bone.scale = scale,
                other => panic!("{other:?}"),
            }
        }
        motion.pose(clip, frame, &mut expected).unwrap();
        assert!(bits(&pose) == bits(&expected), "{}: clip {clip}, frame {frame}", what.display());
    }
}

/// Compares the keys of all clips with the poses. Returns the number of keys.
fn expect_keys(motion: &dyn Animations, what: &Path) -> usize {
    let mut count = 0;
    for clip in 0..motion.clip_count().unwrap() {
        let all = keys(motion, clip, None);
        let found = tracks(&all);
        assert_eq!(motion.channels(clip).unwrap(), found.keys().copied().collect::<Vec<_>>(), "{}", what.display());
        let mut moved = vec![false; motion.bone_count().unwrap()];
        motion.animated_bones(clip, &mut moved).unwrap();
        assert!(found.keys().all(|channel| moved[channel.bone.unwrap()]));
        expect_poses(motion, clip, &found, what);
        // The keys of each bone alone are the keys of all bones.
        let bones = motion.bone_count().unwrap();
        for bone in (0..bones).step_by(bones / 7 + 1) {
            let alone = tracks(&keys(motion, clip, Some(bone)));
            let same: Tracks = found.clone().into_iter().filter(|(channel, _)| channel.bone == Some(bone)).collect();
            assert!(alone == same, "{}: clip {clip}, bone {bone}", what.display());
        }
        assert_eq!(motion.keys(clip, Some(bones)).unwrap_err().kind().id(), "no-such");
        count += all.len();
    }
    let clips = motion.clip_count().unwrap();
    assert!(motion.keys(clips, None).is_err() && motion.channels(clips).is_err());
    count
}

fn expect_files(folder: &Path) -> usize {
    let (mut count, mut animated) = (0, 0);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    for path in files {
        let Ok(model) = Model::open(std::fs::read(&path).unwrap()) else { continue };
        let motion = model.animations();
        if motion.bone_count().is_ok_and(|bones| bones > 0) {
            let found = expect_keys(motion, &path);
            (count, animated) = (count + found, animated + usize::from(found > 0));
        }
    }
    eprintln!("{}: {animated} files with {count} keys", folder.display());
    animated
}

#[test]
fn the_keys_of_samples_are_their_poses() {
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data");
    assert!(expect_files(&data.join("unigine")) >= 6 && expect_files(&data.join("ezmesh")) >= 2);
    assert_eq!(expect_files(&data.join("secondlife")), 0, "no clips");
}

#[test]
fn the_keys_of_real_files_are_their_poses() {
    for (format, least) in [("unigine", 30), ("ezmesh", 3)] {
        let Some(folder) = crate::support::corpus(format) else { return };
        assert!(expect_files(&folder) >= least, "{format}");
    }
}

fn bone(name: &str, x: f32) -> builder::Bone {
    let bind = Transform { position: [x, 1.0, 2.0], scale: [3.0; 3], ..Transform::default() };
    builder::Bone { name: name.into(), parent: -1, bind }
}

/// Builds an animation of three bones and three frames. It moves the bones 2 and 0.
fn nod(generation: AnimationGeneration) -> Vec<u8> {
    let turn = Some([0.0, 0.0, 1.0, 0.0]);
    let none = builder::BoneKey::default();
    let whole = builder::BoneKey { position: [Some(4.0), Some(5.0), Some(6.0)], rotation: turn, ..none };
    let part = builder::BoneKey {
        position: if generation.is_quantized() { [None, Some(8.0), None] } else { [Some(8.0); 3] },
        ..none
    };
    let animation = builder::Animation {
        bones: vec![2, 0],
        flags: 0x0f,
        frames: vec![vec![whole, whole], vec![none, part], vec![part, none]],
        ..builder::Animation::default()
    };
    let bones = vec![bone("a", 0.0), bone("b", 10.0), bone("c", 20.0)];
    builder::AnimationFile { bones, animations: vec![animation], ..builder::AnimationFile::new(generation) }
        .to_bytes()
        .unwrap()
}

fn key(frame: u32, bone: usize, value: KeyValue) -> ClipKey {
    ClipKey { frame, bone: Some(bone), value }
}

#[test]
fn an_unchanged_property_has_no_key() {
    let file = Animation::open(nod(AnimationGeneration::An10)).unwrap();
    let turned = KeyValue::Rotation([0.0, 0.0, 1.0, 0.0]);
    // The other axes of a position keep their values. The file stores the y in 16 bits.
    let mut pose = [Transform::default(); 3];
    file.pose(0, 1, &mut pose).unwrap();
    assert!((pose[0].position[1] - 8.0).abs() < 1e-4);
    let [whole, part] = [[4.0, 5.0, 6.0], [4.0, pose[0].position[1], 6.0]].map(KeyValue::Position);
    // The file stores bone 2 before bone 0. Bone 0 changes in frame 1, and bone 2 in frame 2.
    let expected =
        [key(0, 2, whole), key(0, 2, turned), key(0, 0, whole), key(0, 0, turned), key(1, 0, part), key(2, 2, part)];
    assert_eq!(keys(&file, 0, None), expected);
    assert_eq!(keys(&file, 0, Some(0)), [expected[2], expected[3], expected[4]]);
    assert_eq!(keys(&file, 0, Some(1)), []);
    let channel = |bone, property| Channel { bone: Some(bone), property };
    let both = [0, 2].map(|bone| [channel(bone, Property::Position), channel(bone, Property::Rotation)]);
    assert_eq!(file.channels(0).unwrap(), both.as_flattened());
    // The scale has no key, so it stays at the rest transform.
    assert_eq!(file.bone(0).unwrap().bind.scale, [3.0; 3]);
}

#[test]
fn a_property_that_returns_to_its_default_has_a_key() {
    let file = Animation::open(nod(AnimationGeneration::An11)).unwrap();
    let rest = Transform::default();
    let [whole, part, zero] = [[4.0, 5.0, 6.0], [8.0; 3], rest.position].map(KeyValue::Position);
    let [turned, straight] = [[0.0, 0.0, 1.0, 0.0], rest.rotation].map(KeyValue::Rotation);
    let one = KeyValue::Scale(rest.scale);
    let bone_0 =
        [key(0, 0, whole), key(0, 0, turned), key(0, 0, one), key(1, 0, part), key(1, 0, straight), key(2, 0, zero)];
    assert_eq!(keys(&file, 0, Some(0)), bone_0);
    let bone_2 =
        [key(0, 2, whole), key(0, 2, turned), key(0, 2, one), key(1, 2, zero), key(1, 2, straight), key(2, 2, part)];
    assert_eq!(keys(&file, 0, Some(2)), bone_2);
    assert_eq!(file.channels(0).unwrap().len(), 6);
}

#[test]
fn the_last_track_of_a_bone_counts() {
    let track = |name: &str, count: usize, scaled: bool, start: usize| {
        let row = |frame: usize| format!("{} 0 0  0 0 0 1 {}", start + frame, if scaled { " 2 2 2" } else { "" });
        let rows: Vec<String> = (0..count).map(row).collect();
        format!("<AnimTrack name='{name}' count='{count}' has_scale='{scaled}'>{}</AnimTrack>", rows.join(", "))
    };
    let all = [
        track("a", 3, true, 10),
        track("nobody", 2, true, 20),
        track("b", 2, true, 30),
        track("a", 2, false, 40),
        track("a", 0, true, 50),
        track("b", 1, true, 60).replace("60 0 0", "60 0"),
    ];
    let open = |tracks: &[String]| {
        let text = format!(
            "<MeshSystem><Skeletons><Skeleton name='s'><Bone name='a' scale='5 5 5'/><Bone name='b'/></Skeleton>\
             </Skeletons><Animations><Animation name='c'>{}</Animation></Animations></MeshSystem>",
            tracks.concat()
        );
        meshpeek::ezmesh::Mesh::open(text.into_bytes()).unwrap()
    };
    let file = open(&all[..5]);
    assert!(expect_keys(&file, Path::new("tracks")) > 0);
    let position = |frame, bone, x| key(frame, bone, KeyValue::Position([x, 0.0, 0.0]));
    let found = keys(&file, 0, None);
    let positions: Vec<ClipKey> =
        found.iter().filter(|key| key.channel().property == Property::Position).copied().collect();
    assert_eq!(positions, [position(0, 0, 40.0), position(1, 0, 41.0), position(0, 1, 30.0), position(1, 1, 31.0)]);
    let scale = |bone| -> Vec<(u32, KeyValue)> {
        let channel = Channel { bone: Some(bone), property: Property::Scale };
        tracks(&found)[&channel].clone()
    };
    assert_eq!(scale(0), [(0, KeyValue::Scale([1.0; 3]))], "a track without scales");
    assert_eq!(scale(1), [(0, KeyValue::Scale([2.0; 3])), (1, KeyValue::Scale([2.0; 3]))]);
    // A damaged track is an error when its keys are reached, and only then.
    let damaged = open(&all);
    assert_eq!(damaged.channels(0).unwrap().len(), 6);
    assert_eq!(keys(&damaged, 0, Some(0)), keys(&file, 0, Some(0)));
    let mut keys = damaged.keys(0, None).unwrap().skip_while(Result::is_ok);
    let error = keys.next().unwrap().unwrap_err();
    assert_eq!(error.field().to_string(), "animation[0].track[5].keys");
    assert!(keys.next().is_none(), "the iterator ends after an error");
}

#[test]
fn vertex_frames_are_the_keys_of_a_vertex_mesh() {
    let [data, aniv] = ["guard_d.3d", "guard_a.3d"]
        .map(|name| std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("data/unreal").join(name)).unwrap());
    let script = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("data/unreal/guard.uc")).unwrap();
    let mesh = unreal::Mesh::open(data, aniv)
        .unwrap()
        .with_script(unreal::script::Script::open(script).unwrap(), b"guard")
        .unwrap();
    let clips = mesh.clip_count().unwrap();
    assert!(clips > 1);
    for clip in 0..clips {
        let described = mesh.clip(clip).unwrap();
        let first = described.first_vertex_frame.unwrap();
        let expected: Vec<ClipKey> = (0..described.frames)
            .map(|frame| ClipKey { frame, bone: None, value: KeyValue::VertexFrame(first + frame) })
            .collect();
        assert_eq!(keys(&mesh, clip, None), expected);
        assert_eq!(mesh.channels(clip).unwrap(), [Channel { bone: None, property: Property::VertexFrame }]);
        assert_eq!(mesh.keys(clip, Some(0)).unwrap_err().kind().id(), "no-such");
    }
    assert_eq!(mesh.keys(clips, None).unwrap_err().kind().id(), "no-such");
}

/// The bytes of a file that another program replaces.
struct Replaced {
    replaced: AtomicBool,
    bytes: [Vec<u8>; 2],
}

impl AsRef<[u8]> for Replaced {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[usize::from(self.replaced.load(Ordering::Relaxed))]
    }
}

#[test]
fn keys_that_change_after_the_file_was_opened_are_an_error() {
    for generation in [AnimationGeneration::An10, AnimationGeneration::An11] {
        let bones: Vec<builder::Bone> = (0..4_u8).map(|number| bone(&number.to_string(), 0.0)).collect();
        let mut poses = vec![bones.iter().map(|bone| bone.bind).collect::<Vec<_>>(); 40];
        for (frame, pose) in poses.iter_mut().enumerate() {
            pose[frame % 4].position[0] += 1.0;
        }
        let mut animation = builder::Animation::of_poses("", &poses);
        if generation != AnimationGeneration::An10 {
            let whole = |bone: &Transform| crate::support::unigine::whole_key(bone);
            animation.frames = poses.iter().map(|pose| pose.iter().map(whole).collect()).collect();
        }
        let file =
            builder::AnimationFile { bones, animations: vec![animation], ..builder::AnimationFile::new(generation) };
        let bytes = file.to_bytes().unwrap();
        let view = Animation::open(bytes.as_slice()).unwrap();
        let (start, length) = {
            let view = view.animation(0).unwrap();
            (usize::try_from(view.keys_offset()).unwrap(), view.key_bytes().len())
        };
        let mut longer = bytes.clone();
        longer[start..start + length].fill(0x7f);
        let replaced = Replaced { replaced: AtomicBool::new(false), bytes: [bytes, longer] };
        let file = Animation::open(replaced).unwrap();
        let whole = keys(&file, 0, None).len();
        file.data().replaced.store(true, Ordering::Relaxed);
        for only in [None, Some(0), Some(3)] {
            let found: Vec<_> = file.keys(0, only).unwrap().collect();
            let (last, before) = found.split_last().unwrap();
            let error = last.as_ref().unwrap_err();
            assert_eq!((error.kind().id(), error.field().name()), ("unexpected-end", "keys"), "{error}");
            assert!(before.iter().all(Result::is_ok) && before.len() < whole);
        }
        assert!(file.channels(0).is_err());
    }
}

#[test]
fn names_bones_that_do_not_exist() {
    let mut bytes = nod(AnimationGeneration::An11);
    let file = Animation::open(bytes.clone()).unwrap();
    let at = usize::try_from(file.animation(0).unwrap().bones_offset()).unwrap();
    for wrong in [3_i16, -1, i16::MAX, 0] {
        bytes[at..at + 2].copy_from_slice(&wrong.to_le_bytes());
        let file = Animation::open(bytes.clone()).unwrap();
        for error in
            [file.keys(0, None).unwrap_err(), file.keys(0, Some(1)).unwrap_err(), file.channels(0).unwrap_err()]
        {
            assert_eq!((error.kind().id(), error.field().name()), ("value", "bone_ids"), "{wrong}: {error}");
        }
    }
    let bones: BTreeSet<Option<usize>> = file.channels(0).unwrap().iter().map(|channel| channel.bone).collect();
    assert_eq!(bones, [Some(0), Some(2)].into());
}
