//! A long motion of many bones: in an an10 and an an11 file, and embedded in an ms12 mesh.
//!
//! As in real files that store only changes, about half of all keys store nothing, and most others
//! store only a rotation.

use std::f32::consts::TAU;
use std::fs;
use std::path::PathBuf;

use crate::support::unigine_builder as builder;
use meshpeek::model::Transform;
use meshpeek::unigine::{AnimationGeneration, Generation};
use tempfile::TempDir;

use super::random;

/// The number of bones of the skeleton. The motion moves all of them.
pub const BONES: u32 = 60;

/// The three files, which are removed when this value is dropped.
pub struct Motions {
    pub frames: u32,
    pub an10: PathBuf,
    pub an11: PathBuf,
    pub ms12: PathBuf,
    _folder: TempDir,
}

impl Motions {
    /// Writes the files: 10,000 frames, or 300 if the bench runs as a test.
    pub fn write() -> Self {
        let frames = if crate::support::claims::testing() { 300 } else { 10_000 };
        let folder = tempfile::tempdir().unwrap();
        let [an10, an11, ms12] = ["an10.anim", "an11.anim", "ms12.mesh"].map(|name| folder.path().join(name));
        let embedded = builder::Mesh {
            bones: bones(),
            animations: vec![builder::Animation { name: "long".into(), ..animation(frames, true) }],
            ..builder::Mesh::new(Generation::Ms12)
        };
        fs::write(&ms12, embedded.to_bytes().unwrap()).unwrap();
        fs::write(&an10, file(AnimationGeneration::An10, frames)).unwrap();
        fs::write(&an11, file(AnimationGeneration::An11, frames)).unwrap();
        Self { frames, an10, an11, ms12, _folder: folder }
    }
}

/// Returns the bytes of a file with the given number of frames.
pub fn file(generation: AnimationGeneration, frames: u32) -> Vec<u8> {
    let changes = generation == AnimationGeneration::An10;
    let name = if changes { "long".into() } else { String::new() };
    let animations = vec![builder::Animation { name, ..animation(frames, changes) }];
    let file = builder::AnimationFile { bones: bones(), animations, ..builder::AnimationFile::new(generation) };
    file.to_bytes().unwrap()
}

fn bones() -> Vec<builder::Bone> {
    let bone = |number: u32| builder::Bone {
        name: format!("bone {number}"),
        parent: i16::try_from(number).unwrap() - 1,
        bind: Transform::default(),
    };
    (0..BONES).map(bone).collect()
}

/// Returns an animation whose keys store only changes, or all values of each frame.
fn animation(frames: u32, changes: bool) -> builder::Animation {
    let mut all = vec![builder::BoneKey::default(); BONES as usize];
    let frame = |frame: u32| {
        let keys = (0..BONES).zip(&mut all).map(|(bone, now)| {
            let new = key(frame, bone);
            for (now, new) in now.position.iter_mut().zip(new.position) {
                *now = new.or(*now);
            }
            now.rotation = new.rotation.or(now.rotation);
            for (now, new) in now.scale.iter_mut().zip(new.scale) {
                *now = new.or(*now);
            }
            if changes { new } else { *now }
        });
        keys.collect()
    };
    let frames = (0..frames).map(frame).collect();
    builder::Animation { bones: (0..BONES as i16).collect(), flags: 0x7f, frames, ..builder::Animation::default() }
}

/// Returns a key. In frame 0 it has all values. Later, 52 of 100 keys have no values, 36 have a
/// rotation, and 12 have a rotation and positions.
fn key(frame: u32, bone: u32) -> builder::BoneKey {
    let chance = random(frame * BONES + bone);
    let time = frame as f32 * 0.02 + bone as f32;
    let (half, pace) = ((time * 0.37).sin() * TAU / 8.0, time * 0.11);
    let axis = [pace.sin() * 0.8, pace.cos() * 0.8, 0.6];
    let [x, y, z] = axis.map(|part| part * half.sin());
    let rotation = Some([x, y, z, half.cos()]);
    let moved = |axis: u32| Some((time * (0.5 + axis as f32 * 0.1)).cos() * 0.3 + axis as f32);
    let some_axes = [0, 1, 2].map(|axis| moved(axis).filter(|_| (chance / 100 % 7 + 1) >> axis & 1 == 1));
    match chance % 100 {
        _ if frame == 0 => builder::BoneKey { position: [0, 1, 2].map(moved), rotation, scale: [Some(1.0); 3] },
        ..52 => builder::BoneKey::default(),
        52..88 => builder::BoneKey { rotation, ..builder::BoneKey::default() },
        _ => builder::BoneKey { rotation, position: some_axes, ..builder::BoneKey::default() },
    }
}
