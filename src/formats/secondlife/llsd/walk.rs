//! [`LlsdWalk`]: iterates over binary LLSD, one [`LlsdEvent`] at a time, without recursion.
use super::read::{Head, LlsdFault, fault, head, key, marker, unexpected};
use super::text::LlsdText;
use super::value::{ContainerKind, LlsdLimits, LlsdValue};
use crate::error::Cause;
use crate::error::debug::short_debug;
use crate::math::as_u64;

/// The maximum nesting depth of arrays and maps, even if [`LlsdLimits::depth`] allows a greater
/// depth.
const MAX_DEPTH: usize = 256;
/// The bit that distinguishes a map from an array in the item counts of [`LlsdWalk`]. An item count
/// is a non-negative i32, so bit 31 is never part of the count itself.
const IS_MAP: u32 = 1 << 31;

/// An event that a [`LlsdWalk`] returns.
#[derive(Clone, Copy, Debug)]
pub enum LlsdEvent<'a> {
    /// The start of an array or a map, with its type and the number of its values.
    Open(ContainerKind, u32),
    /// A key in a map. The event after a key is the value of the key, or the start of the array or
    /// map that is the value of the key.
    Key(LlsdText<'a>),
    /// A value that is neither an array nor a map.
    Scalar(LlsdValue<'a>),
    /// The end of an array or a map.
    Close(ContainerKind),
}

/// An iterator over one LLSD value and all values that it contains, one [`LlsdEvent`] at a time.
///
/// The number of remaining items of each array or map that has not ended is stored in a Rust array
/// of fixed size, so the iteration needs neither recursion nor memory allocation.
#[derive(Clone)]
pub struct LlsdWalk<'a> {
    bytes: &'a [u8],
    at: usize,
    limits: LlsdLimits,
    items: u64,
    /// For each array or map that has not ended, the number of remaining items. For a map, the bit
    /// [`IS_MAP`] of the number is set.
    open: [u32; MAX_DEPTH],
    depth: usize,
    /// Whether the last event was a key, which means that the next event is the value of the key.
    keyed: bool,
    done: bool,
}

short_debug!(LlsdWalk<'_>: |walk| { bytes: walk.bytes.len(), at: walk.at, depth: walk.depth, items: walk.items });

impl<'a> LlsdWalk<'a> {
    /// Creates an iterator over the LLSD value at offset `at` of `bytes`.
    #[must_use]
    pub const fn new(bytes: &'a [u8], at: usize, limits: &LlsdLimits) -> Self {
        Self { bytes, at, limits: *limits, items: 0, open: [0; MAX_DEPTH], depth: 0, keyed: false, done: false }
    }

    /// Returns the byte offset in the input at which the next event begins.
    #[must_use]
    pub const fn at(&self) -> usize {
        self.at
    }

    /// Reads and checks all remaining bytes of the LLSD value. Returns the offset of the first byte
    /// after the value.
    ///
    /// # Errors
    ///
    /// Returns the first error in the bytes of the value.
    pub fn finish(mut self) -> Result<usize, LlsdFault> {
        while self.next()?.is_some() {}
        Ok(self.at)
    }

    /// Returns the next event, or `None` after the end of the LLSD value.
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

    /// Reads a scalar value, or the marker byte and the number of items of an array or a map.
    fn value(&mut self) -> Result<LlsdEvent<'a>, LlsdFault> {
        self.keyed = false;
        self.items = self.items.saturating_add(1);
        if self.items > self.limits.items {
            let kind = Cause::Limit { name: "items", allowed: self.limits.items, asked: self.items };
            return Err(fault(self.at, kind));
        }
        if let Some(top) = self.depth.checked_sub(1).and_then(|top| self.open.get_mut(top)) {
            // The number of remaining items in the lower 31 bits is not 0 here, so the subtraction
            // does not change the bit [`IS_MAP`].
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
                    let kind = Cause::Limit { name: "depth", allowed: as_u64(allowed), asked: as_u64(deep) };
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

#[cfg(test)]
mod tests {
    use super::super::LlsdWriter;
    use super::super::read::skip;
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
                // Only [`LlsdWalk`] supports quoted texts. For quoted texts, [`skip`] returns
                // `None`.
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
