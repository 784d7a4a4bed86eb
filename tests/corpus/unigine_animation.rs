//! Tests of real UNIGINE animations, embedded in meshes and in separate files.
//!
//! The files have no licence, so the repository contains none of them.

use meshpeek::MeshFile as _;
use std::collections::BTreeMap;
use std::path::PathBuf;

use meshpeek::model::Transform;
use meshpeek::unigine::{Animation, AnimationGeneration, AnimationView, Coding};
use meshpeek::{Animations, Severity};
use serde_json::{Value, json};

use crate::support::corpus;
use crate::unigine::{compare_bounds, compare_skeleton, files};
use crate::{Reference, file_name, numbers};

/// The generations for which the corpus has real files.
const KNOWN: [&str; 3] = ["an10", "an11", "an13"];

fn ours() -> Option<(PathBuf, Vec<PathBuf>)> {
    let folder = corpus("unigine")?;
    let files = KNOWN.into_iter().flat_map(|magic| files(&folder, &[magic])).collect();
    Some((folder, files))
}

/// Compares one animation with its reference, and its poses with the frames that it plays.
pub fn compare_animation(mut expected: Reference, motion: &dyn Animations, found: &AnimationView<'_>) {
    expected.same("name", found.name.to_string_lossy());
    expected.same("animated_bones", found.bones.len());
    let ids: Vec<i16> = found.bones.iter().map(|bone| bone.get()).collect();
    match expected.take("bone_ids").unwrap() {
        Value::String(all) => {
            assert_eq!(all, "0..n-1", "{}", expected.what);
            assert!(ids.iter().copied().eq((0..).take(ids.len())), "{}", expected.what);
        }
        listed => assert_eq!(listed, json!(ids), "{}", expected.what),
    }
    expected.same("frames", found.frames);
    expected.same_if_any("global_flags", found.flags);
    let boxes = match found.coding() {
        Coding::Quantized(boxes) => Some(boxes),
        Coding::Changes | Coding::Whole => None,
    };
    for (at, key) in ["position_box", "scale_box"].into_iter().enumerate() {
        let shown = expected.take(key);
        assert_eq!(shown.is_some(), boxes.is_some(), "{}: {key}", expected.what);
        if let (Some(shown), Some(boxes)) = (shown, boxes) {
            let mut inner = Reference::new(format!("{} {key}", expected.what), &shown);
            inner.floats("min", &boxes[at].min);
            inner.floats("size", &boxes[at].size);
            inner.done();
        }
    }
    let mut histogram = BTreeMap::new();
    found.keys().for_each(|key| *histogram.entry(key.flags.to_string()).or_insert(0_u64) += 1);
    expected.same("record_flags", json!(histogram));
    let poses = play(motion, found);
    match expected.take("decoded") {
        Some(decoded) => {
            for bone in decoded.as_array().unwrap() {
                compare_bone(Reference::new(format!("{} bone", expected.what), bone), motion, found, &poses);
            }
        }
        None => assert_eq!(found.frames, 0, "{}: no poses to compare", expected.what),
    }
    expected.done();
}

/// Plays all frames.
///
/// Also asserts that `pose`, called in another order, returns the same frames bit by bit.
fn play(motion: &dyn Animations, found: &AnimationView<'_>) -> Vec<Vec<Transform>> {
    let mut played = Vec::new();
    let mut frames = found.play().unwrap();
    while let Some(pose) = frames.next().unwrap() {
        played.push(pose.to_vec());
    }
    assert_eq!(played.len(), found.frames as usize);
    let mut pose = vec![Transform::default(); motion.bone_count().unwrap()];
    for (frame, played) in played.iter().enumerate().rev() {
        found.pose(frame as u32, &mut pose).unwrap();
        assert!(pose.iter().map(bits).eq(played.iter().map(bits)), "frame {frame}");
    }
    assert!(found.pose(found.frames, &mut pose).is_err());
    assert!(found.index_size() * 50 <= found.key_bytes().len() as u64 + 100_000, "an index is small");
    played
}

fn bits(bone: &Transform) -> ([u32; 3], [u32; 4], [u32; 3]) {
    (bone.position.map(f32::to_bits), bone.rotation.map(f32::to_bits), bone.scale.map(f32::to_bits))
}

