//! Passing over LLSD, one event at a time: flat, whatever the depth.

use super::Fault;
use super::text::{Text, digit};
use super::value::Value;
use crate::error::{ErrorKind, show_bytes};
use crate::math::as_u64;
use crate::parse::Limits;

/// The deepest nesting that can be allowed at all.
const DEEPEST: usize = 256;
/// Arrays and maps in each other that are [passed over](skip) the quick way. Real files have five.
const SHALLOW: usize = 8;
/// The longest marker line that is looked for.
const LONGEST_LINE: usize = 64;
/// The bit of an open container's count that tells a map. Counts are i32, so it is free.
const IS_MAP: u32 = 1 << 31;

/// What a tree may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Arrays and maps that stand in each other; no more than 256 are ever allowed.
    pub depth: u32,
    /// Values in the whole tree.
    pub items: u64,
}

impl From<&Limits> for Rules {
    fn from(limits: &Limits) -> Self {
        Self { depth: limits.depth, items: limits.items }
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self::from(&Limits::default())
    }
}

/// Arrays and maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Values one after another.
    Array,
    /// Keys, each with its value.
    Map,
}

/// What a walk comes to.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// An array or a map begins, of so many values.
    Open(Kind, u32),
    /// A key; its value follows.
    Key(Text<'a>),
    /// A value that is neither an array nor a map.
    Scalar(Value<'a>),
    /// An array or a map ends.
    Close(Kind),
}

/// Passes over one value, and all that stands in it.
///
/// What it needs to know of the containers it is in lies in a fixed place: there is no recursion, and no allocation.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
    rules: Rules,
    items: u64,
    /// How many values each container still has, and whether it is a map.
    open: [u32; DEEPEST],
    depth: usize,
    /// Whether the next thing is the value of a key that was read.
    keyed: bool,
    done: bool,
}

impl<'a> Walk<'a> {
    /// Starts at byte `at` of `bytes`.
    #[must_use]
    pub const fn new(bytes: &'a [u8], at: usize, rules: &Rules) -> Self {
        Self { bytes, at, rules: *rules, items: 0, open: [0; DEEPEST], depth: 0, keyed: false, done: false }
    }

    /// Returns the offset of what comes next.
    #[must_use]
    pub const fn at(&self) -> usize {
        self.at
    }

    /// Passes over the rest of the value, and returns the offset of the byte after it.
    ///
    /// # Errors
    ///
    /// The first fault.
    pub fn finish(mut self) -> Result<usize, Fault> {
        while self.next()?.is_some() {}
        Ok(self.at)
    }

