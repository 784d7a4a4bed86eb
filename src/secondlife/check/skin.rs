//! The rules about skins.

use super::super::block::Block;
use super::super::joints::is_joint;
use super::super::layout::MOST_JOINTS;
use super::super::skin::{Matrix, Skin};
use super::{Check, header};
use crate::bytes::as_u64;
use crate::error::Result;
use crate::field::Field;
use crate::finding::Tally;

/// Keys of a skin.
const KEYS: [&str; 6] = [
    "joint_names",
    "bind_shape_matrix",
    "inverse_bind_matrix",
    "alt_inverse_bind_matrix",
    "pelvis_offset",
    "lock_scale_if_joint_position",
];

/// Looks at a skin; returns the number of its joints.
pub(super) fn check(check: &mut Check<'_, '_>, block: Block<'_>) -> Option<usize> {
    let skin = check.take(Skin::new(block))?;
    let place = Field::new("skin");
    check.check_keys_in(place, block, skin.map(), &KEYS);
    let stored = block.stored_at();
    header::check_sorted(check, place, skin.map(), |at| (stored, Some(as_u64(at))));
    for key in KEYS {
        if let Some(entry) = skin.map().get(key) {
            let field = Field::new(key).of("skin", 0);
            check.check_reals(field, block, entry.value);
        }
    }
    check_names(check, block, &skin);
    check_matrix(check, block, "bind_shape_matrix", skin.bind_shape());
    let joints = skin.joint_count();
    let lists: [(&'static str, usize); 2] = [
        ("inverse_bind_matrix", skin.inverse_bind_count()),
        ("alt_inverse_bind_matrix", skin.alt_inverse_bind_count()),
    ];
    for (name, count) in lists {
        let field = Field::new(name).of("skin", 0);
        let at = skin.map().get(name).map_or(block.value_at(), |entry| entry.at);
        // The alternative may be left out.
        if count != joints && (count > 0 || name == "inverse_bind_matrix" || skin.map().get(name).is_some()) {
            let text = format!("{count} matrices for {joints} joints: viewers drop the whole binding");
            check.say_in("SL13", field, block, at, text);
        }
        for number in 0..count {
            let matrix =
                if name == "inverse_bind_matrix" { skin.inverse_bind(number) } else { skin.alt_inverse_bind(number) };
            check_matrix(check, block, name, matrix);
        }
    }
    for error in [skin.pelvis_offset().err(), skin.lock_scale_if_joint_position().err()].into_iter().flatten() {
        let at = error.inflated_offset().and_then(|at| usize::try_from(at).ok()).unwrap_or_default();
        check.say_in("SL13", error.field(), block, at, error.kind().to_string());
    }
    Some(joints)
}

fn check_matrix(check: &mut Check<'_, '_>, block: Block<'_>, name: &'static str, matrix: Result<Matrix>) {
    match matrix {
        Ok(matrix) if matrix.iter().all(|value| value.is_finite()) => {}
        Ok(_) => {
            let text = "a matrix with numbers that are not finite".to_owned();
            check.say_in("SL13", Field::new(name).of("skin", 0), block, block.value_at(), text);
        }
        Err(error) => {
            let at = error.inflated_offset().and_then(|at| usize::try_from(at).ok()).unwrap_or_default();
            check.say_in("SL13", error.field(), block, at, error.kind().to_string());
        }
    }
}

fn check_names(check: &mut Check<'_, '_>, block: Block<'_>, skin: &Skin<'_>) {
    let joints = skin.joint_count();
    let field = Field::new("joint_names").of("skin", 0);
    let at = skin.map().get("joint_names").map_or(block.value_at(), |entry| entry.at);
    if joints == 0 {
        check.say_in("SL13", field, block, at, "no joint names".to_owned());
    }
    if joints > MOST_JOINTS {
        let text = format!("{joints} joints, expected at most {MOST_JOINTS}");
        check.say_in("SL27", field, block, at, text);
    }
    let mut names = Vec::new();
    let mut unknown = Tally::default();
    let mut first = None;
    for joint in 0..joints {
        match skin.joint_name(joint) {
            Ok(name) => {
                let is_unknown = !is_joint(name.as_bytes());
                unknown.add(as_u64(joint), is_unknown);
                if is_unknown {
                    first.get_or_insert(name);
                }
                names.push(name);
            }
            Err(error) => {
                let at = error.inflated_offset().and_then(|at| usize::try_from(at).ok()).unwrap_or_default();
                check.say_in("SL13", error.field(), block, at, error.kind().to_string());
            }
        }
    }
    if let Some(first) = first {
        let text = format!(
            "{} joints that the avatar does not have, which viewers take for mPelvis: first \"{first}\"",
            unknown.count
        );
        check.say_in("SL27", field, block, at, text);
    }
    names.sort_unstable();
    let twice = names.windows(2).find(|two| matches!(two, [a, b] if a == b));
    if let Some(name) = twice.and_then(|two| two.first()) {
        check.say_in("SL27", field, block, at, format!("the joint \"{name}\" stands twice"));
    }
}
