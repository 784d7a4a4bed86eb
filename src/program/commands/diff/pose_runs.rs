//! Runs of frames in which a bone has the same transform in both clips.
//!
//! The keys of a clip are compared instead of its poses. A clip may have a million frames of a
//! thousand bones with a handful of keys.

// Rule: this file sorts and maps by copies only.

use std::ops::Range;

use super::both::Both;
use super::difference::ItemDifferences;
use super::items::FoundItems;
use super::options::Tolerance;
use super::value::DiffValue;
use crate::Animations;
use crate::Result;
use crate::math::as_u64;
use crate::model::Transform;
use crate::model::animation::{KeyValue, Property};

/// The properties of a bone, in the order of their differences.
pub const PROPERTIES: [Property; 3] = [Property::Position, Property::Rotation, Property::Scale];

/// The value of a property. Only a rotation has a fourth number.
type PoseValue = [f32; 4];

/// The value of a property of a paired bone from a frame on.
#[derive(Clone, Copy, Debug)]
pub struct PairKey {
    pub pair: usize,
    pub property: Property,
    pub frame: u32,
    pub value: PoseValue,
}

/// Returns a property of a transform.
pub fn value_of(transform: &Transform, property: Property) -> PoseValue {
    let wide = |[x, y, z]: [f32; 3]| [x, y, z, 0.0];
    match property {
        Property::Position => wide(transform.position),
        Property::Scale => wide(transform.scale),
        _ => transform.rotation,
    }
}

/// Reads the keys of a clip in the first `frames` frames. `pairs` has the number of the pair of
/// each bone. The keys are sorted by pair, property and frame.
pub fn read_keys(motion: &dyn Animations, clip: usize, frames: u32, pairs: &[Option<usize>]) -> Result<Vec<PairKey>> {
    let mut keys = Vec::new();
    for key in motion.keys(clip, None)? {
        let key = key?;
        let pair = key.bone.and_then(|bone| pairs.get(bone).copied().flatten());
        let Some(pair) = pair.filter(|_| key.frame < frames) else { continue };
        let wide = |[x, y, z]: [f32; 3]| [x, y, z, 0.0];
        let value = match key.value {
            KeyValue::Position(value) | KeyValue::Scale(value) => wide(value),
            KeyValue::Rotation(value) => value,
            KeyValue::VertexFrame(_) => continue,
        };
        keys.push(PairKey { pair, property: key.value.property(), frame: key.frame, value });
    }
    keys.sort_by_key(|key| (key.pair, key.property, key.frame));
    Ok(keys)
}

/// Returns the difference of two values, or `None` if they count as equal.
fn difference(property: Property, values: &Both<PoseValue>, tolerance: &Tolerance) -> Option<f64> {
    let Both { a, b } = values.as_ref().map(|value| value.map(f64::from));
    let same = tolerance.greatest(&a, &b);
    if property == Property::Rotation {
        // A quaternion and its negation are the same rotation.
        return Some(same?.min(tolerance.greatest(&a, &b.map(|part| -part))?));
    }
    same
}

/// The differences of one property of the bones: their number, and the first of them.
pub struct RunCounter {
    pub property: Property,
    tolerance: Tolerance,
    /// The number of the pair of the first difference, and the differences.
    found: Option<(usize, FoundItems)>,
}

impl RunCounter {
    pub const fn new(property: Property, tolerance: Tolerance) -> Self {
        Self { property, tolerance, found: None }
    }

    /// Adds the frames in which a pair of bones has two values. `bone` is the bone of A.
    fn add(&mut self, frames: Range<u32>, pair: usize, bone: usize, values: &Both<PoseValue>) {
        let count = u64::from(frames.end.saturating_sub(frames.start));
        if let Some(largest) = difference(self.property, values, &self.tolerance).filter(|_| count > 0) {
            self.add_differing(u64::from(frames.start), count, (pair, bone), largest, values);
        }
    }

