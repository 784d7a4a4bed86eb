//! Iterates over binary LLSD, one event at a time, without recursion.

use super::fault::LlsdFault;
use super::head::{Head, fault, head, key, marker, unexpected};
use super::limits::LlsdLimits;
use super::text::LlsdText;
use super::value::{ContainerKind, LlsdValue};
use crate::error::ErrorKind;
use crate::math::as_u64;

/// The maximum nesting depth, even if a limit allows a greater depth.
const MAX_DEPTH: usize = 256;
/// The maximum nesting depth for the fast path in [`skip`]. Real files have a nesting depth of
/// five.
const QUICK_DEPTH: usize = 8;
/// The bit that marks a map in the item count of an open container. Item counts are i32 numbers and
/// not negative, so this bit is free.
const IS_MAP: u32 = 1 << 31;

/// An event that a [`LlsdWalk`] returns.
#[derive(Clone, Copy, Debug)]
pub enum LlsdEvent<'a> {
    /// The start of an array or a map with the given number of values.
    Open(ContainerKind, u32),
    /// A key of a map. The next event belongs to the value of this key.
    Key(LlsdText<'a>),
    /// A value that is neither an array nor a map.
    Scalar(LlsdValue<'a>),
    /// The end of an array or a map.
    Close(ContainerKind),
}

/// Iterates over one LLSD value and all values that it contains, one [`LlsdEvent`] at a time.
///
/// The numbers of remaining items of the open arrays and maps are in an array of fixed size, so the
/// walk needs neither recursion nor memory allocation.
#[derive(Clone, Debug)]
pub struct LlsdWalk<'a> {
    bytes: &'a [u8],
    at: usize,
    limits: LlsdLimits,
    items: u64,
    /// For each open array or map, the number of remaining values, and the bit [`IS_MAP`] if the
    /// container is a map.
    open: [u32; MAX_DEPTH],
    depth: usize,
    /// Whether the next value belongs to a key that was read.
    keyed: bool,
    done: bool,
}

impl<'a> LlsdWalk<'a> {
    /// Creates a walk over the LLSD value at offset `at` of `bytes`.
    #[must_use]
    pub const fn new(bytes: &'a [u8], at: usize, limits: &LlsdLimits) -> Self {
        Self { bytes, at, limits: *limits, items: 0, open: [0; MAX_DEPTH], depth: 0, keyed: false, done: false }
    }

    /// Returns the offset of the next event.
    #[must_use]
    pub const fn at(&self) -> usize {
        self.at
    }

    /// Reads and checks the rest of the value. Returns the offset of the first byte after the
    /// value.
    ///
    /// # Errors
    ///
    /// Returns the first error in the bytes of the value.
    pub fn finish(mut self) -> Result<usize, LlsdFault> {
        while self.next()?.is_some() {}
        Ok(self.at)
    }

