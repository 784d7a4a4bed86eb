//! The rules about bones.

use super::told;
use crate::error::Result;
use crate::formats::ezmesh::names::Names;
use crate::formats::ezmesh::view::View;
use crate::math::as_u64;
use crate::parse::{Name, Report, Tally};

/// How far from unit length a rotation may be.
const ROUNDED: f32 = 1e-3;

/// Checks names and parents.
pub(super) fn check(view: View<'_>, report: &mut Report<'_>) -> Result<()> {
    let count = view.bone_count();
    let mut parents = Vec::new();
    for skeleton in view.skeletons() {
        told(report, skeleton.declared_count())?;
    }
    for bone in 0..count {
        let item = view.bone_item(bone);
        let start = item.start()?;
        let Some(read) = told(report, view.bone(bone))? else {
            parents.push(-1);
            continue;
        };
        parents.push(read.parent);
        let unknown = if let Some(stored) = view.stored_parent(bone)? {
            (stored != -1 && read.parent < 0).then(|| format!("bone {stored}"))
        } else {
            let named = view.parent_name(bone).filter(|name| !name.as_bytes().is_empty() && read.parent < 0);
            named.map(|name| format!("{name:?}"))
        };
        if let Some(unknown) = unknown {
            let text = format!("expected a bone of the skeleton, found {unknown}; it is a root");
            report.say("EZ14", item.place.named("parent"), start, text);
        }
    }
    check_names(view, report)?;
    check_cycles(view, &parents, report)
}

/// Tells of names that two bones of a skeleton have.
fn check_names(view: View<'_>, report: &mut Report<'_>) -> Result<()> {
    let number = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
    let index = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let group = |bone: usize| number(view.skeleton_of(bone));
    let all = (0..view.bone_count()).map(|bone| {
        let name = view.bone_name(bone).unwrap_or_default();
        (group(bone), name.as_bytes(), number(bone))
    });
    let names = Names::of(all);
    for bone in 0..view.bone_count() {
        let name: Name<'_> = view.bone_name(bone)?;
        let first = names.find(group(bone), name.as_bytes()).map_or(bone, index);
        if first < bone {
            let item = view.bone_item(bone);
            let text =
                format!("expected a name of its own, found {name:?} again; the first bone with it is meant by others");
            report.say("EZ16", item.place.named("name"), item.start()?, text);
        }
    }
    Ok(())
}

/// Tells of bones that hang from themselves, each ring once. Every bone is passed once.
fn check_cycles(view: View<'_>, parents: &[i32], report: &mut Report<'_>) -> Result<()> {
    const NEW: u32 = u32::MAX;
    let mut seen = vec![NEW; parents.len()];
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
                let item = view.bone_item(at);
                let text = "expected parents that end at a root, found a ring of them".to_owned();
                report.say("EZ15", item.place.named("parent"), item.start()?, text);
                break;
            }
        }
    }
    Ok(())
}

/// Checks where bones rest.
pub(super) fn check_values(view: View<'_>, report: &mut Report<'_>) -> Result<()> {
    let (mut wild, mut long) = (Tally::default(), Tally::default());
    for bone in 0..view.bone_count() {
        let Ok(read) = view.bone(bone) else { continue };
        wild.add(as_u64(bone), !super::animation::is_finite(&read.bind));
        long.add(as_u64(bone), !is_unit(read.bind.rotation));
    }
    for (rule, tally, what) in [("EZ22", wild, "have numbers that are not finite"), ("EZ23", long, UNIT)] {
        if tally.any() {
            let item = view.bone_item(usize::try_from(tally.first).unwrap_or(usize::MAX));
            let text = format!("{} bones {what}", tally.count);
            report.say(rule, item.place, item.start()?, text);
        }
    }
    Ok(())
}

/// What rotations are that are not of unit length.
pub(super) const UNIT: &str = "have a rotation whose length is not 1";

/// Tells whether a rotation is of unit length, as nearly as texts have it.
pub(super) fn is_unit(rotation: [f32; 4]) -> bool {
    let square: f32 = rotation.iter().map(|value| value * value).sum();
    (square.sqrt() - 1.0).abs() <= ROUNDED
}