    fn add_differing(
        &mut self,
        first: u64,
        count: u64,
        (pair, bone): (usize, usize),
        largest: f64,
        values: &Both<PoseValue>,
    ) {
        let before = self.found.take();
        let is_first = before.as_ref().is_none_or(|(known, found)| (first, pair) < (found.items.first, *known));
        let (sum, most) = before.as_ref().map_or((0, None), |(_, found)| (found.items.count, found.items.largest));
        let width = if self.property == Property::Rotation { 4 } else { 3 };
        let shown = |value: &PoseValue| DiffValue::Floats(value.iter().take(width).copied().collect());
        let new = || {
            let items = ItemDifferences { count: 0, of: 0, first, bone: Some(bone), largest: None };
            (pair, FoundItems { items, values: values.as_ref().map(shown) })
        };
        let mut found = before.filter(|_| !is_first).unwrap_or_else(new);
        found.1.items.count = sum.saturating_add(count);
        found.1.items.largest = Some(most.map_or(largest, |most| most.max(largest)));
        self.found = Some(found);
    }

    /// Adds the frames of a pair of bones: its rest transforms, and its keys of this property.
    pub fn add_keys(
        &mut self,
        (pair, bone): (usize, usize),
        rest: &Both<Transform>,
        keys: &Both<&[PairKey]>,
        frames: u32,
    ) {
        let mut values = rest.as_ref().map(|rest| value_of(rest, self.property));
        let (mut start, mut left) = (0, *keys);
        loop {
            let next = [left.a, left.b].into_iter().filter_map(|keys| Some(keys.first()?.frame)).min();
            let end = next.unwrap_or(frames).min(frames);
            self.add(start..end, pair, bone, &values);
            let Some(frame) = next else { break };
            take_value(&mut left.a, frame, &mut values.a);
            take_value(&mut left.b, frame, &mut values.b);
            start = end;
        }
    }

    /// Adds pairs of bones that have their rest transforms in all frames.
    pub fn add_rest(&mut self, rest: &RestDifferences, frames: u32, moved: &[usize]) {
        let is_still = |found: &&RestDifference| moved.binary_search(&found.pair).is_err();
        let moved = moved.iter().filter(|pair| rest.has(**pair)).count();
        let count = as_u64(rest.by_pair.len().saturating_sub(moved)).saturating_mul(frames.into());
        let largest = rest.by_size.iter().filter_map(|at| rest.by_pair.get(*at)).find(is_still);
        if let (Some(first), Some(largest), true) = (rest.by_pair.iter().find(is_still), largest, count > 0) {
            self.add_differing(0, count, (first.pair, first.bone), largest.largest, &first.values);
        }
    }

    /// Returns the differences, or `None` if there are none. `of` is the number of transforms that
    /// were compared.
    pub fn finish(self, of: u64) -> Option<FoundItems> {
        let (_, mut found) = self.found?;
        found.items.of = of;
        Some(found)
    }
}

/// Takes the keys of a frame from the start of a list. The last of them is the value of the frame.
fn take_value(keys: &mut &[PairKey], frame: u32, value: &mut PoseValue) {
    while let [key, rest @ ..] = *keys
        && key.frame <= frame
    {
        (*value, *keys) = (key.value, rest);
    }
}

/// A pair of bones whose rest transforms differ in a property.
struct RestDifference {
    pair: usize,
    /// The bone of A.
    bone: usize,
    largest: f64,
    values: Both<PoseValue>,
}

/// The pairs of bones whose rest transforms differ in a property.
#[derive(Default)]
pub struct RestDifferences {
    by_pair: Vec<RestDifference>,
    /// The indices of `by_pair`, the largest difference first.
    by_size: Vec<usize>,
}

