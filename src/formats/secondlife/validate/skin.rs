//! Checks the rules about skins.

use super::super::asset_block::AssetBlock;
use super::super::avatar_joints::is_avatar_joint;
use super::super::layout::MAX_JOINTS;
use super::super::matrix::{Matrix, affine};
use super::super::skin::Skin;
use super::maps::{check_map, check_reals};
use super::rules;
use crate::error::{Field, Result, counted};
use crate::math::as_u64;
use crate::parse::SortedNames;
use crate::validate::{Report, Tally};

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
pub(super) fn check(report: &mut Report<'_>, block: AssetBlock<'_>) -> Option<usize> {
    let skin = report.take(Skin::new(block))?;
    check_map(report, Field::new("skin"), skin.map(), &KEYS);
    for key in ["bind_shape_matrix", "inverse_bind_matrix", "alt_inverse_bind_matrix", "pelvis_offset"] {
        if let Some(entry) = skin.map().get(key) {
            check_reals(report, Field::new(key).in_struct("skin"), entry.at, entry.value);
        }
    }
    check_names(report, block, &skin);
    check_matrices(report, block, "bind_shape_matrix", [skin.bind_shape()].into_iter());
    let joints = skin.joint_count();
    let lists: [(&'static str, usize); 2] = [
        ("inverse_bind_matrix", skin.inverse_bind_count()),
        ("alt_inverse_bind_matrix", skin.alt_inverse_bind_count()),
    ];
    for (name, count) in lists {
        // The alternative inverse bind matrices are optional, so the array
        // `alt_inverse_bind_matrix` may be absent.
        if count != joints && (count > 0 || name == "inverse_bind_matrix" || skin.map().get(name).is_some()) {
            let then = if name == "inverse_bind_matrix" { ": viewers drop the whole binding" } else { "" };
            let text = format_args!("{} for {}{then}", counted(count, "matrix"), counted(joints, "joint"));
            report.add(rules::INVALID_SKIN, Field::new(name).in_struct("skin"), place(block, &skin, name), text);
        }
    }
    let inverse = (0..skin.inverse_bind_count()).map(|joint| skin.inverse_bind(joint));
    check_matrices(report, block, "inverse_bind_matrix", inverse);
    check_singular(report, block, &skin);
    let alternative = (0..skin.alt_inverse_bind_count()).map(|joint| skin.alt_inverse_bind(joint));
    check_matrices(report, block, "alt_inverse_bind_matrix", alternative);
    report.take(skin.pelvis_offset());
    report.take(skin.lock_scale_if_joint_position());
    Some(joints)
}

/// Returns the offset in the inflated block of the value of a key, or of the skin without the key.
fn place(block: AssetBlock<'_>, skin: &Skin<'_>, key: &str) -> u64 {
    as_u64(skin.map().get(key).map_or(block.value_at(), |entry| entry.at))
}

/// Reports a finding if an array has a matrix that is not 16 finite numbers. The reported finding
/// describes the first invalid matrix and contains the number of invalid matrices.
fn check_matrices(
    report: &mut Report<'_>,
    block: AssetBlock<'_>,
    name: &'static str,
    matrices: impl Iterator<Item = Result<Matrix>>,
) {
    let mut first: Option<(u64, String)> = None;
    let bad = Tally::of(matrices, |matrix| {
        let wrong = match matrix {
            Ok(matrix) if matrix.iter().all(|value| value.is_finite()) => return false,
            Ok(_) => (as_u64(block.value_at()), "numbers that are not finite".to_owned()),
            Err(error) => (error.inflated_offset().unwrap_or_default(), error.cause().to_string()),
        };
        first.get_or_insert(wrong);
        true
    });
    if let Some((at, what)) = first {
        let skin = Field::new("").in_struct("skin");
        let field = if name == "bind_shape_matrix" { skin.named(name) } else { skin.in_inner_list(name, bad.first) };
        report.add(rules::INVALID_SKIN, field, at, format_args!("{what}{}", bad.such()));
    }
}

/// Reports a finding if an inverse bind matrix of finite numbers has no inverse.
fn check_singular(report: &mut Report<'_>, block: AssetBlock<'_>, skin: &Skin<'_>) {
    let singular = Tally::of(0..skin.inverse_bind_count(), |joint| {
        let matrix = skin.inverse_bind(joint).ok().filter(|matrix| matrix.iter().all(|value| value.is_finite()));
        matrix.is_some_and(|matrix| affine(&matrix).inverse().is_none())
    });
    let field = Field::new("").in_struct("skin").in_inner_list("inverse_bind_matrix", singular.first);
    let text = format_args!("a matrix without an inverse, expected an invertible one; {} such", singular.count);
    report.add_any(singular, rules::SINGULAR_BIND_MATRIX, field, place(block, skin, "inverse_bind_matrix"), text);
}

fn check_names(report: &mut Report<'_>, block: AssetBlock<'_>, skin: &Skin<'_>) {
    let joints = skin.joint_count();
    let field = Field::new("joint_names").in_struct("skin");
    let at = place(block, skin, "joint_names");
    let names = skin.map().get("joint_names");
    if let Some(entry) = names.filter(|entry| entry.value.array().is_none()) {
        let text = format_args!("expected an array of strings, found {}", entry.value.kind());
        report.add(rules::INVALID_SKIN, field, at, text);
    } else if joints == 0 {
        report.add(rules::INVALID_SKIN, field, at, "no joint names");
    }
    if joints > MAX_JOINTS {
        let text = format_args!("{joints} joints, expected at most {MAX_JOINTS}");
        report.add(rules::UNUSUAL_JOINTS, field, at, text);
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
        let text = format_args!("{}{}", error.cause(), bad.such());
        report.add(rules::INVALID_SKIN, error.field(), error.inflated_offset().unwrap_or_default(), text);
    }
    if let Some(first) = first {
        let text = format_args!(
            "the avatar does not have {} of the joints, and viewers use mPelvis instead; first joint \"{first}\"",
            unknown.count
        );
        report.add(rules::UNUSUAL_JOINTS, field, at, text);
    }
    names.sort_copies();
    if let Some((name, _)) = names.groups().find(|(_, same)| same.len() > 1) {
        report.add(rules::UNUSUAL_JOINTS, field, at, format_args!("the joint \"{name}\" occurs twice"));
    }
}
