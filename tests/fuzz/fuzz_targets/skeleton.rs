//! Skeletons and retargeting: bones with any parents, names and transforms.
//!
//! The results equal those of a recursion over the parents, and of a search for each name.
#![no_main]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    reason = "a panic is how a fuzz target fails"
)]

#[path = "shared/input.rs"]
mod input;
#[path = "../../support/mod.rs"]
mod support;

use input::Input;
use libfuzzer_sys::fuzz_target;
use meshpeek::model::animation::{Affine, Retarget, SkinMatrix};
use meshpeek::model::{Bone, Transform};
use meshpeek::{Animations, Clip, Error, ErrorKind, Field, FormatVersion, FrameBlend, Name, Pose, Result, Skeleton};

/// Bones and one clip in memory.
struct Rig {
    bones: Vec<(Vec<u8>, i32, Transform)>,
    moved: Vec<bool>,
    frames: Vec<Vec<Transform>>,
    rate: Option<f32>,
}

impl Rig {
    fn new(input: &mut Input<'_>) -> Self {
        let bones = input.list(9, |input| (input.name(), -1, input.transform()));
        let count = bones.len();
        let frames = 1 + input.below(3);
        let frames = (0..frames).map(|_| (0..count).map(|_| input.transform()).collect()).collect();
        let moved = (0..count).map(|_| input.byte() > 60).collect();
        let rate = input.flag().then(|| input.float());
        let mut rig = Self { bones, moved, frames, rate };
        for (_, parent, _) in &mut rig.bones {
            *parent = match input.byte() {
                0..=3 => input.word() as i32,
                4..=40 => -1,
                number => i32::from(number) % (count as i32),
            };
        }
        rig
    }

    fn fault(&self, index: usize) -> Error {
        let text = format!("expected a number below {}, found {index}", self.frames.len());
        Error::custom(ErrorKind::NoSuch, text).located("rig", Field::new("frame"), None)
    }

    /// Returns the first bone with a name.
    fn named(&self, name: &[u8]) -> Option<usize> {
        self.bones.iter().position(|(known, ..)| known == name)
    }
}

impl FormatVersion for Rig {
    fn format(&self) -> &'static str {
        "rig"
    }
    fn version(&self) -> &'static str {
        "rig 1"
    }
}

impl Animations for Rig {
    fn bone_count(&self) -> Result<usize> {
        Ok(self.bones.len())
    }
    fn bone(&self, bone: usize) -> Result<Bone<'_>> {
        let (name, parent, bind) = &self.bones[bone];
        Ok(Bone { name: Name::new(name), parent: *parent, bind: *bind })
    }
    fn clip_count(&self) -> Result<usize> {
        Ok(1)
    }
    fn clip(&self, clip: usize) -> Result<Clip<'_>> {
        if clip > 0 {
            return Err(self.fault(clip));
        }
        let (frames, bones) = (self.frames.len() as u32, self.bones.len() as u32);
        Ok(Clip { name: Name::new(b"clip"), frames, bones, rate: self.rate, first_vertex_frame: None })
    }
    fn pose(&self, clip: usize, frame: usize, out: &mut [Transform]) -> Result<()> {
        self.clip(clip)?;
        out.copy_from_slice(self.frames.get(frame).ok_or_else(|| self.fault(frame))?);
        Ok(())
    }
    fn animated_bones(&self, clip: usize, out: &mut [bool]) -> Result<()> {
        self.clip(clip)?;
        out.copy_from_slice(&self.moved);
        Ok(())
    }
}

/// Returns the parent of a bone, or `Err` if it is not a bone.
fn parent(rig: &Rig, bone: usize) -> Result<Option<usize>, ()> {
    match rig.bones[bone].1 {
        -1 => Ok(None),
        parent => usize::try_from(parent).ok().filter(|parent| *parent < rig.bones.len()).map(Some).ok_or(()),
    }
}

/// Returns whether a bone is its own ancestor.
fn is_in_cycle(rig: &Rig, bone: usize) -> bool {
    let mut at = parent(rig, bone);
    for _ in 0..rig.bones.len() {
        match at {
            Ok(Some(found)) if found == bone => return true,
            Ok(Some(found)) => at = parent(rig, found),
            _ => return false,
        }
    }
    false
}

fn map(rig: &Rig, local: &[Transform], bone: usize) -> Affine {
    let own = Affine::from(&local[bone]);
    parent(rig, bone).unwrap().map_or(own, |parent| own.then(&map(rig, local, parent)))
}

fn is_same(one: &Affine, other: &Affine) -> bool {
    let all = |map: &Affine| map.columns().concat();
    all(one)
        .iter()
        .zip(all(other))
        .all(|(one, other)| one.to_bits() == other.to_bits() || one.is_nan() && other.is_nan())
}

fn bits(bones: &[Transform]) -> Vec<Option<u32>> {
    let numbers = |bone: &Transform| [&bone.position[..], &bone.rotation, &bone.scale].concat();
    // NaNs may differ in their bits.
    let bits = |number: f32| (!number.is_nan()).then(|| number.to_bits());
    bones.iter().flat_map(numbers).map(bits).collect()
}