impl RestDifferences {
    /// Compares the rest transforms of all pairs.
    pub fn new(property: Property, tolerance: &Tolerance, rests: &[(usize, Both<Transform>)]) -> Self {
        let found = rests.iter().enumerate().filter_map(|(pair, (bone, rest))| {
            let values = rest.as_ref().map(|rest| value_of(rest, property));
            let largest = difference(property, &values, tolerance)?;
            Some(RestDifference { pair, bone: *bone, largest, values })
        });
        let by_pair: Vec<_> = found.collect();
        let mut by_size: Vec<usize> = (0..by_pair.len()).collect();
        let size = |at: &usize| by_pair.get(*at).map_or(0.0, |found| found.largest);
        by_size.sort_by(|one, other| size(other).total_cmp(&size(one)));
        Self { by_pair, by_size }
    }

    fn has(&self, pair: usize) -> bool {
        self.by_pair.binary_search_by_key(&pair, |found| found.pair).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_negated_quaternion_is_the_same_rotation() {
        let exact = Tolerance::default();
        let turned = |a, b| difference(Property::Rotation, &Both::new(a, b), &exact);
        assert_eq!(turned([0.0, 0.5, 0.0, 1.0], [0.0, -0.5, 0.0, -1.0]), None);
        assert_eq!(turned([0.0, 0.5, 0.0, 1.0], [0.0, -0.5, 0.0, -0.75]), Some(0.25));
    }

    /// Returns the number, the first frame, the bone and the largest of the differences.
    fn counted(counter: RunCounter) -> Option<(u64, u64, Option<usize>, Option<f64>)> {
        let ItemDifferences { count, first, bone, largest, .. } = counter.finish(0)?.items;
        Some((count, first, bone, largest))
    }

    fn key(pair: usize, frame: u32, x: f32) -> PairKey {
        PairKey { pair, property: Property::Position, frame, value: [x, 0.0, 0.0, 0.0] }
    }

    #[test]
    fn counts_the_frames_between_keys() {
        let counter = || RunCounter::new(Property::Position, Tolerance::default());
        let rest = Both::new(Transform::default(), Transform::default());
        let (a, b) = ([key(0, 2, 1.0), key(0, 7, 0.0)], [key(0, 4, 1.0), key(0, 8, 3.0)]);
        let mut found = counter();
        found.add_keys((0, 5), &rest, &Both::new(&a, &b), 10);
        // Frames 2, 3, 7, 8 and 9 differ.
        assert_eq!(counted(found), Some((5, 2, Some(5), Some(3.0))));
        let mut same = counter();
        same.add_keys((0, 5), &rest, &Both::new(&a, &a), 10);
        assert_eq!(counted(same), None);
        // The first difference is that of the lowest frame, and then that of the lowest pair.
        let mut both = counter();
        both.add_keys((1, 6), &rest, &Both::new(&[], &b), 10);
        both.add_keys((0, 5), &rest, &Both::new(&[], &b), 10);
        both.add_keys((2, 7), &rest, &Both::new(&a[..1], &[]), 3);
        assert_eq!(counted(both), Some((13, 2, Some(7), Some(3.0))));
    }

    #[test]
    fn counts_the_frames_of_bones_that_do_not_move() {
        let at = |x| Transform { position: [x, 0.0, 0.0], ..Transform::default() };
        let rests =
            [(3, Both::new(at(0.0), at(1.0))), (4, Both::new(at(0.0), at(0.0))), (5, Both::new(at(0.0), at(9.0)))];
        let rest = RestDifferences::new(Property::Position, &Tolerance::default(), &rests);
        let counted = |moved: &[usize]| {
            let mut counter = RunCounter::new(Property::Position, Tolerance::default());
            counter.add_rest(&rest, 1000, moved);
            counted(counter)
        };
        assert_eq!(counted(&[]), Some((2000, 0, Some(3), Some(9.0))));
        assert_eq!(counted(&[0, 1]), Some((1000, 0, Some(5), Some(9.0))));
        assert_eq!(counted(&[1, 2]), Some((1000, 0, Some(3), Some(1.0))));
        assert_eq!(counted(&[0, 2]), None);
    }
}
