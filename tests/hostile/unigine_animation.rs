//! Tests of hostile UNIGINE animation files.

use crate::support::unigine::builder;
use meshpeek::internals::{FormatFile, format_file};
use meshpeek::model::Transform;
use meshpeek::model::animation::Retarget;
use meshpeek::unigine::{Animation, AnimationGeneration, Generation, Mesh};
use meshpeek::{
    Animations, Error, ErrorKind, Finding, Limits, MeshFile as _, Model, OpenOptions, Pose, Region, Severity, Skeleton,
};

use crate::support::invariants::{Fate, expect_named};
use crate::support::is_error;
use crate::support::random::Random;
use crate::support::unigine::animation_invariants::{borrow_animations, check_invariants};
use crate::support::unigine::{RawFile, compact};
use crate::{bounded, edges, peak, swept_bits, within};

/// The factor by which an unoptimised build does less.
const SCALE: usize = if cfg!(debug_assertions) { 25 } else { 1 };

fn bone(name: &str, parent: i16) -> builder::Bone {
    let bind = Transform { position: [1.0, 2.0, 3.0], ..Transform::default() };
    builder::Bone { name: name.to_owned(), parent, bind }
}

/// Builds a small file with three bones, the child first.
///
/// Two of them move, and not every frame changes everything.
fn small(generation: AnimationGeneration) -> builder::AnimationFile {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let whole = |x: f32| builder::BoneKey {
        position: [Some(x), Some(0.5), Some(-1.0)],
        rotation: Some([0.0, 0.0, 0.0, 1.0]),
        scale: [Some(2.0); 3],
    };
    let turned = builder::BoneKey { rotation: Some([half, 0.0, 0.0, half]), ..builder::BoneKey::default() };
    let moved = builder::BoneKey { position: [None, Some(4.0), None], ..builder::BoneKey::default() };
    let none = builder::BoneKey::default();
    let nod = builder::Animation {
        name: if generation.is_quantized() { "nod".into() } else { String::new() },
        bones: vec![0, 2],
        flags: 0x7f,
        frames: vec![vec![whole(0.0), whole(3.0)], vec![turned, none], vec![none, moved], vec![none, none]],
    };
    builder::AnimationFile {
        bones: vec![bone("tip", 1), bone("root", -1), bone("other", 1)],
        animations: vec![nod],
        skeleton_guid: "0123456789abcdef0123456789abcdef01234567".into(),
        skeleton_path: "guid://0123456789abcdef".into(),
        ..builder::AnimationFile::new(generation)
    }
}

fn bytes(generation: AnimationGeneration) -> Vec<u8> {
    small(generation).to_bytes().unwrap()
}

fn all_small() -> Vec<Vec<u8>> {
    AnimationGeneration::ALL.map(bytes).into()
}

fn regions(bytes: &[u8]) -> Vec<Region> {
    let mut all = Vec::new();
    Animation::open(bytes).unwrap().regions(0, &mut |region| all.push(region)).unwrap();
    all
}

fn region(bytes: &[u8], name: &str) -> std::ops::Range<usize> {
    let found = regions(bytes).into_iter().find(|region| region.field.to_string() == name);
    crate::support::unigine::range(&found.unwrap_or_else(|| panic!("no region {name}")))
}

fn spoil(bytes: &[u8], name: &str, replacement: &[u8]) -> Vec<u8> {
    let range = region(bytes, name);
    [&bytes[..range.start], replacement, &bytes[range.end..]].concat()
}

fn poke(bytes: &[u8], name: &str, into: usize, replacement: &[u8]) -> Vec<u8> {
    let start = region(bytes, name).start + into;
    let mut spoilt = bytes.to_vec();
    spoilt[start..start + replacement.len()].copy_from_slice(replacement);
    spoilt
}

fn check(bytes: &[u8]) -> Result<(), Error> {
    Animation::open(bytes)?.check()
}

/// Asserts that walking the file gives an error about `field` at `offset`, and that the invariants
/// hold.
fn refused(bytes: &[u8], field: &str, offset: usize) -> Error {
    check_invariants(bytes, &mut Random::new(1));
    let error = check(bytes).expect_err(field);
    expect_named(&error, bytes.len() as u64);
    assert_eq!((error.field().to_string().as_str(), error.offset()), (field, Some(offset as u64)), "{error}");
    error
}

