//! Reads LLSD values, and iterates over the items of LLSD arrays and maps.

use super::text::{LlsdText, digit};
use super::value::{ContainerKind, ItemList, LlsdArray, LlsdEntry, LlsdItem, LlsdLimits, LlsdMap, LlsdValue};
use super::walk::LlsdWalk;
use crate::error::{Cause, show_bytes};
use crate::math::as_u64;

/// The maximum length in bytes of the marker line `<? LLSD/Binary ?>`.
const MAX_MARKER_LINE: usize = 64;

/// The maximum nesting depth of arrays and maps that [`skip`] supports. The LLSD data of real mesh
/// assets has a nesting depth of five.
const QUICK_DEPTH: usize = 8;

/// The result of reading the marker byte and the payload of an LLSD value.
pub(super) enum Head<'a> {
    /// A complete scalar value (neither an array nor a map), and the offset of the first byte after
    /// the value.
    Scalar(LlsdValue<'a>, usize),
    /// The start of an array or a map: the container type, the number of items, and the offset of
    /// the first item.
    Open(ContainerKind, u32, usize),
}

/// Reads the marker byte and the payload of the LLSD value at offset `at`. For an array or a map,
/// reads only the number of items and not the items.
pub(super) fn head(bytes: &[u8], at: usize) -> Result<Head<'_>, LlsdFault> {
    let next = at.saturating_add(1);
    let (value, next) = match marker(bytes, at)? {
        b'!' => (LlsdValue::Undefined, next),
        b'1' => (LlsdValue::Boolean(true), next),
        b'0' => (LlsdValue::Boolean(false), next),
        b'i' => (LlsdValue::Integer(i32::from_be_bytes(*chunk(bytes, next)?)), next.saturating_add(4)),
        b'r' => (LlsdValue::Real(f64::from_be_bytes(*chunk(bytes, next)?)), next.saturating_add(8)),
        b'd' => (LlsdValue::Date(f64::from_le_bytes(*chunk(bytes, next)?)), next.saturating_add(8)),
        b'u' => (LlsdValue::Uuid(chunk(bytes, next)?), next.saturating_add(16)),
        b's' => counted(bytes, next).map(|(bytes, next)| (LlsdValue::String(LlsdText::new(bytes)), next))?,
        b'l' => counted(bytes, next).map(|(bytes, next)| (LlsdValue::Uri(LlsdText::new(bytes)), next))?,
        b'b' => counted(bytes, next).map(|(bytes, next)| (LlsdValue::Binary(bytes), next))?,
        quote @ (b'\'' | b'"') => quoted(bytes, next, quote).map(|(text, next)| (LlsdValue::String(text), next))?,
        mark @ (b'[' | b'{') => {
            let (kind, least) = if mark == b'[' { (ContainerKind::Array, 1_u64) } else { (ContainerKind::Map, 3) };
            let count = length(bytes, next, "a count of 0 or more")?;
            let first = next.saturating_add(4);
            let left = as_u64(bytes.len().saturating_sub(first));
            if u64::from(count).saturating_mul(least) > left {
                return Err(fault(at, Cause::Count { count: count.into(), size: least, left }));
            }
            return Ok(Head::Open(kind, count, first));
        }
        _ => return Err(unexpected(bytes, at, "the marker of an LLSD value")),
    };
    Ok(Head::Scalar(value, next))
}

/// Reads the key of a map entry at offset `at`. Returns the key and the offset of the first byte
/// after the key.
pub(super) fn key(bytes: &[u8], at: usize) -> Result<(LlsdText<'_>, usize), LlsdFault> {
    let next = at.saturating_add(1);
    match marker(bytes, at)? {
        b'k' => counted(bytes, next).map(|(bytes, next)| (LlsdText::new(bytes), next)),
        quote @ (b'\'' | b'"') => quoted(bytes, next, quote),
        _ => Err(unexpected(bytes, at, "a key (`k` or a quote)")),
    }
}

