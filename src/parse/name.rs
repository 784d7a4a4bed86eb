//! Names in files, such as the name of a bone. A name in a file is displayed as text, but it is a
//! byte sequence that may contain any bytes. [`SortedNames`] finds names that occur twice.

// Rule: this file sorts and maps by copies only.

use crate::error::debug::text;
use crate::error::{Cause, Shown, copy_text};
use crate::math::{as_index, as_u64};

use std::fmt;

/// A name that is borrowed from a file, without the NUL byte that terminates it.
///
/// A `Name` holds bytes and not a `str`, because a mapped file may change, and a `str` whose bytes
/// change is undefined behaviour. The `Display` implementation of `Name` replaces bytes that are
/// not UTF-8, and escapes control characters that could affect a terminal. The `Debug`
/// implementation cuts the name after 48 bytes.
///
/// ```
/// use meshpeek::Name;
/// let name = Name::new(b"wheel\x1b[2J");
/// assert_eq!(name.to_string(), r"wheel\u{1b}[2J");
/// assert_eq!(name.as_bytes(), b"wheel\x1b[2J");
/// ```
///
/// A `Name` has no order and no hash. A sort or a map reads its keys many times, and a sort panics
/// if a key changes between two reads. Copy the names that become keys with
/// [`to_vec`](Self::to_vec):
///
/// ```
/// use meshpeek::Name;
/// let mut names = [Name::new(b"wheel"), Name::new(b"axle")];
/// names.sort_by_cached_key(Name::to_vec); // copies each name once
/// assert_eq!(names, [Name::new(b"axle"), Name::new(b"wheel")]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Name<'a>(&'a [u8]);

impl<'a> Name<'a> {
    /// Makes a name from its bytes.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes of the name, without conversion.
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.0
    }

    /// Returns the name, or `None` if it is empty.
    pub(crate) fn non_empty(self) -> Option<Self> {
        (!self.0.is_empty()).then_some(self)
    }

    /// Copies the bytes of the name. The copy can be sorted, and can be the key of a map.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        self.0.to_vec()
    }

    /// Copies the whole name to a `String`.
    ///
    /// Bytes that are not UTF-8 are replaced by U+FFFD. Control characters are copied without an
    /// escape.
    #[must_use]
    pub fn to_string_lossy(&self) -> String {
        copy_text(self.0)
    }
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        Shown(self.0).fmt(out)
    }
}

impl fmt::Debug for Name<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        text(self.0).fmt(out)
    }
}

/// Sorted copies of names, each with the number of its item, such as the index of a bone.
///
/// A sort reads the same bytes many times, and panics if they change between two comparisons. The
/// bytes of a mapped file may change. Hence [`push`](Self::push) reads each name once and copies
/// it, and only the copies are compared.
#[derive(Debug, Default)]
pub(crate) struct SortedNames {
    /// The bytes of all names, without separators.
    bytes: Vec<u8>,
    names: Vec<NameCopy>,
}

/// The range of a name in the bytes of all names, and the number of its item.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NameCopy {
    start: u32,
    end: u32,
    number: u32,
}

impl NameCopy {
    /// Returns the number that was passed to [`SortedNames::push`] with the name.
    pub(crate) fn number(&self) -> usize {
        as_index(self.number)
    }

    fn of<'n>(&self, bytes: &'n [u8]) -> &'n [u8] {
        bytes.get(as_index(self.start)..as_index(self.end)).unwrap_or_default()
    }
}

impl SortedNames {
    /// Copies a name, which has the number `number`. The names are sorted by the next call of
    /// [`sort_copies`](Self::sort_copies).
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::OutOfMemory`] if an allocation fails, or if the names have more than
    /// 4 GiB.
    ///
    /// [`ErrorKind::OutOfMemory`]: crate::ErrorKind::OutOfMemory
    pub(crate) fn push(&mut self, name: &[u8], number: usize) -> Result<(), Cause> {
        let start = self.bytes.len();
        let end = start.saturating_add(name.len());
        let narrow = |number: usize| u32::try_from(number).ok();
        let copy = match (narrow(start), narrow(end), narrow(number)) {
            (Some(start), Some(end), Some(number)) => Some(NameCopy { start, end, number }),
            _ => None,
        };
        let room = self.bytes.try_reserve(name.len()).is_ok() && self.names.try_reserve(1).is_ok();
        let copy = copy.filter(|_| room).ok_or(Cause::OutOfMemory { asked: as_u64(end) })?;
        self.bytes.extend_from_slice(name);
        self.names.push(copy);
        Ok(())
    }

    /// Sorts the names by their bytes, and equal names by their numbers.
    pub(crate) fn sort_copies(&mut self) {
        let bytes = &self.bytes;
        let order =
            |one: &NameCopy, other: &NameCopy| one.of(bytes).cmp(other.of(bytes)).then(one.number.cmp(&other.number));
        self.names.sort_unstable_by(order);
    }

    /// Returns an iterator over the different names. Each name has all its numbers, in ascending
    /// order. The names must be sorted.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (Name<'_>, &[NameCopy])> {
        let groups = self.names.chunk_by(|one, other| one.of(&self.bytes) == other.of(&self.bytes));
        groups.filter_map(|same| Some((Name::new(same.first()?.of(&self.bytes)), same)))
    }

    /// Returns the lowest number of a name. The names must be sorted.
    pub(crate) fn find(&self, name: &[u8]) -> Option<usize> {
        let place = self.names.partition_point(|known| known.of(&self.bytes) < name);
        self.names.get(place).filter(|found| found.of(&self.bytes) == name).map(NameCopy::number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_what_is_harmless_and_escapes_the_rest() {
        assert_eq!(Name::new("кузов".as_bytes()).to_string(), "кузов");
        assert_eq!(Name::new(b"a\0b\n").to_string(), r"a\u{0}b\u{a}");
        assert_eq!(Name::new("a\u{202e}b".as_bytes()).to_string(), r"a\u{202e}b");
        assert_eq!(Name::new(b"a\xffb").to_string(), "a\u{fffd}b");
        assert_eq!(Name::new(&[b'x'; 5000]).to_string().chars().count(), 4097);
        assert_eq!(Name::new(&[b'x'; 5000]).to_string_lossy().len(), 5000);
    }

    #[test]
    fn finds_names_and_the_numbers_of_equal_names() {
        for round in 0..2 {
            let mut names = SortedNames::default();
            for (name, number) in ["b", "", "a", "b", "ab", "b"].into_iter().zip(round..) {
                names.push(name.as_bytes(), number).unwrap();
            }
            names.sort_copies();
            let groups: Vec<_> = names
                .groups()
                .map(|(name, same)| (name.to_string(), same.iter().map(NameCopy::number).collect::<Vec<_>>()))
                .collect();
            let expected = [("", vec![1]), ("a", vec![2]), ("ab", vec![4]), ("b", vec![0, 3, 5])];
            let expected = expected.map(|(name, numbers)| {
                (name.to_owned(), numbers.into_iter().map(|number: usize| number + round).collect::<Vec<_>>())
            });
            assert_eq!(groups, expected);
            assert_eq!(
                ["", "a", "b", "c"].map(|name| names.find(name.as_bytes())),
                [Some(1 + round), Some(2 + round), Some(round), None]
            );
            // A number has 32 bits.
            assert_eq!(names.push(b"a", usize::MAX).is_err(), usize::BITS > 32);
        }
    }
}
