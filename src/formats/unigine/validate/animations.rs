//! Checks the rules about animations in mesh files and in animation files.

use super::rules;
use crate::error::{Field, Result, counted};
use crate::formats::unigine::animation::coding::{AnimationKey, Coding};
use crate::formats::unigine::animation::reader::AnimationReader;
use crate::formats::unigine::animation::view::AnimationView;
use crate::formats::unigine::reader::file_reader::FileReader;
use crate::math::as_u64;
use crate::model::Transform;
use crate::parse::{Severity, filled};
use crate::validate::{Report, Tally, length};

/// The maximum difference between 1 and the length of the rotation quaternion in an animation key.
const SLACK: f32 = 2e-3;
/// The tolerance for treating the first frame of an animation as equal to the bind pose. The
/// tolerance for the comparison with the bind pose is relative for positions and scales.
const SAME: f32 = 1e-4;

/// Checks the frame rate in an12 and an13 files, and the bytes of unknown meaning at the end of the
/// header.
pub(super) fn check_tail(file: AnimationReader<'_>, report: &mut Report<'_>) -> Result<()> {
    if let Some(rate) = file.state.header.rate.filter(|rate| *rate <= 0) {
        let at = file.state.header.tail.saturating_sub(4);
        let text = format_args!("{rate} frames per second, expected more than 0");
        report.add(rules::FRAME_RATE, Field::new("rate"), at, text);
    }
    let unknown = file.tail()?.get(1..).unwrap_or_default();
    let set = Tally::of(unknown, |byte| *byte != 0);
    let text = format_args!(
        "{} of {} with a value other than 0, which is kept",
        set.count,
        counted(unknown.len(), "unknown byte")
    );
    let at = set.offset(file.state.header.tail.saturating_add(1), 1);
    report.add_any(set, rules::UNUSED_ITEM, Field::new("unknown"), at, text);
    Ok(())
}

/// Checks the bone indices, the keys and the first frame of each animation of a file.
pub(super) fn check<'a>(
    file: FileReader<'a>,
    animation: impl Fn(usize) -> Result<AnimationView<'a>>,
    report: &mut Report<'_>,
) -> Result<()> {
    let count = file.animation_count();
    // For each bone, the index of the last animation that refers to this bone. The loop over the
    // animations reuses this list.
    let bones = if count == 0 { 0 } else { file.bone_count() };
    let mut named = filled(file.format(), "bones", bones, usize::MAX)?;
    for index in 0..count {
        let animation = animation(index)?;
        let field = Field::new("").in_list("animation", as_u64(index));
        check_bones(&animation, index, &mut named, report);
        check_keys(&animation, field, report);
        check_first_frame(file, &animation, field, report)?;
    }
    Ok(())
}

fn check_bones(animation: &AnimationView<'_>, index: usize, named: &mut [usize], report: &mut Report<'_>) {
    let (mut unknown, mut again) = (Tally::default(), Tally::default());
    for (item, bone) in (0..).zip(animation.bones) {
        match usize::try_from(bone.get()).ok().and_then(|bone| named.get_mut(bone)) {
            Some(by) => again.add(item, std::mem::replace(by, index) == index),
            None => unknown.add(item, true),
        }
    }
    let (at, field) = (animation.bones_offset(), Field::new("").in_list("animation", as_u64(index)));
    for (tally, what) in
        [(unknown, "without a bone; the first is item"), (again, "repeated in the list; the first is item")]
    {
        let text = tally.text_to_first("bone number", what);
        report.add_any(tally, rules::ANIMATED_BONE, field.named("bone_ids"), tally.offset(at, 2), text);
    }
}