fn look_at_skeleton(rig: &Rig) {
    let count = rig.bones.len();
    let skeleton = match Skeleton::new(rig) {
        Ok(skeleton) => skeleton,
        Err(error) => {
            assert_eq!((error.kind().id(), error.field().name(), error.format()), ("value", "parent", "rig"));
            let bone = error.field().outer().unwrap().1 as usize;
            let is_wild = (0..count).any(|bone| parent(rig, bone).is_err());
            assert!(if is_wild { parent(rig, bone).is_err() } else { is_in_cycle(rig, bone) }, "{error}");
            return;
        }
    };
    assert!((0..count).all(|bone| !is_in_cycle(rig, bone) && parent(rig, bone) == Ok(skeleton.parent(bone))));
    let rest: Vec<Transform> = rig.bones.iter().map(|(.., bind)| *bind).collect();
    let mut palette = vec![SkinMatrix::IDENTITY; count];
    for local in rig.frames.iter().chain([&rest]) {
        let mut model = vec![Affine::IDENTITY; count];
        skeleton.model(local, &mut model).unwrap();
        assert!((0..count).all(|bone| is_same(&model[bone], &map(rig, local, bone))));
        let back: Vec<_> = (0..count).map(|bone| map(rig, &rest, bone).inverse()).collect();
        match (skeleton.palette(&model, &mut palette), back.iter().position(Option::is_none)) {
            (Ok(()), None) => {
                for ((back, model), found) in back.iter().flatten().zip(&model).zip(&palette) {
                    let expected = SkinMatrix::from(&back.then(model));
                    let all = found.columns.as_flattened().iter().zip(expected.columns.as_flattened());
                    assert!(all.into_iter().all(|(one, other)| one == other || one.is_nan() && other.is_nan()));
                }
            }
            (Err(error), Some(bone)) => assert_eq!(error.field().to_string(), format!("bone[{bone}].bind")),
            unlike => panic!("{unlike:?}"),
        }
    }
}

fn look_at_retarget(onto: &Rig, from: &Rig, input: &mut Input<'_>) {
    let mut retarget = Retarget::new(onto, from).unwrap();
    // The first bone of a name is meant, in both files.
    let first = |rig: &Rig, bone: usize| rig.named(&rig.bones[bone].0) == Some(bone);
    let lost: Vec<usize> =
        (0..from.bones.len()).filter(|bone| first(from, *bone) && onto.named(&from.bones[*bone].0).is_none()).collect();
    let missing: Vec<String> = lost.iter().map(|bone| Name::new(&from.bones[*bone].0).to_string()).collect();
    assert_eq!(retarget.missing(), missing);
    let source = |bone: usize| first(onto, bone).then(|| from.named(&onto.bones[bone].0)).flatten();
    assert_eq!(retarget.matched(), (0..onto.bones.len()).filter(|bone| source(*bone).is_some()).count());
    for _ in 0..3 {
        let [start, end] = [input.below(4), input.below(4)].map(|frame| frame as u32);
        let moment = FrameBlend { from: start, to: end, fraction: f32::from(input.byte()) / 255.0 };
        let mut out = vec![Transform::default(); onto.bones.len()];
        let done = retarget.pose_between(from, 0, &moment, &mut out);
        let is_between = start != end && moment.fraction > 0.0;
        let is_lost = lost.iter().any(|bone| from.moved[*bone]);
        let frames = [start as usize, if is_between { end } else { start } as usize];
        let is_beyond = frames.iter().any(|frame| *frame >= from.frames.len());
        match done {
            Err(error) if is_lost => assert_eq!(error.kind().id(), "missing"),
            Err(error) => assert!(is_beyond && error.kind().id() == "no-such", "{error}"),
            Ok(()) => {
                assert!(!is_lost && !is_beyond);
                let pose = |bone: usize| {
                    let [one, other] = frames.map(|frame| from.frames[frame][bone]);
                    if is_between { one.interpolate(&other, moment.fraction) } else { one }
                };
                let expected: Vec<Transform> = (0..onto.bones.len())
                    .map(|bone| source(bone).filter(|bone| from.moved[*bone]).map_or(onto.bones[bone].2, pose))
                    .collect();
                assert_eq!(bits(&out), bits(&expected));
            }
        }
    }
}

fn look_at_moments(rig: &Rig, input: &mut Input<'_>) {
    let (seconds, rate, looped) = (input.float(), input.flag().then(|| input.float()), input.flag());
    let mut pose = Pose::rest(rig).unwrap();
    match (pose.set_time(rig, 0, seconds, rate, looped), rig.clip(0).unwrap().at(seconds, rate, looped)) {
        (Ok(()), Some(FrameBlend { from, to, fraction })) => {
            assert!((0.0..=1.0).contains(&fraction));
            let [one, other] = [from, to].map(|frame| &rig.frames[frame as usize]);
            let is_exact = from == to || fraction == 0.0;
            let mixed = |(one, other): (&Transform, &Transform)| {
                if is_exact { *one } else { one.interpolate(other, fraction) }
            };
            let expected: Vec<Transform> = one.iter().zip(other).map(mixed).collect();
            assert_eq!(bits(pose.bones()), bits(&expected));
        }
        (Err(error), None) => assert!(["missing", "value"].contains(&error.kind().id()), "{error}"),
        unlike => panic!("{unlike:?}"),
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input::new(bytes);
    let [onto, from] = [Rig::new(&mut input), Rig::new(&mut input)];
    look_at_skeleton(&onto);
    look_at_skeleton(&from);
    look_at_retarget(&onto, &from, &mut input);
    look_at_moments(&from, &mut input);
});