/// Returns the length in bytes of the marker line `<? LLSD/Binary ?>` at the start of `bytes`, or 0
/// if `bytes` does not start with `<`.
///
/// If the marker line is followed by a line feed, or by a carriage return and a line feed, the
/// returned length includes these one or two bytes.
///
/// # Errors
///
/// Returns an error if `bytes` starts with `<` but not with a marker line, or if the marker line
/// does not end within 64 bytes.
pub fn marker_line(bytes: &[u8]) -> Result<usize, LlsdFault> {
    if !bytes.starts_with(b"<") {
        return Ok(0);
    }
    let looked_at = bytes.get(..MAX_MARKER_LINE).unwrap_or(bytes);
    let Some(end) = looked_at.windows(2).position(|two| two == b"?>") else {
        // `bytes` may be the beginning of a marker line that is not complete yet.
        let could_be = looked_at.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ' || *byte == b'\t');
        if looked_at.len() < MAX_MARKER_LINE && could_be {
            let needed = as_u64(looked_at.len().saturating_add(1));
            return Err(fault(0, Cause::UnexpectedEnd { needed, left: as_u64(looked_at.len()) }));
        }
        return Err(unexpected(bytes, 0, "`<? LLSD/Binary ?>`"));
    };
    let inner = looked_at.get(2..end).unwrap_or_default().trim_ascii();
    if !bytes.starts_with(b"<?") || !inner.eq_ignore_ascii_case(b"llsd/binary") {
        return Err(unexpected(bytes, 0, "`<? LLSD/Binary ?>`"));
    }
    let end = end.saturating_add(2);
    let rest = bytes.get(end..).unwrap_or_default();
    if rest == b"\r" {
        // The next byte after the end of `bytes` may be a line feed that belongs to the marker
        // line.
        return Err(fault(end, Cause::UnexpectedEnd { needed: 2, left: 1 }));
    }
    let line_end = if rest.starts_with(b"\r\n") { 2 } else { usize::from(rest.starts_with(b"\n")) };
    Ok(end.saturating_add(line_end))
}

pub(super) fn marker(bytes: &[u8], at: usize) -> Result<u8, LlsdFault> {
    let found = bytes.get(at).copied();
    found.ok_or_else(|| fault(at, Cause::UnexpectedEnd { needed: 1, left: 0 }))
}

fn chunk<const N: usize>(bytes: &[u8], at: usize) -> Result<&[u8; N], LlsdFault> {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.first_chunk().ok_or_else(|| fault(at, Cause::UnexpectedEnd { needed: as_u64(N), left: as_u64(rest.len()) }))
}

/// Reads a length in bytes or a number of items: a big-endian `i32` that must not be negative.
fn length(bytes: &[u8], at: usize, expected: &'static str) -> Result<u32, LlsdFault> {
    let stored = i32::from_be_bytes(*chunk(bytes, at)?);
    u32::try_from(stored).map_err(|_| fault(at, Cause::value(expected, stored.to_string())))
}

/// Reads a length field with the value `n`, and the `n` bytes after the length field. Returns a
/// slice of these `n` bytes, and the offset of the first byte after the slice.
fn counted(bytes: &[u8], at: usize) -> Result<(&[u8], usize), LlsdFault> {
    let needed = length(bytes, at, "a length of 0 or more")?;
    let first = at.saturating_add(4);
    let rest = bytes.get(first..).unwrap_or_default();
    let lent = usize::try_from(needed).ok().and_then(|needed| rest.get(..needed));
    let Some(lent) = lent else {
        return Err(fault(at, Cause::UnexpectedEnd { needed: needed.into(), left: as_u64(rest.len()) }));
    };
    Ok((lent, first.saturating_add(lent.len())))
}

/// Reads a quoted text. The argument `first` is the offset of the first byte after the opening
/// quote. Returns the text and the offset of the first byte after the closing quote.
fn quoted(bytes: &[u8], first: usize, quote: u8) -> Result<(LlsdText<'_>, usize), LlsdFault> {
    let mut at = first;
    loop {
        match marker(bytes, at)? {
            found if found == quote => break,
            b'\\' => {
                let escaped = at.saturating_add(1);
                let is_code = marker(bytes, escaped)? == b'x';
                at = escaped;
                if is_code {
                    let digits: &[u8; 2] = chunk(bytes, escaped.saturating_add(1))?;
                    if !digits.iter().all(|one| digit(*one).is_some()) {
                        return Err(unexpected(bytes, escaped.saturating_add(1), "two hexadecimal digits"));
                    }
                    at = escaped.saturating_add(2);
                }
            }
            _ => {}
        }
        at = at.saturating_add(1);
    }
    Ok((LlsdText::quoted(bytes.get(first..at).unwrap_or_default(), quote), at.saturating_add(1)))
}

pub(super) fn fault(at: usize, kind: Cause) -> LlsdFault {
    LlsdFault { at: as_u64(at), kind }
}