fn check_keys(animation: &AnimationView<'_>, field: Field, report: &mut Report<'_>) {
    let bones = as_u64(animation.bones.len());
    let [mut unknown, mut foreign, mut partial, mut length_off, mut wild] = [Tally::default(); 5];
    let (coding, flags) = (animation.coding(), animation.flags);
    for (number, key) in (0_u64..).zip(animation.keys()) {
        unknown.add(key.offset, key.flags & coding.unknown() != 0);
        if let Some(flags) = flags {
            foreign.add(key.offset, key.flags & !coding.unknown() & !flags != 0);
            partial
                .add(key.offset, number < bones && key.flags & flags & !coding.unknown() != flags & !coding.unknown());
        }
        let found = KeyContent::of(&key, &coding);
        wild.add(key.offset, !found.finite);
        length_off.add(key.offset, found.rotation.is_some_and(|rotation| (length(rotation) - 1.0).abs() > SLACK));
    }
    if let Some(flags) = flags.filter(|flags| flags & coding.unknown() != 0) {
        let text =
            format_args!("0x{flags:02x}, expected none of the bits 0x{:02x}; they are ignored", coding.unknown());
        report.add(rules::ANIMATED_BONE, field.named("flags"), animation.flags_offset(), text);
    }
    let cases = [
        (rules::ANIMATED_BONE, unknown, "keys have flags of unknown meaning, which are assumed to add no bytes"),
        (rules::KEY_FLAGS, foreign, "keys store components that the animation's flags do not contain"),
        (rules::KEY_FLAGS, partial, "keys of frame 0 lack components that the animation's flags contain"),
        (rules::NOT_FINITE.with(Severity::Info), wild, "keys contain a value that is not finite"),
        (
            rules::ROTATION_LENGTH.with(Severity::Info),
            length_off,
            "keys contain a quaternion that does not have unit length",
        ),
    ];
    for (rule, tally, what) in cases {
        report.add_any(tally, rule, field.named("keys"), tally.first, format_args!("{} {what}", tally.count));
    }
}

/// The decoded components of an animation key.
struct KeyContent {
    rotation: Option<[f32; 4]>,
    finite: bool,
}

impl KeyContent {
    fn of(key: &AnimationKey<'_>, coding: &Coding) -> Self {
        let absent = Transform { position: [ABSENT; 3], rotation: [ABSENT; 4], scale: [ABSENT; 3] };
        // If the encoding stores no differences between frames, a component that is absent from a
        // key has its default value.
        let mut placed = if coding.is_delta() { absent } else { Transform::default() };
        coding.apply(key.flags, key.components, &mut placed);
        let Transform { position, rotation, scale } = placed;
        let all = position.into_iter().chain(rotation).chain(scale);
        let finite = all.filter(|value| value.to_bits() != ABSENT.to_bits()).all(f32::is_finite);
        let rotation =
            Some(rotation).filter(|rotation| rotation.iter().all(|value| value.to_bits() != ABSENT.to_bits()));
        Self { rotation, finite }
    }
}

/// A NaN with a special bit pattern, which marks a component that is absent from a key.
const ABSENT: f32 = f32::from_bits(0x7fc0_aaaa);

/// Reports an animation whose first frame is equal to the bind pose of the skeleton.
///
/// The vendor's published page on ms10 states that the first frame of an animation should not be
/// the bind pose.
fn check_first_frame(
    file: FileReader<'_>,
    animation: &AnimationView<'_>,
    field: Field,
    report: &mut Report<'_>,
) -> Result<()> {
    let coding = animation.coding();
    let step = match coding {
        Coding::Quantized(boxes) => boxes.map(|one| one.size.map(|size| size.abs() / 65535.0)),
        _ => [[0.0; 3]; 2],
    };
    let mut compared = 0_u32;
    // The loop reads only the keys of animation frame 0, one after another, because building a list
    // of all bones for each animation could take very long in a file with many bones and many
    // animations.
    for (bone, key) in animation.bones.iter().zip(animation.keys()) {
        let bone = usize::try_from(bone.get()).ok().filter(|bone| *bone < file.bone_count());
        let Some(bind) = bone.map(|bone| file.bind(bone)).transpose()?.flatten() else { return Ok(()) };
        let bind = bind.get();
        let mut found = if coding.is_delta() { bind } else { Transform::default() };
        coding.apply(key.flags, key.components, &mut found);
        compared = compared.saturating_add(1);
        let near = |found: [f32; 3], bind: [f32; 3], step: [f32; 3]| {
            let slack = bind.map(|bind| SAME * bind.abs().max(1e-3));
            let off = found.iter().zip(bind).zip(slack).zip(step);
            off.into_iter().all(|(((found, bind), slack), step)| (found - bind).abs() <= slack.max(step))
        };
        let dot: f32 = found.rotation.iter().zip(&bind.rotation).map(|(one, other)| one * other).sum();
        let [positions, scales] = step;
        let same = near(found.position, bind.position, positions) && near(found.scale, bind.scale, scales);
        if !same || dot.abs() < 1.0 - SAME {
            return Ok(());
        }
    }
    if compared == 0 {
        return Ok(());
    }
    let text = "frame 0 is the bind pose; the vendor's page on ms10 says that it should not be";
    report.add(rules::BIND_POSE_FRAME, field.named("keys"), animation.keys_offset(), text);
    Ok(())
}
