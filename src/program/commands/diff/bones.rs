//! Compares the bones of two meshes, and the list of their clips.

use super::both::Both;
use super::comparison::MeshComparison;
use super::difference::DiffPlace;
use super::options::DiffKind;
use super::pairing::{Pairing, names};
use super::poses::BonePairs;
use super::value::DiffValue;
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
