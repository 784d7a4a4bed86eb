//! Decodes the keys of animations that are elements of a region.

use std::borrow::Cow;

use super::AnimationView;
use super::coding::{AnimationKey, Coding};
use crate::error::Result;
use crate::formats::unigine::layout::KEYS;
use crate::model::Transform;
use crate::parse::{RegionBytes, RegionElement, Value};

/// Returns the element that contains the byte. `animation` returns an animation of the file.
pub(in crate::formats::unigine) fn element<'a>(
    here: &RegionBytes<'_>,
    animation: impl FnOnce(usize) -> Result<AnimationView<'a>>,
) -> RegionElement {
    let found = if here.region.element == KEYS { key(here, animation) } else { None };
    found.unwrap_or_else(|| here.element())
}

/// Returns the key that contains the byte, with its frame and its bone. `animation` returns an
/// animation of the file.
fn key<'a>(
    here: &RegionBytes<'_>,
    animation: impl FnOnce(usize) -> Result<AnimationView<'a>>,
) -> Option<RegionElement> {
    let view = animation(usize::try_from(here.region.field.outer()?.1).ok()?).ok()?;
    let offset = here.region.start.checked_add(here.at.try_into().ok()?)?;
    let end = |key: &AnimationKey<'_>| {
        key.offset.saturating_add(1).saturating_add(key.components.len().try_into().unwrap_or(u64::MAX))
    };
    let (index, key) = (0_u64..).zip(view.keys()).find(|(_, key)| offset < end(key))?;
    let bones = u64::try_from(view.bones.len()).ok()?;
    let bone = view.bones.get(usize::try_from(index.checked_rem(bones)?).ok()?)?;
    let mut fields = vec![
        ("frame".into(), index.checked_div(bones)?.into()),
        ("bone".into(), bone.get().into()),
        ("flags".into(), key.flags.into()),
    ];
    fields.extend(components(&view.coding(), &key));
    let start = usize::try_from(key.offset.checked_sub(here.region.start)?).ok()?;
    Some(here.found(index, start, Some(Value::Record(fields))))
}

/// Returns the position, rotation and scale that a key stores. An axis that it does not store is
/// missing.
fn components(coding: &Coding, key: &AnimationKey<'_>) -> Vec<(Cow<'static, str>, Value)> {
    let mut bone = Transform::default();
    coding.apply(key.flags, key.components, &mut bone);
    let masks = if coding.is_delta() { [[1, 2, 4], [8; 3], [0x10, 0x20, 0x40]] } else { [[1; 3], [2; 3], [4; 3]] };
    let fields: [(&'static str, &[f32]); 3] =
        [("position", &bone.position), ("rotation", &bone.rotation), ("scale", &bone.scale)];
    let stored = fields.into_iter().zip(masks).filter(|(_, masks)| masks.iter().any(|mask| key.flags & mask != 0));
    let values = stored.map(|((name, floats), masks)| {
        // A rotation has one component more than its axes, and all of them have the same flag.
        let masks = masks.into_iter().chain(masks.last().copied());
        let axes = floats
            .iter()
            .zip(masks)
            .map(|(float, mask)| if key.flags & mask == 0 { Value::Missing } else { Value::Float(*float) });
        (name.into(), Value::List(axes.collect()))
    });
    values.collect()
}
