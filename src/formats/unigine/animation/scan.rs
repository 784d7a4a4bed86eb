//! Walks keys of varying length from flags to flags. No component is decoded.

use super::coding::{Coding, Sizes};
use crate::math::{as_index, as_u64};

/// What one walk over all keys found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyScan {
    /// Bytes that all keys take together.
    pub(crate) bytes: u64,
    /// All flags that some key has.
    pub(crate) flags: u8,
    /// Where the first key with unknown flags is, in bytes from the first.
    pub(crate) unknown: Option<u64>,
}

/// Returns how many of the next keys tell nothing, and the flags of the key behind them; flags of 0 where all that were
/// looked at tell nothing. Such keys come in runs, of which eight are looked at, lest somebody counts bytes one by one.
#[inline]
pub(crate) fn empty_key_run(keys: &[u8]) -> Option<(usize, u8)> {
    let Some(word) = keys.first_chunk() else {
        let flags = *keys.first()?;
        return Some((usize::from(flags == 0), flags));
    };
    let word = u64::from_le_bytes(*word);
    let zeros = word.trailing_zeros() & !7;
    let [flags, ..] = word.checked_shr(zeros).unwrap_or_default().to_le_bytes();
    Some((as_index(zeros / 8), flags))
}

/// Walks `keys` keys, looking at the flags of each.
///
/// # Errors
///
/// Where the bytes end too soon, in which key.
// Inlined into its caller, the loop has fewer registers and takes 15 % more instructions.
#[inline(never)]
pub(crate) fn scan(bytes: &[u8], keys: u64, coding: &Coding) -> Result<KeyScan, ScanFault> {
    if coding.is_delta() { scan_by(bytes, keys, coding, pass_silent) } else { scan_by(bytes, keys, coding, pass_alike) }
}

/// Passes keys that tell nothing, as about half do where a key tells what changed.
#[inline]
fn pass_silent(keys: &[u8], left: u64, _: &Sizes) -> (usize, usize) {
    let (run, _) = empty_key_run(keys).unwrap_or_default();
    // The last of all keys is left to be looked at.
    if as_u64(run) < left { (run, run) } else { (0, 0) }
}

/// Passes all but the last of a few keys that tell the same components, as most do where each tells all.
#[inline]
fn pass_alike(keys: &[u8], left: u64, sizes: &Sizes) -> (usize, usize) {
    let Some(flags) = keys.first() else { return (0, 0) };
    let size = usize::from(sizes.get(usize::from(*flags)).copied().unwrap_or_default()).saturating_add(1);
    let [two, three] = [size.saturating_mul(2), size.saturating_mul(3)];
    let alike = |at: usize| keys.get(at) == Some(flags);
    if left > 3 && alike(three) && alike(two) && alike(size) { (three, 3) } else { (0, 0) }
}

/// Walks keys. `pass` tells how many bytes it passes of those ahead, and how many keys: fewer than are left, and all of
/// them with nothing to tell or like the one behind them.
#[inline]
fn scan_by(
    bytes: &[u8],
    keys: u64,
    coding: &Coding,
    pass: impl Fn(&[u8], u64, &Sizes) -> (usize, usize),
) -> Result<KeyScan, ScanFault> {
    let (sizes, unknown) = (coding.sizes(), coding.unknown());
    let mut found = KeyScan { bytes: 0, flags: 0, unknown: None };
    let mut ahead = crate::io::ReadAhead::default();
    let (mut at, mut left) = (0_usize, keys);
    while left > 0 {
        ahead.pass(bytes, at, || usize::try_from(left).unwrap_or(usize::MAX).saturating_mul(41));
        let (passed, count) = pass(bytes.get(at..).unwrap_or_default(), left, sizes);
        // Of keys that are alike, the first is the first with its flags.
        let first = if coding.is_delta() { at.saturating_add(passed) } else { at };
        at = at.saturating_add(passed);
        left = left.saturating_sub(as_u64(count));
        let here = as_u64(at);
        let Some(flags) = bytes.get(at).copied() else {
            return Err(ScanFault { at: here, needed: 1, unknown: found.unknown });
        };
        let size = usize::from(sizes.get(usize::from(flags)).copied().unwrap_or_default()).saturating_add(1);
        if flags & unknown != 0 {
            found.unknown.get_or_insert(as_u64(first));
        }
        found.flags |= flags;
        let next = at.saturating_add(size);
        if next > bytes.len() {
            return Err(ScanFault { at: here, needed: as_u64(size), unknown: found.unknown });
        }
        at = next;
        left = left.saturating_sub(1);
    }
    found.bytes = as_u64(at);
    Ok(found)
}

/// Why keys cannot be walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScanFault {
    /// Offset of the key that the bytes end in, from the first.
    pub(crate) at: u64,
    /// Bytes that it takes.
    pub(crate) needed: u64,
    /// Where the first key with unknown flags is, which may announce what is not known.
    pub(crate) unknown: Option<u64>,
}

/// Walks keys that were walked before; returns their bytes.
pub(crate) fn skip_keys(bytes: &[u8], keys: u64, coding: &Coding) -> Option<usize> {
    let sizes = coding.sizes();
    let (mut at, mut left) = (0_usize, keys);
    while left > 0 {
        let (passed, count) = pass_alike(bytes.get(at..)?, left, sizes);
        at = at.saturating_add(passed);
        let size = sizes.get(usize::from(*bytes.get(at)?)).copied()?;
        at = at.saturating_add(1).saturating_add(size.into());
        left = left.saturating_sub(as_u64(count)).saturating_sub(1);
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_keys() {
        let bytes = [0, 1, 9, 9, 9, 9, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let found = scan(&bytes, 12, &Coding::Changes).unwrap();
        assert_eq!(found, KeyScan { bytes: 16, flags: 0x81, unknown: Some(6) });
        let cut = |at, needed, unknown| ScanFault { at, needed, unknown };
        assert_eq!(scan(&bytes, 13, &Coding::Changes).unwrap_err(), cut(16, 1, Some(6)));
        for keys in 0..=12 {
            let one_by_one = scan_by(&bytes, keys, &Coding::Changes, |_, _, _| (0, 0)).unwrap();
            assert_eq!(scan(&bytes, keys, &Coding::Changes).unwrap(), one_by_one, "{keys}");
        }
        assert_eq!(scan(&bytes[..4], 2, &Coding::Changes).unwrap_err(), cut(1, 5, None));
    }

    #[test]
    fn walks_keys_that_are_alike() {
        // One with nothing, six of unknown flags with a scale, then three with a position.
        let mut bytes = vec![0];
        [0x84; 6].iter().for_each(|flags| bytes.extend([&[*flags][..], &[7; 12]].concat()));
        [1; 3].iter().for_each(|flags| bytes.extend([&[*flags][..], &[1; 12]].concat()));
        for keys in 0..=10 {
            let one_by_one = scan_by(&bytes, keys, &Coding::Whole, |_, _, _| (0, 0)).unwrap();
            assert_eq!(scan(&bytes, keys, &Coding::Whole).unwrap(), one_by_one, "{keys}");
            assert_eq!(skip_keys(&bytes, keys, &Coding::Whole), usize::try_from(one_by_one.bytes).ok());
            assert_eq!(one_by_one.unknown, (keys > 1).then_some(1));
        }
        for length in 0..bytes.len() {
            let one_by_one = scan_by(&bytes[..length], 10, &Coding::Whole, |_, _, _| (0, 0)).unwrap_err();
            assert_eq!(scan(&bytes[..length], 10, &Coding::Whole).unwrap_err(), one_by_one, "{length}");
        }
    }
}
