//! The search for bones that are their own ancestors.

use crate::error::Result;
use crate::parse::{filled, room};

/// Returns, for each cycle of parents, the index of one bone in the cycle. A parent that is no
/// bone, such as -1, belongs to no cycle.
///
/// One search starts at each bone and follows the parents. Each bone is marked with the start of
/// the first search that reaches it, so all searches together visit every bone once.
pub(crate) fn cycles(format: &'static str, parents: &[i32]) -> Result<Vec<usize>> {
    const NEW: u32 = u32::MAX;
    let mut seen = filled(format, "bones", parents.len(), NEW)?;
    // A cycle has at least one bone, so the list never has more items than `parents`.
    let mut found = room(format, "bones", parents.len())?;
    for start in 0..parents.len() {
        let mark = u32::try_from(start).unwrap_or(NEW);
        let mut at = start;
        while let Some(place) = seen.get_mut(at).filter(|place| **place == NEW) {
            *place = mark;
            match parents.get(at).and_then(|parent| usize::try_from(*parent).ok()) {
                Some(parent) if seen.get(parent) == Some(&mark) => found.push(parent),
                Some(parent) => at = parent,
                None => break,
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    fn cycles(parents: &[i32]) -> Vec<usize> {
        super::cycles("test", parents).unwrap()
    }

    #[test]
    fn finds_each_cycle_once() {
        assert!(cycles(&[]).is_empty());
        assert!(cycles(&[-1, 0, 1, 5, 0, -1]).is_empty());
        assert_eq!(cycles(&[0]), [0]);
        assert_eq!(cycles(&[1, 0, 1]).len(), 1);
        assert_eq!(cycles(&[1, 2, 1, 4, 3]).len(), 2);
        let ring: Vec<_> = (0..10_000).map(|bone| (bone + 1) % 10_000).collect();
        assert_eq!(cycles(&ring).len(), 1);
        let chain: Vec<_> = (0..10_000).map(|bone| bone - 1).collect();
        assert!(cycles(&chain).is_empty());
    }
}
