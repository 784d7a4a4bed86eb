//! Does everything that a caller can do with an UNIGINE animation file, valid or not, and tests the
//! invariants that hold for any content.

use meshpeek::model::animation::Retarget;
use meshpeek::model::{Bone, Transform};
use meshpeek::unigine::{Animation, AnimationView, RULES};
use meshpeek::{Animations, Error, Finding, MeshFile as _, Model, Pose, Region, Result};

use crate::support::invariants::{Fate, expect_named, pose_and_skin};
use crate::support::random::Random;

/// The maximum numbers of animations that are posed, of bones, and of frames that are played.
const SAMPLES: usize = 4;
const MANY: usize = 1024;
const PLAYED: u32 = 200;

/// Opens, checks, surveys and validates a file, lists its regions, reads every key, poses, plays
/// and retargets it, and writes it again.
pub fn check_invariants(bytes: &[u8], random: &mut Random) -> Fate {
    let length = as_u64(bytes.len());
    let file = match Animation::open(bytes) {
        Ok(file) => file,
        Err(error) => {
            expect_named(&error, length);
            assert!(
                Model::open(bytes.to_vec()).is_err() || !bytes.starts_with(b"an1"),
                "another reader accepts the file"
            );
            return Fate::Refused;
        }
    };
    look_at_the_header(&file);
    // An animation is located before those that come before it in the file.
    let last = file.animation_count().saturating_sub(random.below(3).saturating_add(1));
    let early = file.animation(last).map(|view| (view.frames, view.keys_offset()));

    let structure = file.check();
    let (regions, end) = named(&file);
    let (mut surveyed, mut validated) = (Vec::new(), Vec::new());
    let survey = file.validate_structure(&mut |finding| surveyed.push(finding));
    let validate = file.validate(&mut |finding| validated.push(finding));
    for result in [&regions, &survey, &validate] {
        assert_eq!(structure.is_ok(), result.is_ok(), "{structure:?}, {result:?}");
    }
    assert!(validated.starts_with(&surveyed), "validate reports the findings of the survey first");
    for finding in &validated {
        assert!(RULES.iter().any(|rule| rule.id == finding.rule), "{finding}");
        assert!(finding.offset <= length, "{finding} is outside of the file of {length} bytes");
        assert!(!finding.text.is_empty() && !finding.field.to_string().is_empty(), "{finding}");
    }
    if let Err(error) = &structure {
        expect_named(error, length);
        let same = |found: &Error| (found.field(), found.offset()) == (error.field(), error.offset());
        assert!([regions, survey, validate].iter().all(|result| result.as_ref().is_err_and(same)), "{error}");
        assert!(surveyed.iter().any(|finding| Some(finding.offset) == error.offset()), "{error} is not reported");
    } else {
        assert_eq!(end, length, "bytes without a name");
    }
    let later = file.animation(last).map(|view| (view.frames, view.keys_offset()));
    assert_eq!(early.ok(), later.ok(), "the location of an animation depends on the order of accesses");
    // For a damaged file, only errors of the structure are reported.
    let told = structure.is_ok().then_some(validated.as_slice());
    for index in 0..file.animation_count() {
        match file.animation(index) {
            Ok(view) => look_at_animation(&file, index, &view, told, random),
            Err(error) => expect_named(&error, length),
        }
    }
    pose_and_skin(&file);
    retarget(&file);
    write_twice(&file, bytes, &validated);
    if structure.is_ok() { Fate::Read } else { Fate::Damaged }
}

/// Reads everything that can be borrowed, and keeps nothing.
///
/// The bound on memory applies to this.
pub fn borrow_animations(bytes: &[u8]) -> Result<()> {
    let file = Animation::open(bytes)?;
    for bone in 0..file.bone_count() {
        file.bone(bone)?;
    }
    let checked = file.check();
    for index in 0..file.animation_count() {
        let view = file.animation(index)?;
        view.keys().count();
        let _ = view.index_size();
    }
    checked
}

fn look_at_the_header(file: &Animation<&[u8]>) {
    for bone in 0..file.bone_count() {
        let told = file.bone(bone).unwrap();
        assert!(bits(&told) == bits(&Animations::bone(file, bone).unwrap()), "{told:?}");
    }
    assert!(file.bone(file.bone_count()).is_err() && file.animation(file.animation_count()).is_err());
    assert_eq!(file.bounds().unwrap().is_some(), file.generation().is_quantized());
    assert_eq!(file.skeleton().unwrap().is_some(), file.generation().has_skeleton());
    assert_eq!(file.raw_rate().is_some(), file.generation().has_skeleton());
    assert!(file.rate().is_none_or(|rate| rate > 0.0 && rate.is_finite()));
    assert_eq!(as_u64(file.tail().unwrap().len()), u64::from(file.generation().tail()));
}

/// Returns the name, the parent and the bits of the bind transform of a bone. Equal NaNs are equal.
fn bits<'a>(bone: &Bone<'a>) -> (&'a [u8], i32, [u32; 10]) {
    let Transform { position, rotation, scale } = bone.bind;
    let mut floats = position.into_iter().chain(rotation).chain(scale).map(f32::to_bits);
    (bone.name.as_bytes(), bone.parent, std::array::from_fn(|_| floats.next().unwrap()))
}

/// Visits the regions, and returns the end of the last one.
fn named(file: &Animation<&[u8]>) -> (Result<()>, u64) {
    let mut end = 0;
    let result = file.regions(0, &mut |Region { field, start, end: next, element, count, .. }| {
        assert_eq!(start, end, "{field} leaves a gap, or overlaps");
        assert!(!field.to_string().is_empty(), "bytes {start} to {next} have no name");
        if element.size > 0 {
            assert_eq!(next.saturating_sub(start), u64::from(element.size).saturating_mul(count), "{field}");
        }
        end = next;
    });
    (result, end)
}