    /// Goes on to the next event; `None` once the value has ended.
    ///
    /// # Errors
    ///
    /// The first fault.
    #[allow(clippy::should_implement_trait, reason = "an iterator of results would go on after a fault")]
    pub fn next(&mut self) -> Result<Option<Event<'a>>, Fault> {
        if self.done {
            return Ok(None);
        }
        if !self.keyed
            && let Some(top) = self.depth.checked_sub(1).and_then(|top| self.open.get(top)).copied()
        {
            let kind = if top & IS_MAP == 0 { Kind::Array } else { Kind::Map };
            if top & !IS_MAP == 0 {
                return self.close(kind).map(Some);
            }
            if kind == Kind::Map {
                let (key, next) = key(self.bytes, self.at)?;
                (self.at, self.keyed) = (next, true);
                return Ok(Some(Event::Key(key)));
            }
        }
        self.value().map(Some)
    }

    /// Reads a value's head; of an array or a map, its count.
    fn value(&mut self) -> Result<Event<'a>, Fault> {
        self.keyed = false;
        self.items = self.items.saturating_add(1);
        if self.items > self.rules.items {
            let kind = ErrorKind::Limit { name: "items", allowed: self.rules.items, asked: self.items };
            return Err(fault(self.at, kind));
        }
        if let Some(top) = self.depth.checked_sub(1).and_then(|top| self.open.get_mut(top)) {
            // The count is not 0 here, so the bit above it stays.
            *top = top.wrapping_sub(1);
        }
        match head(self.bytes, self.at)? {
            Head::Scalar(value, next) => {
                self.at = next;
                self.done = self.depth == 0;
                Ok(Event::Scalar(value))
            }
            Head::Open(kind, count, next) => {
                let deep = self.depth.saturating_add(1);
                let allowed = usize::try_from(self.rules.depth).unwrap_or(DEEPEST).min(DEEPEST);
                let place = self.open.get_mut(self.depth).filter(|_| deep <= allowed);
                let Some(place) = place else {
                    let kind = ErrorKind::Limit { name: "depth", allowed: as_u64(allowed), asked: as_u64(deep) };
                    return Err(fault(self.at, kind));
                };
                *place = if kind == Kind::Map { count | IS_MAP } else { count };
                (self.at, self.depth) = (next, deep);
                Ok(Event::Open(kind, count))
            }
        }
    }

    fn close(&mut self, kind: Kind) -> Result<Event<'a>, Fault> {
        let (expected, mark) = match kind {
            Kind::Array => ("`]` after an array's last value", b']'),
            Kind::Map => ("`}` after a map's last value", b'}'),
        };
        if marker(self.bytes, self.at)? != mark {
            return Err(unexpected(self.bytes, self.at, expected));
        }
        self.at = self.at.saturating_add(1);
        self.depth = self.depth.saturating_sub(1);
        self.done = self.depth == 0;
        Ok(Event::Close(kind))
    }
}

/// Passes over the value at byte `at`, the quick way: returns the offset of the byte after it. Of bytes with a fault in
/// them, and of what is rare (deep nesting, quotes), `None`: a [`Walk`] has to tell.
pub(super) fn skip(bytes: &[u8], mut at: usize, rules: &Rules) -> Option<usize> {
    let mut open = [(0_u32, Kind::Array); SHALLOW];
    let allowed = usize::try_from(rules.depth).unwrap_or(SHALLOW).min(SHALLOW);
    let (mut depth, mut items) = (0_usize, 0_u64);
    loop {
        items = items.saturating_add(1);
        let mark = *bytes.get(at).filter(|_| items <= rules.items)?;
        at = at.checked_add(match mark {
            b'!' | b'1' | b'0' => 1,
            b'i' => 5,
            b'r' | b'd' => 9,
            b'u' => 17,
            b's' | b'l' | b'b' => stored_length(bytes, at)?,
            b'[' | b'{' => {
                let count = u32::from_be_bytes(*bytes.get(at.checked_add(1)?..)?.first_chunk()?);
                let kind = if mark == b'[' { Kind::Array } else { Kind::Map };
                *open.get_mut(depth).filter(|_| depth < allowed && i32::try_from(count).is_ok())? = (count, kind);
                depth = depth.saturating_add(1);
                5
            }
            _ => return None,
        })?;
        // What ends here, and what comes next.
        loop {
            let Some((left, kind)) = depth.checked_sub(1).and_then(|top| open.get_mut(top)) else {
                return (at <= bytes.len()).then_some(at);
            };
            if let Some(fewer) = left.checked_sub(1) {
                *left = fewer;
                if *kind == Kind::Map {
                    let size = stored_length(bytes, at).filter(|_| bytes.get(at) == Some(&b'k'))?;
                    at = at.checked_add(size)?;
                }
                break;
            }
            let mark = if *kind == Kind::Array { b']' } else { b'}' };
            bytes.get(at).filter(|found| **found == mark)?;
            (at, depth) = (at.saturating_add(1), depth.saturating_sub(1));
        }
    }
}

/// Returns the bytes that a value or a key with a length takes, its marker included.
fn stored_length(bytes: &[u8], at: usize) -> Option<usize> {
    let length = i32::from_be_bytes(*bytes.get(at.checked_add(1)?..)?.first_chunk()?);
    usize::try_from(length).ok()?.checked_add(5)
}

