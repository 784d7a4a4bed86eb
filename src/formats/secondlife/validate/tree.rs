//! The rules about any map and any text, however deep it stands: no key twice, nothing between quotes.

use super::super::llsd::{ContainerKind, LlsdEvent, LlsdLimits, LlsdText, LlsdValue, LlsdWalk, key_at};
use super::finding::with_inflated_offset;
use super::report::AssetReport;
use super::rules;
use crate::error::Field;

/// Looks at the value at byte `start`, and all that stands in it; `place` gives the offset in the file, and in a block, of a
/// byte of it.
pub(super) fn check(
    check: &mut AssetReport<'_, '_>,
    field: Field,
    bytes: &[u8],
    start: u64,
    rules: &LlsdLimits,
    place: impl Fn(usize) -> (u64, Option<u64>),
) {
    let Ok(start) = usize::try_from(start) else { return };
    let mut walk = LlsdWalk::new(bytes, start, rules);
    let mut look = TreeCheck { bytes, keys: Vec::new(), maps: Vec::new(), twice: None, quoted: None };
    loop {
        let at = walk.at();
        // What is no tree was told before.
        let Ok(Some(event)) = walk.next() else { break };
        look.at(event, at);
    }
    if let Some((first, count)) = look.twice {
        let (offset, inflated) = place(first);
        let key = key_at(bytes, first).map_or_else(String::new, |key| format!("{key:?}"));
        let more = if count > 1 { format!("; so do {} more", count.saturating_sub(1)) } else { String::new() };
        let text = format!("the key {key} stands twice in a map, and the first counts{more}");
        check.say(rules::DUPLICATE_KEY_OR_LONG_HEADER, field, offset, with_inflated_offset(text, inflated));
    }
    if let Some((first, what)) = look.quoted {
        let (offset, inflated) = place(first);
        check.say(rules::UNUSUAL_FORM, field, offset, with_inflated_offset(format!("{what} between quotes"), inflated));
    }
}

/// What a walk has met.
struct TreeCheck<'a> {
    bytes: &'a [u8],
    /// Where the keys of the open maps stand: four bytes to a key, which takes at least three.
    keys: Vec<u32>,
    /// Of each open container, how many keys had been met before it.
    maps: Vec<usize>,
    /// The first key that stands for the second time, and how many do.
    twice: Option<(usize, u64)>,
    /// The first thing between quotes.
    quoted: Option<(usize, &'static str)>,
}

impl TreeCheck<'_> {
    fn at(&mut self, event: LlsdEvent<'_>, at: usize) {
        match event {
            LlsdEvent::Open(..) => self.maps.push(self.keys.len()),
            LlsdEvent::Key(key) => {
                if key.quote().is_some() {
                    self.quoted.get_or_insert((at, "a key"));
                }
                if self.keys.try_reserve(1).is_ok() {
                    self.keys.extend(u32::try_from(at).ok());
                }
            }
            LlsdEvent::Scalar(LlsdValue::String(text) | LlsdValue::Uri(text)) if text.quote().is_some() => {
                self.quoted.get_or_insert((at, "a text"));
            }
            LlsdEvent::Scalar(_) => {}
            LlsdEvent::Close(kind) => {
                let from = self.maps.pop().unwrap_or_default();
                if kind == ContainerKind::Map {
                    self.compare(from);
                }
                self.keys.truncate(from);
            }
        }
    }

    /// Looks for keys that stand twice in the map that ends.
    fn compare(&mut self, from: usize) {
        let bytes = self.bytes;
        let key = |at: u32| usize::try_from(at).ok().and_then(|at| key_at(bytes, at)).unwrap_or(LlsdText::new(&[]));
        let Some(keys) = self.keys.get_mut(from..) else { return };
        keys.sort_unstable_by(|one, other| key(*one).compare(&key(*other)).then(one.cmp(other)));
        for pair in keys.windows(2) {
            let &[one, other] = pair else { continue };
            let Some(at) = usize::try_from(other).ok().filter(|_| key(one) == key(other)) else { continue };
            let (first, count) = self.twice.unwrap_or((at, 0));
            self.twice = Some((first.min(at), count.saturating_add(1)));
        }
    }
}