fn findings(bytes: &[u8]) -> Vec<Finding> {
    let mut found = Vec::new();
    Animation::open(bytes).unwrap().validate(&mut |finding| found.push(finding)).unwrap();
    found
}

/// Asserts that the file can be read to its end, and that `validate` reports `rule` about `field`.
fn finds(bytes: &[u8], rule: &str, severity: Severity, field: &str) -> Finding {
    assert_eq!(check_invariants(bytes, &mut Random::new(1)), Fate::Read);
    let all = findings(bytes);
    let one = all.iter().find(|found| found.rule == rule && found.field.to_string() == field);
    let one = one.unwrap_or_else(|| panic!("no {rule} about {field} among {all:?}")).clone();
    assert_eq!(one.severity, severity, "{one}");
    one
}

fn pose(bytes: &[u8], frame: u32) -> meshpeek::Result<Vec<Transform>> {
    let file = Animation::open(bytes).unwrap();
    let mut out = vec![Transform::default(); file.bone_count()];
    file.animation(0)?.pose(frame, &mut out)?;
    Ok(out)
}

fn expect_bounded(bytes: &[u8], what: &str) {
    bounded(bytes.len(), what, || borrow_animations(bytes));
    let peak = peak(|| Animation::open(bytes).map(|file| drop(file.validate(&mut |_| {}))));
    assert!(peak <= 16 * bytes.len() + (2 << 20), "{what}: {peak} bytes to validate {}", bytes.len());
}

/// Starts an an10 or an11 file, up to its bones.
fn start(magic: &str) -> RawFile {
    let file = RawFile::default().put(magic.as_bytes());
    if magic == "an10" { file.bounds() } else { file }
}

/// Adds bones without names and parents.
fn nameless(file: RawFile, count: i32) -> RawFile {
    file.times(count, |file, _| file.put(&[1, 0]).put(&(-1_i16).to_le_bytes()))
}

fn ids(count: i32) -> Vec<u8> {
    (0..count).flat_map(|id| i16::try_from(id).unwrap().to_le_bytes()).collect()
}

/// Returns an an11 file with one bone and these keys.
fn an11(frames: i32, keys: &[u8]) -> Vec<u8> {
    let file = nameless(start("an11").count(1), 1).put(b"an11").transform();
    file.count(1).put(&[0, 0]).count(frames).put(keys).put(b"an11").0
}

// Tests for any file.

/// Tests an empty file, files of one to three bytes, and a file that ends after the header.
#[test]
fn refuses_next_to_nothing() {
    refused(b"", "magic", 0);
    for short in [&b"a"[..], b"an", b"an1"] {
        refused(short, "magic", 0);
    }
    for whole in all_small() {
        let header = region(&whole, "inner_magic").end;
        let mut all = regions(&whole).into_iter();
        let binds = all.find(|region| region.field.to_string() == "bind_transforms");
        let body = binds.map_or(header, |binds| usize::try_from(binds.end).unwrap());
        let cut = &whole[..body];
        assert_eq!(check_invariants(cut, &mut Random::new(3)), Fate::Damaged);
        let file = Animation::open(cut).unwrap();
        assert_eq!((file.bone_count(), file.animation_count()), (3, 1));
        assert_eq!(file.bone(1).unwrap().name.as_bytes(), b"root");
        assert!(file.animation(0).is_err());
    }
}

/// Truncates the files at every length.
///
/// Only the whole file is valid.
#[test]
fn survives_every_cut() {
    for whole in all_small() {
        for length in 0..whole.len() {
            let cut = &whole[..length];
            assert_ne!(check_invariants(cut, &mut Random::new(length as u64)), Fate::Read);
            let error = check(cut).unwrap_err();
            let missing = matches!(error.kind(), ErrorKind::UnexpectedEnd | ErrorKind::Count | ErrorKind::Empty);
            assert!(missing, "cut to {length}: {error}");
            expect_bounded(cut, "cut");
        }
    }
}

