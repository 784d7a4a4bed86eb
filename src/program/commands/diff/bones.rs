//! Compares the bones of two meshes, the list of their clips, and the keys of the clips.

// Rule: this file sorts and maps by copies only.

use super::both::Both;
use super::comparison::MeshComparison;
use super::difference::DiffPlace;
use super::options::{DiffKind, Tolerance};
use super::pairing::{Pairing, names};
use super::pose_runs::{PROPERTIES, PairKey, RestDifferences, RunCounter, read_keys};
use super::value::DiffValue;
use crate::math::as_u64;
use crate::model::{Bone, Transform};
use crate::{Animations, Clip};

impl MeshComparison<'_, '_> {
    /// Compares the bones and the clips of two assets.
    pub fn compare_animations(&mut self, place: &DiffPlace<'_>, motions: Both<&dyn Animations>) -> anyhow::Result<()> {
        let name = |motion: &dyn Animations| names(motion.bone_count()?, |bone| Ok(motion.bone(bone)?.name));
        let bones = Pairing::of_names(self.read(motions, name)?);
        let counts = bones.counts();
        self.compare_counts(place, "bones", "bones", counts)?;
        let partners = bones.partners_of_b();
        let mut rests = Vec::new();
        for pair in &bones.pairs {
            let found = self.read(motions.zip(*pair), |(motion, bone)| motion.bone(bone))?;
            rests.push(found.as_ref().map(|bone| bone.bind));
            let place = bones.place(place, "bone", *pair);
            self.compare_bone_facts(&place, &found, &partners)?;
            self.compare_inverse_binds(&place, motions, *pair)?;
        }
        self.add_unpaired(place, "bone", &bones)?;
        let is_same_order = partners.iter().enumerate().all(|(bone, partner)| *partner == Some(bone));
        let have_bones = counts.a > 0 && counts.b > 0;
        self.bone_partners = Some(partners).filter(|_| have_bones && !is_same_order);
        if have_bones {
            let shapes = self.read(motions, Animations::bind_shape)?;
            let place = place.part("bind_shape", "bind shape");
            self.sink.compare_matrices(DiffKind::Animations, &place, shapes.as_ref())?;
        }
        let tolerance = self.options().tolerance;
        self.compare_clips(place, motions, &BonePairs::new(&bones.pairs, &rests, counts, &tolerance))
    }

    fn compare_bone_facts(
        &mut self,
        place: &DiffPlace<'_>,
        bones: &Both<Bone<'_>>,
        partners: &[Option<usize>],
    ) -> anyhow::Result<()> {
        let names = bones.as_ref().map(|bone| Some(bone.name));
        self.sink.compare_names(place, "name", names)?;
        let parents = bones.as_ref().map(|bone| usize::try_from(bone.parent).ok());
        let partner = parents.b.and_then(|parent| partners.get(parent).copied().flatten());
        if parents.a != partner || parents.a.is_none() != parents.b.is_none() {
            let values = bones.as_ref().map(|bone| DiffValue::Integer(bone.parent.into()));
            self.sink.compare(DiffKind::Names, &place.part("parent", "parent"), values)?;
        }
        let rest = |part: fn(&Transform) -> &[f32]| bones.as_ref().map(|bone| part(&bone.bind));
        let parts = [
            ("rest.position", "rest position", rest(|rest| &rest.position)),
            ("rest.rotation", "rest rotation", rest(|rest| &rest.rotation)),
            ("rest.scale", "rest scale", rest(|rest| &rest.scale)),
        ];
        for (name, label, floats) in parts {
            self.sink.compare_floats(DiffKind::Animations, &place.part(name, label), floats)?;
        }
        Ok(())
    }

    fn compare_inverse_binds(
        &mut self,
        place: &DiffPlace<'_>,
        motions: Both<&dyn Animations>,
        pair: Both<usize>,
    ) -> anyhow::Result<()> {
        let binds = self.read(motions.zip(pair), |(motion, bone)| motion.inverse_bind(bone))?;
        let Some(binds) = binds.all() else { return Ok(()) };
        let place = place.part("inverse_bind", "inverse bind matrix");
        Ok(self.sink.compare_matrices(DiffKind::Animations, &place, binds.as_ref())?)
    }

    fn compare_clips(
        &mut self,
        place: &DiffPlace<'_>,
        motions: Both<&dyn Animations>,
        bones: &BonePairs,
    ) -> anyhow::Result<()> {
        let name = |motion: &dyn Animations| names(motion.clip_count()?, |clip| Ok(motion.clip(clip)?.name));
        let clips = Pairing::of_names(self.read(motions, name)?);
        self.compare_counts(place, "clips", "clips", clips.counts())?;
        for pair in &clips.pairs {
            if self.sink.is_decided() {
                return Ok(());
            }
            let found = self.read(motions.zip(*pair), |(motion, clip)| motion.clip(clip))?;
            let place = clips.place(place, "clip", *pair);
            self.compare_clip_facts(&place, &found)?;
            self.compare_events(&place, motions, *pair)?;
            if self.options().wants(DiffKind::Animations) && !bones.is_empty() {
                self.compare_poses(&place, motions, *pair, bones)?;
            }
        }
        Ok(self.add_unpaired(place, "clip", &clips)?)
    }

    fn compare_clip_facts(&mut self, place: &DiffPlace<'_>, clips: &Both<Clip<'_>>) -> anyhow::Result<()> {
        let clips = clips.as_ref();
        let kind = DiffKind::Names;
        self.sink.compare_names(place, "name", clips.map(|clip| Some(clip.name)))?;
        let frames = clips.map(|clip| DiffValue::Number(clip.frames.into()));
        self.sink.compare(kind, &place.part("frames", "frames"), frames)?;
        let rates = clips.map(|clip| clip.rate);
        self.sink.compare_floats(kind, &place.part("rate", "rate"), rates.as_ref().map(Option::as_slice))?;
        let first =
            clips.map(|clip| clip.first_vertex_frame.map_or(DiffValue::Missing, |at| DiffValue::Number(at.into())));
        Ok(self.sink.compare(kind, &place.part("first_vertex_frame", "first vertex frame"), first)?)
    }

    fn compare_events(
        &mut self,
        place: &DiffPlace<'_>,
        motions: Both<&dyn Animations>,
        pair: Both<usize>,
    ) -> anyhow::Result<()> {
        for index in 0_usize.. {
            let events = self.read(motions.zip(pair), |(motion, clip)| motion.event(clip, index))?;
            if events.a.is_none() && events.b.is_none() || self.sink.is_decided() {
                break;
            }
            let place = place.item("event", Both::new(index, index), &[]);
            let functions = events.map(|event| event.map(|event| event.function));
            self.sink.compare_names(&place, "function", functions)?;
            let times = events.map(|event| event.map(|event| event.time));
            let times = times.as_ref().map(Option::as_slice);
            self.sink.compare_floats(DiffKind::Names, &place.part("time", "time"), times)?;
        }
        Ok(())
    }
}

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
