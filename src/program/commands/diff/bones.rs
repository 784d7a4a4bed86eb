//! Compares the bones of two meshes, and the list of their clips.

use super::both::Both;
use super::comparison::MeshComparison;
use super::difference::DiffPlace;
use super::options::DiffKind;
use super::pairing::Pairing;
use super::poses::BonePairs;
use super::value::DiffValue;
use crate::model::Bone;
use crate::{Animations, Clip, Result};

/// The bones or clips of both meshes: their names, and their pairs.
struct NamedPairs {
    names: Both<Vec<Vec<u8>>>,
    pairing: Pairing,
}

impl NamedPairs {
    fn new(names: Both<Vec<Vec<u8>>>) -> Self {
        let pairing = Pairing::of_names(names.as_ref().map(Vec::as_slice));
        Self { names, pairing }
    }

    fn names(&self) -> Both<&[Vec<u8>]> {
        self.names.as_ref().map(Vec::as_slice)
    }

    fn place<'p>(&'p self, place: &'p DiffPlace<'_>, list: &'p str, pair: Both<usize>) -> DiffPlace<'p> {
        let name = self.names.a.get(pair.a).map(Vec::as_slice).unwrap_or_default();
        place.item(list, pair, name)
    }
}

impl MeshComparison<'_, '_> {
    /// Compares the bones and the clips of two assets.
    pub fn compare_animations(&mut self, place: &DiffPlace<'_>, motions: Both<&dyn Animations>) -> anyhow::Result<()> {
        let bones = NamedPairs::new(self.read(motions, bone_names)?);
        self.compare_counts(place, "bones", "bones", bones.names().map(<[_]>::len))?;
        let partners = bones.pairing.partners_of_b(bones.names.b.len());
        let mut rests = Vec::new();
        for pair in &bones.pairing.pairs {
            let found = self.read(motions.zip(*pair), |(motion, bone)| motion.bone(bone))?;
            rests.push(found.as_ref().map(|bone| bone.bind));
            let place = bones.place(place, "bone", *pair);
            self.compare_bone_facts(&place, &found, &partners)?;
            self.compare_inverse_binds(&place, motions, *pair)?;
        }
        self.add_unpaired(place, "bone", bones.names(), &bones.pairing)?;
        let is_same_order = partners.iter().enumerate().all(|(bone, partner)| *partner == Some(bone));
        let have_bones = !bones.names.a.is_empty() && !bones.names.b.is_empty();
        self.bone_partners = Some(partners).filter(|_| have_bones && !is_same_order);
        if have_bones {
            let shapes = self.read(motions, Animations::bind_shape)?;
            let shapes = shapes.map(|shape| shape.columns_f32());
            let floats = shapes.as_ref().map(|columns| columns.as_flattened());
            self.sink.compare_floats(DiffKind::Animations, &place.part("bind_shape", "bind shape"), floats)?;
        }
        let (counts, tolerance) = (bones.names().map(<[_]>::len), self.options().tolerance);
        self.compare_clips(place, motions, &BonePairs::new(&bones.pairing.pairs, &rests, counts, &tolerance))
    }

    fn compare_bone_facts(
        &mut self,
        place: &DiffPlace<'_>,
        bones: &Both<Bone<'_>>,
        partners: &[Option<usize>],
    ) -> anyhow::Result<()> {
        let names = bones.as_ref().map(|bone| Some(bone.name));
        self.sink.compare_as(DiffKind::Names, &place.part("name", "name"), names, DiffValue::name)?;
        let parents = bones.as_ref().map(|bone| usize::try_from(bone.parent).ok());
        let partner = parents.b.and_then(|parent| partners.get(parent).copied().flatten());
        if parents.a != partner || parents.a.is_none() != parents.b.is_none() {
            let values = bones.as_ref().map(|bone| DiffValue::Integer(bone.parent.into()));
            self.sink.compare(DiffKind::Names, &place.part("parent", "parent"), values)?;
        }
        let Both { a, b } = bones.as_ref().map(|bone| &bone.bind);
        let kind = DiffKind::Animations;
        self.sink.compare_floats(
            kind,
            &place.part("rest.position", "rest position"),
            Both::new(&a.position, &b.position),
        )?;
        self.sink.compare_floats(
            kind,
            &place.part("rest.rotation", "rest rotation"),
            Both::new(&a.rotation, &b.rotation),
        )?;
        Ok(self.sink.compare_floats(kind, &place.part("rest.scale", "rest scale"), Both::new(&a.scale, &b.scale))?)
    }

    fn compare_inverse_binds(
        &mut self,
        place: &DiffPlace<'_>,
        motions: Both<&dyn Animations>,
        pair: Both<usize>,
    ) -> anyhow::Result<()> {
        let binds = self.read(motions.zip(pair), |(motion, bone)| motion.inverse_bind(bone))?;
        let Some(binds) = binds.all() else { return Ok(()) };
        let columns = binds.map(|bind| bind.columns_f32());
        let floats = columns.as_ref().map(|columns| columns.as_flattened());
        let place = place.part("inverse_bind", "inverse bind matrix");
        Ok(self.sink.compare_floats(DiffKind::Animations, &place, floats)?)
    }

    fn compare_clips(
        &mut self,
        place: &DiffPlace<'_>,
        motions: Both<&dyn Animations>,
        bones: &BonePairs,
    ) -> anyhow::Result<()> {
        let clips = NamedPairs::new(self.read(motions, clip_names)?);
        self.compare_counts(place, "clips", "clips", clips.names().map(<[_]>::len))?;
        for pair in &clips.pairing.pairs {
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
        Ok(self.add_unpaired(place, "clip", clips.names(), &clips.pairing)?)
    }

    fn compare_clip_facts(&mut self, place: &DiffPlace<'_>, clips: &Both<Clip<'_>>) -> anyhow::Result<()> {
        let clips = clips.as_ref();
        let kind = DiffKind::Names;
        self.sink.compare_as(kind, &place.part("name", "name"), clips.map(|clip| Some(clip.name)), DiffValue::name)?;
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
            self.sink.compare_as(DiffKind::Names, &place.part("function", "function"), functions, DiffValue::name)?;
            let times = events.map(|event| event.map(|event| event.time));
            let times = times.as_ref().map(Option::as_slice);
            self.sink.compare_floats(DiffKind::Names, &place.part("time", "time"), times)?;
        }
        Ok(())
    }
}

fn bone_names(motion: &dyn Animations) -> Result<Vec<Vec<u8>>> {
    (0..motion.bone_count()?).map(|bone| Ok(motion.bone(bone)?.name.to_vec())).collect()
}

fn clip_names(motion: &dyn Animations) -> Result<Vec<Vec<u8>>> {
    (0..motion.clip_count()?).map(|clip| Ok(motion.clip(clip)?.name.to_vec())).collect()
}