fn look_at_animation(
    file: &Animation<&[u8]>,
    index: usize,
    view: &AnimationView<'_>,
    findings: Option<&[Finding]>,
    random: &mut Random,
) {
    let keys = as_u64(view.bones.len()).saturating_mul(view.frames.into());
    let (mut found, mut at) = (0_u64, view.keys_offset());
    for key in view.keys() {
        assert_eq!(key.offset, at);
        let size = as_u64(key.components.len());
        assert_eq!(size, view.coding().key_size(key.flags));
        at = at.saturating_add(size).saturating_add(1);
        found = found.saturating_add(1);
    }
    assert_eq!((found, at), (keys, view.keys_offset().saturating_add(as_u64(view.key_bytes().len()))));
    let count = file.bone_count();
    if index >= SAMPLES || count > MANY {
        return;
    }
    let last = view.frames.saturating_sub(1);
    let mut pose = vec![Transform::default(); count];
    let random_frame = u32::try_from(random.below(view.frames.try_into().unwrap())).unwrap();
    let frames = [0, last / 2, random_frame, last];
    for frame in frames.into_iter().filter(|frame| *frame < view.frames) {
        if let Err(error) = view.pose(frame, &mut pose) {
            assert_eq!((error.kind().id(), error.field().name()), ("value", "bone_ids"), "{error}");
            assert!(findings.is_none_or(|all| all.iter().any(|finding| finding.rule == "UG08")), "{error}");
            assert!(view.play().is_err() && file.pose(index, as_index(frame), &mut pose).is_err());
            return;
        }
        let (told, rest) = (pose.clone(), Pose::rest(file).unwrap());
        let mut moved = vec![false; count];
        file.animated_bones(index, &mut moved).unwrap();
        for ((bone, rest), _) in told.iter().zip(rest.bones()).zip(&moved).filter(|(_, moved)| !**moved) {
            assert!(same(bone, rest), "a bone that is not animated keeps its bind transform");
        }
        file.pose(index, as_index(frame), &mut pose).unwrap();
        assert!(pose.iter().zip(&told).all(|(one, other)| same(one, other)));
    }
    assert!(view.pose(view.frames, &mut pose).is_err() && view.pose(u32::MAX, &mut pose).is_err());
    assert!(view.pose(0, &mut vec![Transform::default(); count.saturating_add(1)]).is_err());
    let Ok(mut played) = view.play() else { return };
    for frame in 0..view.frames.min(PLAYED) {
        let bones = played.next().unwrap().unwrap();
        if frame % 7 == 0 || frame == last {
            view.pose(frame, &mut pose).unwrap();
            assert!(pose.iter().zip(bones).all(|(one, other)| same(one, other)), "frame {frame} of animation {index}");
        }
    }
    assert!(view.frames > PLAYED || played.next().unwrap().is_none());
}

/// Retargets a file to its own bones.
///
/// If the names are unique, the poses are those of the file itself.
fn retarget(file: &Animation<&[u8]>) {
    let count = file.bone_count();
    if count > MANY {
        return;
    }
    let mut names: Vec<_> = (0..count).map(|bone| file.bone(bone).unwrap().name.as_bytes()).collect();
    names.sort_unstable();
    let unique = names.windows(2).all(|pair| pair[0] != pair[1]);
    let mut retarget = Retarget::new(file, file).unwrap();
    assert!(retarget.missing().is_empty() && (retarget.matched() == count) == unique);
    let (mut one, mut other) = (vec![Transform::default(); count], vec![Transform::default(); count]);
    for clip in 0..file.animation_count().min(SAMPLES) {
        let result = retarget.pose(file, clip, 0, &mut one);
        let direct = file.pose(clip, 0, &mut other);
        assert_eq!(result.is_ok(), direct.is_ok(), "{result:?}, {direct:?}");
        if unique && direct.is_ok() {
            assert!(one.iter().zip(&other).all(|(one, other)| same(one, other)));
        }
    }
}

/// Asserts that a file that opens and can be written stays the same when it is read and written
/// again.
///
/// A file that only the engine can have written is unchanged the first time, if it is not damaged.
fn write_twice(file: &Animation<&[u8]>, bytes: &[u8], findings: &[Finding]) {
    let mut once = Vec::new();
    let result = file.write_to(0, &mut once);
    assert_eq!(result.is_ok(), file.check().is_ok(), "{result:?}");
    if result.is_err() {
        return;
    }
    if !findings.iter().any(|finding| ["UG14", "UG24"].contains(&finding.rule)) {
        assert!(once == bytes, "written differently without a finding");
    }
    let mut twice = Vec::new();
    Animation::open(once.as_slice()).unwrap().write_to(0, &mut twice).unwrap();
    assert!(once == twice, "written differently the second time");
}

fn same(one: &Transform, other: &Transform) -> bool {
    let bits = |bone: &Transform| {
        let all = bone.position.into_iter().chain(bone.rotation).chain(bone.scale);
        all.map(|value| if value.is_nan() { 0 } else { value.to_bits() }).collect::<Vec<_>>()
    };
    bits(one) == bits(other)
}

fn as_u64(length: usize) -> u64 {
    u64::try_from(length).unwrap()
}

fn as_index(number: u32) -> usize {
    usize::try_from(number).unwrap()
}