/// Flips every bit.
#[test]
fn survives_every_flipped_bit() {
    for whole in all_small() {
        let (mut spoilt, mut random) = (whole.clone(), Random::new(5));
        for bit in (0..whole.len() * 8).step_by(if cfg!(debug_assertions) { 3 } else { 1 }) {
            spoilt[bit / 8] ^= 1 << (bit % 8);
            check_invariants(&spoilt, &mut random);
            if bit % SCALE == 0 {
                expect_bounded(&spoilt, "a bit");
            }
            spoilt[bit / 8] = whole[bit / 8];
        }
    }
}

/// Sets every one, two and four bytes to the ends of their range, and to the file's length and its
/// neighbours.
#[test]
fn survives_edge_values_in_every_field() {
    for whole in all_small() {
        for at in 0..whole.len() {
            for (number, (width, value)) in [1, 2, 4]
                .into_iter()
                .flat_map(|width| edges(width, whole.len()).into_iter().map(move |v| (width, v)))
                .enumerate()
            {
                if at + width <= whole.len() && (at + number) % SCALE.min(7) == 0 {
                    let mut spoilt = whole.clone();
                    spoilt[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
                    check_invariants(&spoilt, &mut Random::new(value));
                }
            }
        }
    }
}

/// Tests bytes after the end, and two joined files.
///
/// They are reported, and not written again.
#[test]
fn reports_trailing_bytes() {
    for whole in all_small() {
        for more in [vec![0], vec![b'a'; 1 << 16], whole.clone()] {
            let found = finds(&[whole.as_slice(), &more].concat(), "UG24", Severity::Warning, "end");
            assert_eq!(found.offset, whole.len() as u64);
        }
    }
}

/// Reads files with random damage, the same ones on every run.
#[test]
fn survives_random_damage() {
    let all = all_small();
    let mut fates = [0; 3];
    let mut random = Random::new(9);
    for _ in 0..75_000 / SCALE {
        let (base, other) = (random.pick(&all).clone(), random.pick(&all).clone());
        let mut bytes = base;
        for _ in 0..random.within(1..4) {
            let (at, from) = (random.below(bytes.len()), random.below(other.len()));
            let span = random.within(1..40);
            match random.below(5) {
                0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
                1 if at < bytes.len() => bytes[at] = *random.pick(&[0, 1, 0x3f, 0x40, 0x7f, 0x80, 0xff]),
                2 => drop(bytes.drain(at..(at + span).min(bytes.len()))),
                3 => drop(bytes.splice(at..at, other[from..(from + span).min(other.len())].to_vec())),
                _ => bytes.truncate(at.max(40)),
            }
        }
        fates[check_invariants(&bytes, &mut random) as usize] += 1;
    }
    assert!(fates.iter().all(|count| *count > 50), "each fate must occur: {fates:?}");
}

/// Truncates real files at every length, and flips bits of every byte.
///
/// Takes minutes.
#[test]
#[ignore = "takes minutes, and real files"]
fn sweep() {
    let Some(folder) = crate::support::corpus("unigine") else { return };
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "anim"));
    files.sort();
    for path in files {
        let whole = std::fs::read(&path).unwrap();
        if !AnimationGeneration::ALL.iter().any(|known| whole.starts_with(known.magic().as_bytes())) {
            continue;
        }
        let all = whole.len() <= 8 << 10;
        let (step, mut random) = (if all { 1 } else { whole.len() / 1000 }, Random::new(1));
        let mut spoilt = whole.clone();
        for at in (0..whole.len()).step_by(step) {
            check_invariants(&whole[..at], &mut random);
            for bit in swept_bits(at).take(if all { 8 } else { 1 }) {
                spoilt[at] ^= 1 << bit;
                check_invariants(&spoilt, &mut random);
                spoilt[at] = whole[at];
            }
        }
    }
}

// Animations.

