//! Rules about bones.

use super::animations::length;
use super::structure::check_names;
use crate::error::{Field, Result};
use crate::formats::unigine::layout::{MAX_NUMBERED, ROOT};
use crate::formats::unigine::reader::file_reader::FileReader;
use crate::math::{as_index, as_u64};
use crate::model::Transform;
use crate::parse::{Name, Report, Severity};

/// How far from 1 the length of a bind quaternion may be.
const BIND_SLACK: f32 = 1e-2;

fn bone(index: usize, name: &'static str) -> Field {
    Field::new(name).in_list("bone", as_u64(index))
}

/// Checks parents and names. Names are compared, and ancestors looked for, among the bones that a parent of 16 bits can name:
/// of the others there may be a great many, of three bytes each.
pub(super) fn check_structure(file: FileReader<'_>, report: &mut Report<'_>) -> Result<()> {
    let count = file.bone_count();
    let compared = count.min(as_index(MAX_NUMBERED).saturating_add(1));
    let mut names: Vec<Name<'_>> = Vec::with_capacity(compared);
    let mut parents: Vec<Option<usize>> = Vec::with_capacity(compared);
    for index in 0..count {
        let (name, parent) = file.bone_header(index)?;
        let found = usize::try_from(parent).ok().filter(|parent| *parent < count);
        if found.is_none() && parent != ROOT {
            let text = format!("{parent}, expected -1 to {}", as_u64(count).saturating_sub(1));
            report.say("UG07", bone(index, "parent"), file.parent_at(index)?, text);
        }
        if index < compared {
            names.push(name);
            parents.push(found);
        }
    }
    check_names("bone", &names, |index| file.bone_at(index), report);
    for index in cycles(&parents) {
        let text = String::from("the bone is its own ancestor");
        report.say("UG07", bone(index, "parent"), file.parent_at(index)?, text);
    }
    Ok(())
}

/// Returns one bone of each cycle: follows parents, and marks each bone with the walk that first came by.
fn cycles(parents: &[Option<usize>]) -> Vec<usize> {
    let mut walks = vec![usize::MAX; parents.len()];
    let mut found = Vec::new();
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
    found
}

/// Checks the bind transforms.
pub(super) fn check_values(file: FileReader<'_>, report: &mut Report<'_>) -> Result<()> {
    for index in 0..file.bone_count() {
        let Some((bind, at)) = file.bind(index)?.zip(file.bind_at(index)) else { return Ok(()) };
        let Transform { position, rotation, scale } = bind.get();
        let mut say = |rule, text| report.say_as(Severity::Info, rule, bone(index, "bind_transform"), at, text);
        if !position.iter().chain(&rotation).chain(&scale).all(|value| value.is_finite()) {
            say("UG17", String::from("a bind transform with a value that is no finite number"));
        }
        let length = length(rotation);
        if (length - 1.0).abs() > BIND_SLACK {
            say("UG18", format!("a quaternion of length {length}, expected 1"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::cycles;

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