    /// Returns the next event of the walk, or `None` after the end of the value.
    ///
    /// # Errors
    ///
    /// Returns the first error in the bytes of the value.
    #[allow(clippy::should_implement_trait, reason = "an iterator of results would go on after a fault")]
    pub fn next(&mut self) -> Result<Option<LlsdEvent<'a>>, LlsdFault> {
        if self.done {
            return Ok(None);
        }
        if !self.keyed
            && let Some(top) = self.depth.checked_sub(1).and_then(|top| self.open.get(top)).copied()
        {
            let kind = if top & IS_MAP == 0 { ContainerKind::Array } else { ContainerKind::Map };
            if top & !IS_MAP == 0 {
                return self.close(kind).map(Some);
            }
            if kind == ContainerKind::Map {
                let (key, next) = key(self.bytes, self.at)?;
                (self.at, self.keyed) = (next, true);
                return Ok(Some(LlsdEvent::Key(key)));
            }
        }
        self.value().map(Some)
    }

    /// Reads a scalar value, or the start of an array or a map with its number of items.
    fn value(&mut self) -> Result<LlsdEvent<'a>, LlsdFault> {
        self.keyed = false;
        self.items = self.items.saturating_add(1);
        if self.items > self.limits.items {
            let kind = ErrorKind::Limit { name: "items", allowed: self.limits.items, asked: self.items };
            return Err(fault(self.at, kind));
        }
        if let Some(top) = self.depth.checked_sub(1).and_then(|top| self.open.get_mut(top)) {
            // The number of remaining values is not 0 here, so the subtraction does not change the
            // bit [`IS_MAP`] above it.
            *top = top.wrapping_sub(1);
        }
        match head(self.bytes, self.at)? {
            Head::Scalar(value, next) => {
                self.at = next;
                self.done = self.depth == 0;
                Ok(LlsdEvent::Scalar(value))
            }
            Head::Open(kind, count, next) => {
                let deep = self.depth.saturating_add(1);
                let allowed = usize::try_from(self.limits.depth).unwrap_or(MAX_DEPTH).min(MAX_DEPTH);
                let place = self.open.get_mut(self.depth).filter(|_| deep <= allowed);
                let Some(place) = place else {
                    let kind = ErrorKind::Limit { name: "depth", allowed: as_u64(allowed), asked: as_u64(deep) };
                    return Err(fault(self.at, kind));
                };
                *place = if kind == ContainerKind::Map { count | IS_MAP } else { count };
                (self.at, self.depth) = (next, deep);
                Ok(LlsdEvent::Open(kind, count))
            }
        }
    }

    fn close(&mut self, kind: ContainerKind) -> Result<LlsdEvent<'a>, LlsdFault> {
        let (expected, mark) = match kind {
            ContainerKind::Array => ("`]` after an array's last value", b']'),
            ContainerKind::Map => ("`}` after a map's last value", b'}'),
        };
        if marker(self.bytes, self.at)? != mark {
            return Err(unexpected(self.bytes, self.at, expected));
        }
        self.at = self.at.saturating_add(1);
        self.depth = self.depth.saturating_sub(1);
        self.done = self.depth == 0;
        Ok(LlsdEvent::Close(kind))
    }
}

/// Skips the LLSD value at offset `at` with a fast path. Returns the offset of the first byte after
/// the value. Returns `None` if the bytes have an error, or if they use a rare encoding (deep
/// nesting, quoted texts). If the result is `None`, the caller must use a [`LlsdWalk`].
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
        // Skips the ends of the containers that end at this offset, and the key of the next value.
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

/// Returns the length in bytes of a value or a key that has a length field. The result includes the
/// marker and the length field.
fn stored_length(bytes: &[u8], at: usize) -> Option<usize> {
    let length = i32::from_be_bytes(*bytes.get(at.checked_add(1)?..)?.first_chunk()?);
    usize::try_from(length).ok()?.checked_add(5)
}

#[cfg(test)]
mod tests {
    use super::super::LlsdWriter;
    use super::*;

    #[test]
    fn the_quick_way_agrees_with_a_walk() {
        let mut writer = LlsdWriter::new();
        writer.open_array(3).open_map(4).key("a").binary(&[1, 2, 3]).key("b").open_map(1).key("Max");
        writer.reals([1.0, 2.0].into_iter()).close_map().key("").uuid(&[7; 16]).key("d").date(1.0).close_map();
        writer.undefined().open_array(5).boolean(true).integer(-1).string(b"text").uri(b"").open_map(0).close_map();
        writer.close_array().close_array();
        let bytes = writer.into_bytes();
        let limits = LlsdLimits::default();
        let both =
            |bytes: &[u8], limits: &LlsdLimits| (skip(bytes, 0, limits), LlsdWalk::new(bytes, 0, limits).finish().ok());
        assert_eq!(both(&bytes, &limits), (Some(bytes.len()), Some(bytes.len())));
        for length in 0..bytes.len() {
            assert_eq!(both(&bytes[..length], &limits), (None, None), "{length}");
        }
        for at in 0..bytes.len() {
            for byte in 0..=255 {
                let mut other = bytes.clone();
                other[at] = byte;
                let (quick, walked) = both(&other, &limits);
                // Only the [`LlsdWalk`] reads quoted texts.
                assert!(quick == walked || (quick.is_none() && matches!(byte, b'"' | b'\'')));
            }
        }
        for (depth, items) in [(2, 100), (3, 100), (4, 100), (96, 14), (96, 15), (96, 16)] {
            let limits = LlsdLimits { depth, items };
            let (quick, walked) = both(&bytes, &limits);
            assert_eq!(quick, walked, "{depth}, {items}");
        }
    }
}
