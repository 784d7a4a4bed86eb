//! Scans animation keys of variable length. The scan reads only the flags of each key, and decodes
//! no components.

use super::coding::{Coding, Sizes};
use crate::math::{as_index, as_u64};

/// The result of one scan of all keys of an animation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyScan {
    /// The total size of all keys of the animation, in bytes.
    pub(crate) bytes: u64,
    /// The union (bitwise or) of the flags of all keys.
    pub(crate) flags: u8,
    /// Offset of the first key with flags of unknown meaning, in bytes from the first key. The
    /// offset is `None` if no key has flags of unknown meaning.
    pub(crate) unknown: Option<u64>,
}

/// Returns the number of empty keys at the start of `keys`, and the flags of the first key that is
/// not empty.
///
/// The returned flags are 0 if all examined keys are empty. Empty keys, which consist of a single
/// zero byte, often follow each other, so `empty_key_run` examines eight bytes at once.
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

/// Scans the given number of keys, and reads the flags of each key.
///
/// # Errors
///
/// Returns a [`ScanFault`] with the offset of the incomplete key if the bytes end before the end of
/// the last key.
// If the compiler inlines `scan` into its caller, the loop over the keys has fewer registers and
// takes 15 % more instructions.
#[inline(never)]
pub(crate) fn scan(bytes: &[u8], keys: u64, coding: &Coding) -> Result<KeyScan, ScanFault> {
    if coding.is_delta() { scan_by(bytes, keys, coding, pass_silent) } else { scan_by(bytes, keys, coding, pass_alike) }
}

/// Skips empty keys, which store no components. In encodings that store only the components that
/// change, about half of the keys are empty.
#[inline]
fn pass_silent(keys: &[u8], left: u64, _: &Sizes) -> (usize, usize) {
    let (run, _) = empty_key_run(keys).unwrap_or_default();
    // `scan_by` examines the key after the skipped keys, so the last key of the animation must not
    // be skipped.
    if as_u64(run) < left { (run, run) } else { (0, 0) }
}

/// Skips three keys if they have the same flags as the key after them, and otherwise no keys.
///
/// In an11 to an13, most keys have the same flags as the keys before and after them.
#[inline]
fn pass_alike(keys: &[u8], left: u64, sizes: &Sizes) -> (usize, usize) {
    let Some(flags) = keys.first() else { return (0, 0) };
    let size = usize::from(sizes.get(usize::from(*flags)).copied().unwrap_or_default()).saturating_add(1);
    let [two, three] = [size.saturating_mul(2), size.saturating_mul(3)];
    let alike = |at: usize| keys.get(at) == Some(flags);
    if left > 3 && alike(three) && alike(two) && alike(size) { (three, 3) } else { (0, 0) }
}

/// Scans animation keys. The closure `pass` returns the number of bytes to skip, and the number of
/// keys in the skipped bytes.
///
/// The number of keys that `pass` skips must be below the number of keys that are not yet scanned.
/// All keys that `pass` skips are either empty, or have the same flags as the key after them.
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
        // If `pass` skips keys that have the same flags as the key at `at`, the first skipped key
        // is the first of these keys.
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

/// The error of a key scan that ends at an incomplete key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScanFault {
    /// Offset of the incomplete key, in bytes from the first key.
    pub(crate) at: u64,
    /// The size of the incomplete key in bytes, or 1 if its flags byte is missing.
    pub(crate) needed: u64,
    /// Offset of the first key with flags of unknown meaning, in bytes from the first key. Flags of
    /// unknown meaning may add an unknown number of bytes to the key.
    pub(crate) unknown: Option<u64>,
}

/// Skips `keys` keys that an earlier scan has read, and returns their total size in bytes. Returns
/// `None` if the bytes end before the flags of the last key.
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
        // The test keys: one empty key, six keys with unknown flags and a scale, then three keys
        // with a position.
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
