//! Reading values, and the items of arrays and maps.

use super::fault::LlsdFault;
use super::head::{Head, head, key};
use super::limits::LlsdLimits;
use super::text::LlsdText;
use super::value::{ContainerKind, ItemList, LlsdArray, LlsdEntry, LlsdItem, LlsdMap, LlsdValue};
use super::walk::{LlsdWalk, skip};

/// Reads the value that `bytes` start with, and passes over all that stands in it.
///
/// # Errors
///
/// The first fault in the whole value.
pub fn read<'a>(bytes: &'a [u8], limits: &LlsdLimits) -> Result<LlsdItem<'a>, LlsdFault> {
    read_at(bytes, 0, limits)
}

/// As [`read`], from byte `at` on; offsets count from the first of `bytes`.
pub(crate) fn read_at<'a>(bytes: &'a [u8], at: usize, limits: &LlsdLimits) -> Result<LlsdItem<'a>, LlsdFault> {
    let (value, end) = match head(bytes, at)? {
        Head::Scalar(value, end) => (value, end),
        Head::Open(kind, count, first) => {
            let end = match skip(bytes, at, limits) {
                Some(end) => end,
                None => LlsdWalk::new(bytes, at, limits).finish()?,
            };
            // Items are found again within what was walked.
            let bytes = bytes.get(..end).unwrap_or(bytes);
            (container(kind, ItemList { bytes, first, count, limits: *limits }), end)
        }
    };
    Ok(LlsdItem { value, at, end })
}

/// As [`read_at`], of a value that was walked before and ended at `end` or before: it is not walked again.
pub(crate) fn walked_at<'a>(bytes: &'a [u8], at: usize, end: usize, limits: &LlsdLimits) -> Option<LlsdValue<'a>> {
    let bytes = bytes.get(..end)?;
    Some(match head(bytes, at).ok()? {
        Head::Scalar(value, _) => value,
        Head::Open(kind, count, first) => container(kind, ItemList { bytes, first, count, limits: *limits }),
    })
}

const fn container(kind: ContainerKind, list: ItemList<'_>) -> LlsdValue<'_> {
    match kind {
        ContainerKind::Array => LlsdValue::Array(LlsdArray(list)),
        ContainerKind::Map => LlsdValue::Map(LlsdMap(list)),
    }
}

/// Returns the key that stands at `at`.
pub(crate) fn key_at(bytes: &[u8], at: usize) -> Option<LlsdText<'_>> {
    key(bytes, at).ok().map(|(key, _)| key)
}

impl<'a> LlsdArray<'a> {
    /// Goes through the values; ends early only where the bytes are no longer those that were read.
    pub fn iter(&self) -> impl Iterator<Item = LlsdItem<'a>> + Clone + use<'a> {
        let ItemList { bytes, first, count, limits } = self.0;
        let mut at = first;
        (0..count).map_while(move |_| {
            let item = read_at(bytes, at, &limits).ok()?;
            at = item.end;
            Some(item)
        })
    }

    /// Reads `N` numbers, and that there are no others.
    #[must_use]
    pub fn numbers<const N: usize>(&self) -> Option<[f64; N]> {
        if self.len() != N {
            return None;
        }
        let mut numbers = [0.0; N];
        let mut items = self.iter();
        for number in &mut numbers {
            *number = items.next()?.value.number()?;
        }
        Some(numbers)
    }
}

impl<'a> LlsdMap<'a> {
    /// Goes through the entries in file order; ends early only where the bytes are no longer those that were read.
    pub fn iter(&self) -> impl Iterator<Item = LlsdEntry<'a>> + Clone + use<'a> {
        let ItemList { bytes, first, count, limits } = self.0;
        let mut next = first;
        (0..count).map_while(move |_| {
            let key_at = next;
            let (key, at) = key(bytes, key_at).ok()?;
            let item = read_at(bytes, at, &limits).ok()?;
            next = item.end;
            Some(LlsdEntry { key, value: item.value, key_at, at, end: item.end })
        })
    }

    /// Finds the first entry with the key `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<LlsdEntry<'a>> {
        self.iter().find(|entry| entry.key.is(name))
    }
}