/// Tests each magic with the body of each other generation, which is read by the layout of the
/// magic or refused.
///
/// Other kinds and versions are named in the error.
#[test]
fn reads_each_generation_by_its_own_layout() {
    for one in all_small() {
        for other in all_small() {
            let mixed: Vec<u8> = {
                let magic = &one[..4];
                let mut mixed = other.clone();
                for at in 0..mixed.len() - 3 {
                    if mixed[at..at + 4] == other[..4] {
                        mixed[at..at + 4].copy_from_slice(magic);
                    }
                }
                mixed
            };
            let fate = check_invariants(&mixed, &mut Random::new(1));
            // Two layouts differ only in the encoding of a count, so some files are valid in both
            // of them.
            assert!(one[..4] != other[..4] || fate == Fate::Read);
        }
        let model = Model::open(one.clone()).unwrap();
        assert!(
            matches!(format_file(&model), FormatFile::UnigineAnimation(_))
                && model.geometry().surface_count().unwrap() == 0
        );
        assert!(Mesh::open(one.as_slice()).is_err());
    }
    let old = (0..10).map(|digit| format!("an0{digit}"));
    for magic in old.chain(["an14", "an99", "sk10", "sn10", "ms13", "ms14"].map(String::from)) {
        let file = [magic.as_bytes(), &bytes(AnimationGeneration::An11)[4..]].concat();
        let error = refused(&file, "magic", 0);
        assert!(error.to_string().contains(&magic), "{error}");
    }
}

/// Tests a frame 0 that lacks components.
///
/// If frames store changes, the missing values are those of the bind transform. If frames are
/// complete, they are the defaults.
#[test]
fn frame_0_falls_back_to_bind_or_default() {
    for generation in AnimationGeneration::ALL {
        let mut file = small(generation);
        file.animations[0].frames[0][1] =
            builder::BoneKey { position: [None, Some(4.0), None], ..builder::BoneKey::default() };
        let whole = file.to_bytes().unwrap();
        let (tip, other) = (pose(&whole, 0).unwrap()[0], pose(&whole, 0).unwrap()[2]);
        assert_eq!(tip.scale[0], if generation.is_quantized() { tip.scale[0] } else { 2.0 });
        if generation.is_quantized() {
            let found = finds(&whole, "UG09", Severity::Warning, "animation[0].keys");
            assert!(found.text.contains("lack"), "{found}");
            assert_eq!(
                (other.position[0], other.position[2], other.scale),
                (1.0, 3.0, [1.0; 3]),
                "expected the bind transform"
            );
        } else {
            assert!(!findings(&whole).iter().any(|found| found.rule == "UG09"));
            assert_eq!(
                other,
                Transform { position: [0.0, 4.0, 0.0], ..Transform::default() },
                "expected the default values"
            );
        }
        // The result never contains the old content of the output.
        let opened = Animation::open(whole.as_slice()).unwrap();
        let mut dirty = vec![Transform { position: [9e9; 3], rotation: [9e9; 4], scale: [9e9; 3] }; 3];
        for frame in [3, 0, 2, 1] {
            opened.animation(0).unwrap().pose(frame, &mut dirty).unwrap();
            assert_eq!(dirty, pose(&whole, frame).unwrap());
        }
    }
}

/// Tests 2^31 - 1 frames of no bones, which take no time.
#[test]
fn frames_of_no_bones_cost_nothing() {
    let tail = |file: RawFile| file.count(i32::MAX);
    let an10 = start("an10").count(0).count(1).text(b"still").put(b"an10").count(0).put(&[0; 48]).put(&[7]);
    let an11 = nameless(start("an11").count(2), 2).put(b"an11").transform().transform().count(0);
    let an12 = RawFile::default().put(b"an12").put(&[0; 4]).put(&[0; 8]).count(0).put(&[30, 0, 0, 0, 0]).put(b"an12");
    for (file, magic) in [(an10, b"an10"), (an11, b"an11"), (an12, b"an12")] {
        let whole = tail(file).put(magic).0;
        within(2, "frames of no bones", || {
            assert_eq!(check_invariants(&whole, &mut Random::new(1)), Fate::Read);
            let file = Animation::open(whole.as_slice()).unwrap();
            let view = file.animation(0).unwrap();
            assert_eq!((view.frames, view.keys().count(), view.index_size()), (0x7fff_ffff, 0, 0));
            let mut out = vec![Transform::default(); file.bone_count()];
            view.pose(0x7fff_fffe, &mut out).unwrap();
            let mut pose = Pose::rest(&file).unwrap();
            pose.set_time(&file, 0, 1e6, Some(30.0), true).unwrap();
        });
        expect_bounded(&whole, "frames of no bones");
    }
}

