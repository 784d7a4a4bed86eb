//! Decodes the elements of regions that vary in size: integers, strings, weights and nodes of
//! trees.

use zerocopy::FromBytes;

use crate::decode::influence4::RawInfluence4;
use crate::decode::{self, Decode, Influence4};
use crate::parse::{RegionBytes, RegionElement, Value};

#[allow(clippy::unnecessary_wraps, reason = "the signature of a decoder")]
pub(super) fn compact(here: &RegionBytes<'_>) -> Option<RegionElement> {
    Some(here.found(0, 0, integers(here.bytes, 1).and_then(|(mut all, _)| all.pop())))
}

pub(super) fn compact_list(here: &RegionBytes<'_>) -> Option<RegionElement> {
    item(here, |bytes| integers(bytes, 1).and_then(|(mut all, size)| Some((all.pop()?, size))))
}

#[allow(clippy::unnecessary_wraps, reason = "the signature of a decoder")]
pub(super) fn string(here: &RegionBytes<'_>) -> Option<RegionElement> {
    let length = decode::compact::decode(here.bytes).ok();
    Some(here.found(0, 0, length.and_then(|(_, length)| text(here.bytes, length))))
}

#[allow(clippy::unnecessary_wraps, reason = "the signature of a decoder")]
pub(super) fn string_32(here: &RegionBytes<'_>) -> Option<RegionElement> {
    Some(here.found(0, 0, text(here.bytes, 4)))
}

pub(super) fn nodes(here: &RegionBytes<'_>) -> Option<RegionElement> {
    item(here, node)
}

pub(super) fn weights(here: &RegionBytes<'_>) -> Option<RegionElement> {
    item(here, influences)
}

/// Returns the string after a length of `length` bytes, without the NUL at its end.
fn text(bytes: &[u8], length: usize) -> Option<Value> {
    let text = bytes.get(length..)?;
    Some(Value::cut_text(text.strip_suffix(&[0]).unwrap_or(text)))
}

/// Returns the item of a list that contains the byte. `read` returns the item at the start of a
/// slice, and its size in bytes.
fn item(here: &RegionBytes<'_>, read: impl Fn(&[u8]) -> Option<(Value, usize)>) -> Option<RegionElement> {
    let (mut index, mut start) = (0_u64, 0_usize);
    loop {
        let (value, size) = read(here.bytes.get(start..)?)?;
        let end = start.checked_add(size.max(1))?;
        if here.at < end {
            return Some(here.found(index, start, Some(value)));
        }
        (index, start) = (index.saturating_add(1), end);
    }
}

/// Returns `count` compact integers, and their size in bytes.
fn integers(bytes: &[u8], count: usize) -> Option<(Vec<Value>, usize)> {
    let (mut all, mut size) = (Vec::with_capacity(count), 0_usize);
    for _ in 0..count {
        let (value, length) = decode::compact::decode(bytes.get(size..)?).ok()?;
        all.push(value.into());
        size = size.checked_add(length)?;
    }
    Some((all, size))
}

fn node(bytes: &[u8]) -> Option<(Value, usize)> {
    let (axis, rest) = bytes.split_first()?;
    let (mut all, size) = integers(rest, 4)?;
    all.insert(0, (*axis).into());
    Some((Value::List(all), size.checked_add(1)?))
}

fn influences(bytes: &[u8]) -> Option<(Value, usize)> {
    let (count, rest) = bytes.split_first()?;
    let size = usize::from(*count).checked_mul(size_of::<RawInfluence4>())?;
    let raw = <[RawInfluence4]>::ref_from_bytes(rest.get(..size)?).ok()?;
    let all = raw.iter().map(|raw| {
        let one = Influence4.decode(raw);
        Value::List(vec![one.bone.into(), one.weight.into()])
    });
    Some((Value::List(all.collect()), size.checked_add(1)?))
}
