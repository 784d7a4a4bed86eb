//! Checks the rules about bones.

use super::rules;
use super::structure::check_names;
use crate::error::{Field, Result};
use crate::formats::unigine::layout::{MAX_NUMBERED, ROOT};
use crate::formats::unigine::reader::file_reader::FileReader;
use crate::math::{as_index, as_u64};
use crate::parse::{Severity, SortedNames, room};
use crate::validate::{Report, cycles, is_finite, length};

/// The maximum difference between 1 and the length of the rotation quaternion of a bind transform.
const BIND_SLACK: f32 = 1e-2;

fn bone(index: usize, name: &'static str) -> Field {
    Field::new(name).in_list("bone", as_u64(index))
}

/// Checks the parent indices and the names of all bones.
///
/// Duplicate names and cycles of parents are searched only among the first 32,768 bones, because a
/// parent index has 16 bits. A small file may declare a very large number of bones, because a bone
/// may take only three bytes.
pub(super) fn check_structure(file: FileReader<'_>, report: &mut Report<'_>) -> Result<()> {
    let count = file.bone_count();
    let compared = count.min(as_index(MAX_NUMBERED).saturating_add(1));
    let mut names = SortedNames::default();
    let mut parents = room(file.format(), "bones", compared)?;
    for index in 0..count {
        let (name, parent) = file.bone_header(index)?;
        let is_found = usize::try_from(parent).is_ok_and(|parent| parent < count);
        if !is_found && parent != ROOT {
            let text = format_args!("{parent}, expected -1 to {}", as_u64(count).saturating_sub(1));
            report.add(rules::BONE_PARENT, bone(index, "parent"), file.parent_at(index)?, text);
        }
        if index < compared {
            // If memory is exhausted, the name is not compared with the others.
            let _ = names.push(name.as_bytes(), index);
            parents.push(if is_found { i32::from(parent) } else { -1 });
        }
    }
    check_names("bone", names, |index| file.bone_at(index), report);
    for index in cycles(file.format(), &parents)? {
        let text = "the bone is its own ancestor";
        report.add(rules::BONE_PARENT, bone(index, "parent"), file.parent_at(index)?, text);
    }
    Ok(())
}

/// Checks that bind transforms are finite and that their quaternions have unit length.
pub(super) fn check_values(file: FileReader<'_>, report: &mut Report<'_>) -> Result<()> {
    for index in 0..file.bone_count() {
        let Some((bind, at)) = file.bind(index)?.zip(file.bind_at(index)) else { return Ok(()) };
        let (bind, field) = (bind.get(), bone(index, "bind_transform"));
        if !is_finite(&bind) {
            let text = "a bind transform with a value that is not finite";
            report.add(rules::NOT_FINITE.with(Severity::Info), field, at, text);
        }
        let length = length(bind.rotation);
        if (length - 1.0).abs() > BIND_SLACK {
            let text = format_args!("a quaternion of length {length}, expected 1");
            report.add(rules::ROTATION_LENGTH.with(Severity::Info), field, at, text);
        }
    }
    Ok(())
}