/// Tests bones times frames that exceed the bytes of the file, or overflow 32 bits.
#[test]
fn refuses_more_keys_than_bytes() {
    for whole in all_small() {
        let name = "animation[0].frames.count";
        let at = region(&whole, name).start;
        for frames in [i32::MAX, 1 << 30, 1 << 29, 100_000] {
            let error = refused(&spoil(&whole, name, &compact(frames)), name, at);
            assert!(error.kind() == ErrorKind::Count, "{error}");
        }
        for frames in [-1, -i32::MAX] {
            refused(&spoil(&whole, name, &compact(frames)), name, at);
        }
    }
}

/// Tests a megabyte of flags that announce no data.
///
/// Every frame is found in time, with an index of at most 2 % of the file.
#[test]
fn indexes_a_long_still_in_little_space() {
    let frames = 1_000_000 / SCALE;
    let count = i32::try_from(frames).unwrap();
    let embedded = {
        let file = RawFile::new(Generation::Ms12).count(1).put(&[1, 0, 0xff, 0xff]).count(1).text(b"still").count(0);
        let file = file.put(b"ms12").transform().count(1).put(&[0, 0, 7]).count(count);
        file.put(&vec![0; frames]).put(b"ms12").0
    };
    let an10 = nameless(start("an10").count(1), 1).count(1).text(b"still").put(b"an10").transform();
    let an10 = an10.count(1).put(&[0; 2]).put(&[0; 48]).put(&[7]).count(count).put(&vec![0; frames]).put(b"an10").0;
    for whole in [embedded, an10, an11(count, &vec![0; frames])] {
        let mesh = Mesh::open(whole.as_slice());
        let file = Animation::open(whole.as_slice());
        let view = match (&mesh, &file) {
            (Ok(mesh), _) => mesh.animation(0).unwrap(),
            (_, Ok(file)) => file.animation(0).unwrap(),
            other => panic!("{other:?}"),
        };
        within(10, "a long still", || {
            let (mut random, mut out) = (Random::new(1), [Transform::default()]);
            for _ in 0..10_000 / SCALE {
                view.pose(u32::try_from(random.below(frames)).unwrap(), &mut out).unwrap();
            }
            view.pose(u32::try_from(frames).unwrap() - 1, &mut out).unwrap();
            assert!(view.pose(u32::try_from(frames).unwrap(), &mut out).is_err());
        });
        assert!(view.index_size() <= whole.len() as u64 / 50 && view.interval() < 2000, "{}", view.interval());
        if let Ok(file) = &file {
            assert!(file.check().is_ok());
            within(10, "validating it", || findings(&whole));
            expect_bounded(&whole, "a long still");
        }
    }
}

/// Tests bone numbers that are negative, too large, or duplicate, and more bone numbers than bones.
#[test]
fn reports_bad_bone_numbers() {
    for whole in all_small() {
        let animated = regions(&whole).into_iter().find(|region| region.field.name() == "bone_ids").unwrap();
        let name = animated.field.to_string();
        for (id, what) in
            [(-1_i16, "does not exist"), (3, "does not exist"), (i16::MAX, "does not exist"), (0, "before")]
        {
            let spoilt = poke(&whole, &name, 2, &id.to_le_bytes());
            let found = finds(&spoilt, "UG08", Severity::Error, "animation[0].bone_ids");
            assert_eq!(found.offset, animated.start + 2);
            let error = pose(&spoilt, 0).unwrap_err();
            assert_eq!(error.field().to_string(), "animation[0].bone_ids");
            assert_eq!(error.offset(), Some(animated.start + 2));
            assert!(error.to_string().contains(what), "{error}");
        }
    }
    let file = nameless(start("an11").count(1), 1).put(b"an11").transform();
    let whole = file.count(1000).put(&[0; 2000]).count(3).put(&[0; 3000]).put(b"an11").0;
    finds(&whole, "UG08", Severity::Error, "animation[0].bone_ids");
    assert!(pose(&whole, 2).is_err());
}