/// A value's marker, and what follows it.
pub(super) enum Head<'a> {
    /// A whole value, and the offset of the byte after it.
    Scalar(Value<'a>, usize),
    /// The kind and the count of a container, and the offset of its first item.
    Open(Kind, u32, usize),
}

/// Reads a value's marker and its payload; of an array or a map, the count.
pub(super) fn head(bytes: &[u8], at: usize) -> Result<Head<'_>, Fault> {
    let next = at.saturating_add(1);
    let (value, next) = match marker(bytes, at)? {
        b'!' => (Value::Undefined, next),
        b'1' => (Value::Boolean(true), next),
        b'0' => (Value::Boolean(false), next),
        b'i' => (Value::Integer(i32::from_be_bytes(*chunk(bytes, next)?)), next.saturating_add(4)),
        b'r' => (Value::Real(f64::from_be_bytes(*chunk(bytes, next)?)), next.saturating_add(8)),
        b'd' => (Value::Date(f64::from_le_bytes(*chunk(bytes, next)?)), next.saturating_add(8)),
        b'u' => (Value::Uuid(chunk(bytes, next)?), next.saturating_add(16)),
        b's' => counted(bytes, next).map(|(bytes, next)| (Value::String(Text::new(bytes)), next))?,
        b'l' => counted(bytes, next).map(|(bytes, next)| (Value::Uri(Text::new(bytes)), next))?,
        b'b' => counted(bytes, next).map(|(bytes, next)| (Value::Binary(bytes), next))?,
        quote @ (b'\'' | b'"') => quoted(bytes, next, quote).map(|(text, next)| (Value::String(text), next))?,
        mark @ (b'[' | b'{') => {
            let (kind, least) = if mark == b'[' { (Kind::Array, 1_u64) } else { (Kind::Map, 3) };
            let count = length(bytes, next, "a count of 0 or more")?;
            let first = next.saturating_add(4);
            let left = as_u64(bytes.len().saturating_sub(first));
            if u64::from(count).saturating_mul(least) > left {
                return Err(fault(at, ErrorKind::Count { count: count.into(), size: least, left }));
            }
            return Ok(Head::Open(kind, count, first));
        }
        _ => return Err(unexpected(bytes, at, "the marker of an LLSD value")),
    };
    Ok(Head::Scalar(value, next))
}

/// Reads a key; returns it with the offset of the byte after it.
pub(super) fn key(bytes: &[u8], at: usize) -> Result<(Text<'_>, usize), Fault> {
    let next = at.saturating_add(1);
    match marker(bytes, at)? {
        b'k' => counted(bytes, next).map(|(bytes, next)| (Text::new(bytes), next)),
        quote @ (b'\'' | b'"') => quoted(bytes, next, quote),
        _ => Err(unexpected(bytes, at, "a key: `k`, or a quote")),
    }
}

