//! Checks the validation rules about skeletons and bones.

use std::fmt;

use super::rules;
use crate::error::Result;
use crate::formats::ezmesh::caches::NameIndex;
use crate::formats::ezmesh::layout::FORMAT;
use crate::formats::ezmesh::view::View;
use crate::math::as_u64;
use crate::parse::{Name, room};
use crate::validate::{Report, Tally, cycles, is_finite, length};

/// Checks the names and the parents of all bones.
pub(super) fn check(view: View<'_>, report: &mut Report<'_>) -> Result<()> {
    let count = view.bone_count();
    let mut parents = room(FORMAT, "bones", count)?;
    for skeleton in view.skeletons() {
        report.read(skeleton.declared_count())?;
    }
    for bone in 0..count {
        let element = view.bone_element(bone);
        let start = element.start()?;
        let Some(read) = report.read(view.bone(bone))? else {
            parents.push(-1);
            continue;
        };
        parents.push(read.parent);
        if read.parent >= 0 {
            continue;
        }
        let mut add = |found: fmt::Arguments<'_>| {
            let text = format_args!("expected a bone of the skeleton, found {found}; the bone becomes a root");
            report.add(rules::BONE_PARENT, element.place.named("parent"), start, text);
        };
        if let Some(stored) = view.stored_parent(bone)? {
            if stored != -1 {
                add(format_args!("bone {stored}"));
            }
        } else if let Some(name) = view.parent_name(bone).filter(|name| !name.as_bytes().is_empty()) {
            add(format_args!("\"{name}\""));
        }
    }
    check_names(view, report)?;
    for bone in cycles(FORMAT, &parents)? {
        let element = view.bone_element(bone);
        let text = "expected a chain of parents that ends at a root, found a cycle";
        report.add(rules::BONE_CYCLE, element.place.named("parent"), element.start()?, text);
    }
    Ok(())
}

/// Reports each name that two bones of the same skeleton have.
fn check_names(view: View<'_>, report: &mut Report<'_>) -> Result<()> {
    let number = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
    let index = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let group = |bone: usize| number(view.skeleton_of(bone));
    let all = (0..view.bone_count()).map(|bone| {
        let name = view.bone_name(bone).unwrap_or_default();
        (group(bone), name.as_bytes(), number(bone))
    });
    let names = NameIndex::of(all);
    for bone in 0..view.bone_count() {
        let name: Name<'_> = view.bone_name(bone)?;
        let first = names.find(group(bone), name.as_bytes()).map_or(bone, index);
        if first < bone {
            let element = view.bone_element(bone);
            let text =
                format_args!("expected a unique name, found \"{name}\" again; the name refers to the first bone");
            report.add(rules::DUPLICATE_BONE, element.place.named("name"), element.start()?, text);
        }
    }
    Ok(())
}

/// Checks the bind transforms of all bones.
pub(super) fn check_values(view: View<'_>, report: &mut Report<'_>) -> Result<()> {
    let (mut wild, mut long) = (Tally::default(), Tally::default());
    for bone in 0..view.bone_count() {
        let Ok(read) = view.bone(bone) else { continue };
        wild.add(as_u64(bone), !is_finite(&read.bind));
        long.add(as_u64(bone), !is_unit(read.bind.rotation));
    }
    let cases = [(rules::NOT_FINITE, wild, "with numbers that are not finite"), (rules::ROTATION_LENGTH, long, UNIT)];
    for (rule, tally, what) in cases.into_iter().filter(|(_, tally, _)| tally.any()) {
        let element = view.bone_element(usize::try_from(tally.first).unwrap_or(usize::MAX));
        report.add(rule, element.place, element.start()?, tally.text("bone", what));
    }
    Ok(())
}

/// Maximum accepted difference between the length of a rotation quaternion and 1.
const ROUNDED: f32 = 1e-3;

/// The text of a finding about rotations whose length is not 1.
pub(super) const UNIT: &str = "with a rotation whose length is not 1";

/// Returns whether a rotation quaternion has unit length, up to the rounding error of text files.
pub(super) fn is_unit(rotation: [f32; 4]) -> bool {
    (length(rotation) - 1.0).abs() <= ROUNDED
}
