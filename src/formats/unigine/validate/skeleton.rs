//! Checks the rules about bones.

use std::fmt;

use super::animations::length;
use super::rules;
use super::structure::check_names;
use crate::error::{Field, Result};
use crate::formats::unigine::layout::{MAX_NUMBERED, ROOT};
use crate::formats::unigine::reader::file_reader::FileReader;
use crate::math::{as_index, as_u64};
use crate::model::Transform;
use crate::parse::{Report, Severity, SortedNames, filled, room};

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
    let mut parents: Vec<Option<usize>> = room(file.format(), "bones", compared)?;
    for index in 0..count {
        let (name, parent) = file.bone_header(index)?;
        let found = usize::try_from(parent).ok().filter(|parent| *parent < count);
        if found.is_none() && parent != ROOT {
            let text = format_args!("{parent}, expected -1 to {}", as_u64(count).saturating_sub(1));
            report.add(rules::BONE_PARENT, bone(index, "parent"), file.parent_at(index)?, text);
        }
        if index < compared {
            // If memory is exhausted, the name is not compared with the others.
            let _ = names.push(name.as_bytes(), index);
            parents.push(found);
        }
    }
    check_names("bone", names, |index| file.bone_at(index), report);
    for index in cycles(file.format(), &parents)? {
        let text = "the bone is its own ancestor";
        report.add(rules::BONE_PARENT, bone(index, "parent"), file.parent_at(index)?, text);
    }
    Ok(())
}

/// Returns, for each cycle of parents, the index of one bone in the cycle.
///
/// One search for cycles starts at each bone of the skeleton and follows the parent indices. Each
/// bone is marked with the index of the start bone of the first search that reaches it.
fn cycles(format: &'static str, parents: &[Option<usize>]) -> Result<Vec<usize>> {
    let mut walks = filled(format, "bones", parents.len(), usize::MAX)?;
    // A cycle has at least one bone, so the list never has more items than `parents`.
    let mut found = room(format, "bones", parents.len())?;
    for start in 0..parents.len() {
        let mut at = start;
        while let Some(walk) = walks.get_mut(at).filter(|walk| **walk == usize::MAX) {
            *walk = start;
            match parents.get(at).copied().flatten() {
                Some(parent) if walks.get(parent) == Some(&start) => found.push(parent),
                Some(parent) => at = parent,
                None => break,
            }
        }
    }
    Ok(found)
}

/// Checks that bind transforms are finite and that their quaternions have unit length.
pub(super) fn check_values(file: FileReader<'_>, report: &mut Report<'_>) -> Result<()> {
    for index in 0..file.bone_count() {
        let Some((bind, at)) = file.bind(index)?.zip(file.bind_at(index)) else { return Ok(()) };
        let Transform { position, rotation, scale } = bind.get();
        let mut say = |rule, text: fmt::Arguments<'_>| {
            report.add_as(Severity::Info, rule, bone(index, "bind_transform"), at, text);
        };
        if !position.iter().chain(&rotation).chain(&scale).all(|value| value.is_finite()) {
            say(rules::NOT_FINITE, format_args!("a bind transform with a value that is not finite"));
        }
        let length = length(rotation);
        if (length - 1.0).abs() > BIND_SLACK {
            say(rules::ROTATION_LENGTH, format_args!("a quaternion of length {length}, expected 1"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    fn cycles(parents: &[Option<usize>]) -> Vec<usize> {
        super::cycles("unigine mesh", parents).unwrap()
    }

    #[test]
    fn finds_each_cycle_once() {
        assert!(cycles(&[]).is_empty());
        assert!(cycles(&[None, Some(0), Some(1), Some(5), Some(0), None]).is_empty());
        assert_eq!(cycles(&[Some(0)]), [0]);
        assert_eq!(cycles(&[Some(1), Some(0), Some(1)]).len(), 1);
        assert_eq!(cycles(&[Some(1), Some(2), Some(1), Some(4), Some(3)]).len(), 2);
        let ring: Vec<_> = (0..10_000).map(|bone| Some((bone + 1) % 10_000)).collect();
        assert_eq!(cycles(&ring).len(), 1);
        let chain: Vec<_> = (0..10_000_usize).map(|bone| bone.checked_sub(1)).collect();
        assert!(cycles(&chain).is_empty());
    }
}
