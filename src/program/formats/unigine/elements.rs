//! Decodes the elements of UNIGINE files that vary in size, for `map --at`: integers, strings,
//! weights, nodes of trees and keys of animations.

use crate::decode::influence4::RawInfluence4;
use crate::decode::{Decode, Influence4, compact};
use crate::formats::unigine::{AnimationKey, AnimationView, Coding};
use crate::model::Transform;
use zerocopy::FromBytes;

use crate::program::formats::region_bytes::{RegionBytes, RegionElement};
use crate::program::render::decoded::DecodedValue;

/// Returns the element that contains a byte. `animation` returns an animation of the file.
pub fn varying<'a>(
    here: &RegionBytes<'_>,
    animation: impl FnOnce(usize) -> Option<AnimationView<'a>>,
) -> Option<RegionElement> {
    let only = |value: Option<DecodedValue>| Some(here.found(0, 0, value));
    match here.region.element.name {
        "compact int" => only(integers(here.bytes, 1).and_then(|(mut all, _)| all.pop())),
        "string" => only(compact::decode(here.bytes).ok().and_then(|(_, length)| string(here.bytes, length))),
        "i32 string" => only(string(here.bytes, 4)),
        "compact int list" => {
            item(here, |bytes| integers(bytes, 1).and_then(|(mut all, size)| Some((all.pop()?, size))))
        }
        "u8 axis + 4 compact ints" => item(here, node),
        "u8 + (i16, u16) list" => item(here, influences),
        "u8 flags + components" => key(here, &animation(usize::try_from(here.region.field.outer()?.index).ok()?)?),
        _ => None,
    }
}

/// Returns the string after a length of `length` bytes, without the NUL at its end.
fn string(bytes: &[u8], length: usize) -> Option<DecodedValue> {
    let text = bytes.get(length..)?;
    Some(DecodedValue::text(text.strip_suffix(&[0]).unwrap_or(text)))
}

/// Returns the item of a list that contains the byte. `read` returns the item at the start of a
/// slice, and its size in bytes.
fn item(here: &RegionBytes<'_>, read: impl Fn(&[u8]) -> Option<(DecodedValue, usize)>) -> Option<RegionElement> {
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
fn integers(bytes: &[u8], count: usize) -> Option<(Vec<DecodedValue>, usize)> {
    let (mut all, mut size) = (Vec::with_capacity(count), 0_usize);
    for _ in 0..count {
        let (value, length) = compact::decode(bytes.get(size..)?).ok()?;
        all.push(DecodedValue::Integer(value.into()));
        size = size.checked_add(length)?;
    }
    Some((all, size))
}

fn node(bytes: &[u8]) -> Option<(DecodedValue, usize)> {
    let (axis, rest) = bytes.split_first()?;
    let (mut all, size) = integers(rest, 4)?;
    all.insert(0, DecodedValue::Integer((*axis).into()));
    Some((DecodedValue::List(all), size.checked_add(1)?))
}

fn influences(bytes: &[u8]) -> Option<(DecodedValue, usize)> {
    let (count, rest) = bytes.split_first()?;
    let size = usize::from(*count).checked_mul(size_of::<RawInfluence4>())?;
    let raw = <[RawInfluence4]>::ref_from_bytes(rest.get(..size)?).ok()?;
    let all = raw.iter().map(|raw| {
        let one = Influence4.decode(raw);
        DecodedValue::List(vec![DecodedValue::Integer(one.bone.into()), DecodedValue::Float(one.weight)])
    });
    Some((DecodedValue::List(all.collect()), size.checked_add(1)?))
}

/// Returns the key that contains the byte, with its frame and its bone.
fn key(here: &RegionBytes<'_>, view: &AnimationView<'_>) -> Option<RegionElement> {
    let offset = here.region.start.checked_add(here.at.try_into().ok()?)?;
    let end = |key: &AnimationKey<'_>| {
        key.offset.saturating_add(1).saturating_add(key.components.len().try_into().unwrap_or(u64::MAX))
    };
    let (index, key) = (0_u64..).zip(view.keys()).find(|(_, key)| offset < end(key))?;
    let bones = u64::try_from(view.bones.len()).ok()?;
    let bone = view.bones.get(usize::try_from(index.checked_rem(bones)?).ok()?)?;
    let whole = |number: u64| DecodedValue::Integer(number.try_into().unwrap_or(i64::MAX));
    let mut fields = vec![
        ("frame".to_owned(), whole(index.checked_div(bones)?)),
        ("bone".to_owned(), DecodedValue::Integer(bone.get().into())),
        ("flags".to_owned(), DecodedValue::Integer(key.flags.into())),
    ];
    fields.extend(components(&view.coding(), &key));
    let start = usize::try_from(key.offset.checked_sub(here.region.start)?).ok()?;
    Some(here.found(index, start, Some(DecodedValue::Record(fields))))
}

/// Returns the position, rotation and scale that a key stores. An axis that it does not store is
/// missing.
fn components(coding: &Coding, key: &AnimationKey<'_>) -> Vec<(String, DecodedValue)> {
    let mut bone = Transform::default();
    coding.apply(key.flags, key.components, &mut bone);
    let masks = if coding.is_delta() { [[1, 2, 4], [8; 3], [0x10, 0x20, 0x40]] } else { [[1; 3], [2; 3], [4; 3]] };
    let fields: [(&str, &[f32]); 3] =
        [("position", &bone.position), ("rotation", &bone.rotation), ("scale", &bone.scale)];
    let stored = fields.into_iter().zip(masks).filter(|(_, masks)| masks.iter().any(|mask| key.flags & mask != 0));
    let values = stored.map(|((name, floats), masks)| {
        // A rotation has one component more than its axes, and all of them have the same flag.
        let masks = masks.into_iter().chain(masks.last().copied());
        let axes = floats.iter().zip(masks).map(|(float, mask)| {
            if key.flags & mask == 0 { DecodedValue::Missing } else { DecodedValue::Float(*float) }
        });
        (name.to_owned(), DecodedValue::List(axes.collect()))
    });
    values.collect()
}
