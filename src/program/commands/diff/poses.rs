//! Compares the poses of two clips by their keys.

// Rule: this file sorts and maps by copies only.

use super::both::Both;
use super::comparison::MeshComparison;
use super::difference::DiffPlace;
use super::options::{DiffKind, Tolerance};
use super::pose_runs::{PROPERTIES, PairKey, RestDifferences, RunCounter, read_keys};
use crate::Animations;
use crate::math::as_u64;
use crate::model::Transform;

/// The paired bones of two meshes.
pub struct BonePairs {
    /// For each pair, the bone of A and the rest transforms.
    rests: Vec<(usize, Both<Transform>)>,
    /// The number of the pair of each bone.
    numbers: Both<Vec<Option<usize>>>,
    /// The differences of the rest positions, rotations and scales.
    differences: [RestDifferences; 3],
}

impl BonePairs {
    pub fn new(pairs: &[Both<usize>], rests: &[Both<Transform>], counts: Both<usize>, tolerance: &Tolerance) -> Self {
        let mut numbers = counts.map(|count| vec![None; count]);
        let set = |list: &mut Vec<Option<usize>>, bone: usize, pair: usize| {
            list.iter_mut().skip(bone).take(1).for_each(|number| *number = Some(pair));
        };
        for (number, pair) in pairs.iter().enumerate() {
            set(&mut numbers.a, pair.a, number);
            set(&mut numbers.b, pair.b, number);
        }
        let rests: Vec<_> = pairs.iter().map(|pair| pair.a).zip(rests.iter().copied()).collect();
        let differences = PROPERTIES.map(|property| RestDifferences::new(property, tolerance, &rests));
        Self { rests, numbers, differences }
    }

    pub const fn is_empty(&self) -> bool {
        self.rests.is_empty()
    }
}

impl MeshComparison<'_, '_> {
    /// Compares the transforms of the paired bones in all frames that both clips have.
    pub fn compare_poses(
        &mut self,
        place: &DiffPlace<'_>,
        motions: Both<&dyn Animations>,
        clips: Both<usize>,
        bones: &BonePairs,
    ) -> anyhow::Result<()> {
        let found = self.read(motions.zip(clips), |(motion, clip)| motion.clip(clip))?;
        // A clip of vertex frames has no poses. Its frames are compared as vertex frames.
        if found.as_ref().map(|clip| clip.first_vertex_frame).all().is_some() {
            return Ok(());
        }
        let frames = found.a.frames.min(found.b.frames);
        let sources = motions.zip(clips).zip(bones.numbers.as_ref());
        let keys = self.read(sources, |((motion, clip), numbers)| read_keys(motion, clip, frames, numbers))?;
        let counters = compare_keys(&keys.as_ref().map(Vec::as_slice), bones, frames, self.options().tolerance);
        let of = u64::from(frames).saturating_mul(as_u64(bones.rests.len()));
        for (name, counter) in ["positions", "rotations", "scales"].into_iter().zip(counters) {
            self.add_items(DiffKind::Animations, &place.part(name, name), counter.finish(of))?;
        }
        Ok(())
    }
}

/// Counts the differences of the positions, rotations and scales of two clips.
fn compare_keys(keys: &Both<&[PairKey]>, bones: &BonePairs, frames: u32, tolerance: Tolerance) -> [RunCounter; 3] {
    let mut counters = PROPERTIES.map(|property| RunCounter::new(property, tolerance));
    let mut moved: Vec<usize> = keys.a.iter().chain(keys.b).map(|key| key.pair).collect();
    moved.sort_unstable();
    moved.dedup();
    let mut left = *keys;
    for (pair, (bone, rest)) in moved.iter().filter_map(|pair| Some((*pair, bones.rests.get(*pair)?))) {
        for counter in &mut counters {
            let own = Both::new(take_channel(&mut left.a, pair, counter), take_channel(&mut left.b, pair, counter));
            counter.add_keys((pair, *bone), rest, &own, frames);
        }
    }
    for (counter, rest) in counters.iter_mut().zip(&bones.differences) {
        counter.add_rest(rest, frames, &moved);
    }
    counters
}

/// Takes the keys of one property of a pair from the start of a list.
fn take_channel<'k>(keys: &mut &'k [PairKey], pair: usize, counter: &RunCounter) -> &'k [PairKey] {
    let is_own = |key: &PairKey| key.pair == pair && key.property == counter.property;
    let (own, rest) = keys.split_at_checked(keys.iter().take_while(|key| is_own(key)).count()).unwrap_or_default();
    *keys = rest;
    own
}