/// Tests unknown flag bits, which announce no data and are skipped.
///
/// If the end of the keys is then wrong, the error names the first key with such a bit. Earlier
/// frames can be read.
#[test]
fn skips_unknown_flags() {
    for (generation, bits) in [
        (AnimationGeneration::An10, &[0x80_u8][..]),
        (AnimationGeneration::An11, &[8, 16, 32, 64, 128, 0xf8]),
        (AnimationGeneration::An12, &[8, 0x80]),
        (AnimationGeneration::An13, &[16, 0xf8]),
    ] {
        let whole = bytes(generation);
        let keys = region(&whole, "animation[0].keys");
        let file = Animation::open(whole.as_slice()).unwrap();
        let all: Vec<_> = file.animation(0).unwrap().keys().map(|key| (key.offset, key.flags)).collect();
        for bit in bits {
            for (at, flags) in &all {
                let into = usize::try_from(*at).unwrap() - keys.start;
                let spoilt = poke(&whole, "animation[0].keys", into, &[flags | bit]);
                let found = finds(&spoilt, "UG08", Severity::Error, "animation[0].keys");
                assert_eq!(found.offset, *at);
                for frame in 0..4 {
                    assert_eq!(
                        pose(&spoilt, frame).unwrap(),
                        pose(&whole, frame).unwrap(),
                        "an unknown flag announces no data"
                    );
                }
                // With one byte more, the closing magic is not at the end of the keys.
                let longer = [&spoilt[..keys.end], &[0], &spoilt[keys.end..]].concat();
                let error = refused(&longer, "animation[0].keys", usize::try_from(*at).unwrap());
                assert!(error.kind() == ErrorKind::Value, "{error}");
                assert_eq!(pose(&longer, 0).unwrap(), pose(&whole, 0).unwrap());
            }
        }
        let longer = [&whole[..keys.end], &[0], &whole[keys.end..]].concat();
        let error = refused(&longer, "closing_magic", keys.end);
        assert!(error.kind() == ErrorKind::Magic, "{error}");
    }
    let whole = poke(&bytes(AnimationGeneration::An10), "animation[0].flags", 0, &[0xff]);
    finds(&whole, "UG08", Severity::Error, "animation[0].flags");
}

/// Tests that boxes with any content are read.
#[test]
fn reads_any_boxes() {
    let whole = bytes(AnimationGeneration::An10);
    for (name, value) in [("position_box", 0.0), ("position_box", -2e9), ("scale_box", f32::NAN), ("scale_box", -1.0)] {
        for axis in 0..6 {
            let spoilt = poke(&whole, &format!("animation[0].{name}"), axis * 4, &f32::to_le_bytes(value));
            assert_eq!(check_invariants(&spoilt, &mut Random::new(9)), Fate::Read);
            pose(&spoilt, 3).unwrap();
        }
    }
}

/// Tests quaternions that are zero, not of unit length, or NaN.
///
/// They are read as data, and all later computations accept them.
#[test]
fn reads_any_quaternions() {
    for value in [0.0, 1e-30, 1e30, f32::NAN, f32::INFINITY] {
        let rotation = [value; 4].map(f32::to_le_bytes).concat();
        let whole = an11(2, &[&[2], &rotation[..], &[0]].concat());
        finds(&whole, if value.is_finite() { "UG18" } else { "UG17" }, Severity::Info, "animation[0].keys");
        let file = Animation::open(whole.as_slice()).unwrap();
        let mut pose = Pose::rest(&file).unwrap();
        pose.set_time(&file, 0, 0.5, Some(1.0), false).unwrap();
        let turned = pose.bones()[0].rotation;
        let length: f32 = turned.iter().map(|part| part * part).sum();
        assert!((length - 1.0).abs() < 1e-5, "{turned:?}");
    }
}

/// Tests bones of another skeleton.
///
/// They are listed by name, and posing fails if they are animated.
#[test]
fn reports_bones_of_another_skeleton() {
    let mut other = small(AnimationGeneration::An10);
    other.bones[2].name = "elsewhere".into();
    let [one, other] = [small(AnimationGeneration::An11), other].map(|file| file.to_bytes().unwrap());
    let [one, other] = [&one, &other].map(|bytes| Animation::open(bytes.as_slice()).unwrap());
    let mut retarget = Retarget::new(&one, &other).unwrap();
    assert_eq!((retarget.matched(), retarget.missing()), (2, &["elsewhere".to_owned()][..]));
    let error = retarget.pose(&other, 0, 0, &mut [Transform::default(); 3]).unwrap_err();
    assert!(error.to_string().contains("elsewhere"), "{error}");
    assert!(retarget.pose(&other, 0, 0, &mut [Transform::default(); 2]).is_err());
}

