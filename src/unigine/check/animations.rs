//! Rules about embedded animations.

use zerocopy::little_endian::{F32, I16};

use super::super::anim::{EmbeddedAnimation, Key};
use super::{Mesh, Report, Tally};
use crate::bytes::{Record, as_index, as_u64};
use crate::error::Result;
use crate::field::Field;
use crate::finding::Severity;

/// How far from 1 the length of a key's quaternion may be.
const SLACK: f32 = 2e-3;
/// How near a first frame is to the bind pose if it is the bind pose, for positions, rotations and scales of about 1.
const SAME: f32 = 1e-4;

/// Returns the length of a quaternion.
pub(super) fn length(quaternion: [f32; 4]) -> f32 {
    quaternion.iter().map(|value| value * value).sum::<f32>().sqrt()
}

pub(super) fn check<D: AsRef<[u8]>>(mesh: &Mesh<D>, report: &mut Report<'_>) -> Result<()> {
    // For each bone, the last animation that named it: one list for all of them.
    let mut named = vec![usize::MAX; if mesh.animation_count() == 0 { 0 } else { mesh.bone_count() }];
    for index in 0..mesh.animation_count() {
        let animation = mesh.animation(index)?;
        let field = Field::new("").of("animation", as_u64(index));
        check_bones(&animation, index, &mut named, report);
        check_keys(&animation, field, report);
        check_first_frame(mesh, &animation, field, report)?;
    }
    Ok(())
}

fn check_bones(animation: &EmbeddedAnimation<'_>, index: usize, named: &mut [usize], report: &mut Report<'_>) {
    let (mut unknown, mut again) = (Tally::default(), Tally::default());
    for (item, bone) in (0..).zip(animation.bones) {
        match usize::try_from(bone.get()).ok().and_then(|bone| named.get_mut(bone)) {
            Some(by) => again.add(item, std::mem::replace(by, index) == index),
            None => unknown.add(item, true),
        }
    }
    let (at, field) = (animation.bones_offset(), Field::new("").of("animation", as_u64(index)));
    for (tally, what) in [(unknown, "name no bone"), (again, "were named before")] {
        if tally.any() {
            let text = format!("{} bone numbers {what}; the first is number {}", tally.count, tally.first);
            report.say("UG08", field.named("bone_ids"), tally.offset(at, 2), text);
        }
    }
}

fn check_keys(animation: &EmbeddedAnimation<'_>, field: Field, report: &mut Report<'_>) {
    let bones = as_u64(animation.bones.len());
    let (mut foreign, mut partial, mut length_off, mut wild) =
        (Tally::default(), Tally::default(), Tally::default(), Tally::default());
    for (number, key) in (0_u64..).zip(animation.keys()) {
        foreign.add(key.offset, key.flags & !animation.flags != 0);
        partial.add(key.offset, number < bones && key.flags & animation.flags != animation.flags);
        let parts = Parts::of(&key);
        wild.add(key.offset, !parts.floats().all(f32::is_finite));
        length_off.add(key.offset, parts.rotation.is_some_and(|rotation| (length(rotation) - 1.0).abs() > SLACK));
    }
    let cases = [
        (Severity::Warning, "UG09", foreign, "keys have components that the animation's flags do not announce"),
        (Severity::Warning, "UG09", partial, "keys of frame 0 lack components that the animation's flags announce"),
        (Severity::Info, "UG17", wild, "keys hold a value that is no finite number"),
        (Severity::Info, "UG18", length_off, "keys hold a quaternion that is not of unit length"),
    ];
    for (severity, rule, tally, what) in cases {
        if tally.any() {
            report.say_as(severity, rule, field.named("keys"), tally.first, format!("{} {what}", tally.count));
        }
    }
}

/// The components of a key.
struct Parts {
    position: [Option<f32>; 3],
    rotation: Option<[f32; 4]>,
    scale: [Option<f32>; 3],
}

impl Parts {
    fn of(key: &Key<'_>) -> Self {
        let mut rest = key.components;
        let position = [1, 2, 4].map(|bit| take(&mut rest, key.flags & bit).map(F32::get));
        let rotation = take::<[I16; 4]>(&mut rest, key.flags & 8);
        let scale = [0x10, 0x20, 0x40].map(|bit| take(&mut rest, key.flags & bit).map(F32::get));
        Self { position, rotation: rotation.map(|raw| raw.map(|value| f32::from(value.get()) / 32767.0)), scale }
    }

    fn floats(&self) -> impl Iterator<Item = f32> {
        self.position.into_iter().chain(self.scale).flatten()
    }
}

/// Takes one component off the front of a key's bytes, if its flag is set.
fn take<'a, T: Record + Copy + 'a>(rest: &mut &'a [u8], flag: u8) -> Option<T> {
    let (value, after) = T::ref_from_prefix(rest).ok().filter(|_| flag != 0)?;
    *rest = after;
    Some(*value)
}

/// The published page on ms10 says that the first frame should not be the bind pose.
fn check_first_frame<D: AsRef<[u8]>>(
    mesh: &Mesh<D>,
    animation: &EmbeddedAnimation<'_>,
    field: Field,
    report: &mut Report<'_>,
) -> Result<()> {
    let mut compared = 0_u32;
    for (bone, key) in animation.bones.iter().zip(animation.keys()) {
        let Ok(bone) = u32::try_from(bone.get()) else { return Ok(()) };
        if as_index(bone) >= mesh.bone_count() {
            return Ok(());
        }
        let bind = mesh.bone(as_index(bone))?.bind;
        let parts = Parts::of(&key);
        let near = |found: Option<f32>, bind: f32| {
            found.is_none_or(|found| (found - bind).abs() <= SAME * bind.abs().max(1e-3))
        };
        let same = parts.position.into_iter().zip(bind.position).all(|(found, bind)| near(found, bind))
            && parts.scale.into_iter().zip(bind.scale).all(|(found, bind)| near(found, bind))
            && parts.rotation.is_none_or(|found| {
                let dot: f32 = found.iter().zip(&bind.rotation).map(|(one, other)| one * other).sum();
                dot.abs() >= 1.0 - SAME
            });
        if !same {
            return Ok(());
        }
        compared = compared.saturating_add(1);
    }
    if compared > 0 && animation.frames > 0 {
        let text = String::from("frame 0 is the bind pose; the vendor's page on ms10 says that it should not be");
        report.say("UG23", field.named("keys"), animation.keys_offset(), text);
    }
    Ok(())
}
