//! Checks the rules about skins.

use super::super::asset_block::AssetBlock;
use super::super::avatar_joints::is_avatar_joint;
use super::super::layout::MAX_JOINTS;
use super::super::matrix::{Matrix, affine};
use super::super::skin::Skin;
use super::report::AssetReport;
use super::rules;
use crate::error::{Error, Field, Result, counted};
use crate::math::as_u64;
use crate::parse::{SortedNames, Tally};

/// Known keys in the LLSD map of a skin.
const KEYS: [&str; 6] = [
    "joint_names",
    "bind_shape_matrix",
    "inverse_bind_matrix",
    "alt_inverse_bind_matrix",
    "pelvis_offset",
    "lock_scale_if_joint_position",
];

/// Checks the block of a skin. Returns the number of joints, or `None` if the skin cannot be read.
pub(super) fn check(check: &mut AssetReport<'_, '_>, block: AssetBlock<'_>) -> Option<usize> {
    let skin = check.take(Skin::new(block))?;
    let place = Field::new("skin");
    check.check_map_in(place, block, skin.map(), &KEYS);
    for key in ["bind_shape_matrix", "inverse_bind_matrix", "alt_inverse_bind_matrix", "pelvis_offset"] {
        if let Some(entry) = skin.map().get(key) {
            check.check_reals(Field::new(key).in_struct("skin"), block, entry.at, entry.value);
        }
    }
    check_names(check, block, &skin);
    check_matrices(check, block, "bind_shape_matrix", [skin.bind_shape()].into_iter());
    let joints = skin.joint_count();
    let lists: [(&'static str, usize); 2] = [
        ("inverse_bind_matrix", skin.inverse_bind_count()),
        ("alt_inverse_bind_matrix", skin.alt_inverse_bind_count()),
    ];
    for (name, count) in lists {
        let field = Field::new(name).in_struct("skin");
        let at = skin.map().get(name).map_or(block.value_at(), |entry| entry.at);
        // The alternative inverse bind matrices are optional, so the array
        // `alt_inverse_bind_matrix` may be absent.
        if count != joints && (count > 0 || name == "inverse_bind_matrix" || skin.map().get(name).is_some()) {
            let then = if name == "inverse_bind_matrix" { ": viewers drop the whole binding" } else { "" };
            check.add_in(
                rules::INVALID_SKIN,
                field,
                block,
                at,
                format_args!("{} for {}{then}", counted(count, "matrix"), counted(joints, "joint")),
            );
        }
    }
    let inverse = (0..skin.inverse_bind_count()).map(|joint| skin.inverse_bind(joint));
    check_matrices(check, block, "inverse_bind_matrix", inverse);
    check_singular(check, block, &skin);
    let alternative = (0..skin.alt_inverse_bind_count()).map(|joint| skin.alt_inverse_bind(joint));
    check_matrices(check, block, "alt_inverse_bind_matrix", alternative);
    for error in [skin.pelvis_offset().err(), skin.lock_scale_if_joint_position().err()].into_iter().flatten() {
        check.add_in(rules::INVALID_SKIN, error.field(), block, inflated(&error), error.cause());
    }
    Some(joints)
}

/// Reports a finding if an array has a matrix that is not 16 finite numbers. The reported finding
/// describes the first invalid matrix and contains the number of invalid matrices.
fn check_matrices(
    check: &mut AssetReport<'_, '_>,
    block: AssetBlock<'_>,
    name: &'static str,
    matrices: impl Iterator<Item = Result<Matrix>>,
) {
    let mut bad = Tally::default();
    let mut first: Option<(usize, String)> = None;
    for (number, matrix) in (0..).zip(matrices) {
        let wrong = match matrix {
            Ok(matrix) if matrix.iter().all(|value| value.is_finite()) => None,
            Ok(_) => Some((block.value_at(), "numbers that are not finite".to_owned())),
            Err(error) => Some((inflated(&error), error.cause().to_string())),
        };
        bad.add(number, wrong.is_some());
        first = first.or(wrong);
    }
    if let Some((at, what)) = first {
        let more = if bad.count > 1 { format!("; {} such", bad.count) } else { String::new() };
        let skin = Field::new("").in_struct("skin");
        let field = if name == "bind_shape_matrix" { skin.named(name) } else { skin.in_inner_list(name, bad.first) };
        check.add_in(rules::INVALID_SKIN, field, block, at, format_args!("{what}{more}"));
    }
}

/// Reports a finding if an inverse bind matrix of finite numbers has no inverse.
fn check_singular(check: &mut AssetReport<'_, '_>, block: AssetBlock<'_>, skin: &Skin<'_>) {
    let mut singular = Tally::default();
    for joint in 0..skin.inverse_bind_count() {
        let matrix = skin.inverse_bind(joint).ok().filter(|matrix| matrix.iter().all(|value| value.is_finite()));
        singular.add(as_u64(joint), matrix.is_some_and(|matrix| affine(&matrix).inverse().is_none()));
    }
    if singular.count > 0 {
        let field = Field::new("").in_struct("skin").in_inner_list("inverse_bind_matrix", singular.first);
        let at = skin.map().get("inverse_bind_matrix").map_or(block.value_at(), |entry| entry.at);
        let text = format_args!("a matrix without an inverse, expected an invertible one; {} such", singular.count);
        check.add_in(rules::SINGULAR_BIND_MATRIX, field, block, at, text);
    }
}

/// Returns the byte offset of an error in the inflated block, or 0 if the error has no offset in an
/// inflated block.
fn inflated(error: &Error) -> usize {
    error.inflated_offset().and_then(|at| usize::try_from(at).ok()).unwrap_or_default()
}

fn check_names(check: &mut AssetReport<'_, '_>, block: AssetBlock<'_>, skin: &Skin<'_>) {
    let joints = skin.joint_count();
    let field = Field::new("joint_names").in_struct("skin");
    let at = skin.map().get("joint_names").map_or(block.value_at(), |entry| entry.at);
    let names = skin.map().get("joint_names");
    if let Some(entry) = names.filter(|entry| entry.value.array().is_none()) {
        check.add_in(
            rules::INVALID_SKIN,
            field,
            block,
            at,
            format_args!("expected an array of strings, found {}", entry.value.kind()),
        );
    } else if joints == 0 {
        check.add_in(rules::INVALID_SKIN, field, block, at, "no joint names");
    }
    if joints > MAX_JOINTS {
        let text = format_args!("{joints} joints, expected at most {MAX_JOINTS}");
        check.add_in(rules::UNUSUAL_JOINTS, field, block, at, text);
    }
    let mut names = SortedNames::default();
    let (mut unknown, mut bad) = (Tally::default(), Tally::default());
    let (mut first, mut fault) = (None, None);
    for joint in 0..joints {
        match skin.joint_name(joint) {
            Ok(name) => {
                let is_unknown = !is_avatar_joint(name.as_bytes());
                unknown.add(as_u64(joint), is_unknown);
                if is_unknown {
                    first.get_or_insert(name);
                }
                // If memory is exhausted, the name is not compared with the others.
                let _ = names.push(name.as_bytes(), joint);
            }
            Err(error) => {
                bad.add(as_u64(joint), true);
                fault.get_or_insert(error);
            }
        }
    }
    if let Some(error) = fault {
        let more = if bad.count > 1 { format!("; {} such", bad.count) } else { String::new() };
        let text = format_args!("{}{more}", error.cause());
        check.add_in(rules::INVALID_SKIN, error.field(), block, inflated(&error), text);
    }
    if let Some(first) = first {
        let text = format_args!(
            "the avatar does not have {} of the joints, and viewers use mPelvis instead; first joint \"{first}\"",
            unknown.count
        );
        check.add_in(rules::UNUSUAL_JOINTS, field, block, at, text);
    }
    names.sort_copies();
    if let Some((name, _)) = names.groups().find(|(_, same)| same.len() > 1) {
        check.add_in(rules::UNUSUAL_JOINTS, field, block, at, format_args!("the joint \"{name}\" occurs twice"));
    }
}