/// Compares one bone at the frames that the reference decodes.
fn compare_bone(mut expected: Reference, motion: &dyn Animations, found: &AnimationView<'_>, poses: &[Vec<Transform>]) {
    let bone = expected.take("bone").unwrap().as_u64().unwrap() as usize;
    expected.what = format!("{} {bone}", expected.what);
    expected.same("name", motion.bone(bone).unwrap().name.to_string_lossy());
    let number = found.bones.iter().position(|id| usize::try_from(id.get()) == Ok(bone)).unwrap();
    for at in expected.take("at").unwrap().as_array().unwrap() {
        let mut at = Reference::new(expected.what.clone(), at);
        let frame = at.take("frame").unwrap().as_u64().unwrap() as usize;
        at.what = format!("{} frame {frame}", at.what);
        let key = found.keys().nth(frame * found.bones.len() + number).unwrap();
        at.same("flag", key.flags);
        let pose = poses[frame][bone];
        let codes = at.take("raw").map(|raw| Reference::new(format!("{} raw", at.what), &raw));
        if let Some(mut raw) = codes {
            let codes: Vec<[u8; 2]> = key.components.as_chunks().0.to_vec();
            let mut codes = codes.into_iter();
            let mut code = |bit: u8| (key.flags & bit != 0).then(|| codes.next().unwrap());
            let position = [1, 2, 4].map(|bit| code(bit).map(u16::from_le_bytes));
            raw.same("position", json!(position));
            let rotation = [8; 4].map(|bit| code(bit).map(i16::from_le_bytes));
            raw.same("rotation", if rotation[0].is_some() { json!(rotation) } else { Value::Null });
            raw.same("scale", json!([0x10, 0x20, 0x40].map(|bit| code(bit).map(u16::from_le_bytes))));
            raw.done();
            if let [Some(x), Some(y), Some(z), Some(w)] = rotation {
                assert_eq!(pose.rotation, [x, y, z, w].map(|code| f32::from(code) / 32767.0));
            }
        }
        let [positions, scales] = match found.coding() {
            Coding::Quantized(boxes) => boxes.map(|all| largest(&all.min).max(largest(&all.size))),
            Coding::Changes | Coding::Whole => [0.0; 2],
        };
        for (key, found, reach) in [
            ("position", &pose.position[..], positions),
            ("rotation", &pose.rotation, 1.0),
            ("scale", &pose.scale, if scales < 1e9 { scales } else { 0.0 }),
        ] {
            let shown = numbers(&at.take(key).unwrap());
            assert_eq!(shown.len(), found.len(), "{}", at.what);
            for (shown, found) in shown.iter().zip(found) {
                // The reference shows seven digits, and the corner of the box is added in `f32`.
                let slack = shown.abs() * 6e-7 + reach * 1.2e-7;
                assert!((shown - found).abs() <= slack, "{}: {key} {found}, expected {shown}", at.what);
            }
        }
        at.done();
    }
    expected.done();
}

fn largest(values: &[f32]) -> f32 {
    values.iter().fold(0.0, |most, value| most.max(value.abs()))
}

#[test]
fn equals_the_reference() {
    let Some((folder, files)) = ours() else { return };
    let (mut frames, mut keys) = (0_u64, 0_u64);
    for path in &files {
        let name = file_name(path);
        let file = Animation::open(std::fs::read(path).unwrap()).unwrap();
        assert_eq!(file.end().unwrap(), file.as_bytes().len() as u64, "{name} is read to its last byte");
        let reference = folder.join("reference").join(format!("{name}.json"));
        let reference: Value = serde_json::from_slice(&std::fs::read(reference).unwrap()).unwrap();
        let mut expected = Reference::new(name.clone(), &reference);
        expected.same("file", name.as_str());
        expected.same("magic", file.generation().magic());
        expected.same("bytes", file.as_bytes().len());
        // The hash only identifies the file for people who download the corpus.
        expected.take("sha256").unwrap();
        match file.bounds().unwrap() {
            Some((bounds, sphere)) => compare_bounds(&mut expected, bounds, sphere),
            None => assert!(expected.take("bounds").is_none(), "{name}"),
        }
        compare_skeleton(&mut expected, &file, file.generation().has_binds());
        let skeleton = file.skeleton().unwrap();
        for (at, key) in ["skeleton_guid", "skeleton_path"].into_iter().enumerate() {
            expected.same_if_any(key, skeleton.map(|names| names[at].to_string_lossy()));
        }
        expected.same_if_any("fps", file.raw_rate());
        let tail = file.tail().unwrap().iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
        expected.same_if_any("header_padding", (file.generation() == AnimationGeneration::An13).then_some(tail));
        let animations = expected.take("animations").unwrap();
        let animations = animations.as_array().unwrap();
        assert_eq!(animations.len(), file.animation_count(), "{name}");
        for (index, animation) in animations.iter().enumerate() {
            let found = file.animation(index).unwrap();
            assert_eq!(found.rate, file.raw_rate().map(|rate| f32::from(u16::try_from(rate).unwrap())));
            compare_animation(Reference::new(format!("{name} animation {index}"), animation), &file, &found);
            frames += u64::from(found.frames);
            keys += found.keys().count() as u64;
        }
        expected.done();
    }
    eprintln!("{} files, {frames} frames, {keys} keys compared", files.len());
}

#[test]
fn accounts_for_every_byte() {
    let Some((_, files)) = ours() else { return };
    for path in &files {
        let file = Animation::open(std::fs::read(path).unwrap()).unwrap();
        file.check().unwrap();
        let mut end = 0;
        file.regions(0, &mut |region| {
            assert_eq!(region.start, end, "{}: {}", path.display(), region.field);
            end = region.end;
        })
        .unwrap();
        assert_eq!(end, file.as_bytes().len() as u64, "{}", path.display());
    }
}

#[test]
fn finds_no_fault() {
    let Some((_, files)) = ours() else { return };
    let mut found = BTreeMap::new();
    for path in &files {
        let file = Animation::open(std::fs::read(path).unwrap()).unwrap();
        file.validate(&mut |finding| {
            assert!(finding.severity == Severity::Info, "{}: {finding}", path.display());
            *found.entry(finding.rule).or_insert(0) += 1;
        })
        .unwrap();
    }
    eprintln!("{} files; findings of severity info: {found:?}", files.len());
}

#[test]
fn writes_what_it_read() {
    let Some((_, files)) = ours() else { return };
    for path in &files {
        let whole = std::fs::read(path).unwrap();
        let mut written = Vec::with_capacity(whole.len());
        Animation::open(whole.as_slice()).unwrap().write_to(0, &mut written).unwrap();
        assert!(written == whole, "{} was written differently", path.display());
    }
}
