//! Reads LLSD values, and iterates over the items of LLSD arrays and maps.
use super::head::{Head, LlsdFault, head, key};
use super::text::LlsdText;
use super::value::{ContainerKind, ItemList, LlsdArray, LlsdEntry, LlsdItem, LlsdLimits, LlsdMap, LlsdValue};
use super::walk::{LlsdWalk, skip};

/// Reads the LLSD value at the start of `bytes`. If the value is an array or a map, checks all
/// values that the array or map contains.
///
/// # Errors
///
/// Returns the first error in the LLSD value or in one of the values that it contains.
#[cfg(feature = "internals")]
pub fn read<'a>(bytes: &'a [u8], limits: &LlsdLimits) -> Result<LlsdItem<'a>, LlsdFault> {
    read_at(bytes, 0, limits)
}

/// Reads the LLSD value at offset `at` of `bytes`, like [`read`]. The offsets in the returned item
/// count from the start of `bytes`.
pub(crate) fn read_at<'a>(bytes: &'a [u8], at: usize, limits: &LlsdLimits) -> Result<LlsdItem<'a>, LlsdFault> {
    let (value, end) = match head(bytes, at)? {
        Head::Scalar(value, end) => (value, end),
        Head::Open(kind, count, first) => {
            let end = match skip(bytes, at, limits) {
                Some(end) => end,
                None => LlsdWalk::new(bytes, at, limits).finish()?,
            };
            // The slice `bytes` is cut at the end of the checked LLSD value, so later accesses to
            // the items of the value read only checked bytes.
            let bytes = bytes.get(..end).unwrap_or(bytes);
            (container(kind, ItemList { bytes, first, count, limits: *limits }), end)
        }
    };
    Ok(LlsdItem { value, at, end })
}

/// Reads the LLSD value at offset `at`, which an earlier call of [`read_at`] has already checked.
/// The LLSD value must end at or before offset `end`. This function does not check the items of an
/// array or a map again.
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

/// Returns the key of a map entry at offset `at` of `bytes`, or `None` if the bytes at `at` are not
/// a key.
pub(crate) fn key_at(bytes: &[u8], at: usize) -> Option<LlsdText<'_>> {
    key(bytes, at).ok().map(|(key, _)| key)
}

impl<'a> LlsdArray<'a> {
    /// Returns an iterator over the values of the array.
    ///
    /// The iterator ends before the last item only if the bytes have changed after they were
    /// checked, such as in a memory-mapped file.
    pub fn iter(&self) -> impl Iterator<Item = LlsdItem<'a>> + Clone + use<'a> {
        let ItemList { bytes, first, count, limits } = self.0;
        let mut at = first;
        (0..count).map_while(move |_| {
            let item = read_at(bytes, at, &limits).ok()?;
            at = item.end;
            Some(item)
        })
    }

    /// Returns the values of an array of `N` numbers, or `None` if the length of the array is not
    /// `N` or a value is neither a real nor an integer.
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
    /// Returns an iterator over the entries of the map in file order.
    ///
    /// The iterator ends before the last entry only if the bytes have changed after they were
    /// checked, such as in a memory-mapped file.
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

    /// Returns the first entry of the map with the key `name`, or `None` if the map does not have
    /// this key.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<LlsdEntry<'a>> {
        self.iter().find(|entry| entry.key.is(name))
    }
}
