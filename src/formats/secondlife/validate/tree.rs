//! Checks the rules about LLSD maps and texts at any nesting depth: a map has no repeated keys, and
//! no text is quoted.

// Rule: this file sorts and maps by copies only.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::super::llsd::{ContainerKind, LlsdEvent, LlsdLimits, LlsdText, LlsdValue, LlsdWalk, key_at};
use super::rules::{DUPLICATE_KEY_OR_LONG_HEADER, UNUSUAL_FORM};
use crate::error::Field;
use crate::math::as_u64;
use crate::validate::Report;

/// Checks the LLSD value at offset `start` of `bytes`, and all values that it contains.
///
/// `base` is the offset of the first byte of `bytes`.
pub(super) fn check(report: &mut Report<'_>, field: Field, bytes: &[u8], start: u64, rules: &LlsdLimits, base: u64) {
    let Ok(start) = usize::try_from(start) else { return };
    let mut walk = LlsdWalk::new(bytes, start, rules);
    let mut look = TreeCheck {
        bytes,
        keys: Vec::new(),
        maps: Vec::new(),
        hashes: Vec::new(),
        seed: RandomState::new().build_hasher().finish(),
        twice: None,
        quoted: None,
    };
    loop {
        let at = walk.at();
        // An error in the LLSD tree was already reported, so the loop ends without another finding.
        let Ok(Some(event)) = walk.next() else { break };
        look.at(event, at);
    }
    if let Some((first, count)) = look.twice {
        let key = key_at(bytes, first).map_or_else(String::new, |key| format!("\"{key}\""));
        let more = if count > 1 { format!("; {} more such keys", count.saturating_sub(1)) } else { String::new() };
        let text = format_args!("the key {key} occurs twice in a map, and only the first counts{more}");
        report.add(DUPLICATE_KEY_OR_LONG_HEADER, field, base.saturating_add(as_u64(first)), text);
    }
    if let Some((first, what)) = look.quoted {
        report.add(UNUSUAL_FORM, field, base.saturating_add(as_u64(first)), format_args!("{what} in quotes"));
    }
}

/// The keys, the repeated keys and the quoted texts that a check of one LLSD tree has found so far.
struct TreeCheck<'a> {
    bytes: &'a [u8],
    /// Byte offsets of the keys of all maps that have not ended. Each offset needs four bytes of
    /// memory, and each key with its value has at least three bytes in the LLSD data, so the
    /// offsets need at most 4/3 of the size of the LLSD data.
    keys: Vec<u32>,
    /// For each array or map that has not ended, the length that `keys` had at the start of the
    /// array or map.
    maps: Vec<usize>,
    /// The hash and the byte offset of each key of one map: 16 bytes of memory per key. A hash is
    /// read from the file once, so the sort does not depend on bytes that may change.
    hashes: Vec<(u64, u32)>,
    /// The seed of the hashes, which is different in each check. Without a seed, a file could
    /// contain many keys with the same hash.
    seed: u64,
    /// Byte offset of the first repeated key, and the number of repeated keys in the tree.
    twice: Option<(usize, u64)>,
    /// Byte offset and description of the first quoted text.
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

    /// Searches for repeated keys in a map when the iteration reaches the end of the map. The byte
    /// offsets of the map's keys start at index `from` of `keys`.
    fn compare(&mut self, from: usize) {
        let keys = self.keys.get(from..).unwrap_or_default();
        if keys.len() < 2 {
            return;
        }
        self.hashes.clear();
        // If memory is exhausted, the keys of this map are not compared.
        if self.hashes.try_reserve_exact(keys.len()).is_err() {
            return;
        }
        let (bytes, seed) = (self.bytes, self.seed);
        let hashes = keys.iter().map(|at| (xxh3_64_with_seed(&text_at(bytes, *at).content(), seed), *at));
        self.hashes.extend(hashes);
        self.hashes.sort_unstable();
        for same in self.hashes.chunk_by(|(one, _), (other, _)| one == other) {
            let Some(((_, first), others)) = same.split_first() else { continue };
            let first = text_at(bytes, *first);
            for (_, at) in others.iter().filter(|(_, at)| text_at(bytes, *at).bytes().eq(first.bytes())) {
                let at = usize::try_from(*at).unwrap_or(usize::MAX);
                let (first, count) = self.twice.unwrap_or((at, 0));
                self.twice = Some((first.min(at), count.saturating_add(1)));
            }
        }
    }
}

/// Returns the key at a byte offset, or an empty text if there is no key, such as in a mapped file
/// whose bytes have changed.
fn text_at(bytes: &[u8], at: u32) -> LlsdText<'_> {
    usize::try_from(at).ok().and_then(|at| key_at(bytes, at)).unwrap_or(LlsdText::new(&[]))
}
