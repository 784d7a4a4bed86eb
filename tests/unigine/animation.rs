//! Tests of UNIGINE animation files and of animations embedded in meshes: their fields, their
//! poses, and the positions of errors.

use crate::support::unigine::builder;
use meshpeek::decode::compact;
use meshpeek::model::Transform;
use meshpeek::unigine::{Animation, AnimationGeneration, AnimationView, Coding, Generation, Mesh};
use meshpeek::{
    Animations, Error, ErrorKind, Finding, Geometry, MeshFile as _, Model, OpenOptions, Pose, Region, Result, Surface,
};

use crate::support::invariants::expect_named;
use crate::support::is_error;
use crate::support::random::Random;
use crate::support::unigine::{
    animation_regions, animation_samples, bytes, data, long_compact, range, skinned, turn, wave_pose,
};

/// Returns the byte range of a region of a valid animation file.
fn place(bytes: &[u8], name: &str) -> std::ops::Range<usize> {
    let all = animation_regions(bytes);
    range(all.iter().find(|region| region.field.to_string() == name).unwrap_or_else(|| panic!("no region {name}")))
}

/// Replaces the bytes of one named field.
///
/// If the lengths differ, the rest of the file moves.
fn spoil(bytes: &[u8], name: &str, replacement: &[u8]) -> Vec<u8> {
    let place = place(bytes, name);
    [&bytes[..place.start], replacement, &bytes[place.end..]].concat()
}

fn findings(bytes: &[u8]) -> Vec<Finding> {
    let mut found = Vec::new();
    Animation::open(bytes).unwrap().validate(&mut |finding| found.push(finding)).unwrap();
    found
}

fn bits(pose: &[Transform]) -> Vec<u32> {
    let parts = pose.iter().flat_map(|bone| bone.position.into_iter().chain(bone.rotation).chain(bone.scale));
    parts.map(f32::to_bits).collect()
}

/// Returns every frame, posed in a random order.
///
/// Also asserts that playing the frames gives the same bits.
fn poses(view: &AnimationView<'_>) -> Vec<Vec<Transform>> {
    let mut all = vec![vec![Transform::default(); view.bone_count()]; view.frames as usize];
    let mut random = Random::new(7);
    for _ in 0..all.len() {
        let frame = random.below(all.len());
        view.pose(frame as u32, &mut all[frame]).unwrap();
    }
    for (frame, pose) in all.iter_mut().enumerate() {
        view.pose(frame as u32, pose).unwrap();
    }
    let mut frames = view.play().unwrap();
    for (number, pose) in all.iter().enumerate() {
        assert_eq!(frames.frame() as usize, number);
        assert_eq!(bits(frames.next().unwrap().unwrap()), bits(pose), "frame {number}");
    }
    assert!(frames.next().unwrap().is_none() && frames.next().unwrap().is_none());
    all
}

