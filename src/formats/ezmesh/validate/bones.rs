//! Checks the validation rules about skeletons, bones and animations.

use std::fmt;

use super::{report_surplus, rules};
use crate::error::{Field, Result, counted};
use crate::formats::ezmesh::element_index::ElementKind;
use crate::formats::ezmesh::elements::Track;
use crate::formats::ezmesh::layout::FORMAT;
use crate::formats::ezmesh::view::View;
use crate::math::{as_index, as_u64};
use crate::parse::room;
use crate::validate::{Report, Tally, cycles, is_finite, length};

/// Checks the names and the parents of all bones.
pub(super) fn check_bones(view: View<'_>, report: &mut Report<'_>) -> Result<()> {
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
    let names = view.bone_names();
    for bone in 0..view.bone_count() {
        let name = view.bone_name(bone)?;
        let first = names.find(view.bone_group(bone), name.as_bytes()).map_or(bone, as_index);
        if first < bone {
            let element = view.bone_element(bone);
            let text =
                format_args!("expected a unique name, found \"{name}\" again; the name refers to the first bone");
            report.add(rules::DUPLICATE_BONE, element.place.named("name"), element.start()?, text);
        }
    }
    Ok(())
}

/// Checks the bind transforms of all bones, and the key frames of all tracks.
pub(super) fn check_values(view: View<'_>, report: &mut Report<'_>) -> Result<()> {
    check_bind_transforms(view, report)?;
    view.tracks().try_for_each(|track| check_keys(&track, report))
}

fn check_bind_transforms(view: View<'_>, report: &mut Report<'_>) -> Result<()> {
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
const UNIT: &str = "with a rotation whose length is not 1";

/// Returns whether a rotation quaternion has unit length, up to the rounding error of text files.
fn is_unit(rotation: [f32; 4]) -> bool {
    (length(rotation) - 1.0).abs() <= ROUNDED
}

/// Checks the names of the tracks, and the declared numbers of animation frames.
pub(super) fn check_animations(view: View<'_>, report: &mut Report<'_>) -> Result<()> {
    for (index, animation) in (0_u64..).zip(view.animations()) {
        let place = Field::new("").in_list("animation", index);
        let timing = report.read(animation.timing())?.unwrap_or_default();
        for track in animation.tracks() {
            let (field, start) = track.element.located();
            let Some(frames) = report.read(track.frame_count())? else { continue };
            if let Some(said) = timing.frames.filter(|said| *said != frames) {
                let text = format_args!("expected {}, as declared by {place}, found {frames}", counted(said, "frame"));
                report.add(rules::TRACK_FRAME_COUNT, field.named("frames"), start, text);
            }
            let name = track.name()?;
            if view.bone_count() > 0 && view.find(ElementKind::Bone, name).is_none() {
                let text = format_args!("expected the name of a bone, found \"{name}\"");
                report.add(rules::UNKNOWN_TRACK_BONE, field.named("name"), start, text);
            }
        }
    }
    Ok(())
}

fn check_keys(track: &Track<'_>, report: &mut Report<'_>) -> Result<()> {
    let Some(keys) = report.read(track.keys())? else { return Ok(()) };
    let start = track.offset()?;
    let field = track.element.place.named("keys");
    if let Some(said) = track.has_scale()?
        && said != keys.has_scale()
        && !keys.is_empty()
    {
        let [with, found] = [said, keys.has_scale()].map(|scale| if scale { 10 } else { 7 });
        let text = format_args!("expected {with} numbers per key, as declared by has_scale, found {found}");
        report.add(rules::KEY_SCALE, field, start, text);
    }
    report_surplus(report, &track.element, (field, start), keys.len());
    let (mut wild, mut long) = (Tally::default(), Tally::default());
    for (frame, key) in (0..).zip(keys.iter()) {
        wild.add(frame, !is_finite(&key));
        long.add(frame, !is_unit(key.rotation));
    }
    let cases = [(rules::NOT_FINITE, wild, "with numbers that are not finite"), (rules::ROTATION_LENGTH, long, UNIT)];
    for (rule, tally, what) in cases {
        let Tally { count, first } = tally;
        let text = format_args!("{count} of {} {what}, first {first}", counted(keys.len(), "key"));
        report.add_any(tally, rule, field, start, text);
    }
    Ok(())
}
