//! Checks the validation rules about skeletons and bones.

use std::fmt;

use super::rules;
use super::rules::reported;
use super::transforms::{UNIT, is_finite, is_unit};
use crate::error::{Result, counted};
use crate::formats::ezmesh::layout::FORMAT;
use crate::formats::ezmesh::name_index::NameIndex;
use crate::formats::ezmesh::view::View;
use crate::math::as_u64;
use crate::parse::{Name, Report, Tally, filled, room};

/// Checks the names and the parents of all bones.
pub(super) fn check(view: View<'_>, report: &mut Report<'_>) -> Result<()> {
    let count = view.bone_count();
    let mut parents = room(FORMAT, "bones", count)?;
    for skeleton in view.skeletons() {
        reported(report, skeleton.declared_count())?;
    }
    for bone in 0..count {
        let element = view.bone_element(bone);
        let start = element.start()?;
        let Some(read) = reported(report, view.bone(bone))? else {
            parents.push(-1);
            continue;
        };
        parents.push(read.parent);
        if read.parent >= 0 {
            continue;
        }
        let field = element.place.named("parent");
        if let Some(stored) = view.stored_parent(bone)? {
            if stored != -1 {
                report.add(rules::BONE_PARENT, field, start, UnknownParent(format_args!("bone {stored}")));
            }
        } else if let Some(name) = view.parent_name(bone).filter(|name| !name.as_bytes().is_empty()) {
            report.add(rules::BONE_PARENT, field, start, UnknownParent(format_args!("\"{name}\"")));
        }
    }
    check_names(view, report)?;
    check_cycles(view, &parents, report)
}

/// The text of a finding about a bone whose parent is not a bone of its skeleton.
struct UnknownParent<'p>(fmt::Arguments<'p>);

impl fmt::Display for UnknownParent<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "expected a bone of the skeleton, found {}; the bone becomes a root", self.0)
    }
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

/// Reports each cycle of bones and their parents once. The search for cycles visits every bone
/// once.
fn check_cycles(view: View<'_>, parents: &[i32], report: &mut Report<'_>) -> Result<()> {
    const NEW: u32 = u32::MAX;
    let mut seen = filled(FORMAT, "bones", parents.len(), NEW)?;
    for start in 0..parents.len() {
        let mark = u32::try_from(start).unwrap_or(NEW);
        let mut at = start;
        while let Some(place) = seen.get_mut(at).filter(|place| **place == NEW) {
            *place = mark;
            match parents.get(at).and_then(|parent| usize::try_from(*parent).ok()) {
                Some(parent) => at = parent,
                None => break,
            }
            if seen.get(at) == Some(&mark) {
                let element = view.bone_element(at);
                let text = "expected a chain of parents that ends at a root, found a cycle";
                report.add(rules::BONE_CYCLE, element.place.named("parent"), element.start()?, text);
                break;
            }
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
    for (rule, tally, what) in
        [(rules::NOT_FINITE, wild, "with numbers that are not finite"), (rules::ROTATION_LENGTH, long, UNIT)]
    {
        if tally.any() {
            let element = view.bone_element(usize::try_from(tally.first).unwrap_or(usize::MAX));
            let text = format_args!("{} {what}", counted(tally.count, "bone"));
            report.add(rule, element.place, element.start()?, text);
        }
    }
    Ok(())
}