fn float(bytes: &[u8], at: usize) -> f32 {
    f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn code(bytes: &[u8], at: usize) -> [u8; 2] {
    bytes[at..at + 2].try_into().unwrap()
}

/// Replays the only animation of an an10 file from its bytes, frame after frame.
///
/// This is slow and simple. The animation moves all bones.
fn replay(whole: &[u8], rest: &[Transform], frames: usize) -> Vec<Vec<Transform>> {
    let [positions, scales] = ["position_box", "scale_box"].map(|name| {
        let at = place(whole, &format!("animation[0].{name}")).start;
        [0, 1, 2].map(|axis| [float(whole, at + axis * 4), float(whole, at + 12 + axis * 4)].map(f64::from))
    });
    let value = |[min, size]: [f64; 2], code: u16| (min + size * f64::from(code) / 65535.0) as f32;
    let mut at = place(whole, "animation[0].keys").start;
    let mut pose = rest.to_vec();
    let mut all = Vec::new();
    for _ in 0..frames {
        for bone in &mut pose {
            let flags = whole[at];
            at += 1;
            for (axis, of) in positions.into_iter().enumerate() {
                if flags & (1 << axis) != 0 {
                    bone.position[axis] = value(of, u16::from_le_bytes(code(whole, at)));
                    at += 2;
                }
            }
            if flags & 8 != 0 {
                for part in &mut bone.rotation {
                    *part = f32::from(i16::from_le_bytes(code(whole, at))) / 32767.0;
                    at += 2;
                }
            }
            for (axis, of) in scales.into_iter().enumerate() {
                if flags & (0x10 << axis) != 0 {
                    bone.scale[axis] = value(of, u16::from_le_bytes(code(whole, at)));
                    at += 2;
                }
            }
        }
        all.push(pose.clone());
    }
    all
}

#[test]
fn reads_the_sample() {
    for sample in animation_samples() {
        let built = &sample.file;
        let file = Animation::open(std::fs::read(data().join(sample.stem).with_extension("anim")).unwrap()).unwrap();
        assert_eq!(file.generation(), built.generation);
        assert_eq!((file.bone_count(), file.animation_count()), (built.bones.len(), built.animations.len()));
        for (index, bone) in built.bones.iter().enumerate() {
            let found = file.bone(index).unwrap();
            assert_eq!((found.name.as_bytes(), found.parent), (bone.name.as_bytes(), bone.parent.into()));
            assert_eq!(found.bind, bone.bind);
        }
        let named = built.generation >= AnimationGeneration::An12;
        let skeleton = file.skeleton().unwrap();
        assert_eq!(skeleton.is_some(), named);
        if let Some([guid, path]) = skeleton {
            assert_eq!((guid.as_bytes().len(), guid.as_bytes()), (40, built.skeleton_guid.as_bytes()));
            assert_eq!(path.as_bytes(), built.skeleton_path.as_bytes());
            assert!(path.as_bytes().starts_with(b"guid://"));
        }
        assert_eq!((file.raw_rate(), file.rate()), (named.then_some(30), named.then_some(30.0)));
        let tail: &[u8] = match built.generation {
            AnimationGeneration::An10 | AnimationGeneration::An11 => &[],
            AnimationGeneration::An12 => &[0],
            AnimationGeneration::An13 => &[0; 13],
        };
        assert_eq!(file.tail().unwrap(), tail);
        assert_eq!(file.bounds().unwrap().is_some(), built.generation == AnimationGeneration::An10);

        let [animation] = &*built.animations else { panic!("{}: one animation", sample.stem) };
        let view = file.animation(0).unwrap();
        assert_eq!((view.name.as_bytes(), view.rate), (animation.name.as_bytes(), file.rate()));
        assert!(view.bones.iter().map(|bone| bone.get()).eq(animation.bones.iter().copied()));
        assert_eq!(view.frames as usize, animation.frames.len());
        assert_eq!(view.flags, (built.generation == AnimationGeneration::An10).then_some(animation.flags));
        if sample.stem.starts_with("bend") {
            continue;
        }
        // The tolerance is one code step of a box of size 4: the range of the values, and the 1
        // that the engine adds.
        let step = if view.flags.is_some() { 4.0 / 65535.0 } else { 0.0 };
        for (frame, found) in poses(&view).into_iter().enumerate() {
            let expected = wave_pose(frame as u8);
            for (number, bone) in built.bones.iter().enumerate() {
                let moved = animation.bones.iter().position(|id| usize::try_from(*id) == Ok(number));
                let Some(moved) = moved else {
                    assert_eq!(found[number], bone.bind, "{}: {} rests", sample.stem, bone.name);
                    continue;
                };
                let (found, expected) = (&found[number], &expected[moved]);
                let parts = found.position.iter().chain(&found.rotation).chain(&found.scale);
                let all = expected.position.iter().chain(&expected.rotation).chain(&expected.scale);
                for (found, expected) in parts.zip(all) {
                    assert!((found - expected).abs() <= step, "{}: {found}, not {expected}", sample.stem);
                }
            }
        }
    }
}

/// Tests that the samples contain every case that they are meant to demonstrate.
#[test]
fn samples_have_everything() {
    let mut seen = std::collections::BTreeMap::<&str, std::collections::BTreeSet<u8>>::new();
    for sample in animation_samples() {
        let (first, whole) = (sample.stem, sample.file.to_bytes().unwrap());
        let file = Animation::open(whole.as_slice()).unwrap();
        let view = file.animation(0).unwrap();
        seen.insert(first, view.keys().map(|key| key.flags).collect());
        assert!((0..).zip(&sample.file.bones).any(|(index, bone)| bone.parent > index), "a child before its parent");
        let ids: Vec<i16> = view.bones.iter().map(|id| id.get()).collect();
        assert!(ids.len() < file.bone_count() || first == "bend_an10", "a bone that is not moved");
        let gaps = ids.windows(2).any(|pair| pair[1] > pair[0] + 1);
        assert_eq!(gaps, sample.file.generation >= AnimationGeneration::An12);
    }
    assert!(seen["wave_an10"].len() >= 5 && seen["wave_an10"].contains(&0), "{seen:?}");
    assert!(seen["wave_an11"].len() >= 4, "{seen:?}");
    assert!(seen["still_an11"].is_empty());
}

/// Returns the number of bytes of a region that reading the structure needs.
fn looked_at(region: &Region) -> u64 {
    match region.field.name() {
        "bind_transforms" | "bone_ids" => 0,
        "keys" => region.count,
        _ => region.len(),
    }
}

#[test]
fn accounts_for_every_byte() {
    for sample in animation_samples() {
        let whole = sample.file.to_bytes().unwrap();
        let all = animation_regions(&whole);
        let mut end = 0;
        let mut names = std::collections::BTreeSet::new();
        for Region { field, start, end: next, element, count, .. } in &all {
            assert_eq!(*start, end, "{}: {field}", sample.stem);
            assert!(!element.name.is_empty() && names.insert(field.to_string()), "{}: {field} twice", sample.stem);
            if element.size > 0 {
                assert_eq!(next - start, u64::from(element.size) * count, "{}: {field}", sample.stem);
            }
            end = *next;
        }
        assert_eq!(end, whole.len() as u64, "{}", sample.stem);

        let file = Animation::open_with(whole.as_slice(), &OpenOptions::default().with_record_access(true)).unwrap();
        let touched = file.access_log(0).unwrap();
        let header = all.iter().filter(|region| region.end <= file.animation(0).unwrap().bones_offset());
        assert!(header.count() > 5);
        file.check().unwrap();
        assert_eq!(touched.bytes(), all.iter().map(looked_at).sum::<u64>(), "{}", sample.stem);
        assert!(Animation::open(whole.as_slice()).unwrap().access_log(0).is_none());
    }
}

/// Tests that opening reads the header only, and that locating an animation reads only the flags of
/// its keys.
#[test]
fn touches_no_more_than_it_says() {
    let whole = bytes("wave_an10");
    let all = animation_regions(&whole);
    let sum =
        |from: u64, to: u64| all.iter().filter(|region| (from..to).contains(&region.start)).map(looked_at).sum::<u64>();
    let body = place(&whole, "bind_transforms").end as u64;
    let file = Animation::open_with(whole.as_slice(), &OpenOptions::default().with_record_access(true)).unwrap();
    let touched = file.access_log(0).unwrap();
    assert_eq!(touched.bytes(), sum(0, body));
    let view = file.animation(0).unwrap();
    let closing = place(&whole, "closing_magic").start as u64;
    assert_eq!(touched.bytes(), sum(0, closing));
    assert_eq!(view.key_bytes().as_ptr(), whole[place(&whole, "animation[0].keys")].as_ptr());
    let model = Model::open_with(whole.as_slice(), &OpenOptions::default().with_record_access(true)).unwrap();
    assert_eq!(model.file().touched_bytes().unwrap(), sum(0, body));
}

#[test]
fn names_the_field_that_is_cut() {
    for sample in animation_samples() {
        let whole = sample.file.to_bytes().unwrap();
        let all = animation_regions(&whole);
        for length in 0..whole.len() {
            let error = check_invariants(&whole[..length], &mut Random::new(1)).unwrap_err();
            if length < 4 {
                continue;
            }
            let name = error.field().to_string();
            let (at, stem) = (error.offset().unwrap(), sample.stem);
            let named = all.iter().find(|region| region.field.to_string() == name);
            let named = named.unwrap_or_else(|| panic!("{stem} cut to {length}: {error}"));
            let cut = all.iter().find(|region| region.end > length as u64).unwrap();
            if ["bones.count", "animations.count", "frames.count"].contains(&error.field().name()) {
                assert!(named.start <= cut.start && at == named.start, "{stem} cut to {length}: {error}");
            } else {
                assert_eq!(named.field, cut.field, "{stem} cut to {length}: {error}");
                assert!((named.start..=length as u64).contains(&at), "{stem} cut to {length}: {error}");
            }
        }
    }
}

/// Does everything that a caller can do with an animation file, valid or not.
///
/// Returns the first fault of its structure.
fn check_invariants(bytes: &[u8], random: &mut Random) -> Result<()> {
    let length = bytes.len() as u64;
    let named = |error: &Error| expect_named(error, length);
    let file = Animation::open(bytes).inspect_err(named)?;
    let checked = file.check().inspect_err(named);
    let (mut end, mut surveyed, mut found) = (0, 0, Vec::new());
    let regions = file.regions(0, &mut |region| {
        assert_eq!(region.start, end, "{}", region.field);
        end = region.end;
    });
    let survey = file.validate_structure(&mut |_| surveyed += 1);
    let validated = file.validate(&mut |finding| found.push(finding));
    assert!(found.len() >= surveyed && found.iter().all(|finding| finding.offset <= length));
    let mut written = Vec::new();
    let wrote = file.write_to(0, &mut written);
    for same in [&regions, &survey, &validated, &wrote] {
        assert_eq!(same.is_ok(), checked.is_ok(), "{checked:?}, {same:?}");
    }
    if checked.is_ok() && !found.iter().any(|finding| ["UG14", "UG24"].contains(&finding.rule)) {
        assert!(end == length && written == bytes, "written differently without a finding");
    }
    for bone in 0..file.bone_count() {
        file.bone(bone).unwrap();
    }
    let mut pose = vec![Transform::default(); file.bone_count()];
    for index in 0..file.animation_count() {
        let Ok(view) = file.animation(index).inspect_err(named) else { continue };
        assert_eq!(view.keys().count() as u64, view.bones.len() as u64 * u64::from(view.frames));
        for _ in 0..4 {
            let frame = random.below(view.frames as usize + 1) as u32;
            if let Err(error) = view.pose(frame, &mut pose) {
                assert!(frame == view.frames || error.field().name() == "bone_ids", "{error}");
            }
        }
        if let Ok(mut frames) = view.play() {
            while frames.next().unwrap().is_some() {}
        }
        assert!(view.index_size() <= length);
    }
    checked
}

#[test]
fn survives_any_count() {
    for sample in animation_samples() {
        let whole = sample.file.to_bytes().unwrap();
        check_invariants(&whole, &mut Random::new(1)).unwrap();
        let counts = animation_regions(&whole);
        let counts = counts.iter().filter(|region| region.field.name().ends_with(".count"));
        for count in counts {
            let (name, range) = (count.field.to_string(), range(count));
            let wide = count.element.name != "compact int";
            let spelled =
                |value: i32| if wide { value.to_le_bytes().to_vec() } else { crate::support::unigine::compact(value) };
            let own = if wide {
                i32::from_le_bytes(whole[range.clone()].try_into().unwrap())
            } else {
                compact::decode(&whole[range.clone()]).unwrap().0
            };
            for other in [0, 1, own - 1, own + 1, i32::MAX] {
                let _ = check_invariants(&spoil(&whole, &name, &spelled(other)), &mut Random::new(1));
            }
            for negative in [-1, 1 - own.max(3), -i32::MAX] {
                let error =
                    check_invariants(&spoil(&whole, &name, &spelled(negative)), &mut Random::new(2)).unwrap_err();
                assert!(error.kind() == ErrorKind::Value, "{name}: {error}");
                assert_eq!((error.field(), error.offset()), (count.field, Some(count.start)), "{error}");
            }
            for length in range.len() + 1..=compact::MAX_BYTES {
                if wide {
                    break;
                }
                let spoilt = spoil(&whole, &name, &long_compact(own, length));
                check_invariants(&spoilt, &mut Random::new(3)).unwrap();
                let found = findings(&spoilt);
                assert!(found.iter().any(|found| (found.rule, found.field) == ("UG14", count.field)), "{found:?}");
                let mut written = Vec::new();
                Animation::open(spoilt.as_slice()).unwrap().write_to(0, &mut written).unwrap();
                assert!(written == whole, "{name}: the engine's encoding is restored");
            }
        }
    }
}

#[test]
fn writes_what_it_read() {
    for sample in animation_samples() {
        let whole = sample.file.to_bytes().unwrap();
        let mut written = Vec::new();
        Animation::open(whole.as_slice()).unwrap().write_to(0, &mut written).unwrap();
        assert!(written == whole, "{}", sample.stem);
        let mut written = Vec::new();
        Model::open(whole.as_slice()).unwrap().file().write_to(0, &mut written).unwrap();
        assert!(written == whole, "{}", sample.stem);
    }
    // Unexplained bytes are kept and reported.
    let whole = bytes("wave_an13");
    let spoilt = spoil(&whole, "unknown", &[0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 9]);
    let mut written = Vec::new();
    let file = Animation::open(spoilt.as_slice()).unwrap();
    file.write_to(0, &mut written).unwrap();
    assert!(written == spoilt);
    let found = findings(&spoilt);
    let at = place(&whole, "unknown").start as u64 + 1;
    assert_eq!(found.iter().map(|found| (found.rule, found.offset)).collect::<Vec<_>>(), [("UG22", at)]);
}

#[test]
fn agrees_with_the_neutral_view() {
    for sample in animation_samples() {
        let file = Animation::open(sample.file.to_bytes().unwrap()).unwrap();
        let motion: &dyn Animations = &file;
        assert_eq!((motion.format(), motion.version()), ("unigine", file.generation().magic()));
        assert_eq!((motion.bone_count().unwrap(), motion.clip_count().unwrap()), (file.bone_count(), 1));
        for bone in 0..file.bone_count() {
            assert_eq!(motion.bone(bone).unwrap(), file.bone(bone).unwrap());
        }
        let (clip, view) = (motion.clip(0).unwrap(), file.animation(0).unwrap());
        assert_eq!((clip.name, clip.frames, clip.rate), (view.name, view.frames, view.rate));
        assert_eq!((clip.bones as usize, clip.first_vertex_frame), (view.bones.len(), None));
        let mut moved = vec![false; file.bone_count()];
        motion.animated_bones(0, &mut moved).unwrap();
        for (bone, moved) in moved.into_iter().enumerate() {
            assert_eq!(moved, view.bones.iter().any(|id| usize::try_from(id.get()) == Ok(bone)));
        }
        let mut found = vec![Transform::default(); file.bone_count()];
        for (frame, expected) in poses(&view).iter().enumerate() {
            motion.pose(0, frame, &mut found).unwrap();
            assert_eq!(found, *expected);
        }
        let past = [motion.pose(0, view.frames as usize, &mut found), motion.pose(0, usize::MAX, &mut found)];
        for error in past.into_iter().chain([motion.clip(1).map(drop)]).map(Result::unwrap_err) {
            assert_eq!(error.kind().id(), "no-such", "{error}");
        }
        assert!(motion.pose(0, 0, &mut found[1..]).unwrap_err().kind() == ErrorKind::Buffer);
        let geometry: &dyn Geometry = &file;
        assert_eq!(Surface::all(geometry).unwrap().len(), 0);
        assert_eq!(geometry.surface(0).unwrap_err().kind().id(), "no-such");
    }
}

/// Builds bones, each with a different bind transform.
fn crowd(count: u8) -> Vec<builder::Bone> {
    (0..count)
        .map(|bone| builder::Bone {
            name: format!("bone {bone}"),
            parent: i16::from(bone) - 1,
            bind: Transform { position: [f32::from(bone), -1.0, 0.5], ..Transform::default() },
        })
        .collect()
}

/// Builds a long an10 animation: a complete frame 0, then some changes in each frame.
fn long(frames: usize) -> builder::AnimationFile {
    let mut random = Random::new(42);
    let bones = crowd(20);
    let mut keys = vec![vec![builder::BoneKey::default(); bones.len()]; frames];
    for key in &mut keys[0] {
        *key = builder::BoneKey {
            position: [0; 3].map(|_| Some(random.unit())),
            rotation: Some(turn(random.unit())),
            scale: [0; 3].map(|_| Some(random.unit() + 2.0)),
        };
    }
    for frame in &mut keys[1..] {
        for _ in 0..random.below(6) {
            let key = &mut frame[random.below(20)];
            key.position[random.below(3)] = Some(random.unit());
            if random.one_in(2) {
                key.rotation = Some(turn(random.unit()));
            }
            if random.one_in(4) {
                key.scale[random.below(3)] = Some(random.unit() + 2.0);
            }
        }
    }
    let animation = builder::Animation { name: "long".into(), bones: (0..20).collect(), flags: 0x7f, frames: keys };
    builder::AnimationFile {
        bones,
        animations: vec![animation],
        ..builder::AnimationFile::new(AnimationGeneration::An10)
    }
}

#[test]
fn poses_like_its_naive_twin() {
    let built = long(10_000);
    let whole = built.to_bytes().unwrap();
    let rest: Vec<Transform> = built.bones.iter().map(|bone| bone.bind).collect();
    let replayed = replay(&whole, &rest, 10_000);
    let file = Animation::open(whole.as_slice()).unwrap();
    let view = file.animation(0).unwrap();
    let mut random = Random::new(1);
    let mut pose = vec![Transform::default(); 20];
    // The first and the last frames, both sides of some checkpoints, and random frames.
    let interval = view.interval() as usize;
    let edges = [0, 1, interval - 1, interval, interval + 1, interval * 2 - 1, interval * 2, 9_998, 9_999];
    for frame in edges.into_iter().chain((0..500).map(|_| random.below(10_000))) {
        view.pose(frame as u32, &mut pose).unwrap();
        assert_eq!(bits(&pose), bits(&replayed[frame]), "frame {frame}");
    }
    let mut frames = view.play().unwrap();
    for (number, expected) in replayed.iter().enumerate() {
        assert_eq!(bits(frames.next().unwrap().unwrap()), bits(expected), "frame {number}");
    }
    // The same for the sample, whose animation does not move the last bone.
    let sample = crate::support::unigine::wave(AnimationGeneration::An10);
    let whole = sample.to_bytes().unwrap();
    let rest: Vec<Transform> = sample.bones.iter().map(|bone| bone.bind).collect();
    let file = Animation::open(whole.as_slice()).unwrap();
    let found = poses(&file.animation(0).unwrap());
    for (found, expected) in found.iter().zip(replay(&whole, &rest[..4], crate::support::unigine::WAVE_FRAMES.into())) {
        assert_eq!(bits(&found[..4]), bits(&expected));
        assert_eq!(found[4], rest[4]);
    }
}

/// Asserts that the checkpoints are as dense as an index of 2 % of the file allows.
///
/// They are at least `least` frames apart.
fn expect_smallest_interval(whole: &[u8], least: u32) -> u32 {
    let file = Animation::open(whole).unwrap();
    let view = file.animation(0).unwrap();
    let (interval, size, allowed) = (view.interval(), view.index_size(), whole.len() as u64 / 50);
    let count = u64::from((view.frames - 1) / interval);
    eprintln!(
        "{} of {} frames: {count} checkpoints, one every {interval} frames, of {size} bytes, {:.2} % of {}",
        file.generation().magic(),
        view.frames,
        size as f64 * 100.0 / whole.len() as f64,
        whole.len()
    );
    assert!(interval >= least && size <= allowed);
    if interval > least && count > 0 {
        let denser = u64::from((view.frames - 1) / (interval - 1));
        assert!(denser * (size / count) > allowed, "{denser} checkpoints of {} bytes fit", size / count);
    }
    interval
}

#[test]
fn keeps_its_index_small() {
    let whole = long(10_000).to_bytes().unwrap();
    assert!(expect_smallest_interval(&whole, 64) > 64);
    // In these generations each frame is complete, so a checkpoint only stores the start of a
    // frame.
    for generation in [AnimationGeneration::An11, AnimationGeneration::An12, AnimationGeneration::An13] {
        let mut built = long(3_000);
        built.generation = generation;
        built.animations[0].name.clear();
        let whole = built.to_bytes().unwrap();
        expect_smallest_interval(&whole, 1);
        poses(&Animation::open(whole.as_slice()).unwrap().animation(0).unwrap());
    }
    // Each frame has many keys, so even one checkpoint per 64 frames stays within the limit.
    let mut built = long(2_000);
    let all = built.animations[0].frames[0].clone();
    for (number, frame) in (0_u16..).zip(&mut built.animations[0].frames) {
        *frame = all.clone();
        for key in frame.iter_mut() {
            key.rotation = Some(turn(f32::from(number) / 2_000.0));
            let other = |part: Option<f32>| part.map(|part| part + f32::from(number % 7));
            (key.position, key.scale) = (key.position.map(other), key.scale.map(other));
        }
    }
    assert_eq!(expect_smallest_interval(&built.to_bytes().unwrap(), 64), 64);
    // A short animation needs no index.
    let view_of_few = bytes("wave_an10");
    let file = Animation::open(view_of_few.as_slice()).unwrap();
    let view = file.animation(0).unwrap();
    assert!(view.interval() >= view.frames && view.index_size() == 0);
}

/// Tests that a component without a key keeps its value from the bind transform.
///
/// This holds for each component separately, in formats that have bind transforms.
#[test]
fn what_nobody_told_rests() {
    let bind = Transform { position: [1.0, 2.0, 3.0], rotation: turn(0.5), scale: [4.0, 5.0, 6.0] };
    let bone = |parent| builder::Bone { name: String::new(), parent, bind };
    let tell = |axis: usize, value: f32| {
        let mut key = builder::BoneKey::default();
        key.position[axis] = Some(value);
        key
    };
    let frames = vec![
        // The flags of the animation include rotation, but this frame has none.
        vec![tell(0, 8.0)],
        vec![builder::BoneKey { scale: [None, Some(0.5), None], ..tell(2, 9.0) }],
        vec![builder::BoneKey { rotation: Some([0.0, 0.0, 0.0, 1.0]), ..builder::BoneKey::default() }],
    ];
    let animation = builder::Animation { name: String::new(), bones: vec![1], flags: 9, frames };
    let expected = [
        Transform { position: [8.0, 2.0, 3.0], ..bind },
        Transform { position: [8.0, 2.0, 9.0], scale: [4.0, 0.5, 6.0], ..bind },
        Transform { position: [8.0, 2.0, 9.0], scale: [4.0, 0.5, 6.0], ..Transform::default() },
    ];
    let file = builder::AnimationFile {
        bones: vec![bone(-1), bone(0)],
        animations: vec![animation.clone()],
        ..builder::AnimationFile::new(AnimationGeneration::An10)
    };
    let file = Animation::open(file.to_bytes().unwrap()).unwrap();
    let mesh = builder::Mesh {
        bones: vec![bone(-1), bone(0)],
        animations: vec![animation.clone()],
        ..builder::Mesh::new(Generation::Ms12)
    };
    let mesh = Mesh::open(mesh.to_bytes().unwrap()).unwrap();
    for view in [file.animation(0).unwrap(), mesh.animation(0).unwrap()] {
        for (pose, expected) in poses(&view).iter().zip(expected) {
            assert_eq!(pose[0], bind);
            // The tolerance covers one of 65,535 steps of a box of size 1 and a little, in an10.
            let near =
                |one: &[f32], other: &[f32]| one.iter().zip(other).all(|(one, other)| (one - other).abs() < 1e-3);
            let found = pose[1];
            assert!(near(&found.position, &expected.position) && near(&found.scale, &expected.scale), "{found:?}");
            assert_eq!(found.rotation.map(f32::to_bits), expected.rotation.map(f32::to_bits));
        }
    }
    // From an11 on, a missing component has its default value, independent of the frames before.
    let file = builder::AnimationFile {
        bones: vec![bone(-1), bone(0)],
        animations: vec![animation],
        ..builder::AnimationFile::new(AnimationGeneration::An11)
    };
    let file = Animation::open(file.to_bytes().unwrap()).unwrap();
    let found = poses(&file.animation(0).unwrap());
    assert!(found.iter().all(|pose| pose[0] == bind));
    let alone = |position, scale| Transform { position, scale, ..Transform::default() };
    assert_eq!(found[0][1], alone([8.0, 0.0, 0.0], [1.0; 3]));
    assert_eq!(found[1][1], alone([0.0, 0.0, 9.0], [1.0, 0.5, 1.0]));
    assert_eq!(found[2][1], Transform::default());
}

/// Tests that unknown flag bits announce no data: the poses stay the same, and a finding reports
/// the bits.
#[test]
fn passes_unknown_flags_over() {
    for (stem, unknown) in
        [("wave_an10", &[0x80_u8][..]), ("wave_an11", &[8, 0x10, 0x80, 0xf8]), ("wave_an13", &[0x40, 0xf8])]
    {
        let whole = bytes(stem);
        let sound = Animation::open(whole.as_slice()).unwrap();
        let expected = poses(&sound.animation(0).unwrap());
        let keys: Vec<u64> = sound.animation(0).unwrap().keys().map(|key| key.offset).collect();
        for flag in unknown {
            let mut spoilt = whole.clone();
            for number in [keys.len() - 1, keys.len() / 2, 9] {
                spoilt[keys[number] as usize] |= flag;
            }
            let file = Animation::open(spoilt.as_slice()).unwrap();
            file.check().unwrap();
            let view = file.animation(0).unwrap();
            assert_eq!(view.coding().unknown() & flag, *flag);
            for (found, expected) in poses(&view).iter().zip(&expected) {
                assert_eq!(bits(found), bits(expected));
            }
            let found = findings(&spoilt);
            let shown: Vec<_> = found.iter().map(|found| (found.rule, found.offset)).collect();
            assert_eq!(shown, [("UG08", keys[9])], "{found:?}");
            let mut written = Vec::new();
            file.write_to(0, &mut written).unwrap();
            assert!(written == spoilt);
            // If the keys do not end at the closing magic, the error names the first key with an
            // unknown flag.
            spoilt.insert(keys[11] as usize, 0);
            let error = Animation::open(spoilt.as_slice()).unwrap().check().unwrap_err();
            assert_eq!(
                (error.field().to_string().as_str(), error.offset(), error.kind().id()),
                ("animation[0].keys", Some(keys[9]), "value"),
                "{error}"
            );
            assert!(error.to_string().contains(&format!("found 0x{:02x}", spoilt[keys[9] as usize])), "{error}");
            check_invariants(&spoilt, &mut Random::new(4)).unwrap_err();
        }
        // Without unknown flags, the error names the closing magic.
        let mut spoilt = whole.clone();
        let closing = place(&whole, "closing_magic").start;
        spoilt.insert(closing, 0);
        let error = Animation::open(spoilt.as_slice()).unwrap().check().unwrap_err();
        assert_eq!((error.field().name(), error.offset()), ("closing_magic", Some(closing as u64)), "{error}");
    }
}

/// Tests that the bone numbers of an animation are checked before they are used.
#[test]
fn refuses_bones_that_are_not_there() {
    for stem in ["wave_an10", "wave_an11", "wave_an12", "wave_an13"] {
        let whole = bytes(stem);
        let at = place(&whole, "animation[0].bone_ids").start;
        for (item, wrong) in [(0, -1_i16), (3, 5), (2, i16::MAX), (1, i16::MIN), (3, 0)] {
            let mut spoilt = whole.clone();
            spoilt[at + item * 2..at + item * 2 + 2].copy_from_slice(&wrong.to_le_bytes());
            check_invariants(&spoilt, &mut Random::new(9)).unwrap();
            let file = Animation::open(spoilt.as_slice()).unwrap();
            let view = file.animation(0).unwrap();
            let mut pose = vec![Transform::default(); 5];
            for error in [view.pose(0, &mut pose).unwrap_err(), view.play().map(drop).unwrap_err()] {
                assert_eq!((error.kind().id(), error.offset()), ("value", Some((at + item * 2) as u64)), "{error}");
                assert_eq!(error.field().to_string(), "animation[0].bone_ids");
            }
            assert!(findings(&spoilt).iter().any(|found| found.rule == "UG08"), "{wrong} as number {item}");
        }
        // Bone numbers in another order are valid.
        let mut spoilt = whole.clone();
        spoilt[at..at + 8].copy_from_slice(&[3, 0, 4, 0, 0, 0, 2, 0]);
        check_invariants(&spoilt, &mut Random::new(9)).unwrap();
        let one = Animation::open(spoilt.as_slice()).unwrap();
        let [found, expected] =
            [one, Animation::open(whole.clone().as_slice()).unwrap()].map(|file| poses(&file.animation(0).unwrap()));
        let ids = Animation::open(whole.as_slice()).unwrap().animation(0).unwrap().bones.to_vec();
        for (found, expected) in found.iter().zip(&expected) {
            for (to, from) in [3, 4, 0, 2].into_iter().zip(&ids) {
                let from = expected[from.get() as usize];
                // A component without a key would keep the bind value, but this sample has a key
                // for every component.
                assert_eq!(found[to], from);
            }
        }
    }
}

#[test]
fn says_what_it_cannot_pose() {
    let still = Animation::open(bytes("still_an11")).unwrap();
    let view = still.animation(0).unwrap();
    let mut pose = vec![Transform::default(); 5];
    let error = view.pose(0, &mut pose).unwrap_err();
    assert!(is_error(&error, ErrorKind::NoSuch, &["found number 0, but there are none"]), "{error}");
    assert!(view.play().unwrap().next().unwrap().is_none());
    assert_eq!((view.keys().count(), view.index_size()), (0, 0));
    let file = Animation::open(bytes("wave_an10")).unwrap();
    let view = file.animation(0).unwrap();
    for frame in [12, u32::MAX] {
        let error = view.pose(frame, &mut pose).unwrap_err();
        assert!(is_error(&error, ErrorKind::NoSuch, &["expected a number below 12,"]), "{error}");
    }
    for wrong in [0, 4, 6] {
        let error = view.pose(0, &mut vec![Transform::default(); wrong]).unwrap_err();
        assert!(is_error(&error, ErrorKind::Buffer, &["a buffer of 5 items"]), "{error}");
    }
    assert!(is_error(file.animation(1).unwrap_err(), ErrorKind::NoSuch, &["expected a number below 1, found 1"]));
    assert!(is_error(file.bone(5).unwrap_err(), ErrorKind::NoSuch, &["expected a number below 5, found 5"]));
}

#[test]
fn stands_at_a_time() {
    let own = Animation::open(bytes("wave_an13")).unwrap();
    let none = Animation::open(bytes("wave_an11")).unwrap();
    for (file, rate, given) in [(&own, 30.0, None), (&own, 30.0, Some(7.0)), (&none, 24.0, Some(24.0))] {
        let all = poses(&file.animation(0).unwrap());
        let mut pose = Pose::rest(file).unwrap();
        for frame in [0.0, 1.0, 2.5, 10.75, 11.0, 11.5, 40.0_f32] {
            for looped in [false, true] {
                pose.set_time(file, 0, frame / rate, given, looped).unwrap();
                let at = if looped { frame % 12.0 } else { frame.min(11.0) };
                let (from, part) = (at as usize, at.fract());
                let to = if looped { (from + 1) % 12 } else { (from + 1).min(11) };
                for (bone, found) in pose.bones().iter().enumerate() {
                    let expected = all[from][bone].interpolate(&all[to][bone], part);
                    for (one, other) in found.position.iter().zip(expected.position) {
                        assert!((one - other).abs() < 1e-5, "frame {frame}: {one}, not {other}");
                    }
                    let dot: f32 = found.rotation.iter().zip(expected.rotation).map(|(a, b)| a * b).sum();
                    assert!(dot.abs() > 1.0 - 1e-5, "frame {frame}");
                }
            }
        }
    }
    let mut pose = Pose::rest(&none).unwrap();
    for rate in [None, Some(0.0), Some(-30.0), Some(f32::NAN)] {
        assert_eq!(pose.set_time(&none, 0, 0.1, rate, true).unwrap_err().kind().id(), "missing");
    }
    // The file's rate is not positive, so the caller's rate is used.
    for rate in [0, -30, i32::MIN] {
        let spoilt = spoil(&bytes("wave_an12"), "rate", &rate.to_le_bytes());
        let file = Animation::open(spoilt).unwrap();
        assert_eq!((file.rate(), file.raw_rate()), (None, Some(rate)));
        assert_eq!(pose.set_time(&file, 0, 0.1, None, true).unwrap_err().kind().id(), "missing");
        pose.set_time(&file, 0, 0.1, Some(30.0), true).unwrap();
    }
    let still = Animation::open(bytes("still_an11")).unwrap();
    assert_eq!(pose.set_time(&still, 0, 0.0, Some(30.0), true).unwrap_err().kind().id(), "no-such");
}

#[test]
fn poses_what_is_embedded() {
    for generation in [Generation::Ms10, Generation::Ms11, Generation::Ms12] {
        let mesh = Mesh::open(skinned(generation).to_bytes().unwrap()).unwrap();
        let view = mesh.animation(0).unwrap();
        assert!(matches!(view.coding(), Coding::Changes) && view.coding().is_delta());
        let half = f32::from(23169_i16) / 32767.0;
        let at = |height, rotation| Transform { position: [0.0, 0.0, height], rotation, ..Transform::default() };
        let [up, bent] = [[0.0, 0.0, 0.0, 1.0], [half, 0.0, 0.0, half]];
        let root = at(-1.0, up);
        assert_eq!(poses(&view), [vec![at(0.5, up), root], vec![at(0.5, bent), root], vec![at(2.0, bent), root]]);
        assert!(view.rate.is_none());
    }
}

/// Tests that an animation built from whole poses returns the same poses.
#[test]
fn builds_what_it_poses() {
    let mut random = Random::new(5);
    for round in 0..40 {
        let generation = AnimationGeneration::ALL[round % 4];
        let bones = random.within(1..6);
        let frames: Vec<Vec<Transform>> = (0..random.below(9))
            .map(|_| {
                let bone = |random: &mut Random| Transform {
                    position: [0; 3].map(|_| if random.one_in(3) { 0.0 } else { random.unit() }),
                    rotation: if random.one_in(3) { Transform::default().rotation } else { turn(random.unit()) },
                    scale: [0; 3].map(|_| if random.one_in(3) { 1.0 } else { random.unit() + 2.0 }),
                };
                (0..bones).map(|_| bone(&mut random)).collect()
            })
            .collect();
        let mut animation = builder::Animation::of_poses("", &frames);
        animation.bones = (0..).take(bones).collect();
        for frame in &mut animation.frames {
            frame.resize(bones, builder::BoneKey::default());
        }
        if generation != AnimationGeneration::An10 {
            // In these generations each frame is complete.
            for (keys, pose) in animation.frames.iter_mut().zip(&frames) {
                *keys = pose.iter().map(crate::support::unigine::whole_key).collect();
            }
        }
        let file = builder::AnimationFile {
            bones: crowd(bones as u8),
            animations: vec![animation],
            ..builder::AnimationFile::new(generation)
        };
        let whole = file.to_bytes().unwrap();
        check_invariants(&whole, &mut random).unwrap();
        let file = Animation::open(whole).unwrap();
        let found = poses(&file.animation(0).unwrap());
        assert_eq!(found.len(), frames.len());
        let slack = if generation == AnimationGeneration::An10 { 5.0 / 65535.0 } else { 0.0 };
        for (found, built) in found.iter().flatten().zip(frames.iter().flatten()) {
            let parts = |bone: &Transform| bone.position.into_iter().chain(bone.rotation).chain(bone.scale).collect();
            let [found, built]: [Vec<f32>; 2] = [parts(found), parts(built)];
            assert!(found.iter().zip(&built).all(|(one, other)| (one - other).abs() <= slack), "{found:?}, {built:?}");
        }
    }
}

#[test]
fn refuses_what_the_format_cannot_hold() {
    let refuses = |field: &str, generation, spoil: &dyn Fn(&mut builder::AnimationFile)| {
        let mut file = crate::support::unigine::wave(generation);
        spoil(&mut file);
        let error = file.to_bytes().unwrap_err();
        assert!(error.kind() == ErrorKind::Refused, "{error}");
        assert_eq!((error.field().to_string().as_str(), error.offset()), (field, None), "{error}");
        assert!(error.format().starts_with("unigine an1"), "{error}");
    };
    for generation in AnimationGeneration::ALL {
        refuses("bone[1].name", generation, &|file| file.bones[1].name.push('\0'));
        refuses("bone[0].parent", generation, &|file| file.bones[0].parent = 5);
        refuses("bone[0].parent", generation, &|file| file.bones[0].parent = -2);
        refuses("bones", generation, &|file| file.bones.resize(32_768, builder::Bone::default()));
        refuses("animation[0].bone_ids", generation, &|file| file.animations[0].bones[2] = 5);
        refuses("animation[0].bone_ids", generation, &|file| file.animations[0].bones[0] = -1);
        refuses("animation[0].flags", generation, &|file| file.animations[0].flags = 0x80);
        refuses("animation[0].keys", generation, &|file| file.animations[0].frames[3].truncate(3));
        refuses("skeleton_guid", generation, &|file| file.skeleton_guid = "a\0".into());
        refuses("skeleton_path", generation, &|file| file.skeleton_path = "\0".into());
        if generation != AnimationGeneration::An10 {
            refuses("animation[0].name", generation, &|file| file.animations[0].name = "named".into());
            refuses("animations", generation, &|file| file.animations.clear());
            refuses("animations", generation, &|file| file.animations.push(file.animations[0].clone()));
        }
    }
    let mut several = crate::support::unigine::wave(AnimationGeneration::An10);
    several.animations.push(several.animations[0].clone());
    several.animations[1].name.clear();
    let whole = several.to_bytes().unwrap();
    check_invariants(&whole, &mut Random::new(1)).unwrap();
    let file = Animation::open(whole).unwrap();
    // The second animation is read first. Locating it walks over the first one.
    let second = poses(&file.animation(1).unwrap());
    assert_eq!(second, poses(&file.animation(0).unwrap()));
    several.animations.clear();
    assert_eq!(Animation::open(several.to_bytes().unwrap()).unwrap().animation_count(), 0);
}