pub(super) fn unexpected(bytes: &[u8], at: usize, expected: &'static str) -> LlsdFault {
    let rest = bytes.get(at..).unwrap_or_default();
    let found = show_bytes(rest.get(..4).unwrap_or(rest));
    fault(at, Cause::value(expected, found))
}

/// An error in binary LLSD, with the byte offset at which the error was detected.
#[derive(Clone, Debug, thiserror::Error)]
#[error("byte {at}: {kind}")]
pub struct LlsdFault {
    /// Byte offset of the error in the LLSD data, counted from the first byte of the slice that was
    /// passed to the reading function.
    pub at: u64,
    pub(crate) kind: Cause,
}

impl LlsdFault {
    /// Returns the kind of the error.
    #[cfg(feature = "internals")]
    #[must_use]
    pub const fn kind(&self) -> crate::error::ErrorKind {
        self.kind.kind()
    }

    /// Returns whether the only error is that the LLSD data ends too early.
    ///
    /// LLSD data that only ends too early may become a complete LLSD value when more bytes are
    /// appended.
    #[must_use]
    pub const fn needs_more(&self) -> bool {
        matches!(self.kind, Cause::UnexpectedEnd { .. } | Cause::Count { .. })
    }

    /// Returns the number of bytes that are missing at the end of the LLSD data: at least 1.
    pub(crate) fn missing(&self) -> u64 {
        let missing = match self.kind {
            Cause::UnexpectedEnd { needed, left } => needed.saturating_sub(left),
            Cause::Count { count, size, left } => count.saturating_mul(size).saturating_sub(left),
            _ => 1,
        };
        missing.max(1)
    }
}

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

/// Checks the LLSD value at offset `at` faster than a [`LlsdWalk`]. Returns the offset of the first
/// byte after the value. Returns `None` if the LLSD value has an error, or if its encoding is rare:
/// quoted texts, or a nesting depth above [`QUICK_DEPTH`]. If `skip` returns `None`, its caller
/// must check the LLSD value with a [`LlsdWalk`].
pub(super) fn skip(bytes: &[u8], mut at: usize, limits: &LlsdLimits) -> Option<usize> {
    let mut open = [(0_u32, ContainerKind::Array); QUICK_DEPTH];
    let allowed = usize::try_from(limits.depth).unwrap_or(QUICK_DEPTH).min(QUICK_DEPTH);
    let (mut depth, mut items) = (0_usize, 0_u64);
    loop {
        items = items.saturating_add(1);
        let mark = *bytes.get(at).filter(|_| items <= limits.items)?;
        at = at.checked_add(match mark {
            b'!' | b'1' | b'0' => 1,
            b'i' => 5,
            b'r' | b'd' => 9,
            b'u' => 17,
            b's' | b'l' | b'b' => stored_length(bytes, at)?,
            b'[' | b'{' => {
                let count = u32::from_be_bytes(*bytes.get(at.checked_add(1)?..)?.first_chunk()?);
                let kind = if mark == b'[' { ContainerKind::Array } else { ContainerKind::Map };
                *open.get_mut(depth).filter(|_| depth < allowed && i32::try_from(count).is_ok())? = (count, kind);
                depth = depth.saturating_add(1);
                5
            }
            _ => return None,
        })?;
        // Skips the closing markers of all arrays and maps that end at offset `at`, and the key of
        // the next value in a map.
        loop {
            let Some((left, kind)) = depth.checked_sub(1).and_then(|top| open.get_mut(top)) else {
                return (at <= bytes.len()).then_some(at);
            };
            if let Some(fewer) = left.checked_sub(1) {
                *left = fewer;
                if *kind == ContainerKind::Map {
                    let size = stored_length(bytes, at).filter(|_| bytes.get(at) == Some(&b'k'))?;
                    at = at.checked_add(size)?;
                }
                break;
            }
            let mark = if *kind == ContainerKind::Array { b']' } else { b'}' };
            bytes.get(at).filter(|found| **found == mark)?;
            (at, depth) = (at.saturating_add(1), depth.saturating_sub(1));
        }
    }
}

/// Returns the total length in bytes of a value or a key that has a length field: marker byte,
/// length field and data.
fn stored_length(bytes: &[u8], at: usize) -> Option<usize> {
    let length = i32::from_be_bytes(*bytes.get(at.checked_add(1)?..)?.first_chunk()?);
    usize::try_from(length).ok()?.checked_add(5)
}
