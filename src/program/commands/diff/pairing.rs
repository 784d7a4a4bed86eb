//! Pairs the items of two lists, such as surfaces, bones and clips.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeMap;

use super::both::Both;
use super::difference::DiffPlace;
use crate::{Name, Result};

/// The pairs of the items of two lists, and the items without a partner.
///
/// Two items are a pair if they have the same name, and no other item of either list has this name.
/// Of the remaining items, those with the same number are a pair.
#[derive(Debug, Default)]
pub struct Pairing {
    names: Both<Vec<Vec<u8>>>,
    /// The numbers of the items of each pair, in the order of list A.
    pub pairs: Vec<Both<usize>>,
    /// The numbers of the items that only one list has.
    pub unpaired: Both<Vec<usize>>,
}

impl Pairing {
    pub fn of_names(names: Both<Vec<Vec<u8>>>) -> Self {
        let Both { a: in_a, b: in_b } = names.as_ref().map(|names| unique(names));
        let partner = |name: &Vec<u8>, own: &UniqueNames<'_>, other: &UniqueNames<'_>| {
            own.get(name.as_slice()).copied().flatten()?;
            other.get(name.as_slice()).copied().flatten()
        };
        let named_b: Vec<bool> = names.b.iter().map(|name| partner(name, &in_b, &in_a).is_some()).collect();
        let mut paired_b = named_b.clone();
        let mut pairing = Self::default();
        for (a, name) in names.a.iter().enumerate() {
            let by_number = named_b.get(a).is_some_and(|is_named| !is_named).then_some(a);
            match partner(name, &in_a, &in_b).or(by_number) {
                Some(b) => {
                    pairing.pairs.push(Both { a, b });
                    paired_b.iter_mut().skip(b).take(1).for_each(|paired| *paired = true);
                }
                None => pairing.unpaired.a.push(a),
            }
        }
        pairing.unpaired.b = (0..names.b.len()).filter(|b| !paired_b.get(*b).copied().unwrap_or_default()).collect();
        Self { names, ..pairing }
    }

    /// Returns the lengths of both lists.
    pub fn counts(&self) -> Both<usize> {
        self.names.as_ref().map(Vec::len)
    }

    /// Returns the names of two items. An item that does not exist has an empty name.
    pub fn names(&self, pair: Both<usize>) -> Both<&[u8]> {
        self.names.as_ref().zip(pair).map(|(names, index)| names.get(index).map(Vec::as_slice).unwrap_or_default())
    }

    /// Returns the place of the two items of a pair.
    pub fn place<'p>(&'p self, place: &'p DiffPlace<'_>, list: &'p str, pair: Both<usize>) -> DiffPlace<'p> {
        place.item(list, pair, self.names(pair).a)
    }

    /// Returns the number of pairs whose item in list B comes before the item of an earlier pair.
    pub fn misplaced(&self) -> usize {
        let mut last = 0;
        let is_misplaced = |pair: &&Both<usize>| {
            let is_before = pair.b < last;
            last = last.max(pair.b);
            is_before
        };
        self.pairs.iter().filter(is_misplaced).count()
    }

    /// Returns for each item of list B the number of its partner in list A.
    pub fn partners_of_b(&self) -> Vec<Option<usize>> {
        let mut partners = vec![None; self.names.b.len()];
        for pair in &self.pairs {
            partners.iter_mut().skip(pair.b).take(1).for_each(|partner| *partner = Some(pair.a));
        }
        partners
    }
}

/// Returns the names of the items of a list.
pub fn names<'n>(count: usize, name: impl Fn(usize) -> Result<Name<'n>>) -> Result<Vec<Vec<u8>>> {
    (0..count).map(|index| Ok(name(index)?.to_vec())).collect()
}

/// The names of a list with their numbers. A name that occurs several times has no number.
type UniqueNames<'n> = BTreeMap<&'n [u8], Option<usize>>;

fn unique(names: &[Vec<u8>]) -> UniqueNames<'_> {
    let mut unique = UniqueNames::new();
    for (number, name) in names.iter().enumerate() {
        unique.entry(name).and_modify(|known| *known = None).or_insert(Some(number));
    }
    unique
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(a: &[&str], b: &[&str]) -> (Vec<(usize, usize)>, Vec<usize>, Vec<usize>) {
        let names = Both { a, b }.map(|names| names.iter().map(|name| name.as_bytes().to_vec()).collect());
        let Pairing { pairs, unpaired, .. } = Pairing::of_names(names);
        (pairs.iter().map(|pair| (pair.a, pair.b)).collect(), unpaired.a, unpaired.b)
    }

    #[test]
    fn pairs_by_name_and_then_by_number() {
        assert_eq!(pairs(&["a", "b", "c"], &["c", "a"]), (vec![(0, 1), (2, 0)], vec![1], vec![]));
        assert_eq!(pairs(&["a", "b"], &["a", "c"]), (vec![(0, 0), (1, 1)], vec![], vec![]));
        assert_eq!(pairs(&["a", "b", "c"], &["c", "d"]), (vec![(1, 1), (2, 0)], vec![0], vec![]));
        assert_eq!(pairs(&["x", "x"], &["x", "x", "y"]), (vec![(0, 0), (1, 1)], vec![], vec![2]));
        assert_eq!(pairs(&["x", "y"], &["y", "y"]), (vec![(0, 0), (1, 1)], vec![], vec![]));
        assert_eq!(pairs(&[], &["y"]), (vec![], vec![], vec![0]));
    }

    #[test]
    fn counts_items_in_another_order() {
        let pair = |a, b| Both { a, b };
        let misplaced = |pairs: Vec<Both<usize>>| Pairing { pairs, ..Pairing::default() }.misplaced();
        assert_eq!(misplaced(vec![pair(0, 1), pair(1, 2), pair(2, 3)]), 0);
        assert_eq!(misplaced(vec![pair(0, 2), pair(1, 0), pair(2, 1)]), 2);
    }
}