/// Tests the unknown fields of an13, which are kept and reported.
///
/// Without a magic after them, with a negative count, or with a length that exceeds the file, the
/// file is refused.
#[test]
fn keeps_unknown_fields_of_an13() {
    let whole = bytes(AnimationGeneration::An13);
    for into in [0, 5, 11] {
        let spoilt = poke(&whole, "unknown", into, &[1]);
        let found = finds(&spoilt, "UG22", Severity::Info, "unknown");
        assert_eq!(found.offset, (region(&whole, "unknown").start + into) as u64);
        assert_eq!(Animation::open(spoilt.as_slice()).unwrap().tail().unwrap()[into + 1], 1);
    }
    for generation in [AnimationGeneration::An12, AnimationGeneration::An13] {
        let whole = bytes(generation);
        let inner = region(&whole, "inner_magic");
        refused(&spoil(&whole, "inner_magic", b"an1?"), "inner_magic", inner.start);
        refused(&[&whole[..inner.start], &[0], &whole[inner.start..]].concat(), "inner_magic", inner.start);
        for (name, values) in [
            ("bones.count", &[-1, i32::MIN, i32::MAX, 1 << 28][..]),
            ("skeleton_guid", &[-1, i32::MIN]),
            ("skeleton_path", &[-1, i32::MIN]),
        ] {
            for value in values {
                let spoilt = poke(&whole, name, 0, &value.to_le_bytes());
                refused(&spoilt, name, region(&whole, name).start);
                assert!(peak(|| check(&spoilt)) < 4096);
            }
        }
        for name in ["skeleton_guid", "skeleton_path"] {
            let spoilt = poke(&whole, name, 0, &i32::MAX.to_le_bytes());
            let error = refused(&spoilt, name, region(&whole, name).start + 4);
            assert!(error.kind() == ErrorKind::UnexpectedEnd, "{error}");
        }
        for rate in [0, -1, i32::MIN, i32::MAX] {
            let spoilt = poke(&whole, "rate", 0, &rate.to_le_bytes());
            assert_eq!(check_invariants(&spoilt, &mut Random::new(1)), Fate::Read);
            let file = Animation::open(spoilt.as_slice()).unwrap();
            let usable = (rate > 0).then_some(rate as f32);
            assert_eq!((file.raw_rate(), file.rate()), (Some(rate), usable));
        }
    }
}

// Traps for time and memory.

/// Tests thousands of animations in one file, without keys and with some.
///
/// The time is linear, and the memory is bounded by the file size.
#[test]
fn many_animations_take_linear_time() {
    let count = i32::try_from(200_000 / SCALE).unwrap();
    let head_of = |count, bones| {
        let file = nameless(start("an10").count(bones), bones).count(count);
        file.times(count, |file, _| file.put(&[0])).put(b"an10").times(bones, |file, _| file.transform())
    };
    let head = |bones| head_of(count, bones);
    let empty = |file: RawFile, _| file.count(0).put(&[0; 48]).put(&[7, 0]);
    let still = |file: RawFile, _| file.count(2).put(&[0, 0, 1, 0]).put(&[0; 48]).put(&[0]).count(130).put(&[0; 260]);
    let wild = |file: RawFile, _| file.count(2).put(&[0, 0, 1, 0]).put(&[0; 48]).put(&[0]).count(1).put(&[0x80, 0]);
    let files = [
        head(0).times(count, empty).put(b"an10").0,
        head_of(count / 10, 2).times(count / 10, still).put(b"an10").0,
        head(1000).times(count, empty).put(b"an10").0,
    ];
    for whole in files {
        within(10, "many animations", || {
            check(&whole).unwrap();
            findings(&whole);
            let file = Animation::open(whole.as_slice()).unwrap();
            let last = file.animation_count() - 1;
            let mut out = vec![Transform::default(); file.bone_count()];
            for _ in 0..100 {
                let view = file.animation(last).unwrap();
                view.pose(0, &mut out).err();
            }
            let mut written = Vec::new();
            file.write_to(0, &mut written).unwrap();
        });
        expect_bounded(&whole, "many animations");
    }
    // The closing magic is missing. The search for the key with an unknown flag is done only once.
    let whole = head(2).times(count, wild).put(b"....").0;
    within(10, "missing closing magic", || {
        let file = Animation::open(whole.as_slice()).unwrap();
        let error = file.check().unwrap_err();
        assert_eq!(error.field().to_string(), "animation[0].keys");
        file.validate(&mut |_| {}).unwrap_err();
    });
    expect_bounded(&whole, "missing closing magic");
    // Only the header.
    let cut = head(0).put(&vec![0; count as usize * 3]).0;
    assert!(check(&cut).is_err());
    expect_bounded(&cut, "names without animations");
}