/// Returns the length of the marker line that `bytes` start with, its line end included; 0 where they start with none.
///
/// # Errors
///
/// Where a line is begun and is not a marker line, or does not end within 64 bytes.
pub fn marker_line(bytes: &[u8]) -> Result<usize, Fault> {
    if !bytes.starts_with(b"<") {
        return Ok(0);
    }
    let looked_at = bytes.get(..LONGEST_LINE).unwrap_or(bytes);
    let Some(end) = looked_at.windows(2).position(|two| two == b"?>") else {
        // As far as it goes, it may be one.
        let could_be = looked_at.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ' || *byte == b'\t');
        if looked_at.len() < LONGEST_LINE && could_be {
            let needed = as_u64(looked_at.len().saturating_add(1));
            return Err(fault(0, ErrorKind::UnexpectedEnd { needed, left: as_u64(looked_at.len()) }));
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
        // A line feed may follow.
        return Err(fault(end, ErrorKind::UnexpectedEnd { needed: 2, left: 1 }));
    }
    let line_end = if rest.starts_with(b"\r\n") { 2 } else { usize::from(rest.starts_with(b"\n")) };
    Ok(end.saturating_add(line_end))
}

fn marker(bytes: &[u8], at: usize) -> Result<u8, Fault> {
    let found = bytes.get(at).copied();
    found.ok_or_else(|| fault(at, ErrorKind::UnexpectedEnd { needed: 1, left: 0 }))
}

fn chunk<const N: usize>(bytes: &[u8], at: usize) -> Result<&[u8; N], Fault> {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.first_chunk()
        .ok_or_else(|| fault(at, ErrorKind::UnexpectedEnd { needed: as_u64(N), left: as_u64(rest.len()) }))
}

/// Reads a length or a count.
fn length(bytes: &[u8], at: usize, expected: &'static str) -> Result<u32, Fault> {
    let stored = i32::from_be_bytes(*chunk(bytes, at)?);
    u32::try_from(stored)
        .map_err(|_| fault(at, ErrorKind::Value { expected: expected.into(), found: stored.to_string().into() }))
}

/// Reads a length, and lends the bytes that follow it.
fn counted(bytes: &[u8], at: usize) -> Result<(&[u8], usize), Fault> {
    let needed = length(bytes, at, "a length of 0 or more")?;
    let first = at.saturating_add(4);
    let rest = bytes.get(first..).unwrap_or_default();
    let lent = usize::try_from(needed).ok().and_then(|needed| rest.get(..needed));
    let Some(lent) = lent else {
        return Err(fault(at, ErrorKind::UnexpectedEnd { needed: needed.into(), left: as_u64(rest.len()) }));
    };
    Ok((lent, first.saturating_add(lent.len())))
}

/// Finds the quote that ends a text.
fn quoted(bytes: &[u8], first: usize, quote: u8) -> Result<(Text<'_>, usize), Fault> {
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
    Ok((Text::quoted(bytes.get(first..at).unwrap_or_default(), quote), at.saturating_add(1)))
}

fn fault(at: usize, kind: ErrorKind) -> Fault {
    Fault { at: as_u64(at), kind }
}

fn unexpected(bytes: &[u8], at: usize, expected: &'static str) -> Fault {
    let rest = bytes.get(at..).unwrap_or_default();
    let found = show_bytes(rest.get(..4).unwrap_or(rest));
    fault(at, ErrorKind::Value { expected: expected.into(), found: found.into() })
}

#[cfg(test)]
mod tests {
    use super::super::Writer;
    use super::*;

    #[test]
    fn the_quick_way_agrees_with_a_walk() {
        let mut writer = Writer::new();
        writer.open_array(3).open_map(4).key("a").binary(&[1, 2, 3]).key("b").open_map(1).key("Max");
        writer.reals([1.0, 2.0].into_iter()).close_map().key("").uuid(&[7; 16]).key("d").date(1.0).close_map();
        writer.undefined().open_array(5).boolean(true).integer(-1).string(b"text").uri(b"").open_map(0).close_map();
        writer.close_array().close_array();
        let bytes = writer.into_bytes();
        let rules = Rules::default();
        let both = |bytes: &[u8], rules: &Rules| (skip(bytes, 0, rules), Walk::new(bytes, 0, rules).finish().ok());
        assert_eq!(both(&bytes, &rules), (Some(bytes.len()), Some(bytes.len())));
        for length in 0..bytes.len() {
            assert_eq!(both(&bytes[..length], &rules), (None, None), "{length}");
        }
        for at in 0..bytes.len() {
            for byte in 0..=255 {
                let mut other = bytes.clone();
                other[at] = byte;
                let (quick, walked) = both(&other, &rules);
                // Quotes are for the walk alone.
                assert!(quick == walked || (quick.is_none() && matches!(byte, b'"' | b'\'')));
            }
        }
        for (depth, items) in [(2, 100), (3, 100), (4, 100), (96, 14), (96, 15), (96, 16)] {
            let rules = Rules { depth, items };
            let (quick, walked) = both(&bytes, &rules);
            assert_eq!(quick, walked, "{depth}, {items}");
        }
    }
}