/// Tests the maximum number of bones of three bytes each, in a generation that stores nothing else
/// of them.
#[test]
fn memory_for_many_bones_is_bounded() {
    let count = 1_048_576 / SCALE;
    let file = |bones: usize| {
        let bones = i32::try_from(bones).unwrap();
        let file = RawFile::default().put(b"an12").put(&bones.to_le_bytes());
        let file = file.times(bones, |file, _| file.put(&[0, 0xff, 0xff]));
        file.put(&[0; 8]).count(0).put(&[30, 0, 0, 0, 0]).put(b"an12").count(1).put(b"an12").0
    };
    let whole = file(count);
    within(10, "many bones", || assert_eq!(check_invariants(&whole, &mut Random::new(1)), Fate::Read));
    expect_bounded(&whole, "many bones");
    let found = finds(&file(32_768), "UG25", Severity::Warning, "bones.count");
    assert_eq!(found.offset, 4);
    expect_bounded(&file(32_768), "bones");
    let error = Animation::open(file(1_048_577).as_slice()).map(drop).unwrap_err();
    assert!(is_error(&error, ErrorKind::Limit, &["(the limit `items`)"]), "{error}");
    let limits = Limits::default().with_items(10);
    assert!(Animation::open_with(whole.as_slice(), &OpenOptions::default().with_limits(limits)).is_err());
}

/// Tests the maximum number of bones, all with one name, in a chain or in a cycle.
///
/// They are resolved, posed and retargeted in time.
#[test]
fn bones_of_one_name_take_linear_time() {
    let count = 32_767_i32;
    let name = "x".repeat(100);
    let file = |parent: fn(i32) -> i32| {
        let file = start("an11").count(count).times(count, |file, bone| {
            file.text(name.as_bytes()).put(&i16::try_from(parent(bone)).unwrap().to_le_bytes())
        });
        let file = file.put(b"an11").times(count, |file, _| file.transform()).count(count).put(&ids(count));
        file.count(1).put(&vec![0; count as usize]).put(b"an11").0
    };
    let (chain, circle, roots) = (file(|bone| bone - 1), file(|bone| (bone + 1) % 32_767), file(|_| -1));
    within(10, "bones alike", || {
        for (whole, sound) in [(&chain, true), (&circle, false), (&roots, true)] {
            let file = Animation::open(whole.as_slice()).unwrap();
            assert_eq!(Skeleton::new(&file).is_ok(), sound);
            assert_eq!(findings(whole).iter().any(|found| found.rule == "UG07"), !sound);
            let mut retarget = Retarget::new(&file, &file).unwrap();
            assert_eq!(retarget.matched(), 1);
            let mut out = vec![Transform::default(); 32_767];
            retarget.pose(&file, 0, 0, &mut out).unwrap();
        }
    });
    expect_bounded(&chain, "bones alike");
}

/// Tests bones out of order.
///
/// Checking their numbers takes time proportional to their count, not to the count times the size
/// of the skeleton.
#[test]
fn bones_out_of_order_take_linear_time() {
    let count = 30_000_i32;
    let file = nameless(start("an11").count(count), count).put(b"an11").times(count, |file, _| file.transform());
    let backwards: Vec<u8> = (0..count).rev().flat_map(|id| i16::try_from(id).unwrap().to_le_bytes()).collect();
    let whole = file.count(count).put(&backwards).count(10).put(&vec![0; count as usize * 10]).put(b"an11").0;
    within(10, "out of order", || {
        for frame in 0..10 {
            pose(&whole, frame).unwrap();
        }
        let file = Animation::open(whole.as_slice()).unwrap();
        let mut frames = file.animation(0).unwrap().play().unwrap();
        while frames.next().unwrap().is_some() {}
        assert!(Animations::pose(&file, 0, 10, &mut vec![Transform::default(); 30_000]).is_err());
    });
}
