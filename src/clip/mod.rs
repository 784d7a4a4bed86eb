//! The neutral view of animation: what a file says of its clips, which moment of one lies between which frames, and where
//! that puts the vertices.
//!
//! A file with bones implements [`Motion`]. From there to vertices it is four steps, each a call with a cost of its own:
//! a [`Pose`] holds every bone relative to its parent, at a frame or between two; a [`Skeleton`] resolves the parents and
//! makes an [`Affine`] map of each bone into the model; its [`palette`](Skeleton::palette) is what bones do to vertices at
//! their bind; and [`Skinned`] moves a surface's positions by one. A [`Retarget`] plays the clip of one file on the bones
//! of another.

mod affine;
mod blend;
mod pose;
mod retarget;
mod skeleton;
mod skin;

pub use affine::{Affine, SkinMatrix};
pub use pose::Pose;
pub use retarget::Retarget;
pub use skeleton::Skeleton;
pub use skin::Skinned;

use crate::bytes::as_u64;
use crate::error::{Error, ErrorKind, Result};
use crate::field::Field;
use crate::name::Name;
use crate::surface::{Bone, Transform};
use crate::vector::narrow;

/// An animation of a mesh file: how long it is, and what it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clip<'a> {
    /// Its name.
    pub name: Name<'a>,
    /// Frames.
    pub frames: u32,
    /// Bones that it moves.
    pub bones: u32,
    /// Frames per second, where the file or its format says so.
    pub rate: Option<f32>,
    /// Where it moves vertices and no bones: the number of its first frame among the mesh's
    /// [`vertex_frame`](crate::Geometry::vertex_frame)s.
    pub first_vertex_frame: Option<u32>,
}

impl Clip<'_> {
    /// Returns the moment `seconds` after the clip's first frame, at the clip's own rate or, where it has none, at `rate`
    /// frames per second. A clip that is `looped` goes from its last frame back to its first; otherwise it stays at its
    /// last. `None` without frames, without a rate above 0, and for a time that is no number.
    #[must_use]
    pub fn at(&self, seconds: f32, rate: Option<f32>, looped: bool) -> Option<Moment> {
        let rate = self.rate.or(rate).filter(|rate| *rate > 0.0)?;
        self.at_frame(seconds * rate, looped)
    }

    /// Returns the moment that lies `frame` frames after the clip's first, which may be between two of them.
    #[must_use]
    pub fn at_frame(&self, frame: f32, looped: bool) -> Option<Moment> {
        let last = self.frames.checked_sub(1)?;
        if !frame.is_finite() {
            return None;
        }
        // In f64 every frame number is exact, and so is what is left of the frame.
        let (frame, count) = (f64::from(frame), f64::from(self.frames));
        let frame = if looped { frame.rem_euclid(count) } else { frame.clamp(0.0, f64::from(last)) };
        let whole = whole(frame).min(last);
        let next = if whole < last {
            whole.saturating_add(1)
        } else if looped {
            0
        } else {
            last
        };
        let first = self.first_vertex_frame.unwrap_or_default();
        let [from, to] = [whole, next].map(|frame| first.saturating_add(frame));
        Some(Moment { from, to, fraction: narrow(frame - f64::from(whole)) })
    }
}

#[allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of a float to an integer drops the fraction and saturates, which is what is wanted"
)]
fn whole(frame: f64) -> u32 {
    frame as u32
}

/// A moment between two frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// The frame before it, counted among all of the mesh.
    pub from: u32,
    /// The frame after it.
    pub to: u32,
    /// How far it is from the one to the other, 0 to 1.
    pub fraction: f32,
}

/// Something that a game is told of while a clip plays: the code of a footstep, of a shot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Notify<'a> {
    /// When: 0 is the clip's start, 1 its end.
    pub time: f32,
    /// What the game calls.
    pub function: Name<'a>,
}

/// A file's bones and the animations that move them. Implemented by each format's owner type, and part of
/// [`Geometry`](crate::Geometry) where the file has surfaces, too.
///
/// Every method that takes a number fails as [`ErrorKind::NoSuch`] where there is no such item, and as the format says where
/// the bytes on the way to it are damaged; every one that takes places, as [`ErrorKind::Buffer`] where there are not as
/// many as bones.
#[allow(clippy::missing_errors_doc, reason = "said once, above")]
pub trait Motion: Send + Sync {
    /// Returns the format's name: `unigine`.
    fn format(&self) -> &'static str;
    /// Returns the version within the format: `ms13`.
    fn version(&self) -> &'static str;
    /// Returns the number of bones.
    fn bone_count(&self) -> usize;
    /// Returns a bone.
    fn bone(&self, bone: usize) -> Result<Bone<'_>>;
    /// Returns the number of animations in the file.
    fn clip_count(&self) -> usize;
    /// Locates an animation.
    fn clip(&self, clip: usize) -> Result<Clip<'_>>;
    /// Returns what a game is told of while an animation plays, in file order; `None` after the last.
    fn notify(&self, clip: usize, index: usize) -> Result<Option<Notify<'_>>> {
        let _ = (clip, index);
        Ok(None)
    }
    /// Writes where a frame of an animation puts each bone, relative to its parent; a bone that it does not move rests. Takes
    /// as many places as there are bones.
    fn pose(&self, clip: usize, frame: usize, out: &mut [Transform]) -> Result<()> {
        let _ = (frame, out);
        self.clip(clip)?;
        let expected = "an animation of bones that is read by frames".into();
        Err(Error::without_offset(self.format(), Field::new("pose"), ErrorKind::Missing { expected }))
    }
    /// Tells of each bone whether an animation moves it; the others rest in each of its frames. Takes as many places as there
    /// are bones. Formats that do not say move them all.
    fn moves(&self, clip: usize, out: &mut [bool]) -> Result<()> {
        self.clip(clip)?;
        expect_length(self.format(), "out", self.bone_count(), out.len())?;
        out.fill(true);
        Ok(())
    }
}

/// Makes a list with room for so many items.
pub(crate) fn room<T>(format: &'static str, name: &'static str, count: usize) -> Result<Vec<T>> {
    let mut list = Vec::new();
    let asked = as_u64(count.saturating_mul(size_of::<T>()));
    let reserved = list.try_reserve_exact(count);
    reserved.map_err(|_| Error::without_offset(format, Field::new(name), ErrorKind::OutOfMemory { asked }))?;
    Ok(list)
}

/// Makes a list of so many equal items.
pub(crate) fn filled<T: Clone>(format: &'static str, name: &'static str, count: usize, item: T) -> Result<Vec<T>> {
    let mut list = room(format, name, count)?;
    list.resize(count, item);
    Ok(list)
}

/// Tests that a list has as many items as it must.
pub(crate) fn expect_length(format: &'static str, name: &'static str, needed: usize, given: usize) -> Result<()> {
    if needed == given {
        return Ok(());
    }
    let kind = ErrorKind::Buffer { needed: as_u64(needed), given: as_u64(given) };
    Err(Error::without_offset(format, Field::new(name), kind))
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "whole numbers are exact")]
mod tests {
    use super::*;

    /// Of each frame, every bone.
    type Frames = Vec<Vec<Transform>>;

    /// A file of bones and clips that is none.
    pub(super) struct Rig {
        bones: Vec<(String, i32, Transform)>,
        clips: Vec<(Option<f32>, Vec<bool>, Frames)>,
    }

    impl Rig {
        pub(super) fn new(bones: &[(&str, i32, Transform)]) -> Self {
            let bones = bones.iter().map(|(name, parent, bind)| ((*name).to_owned(), *parent, *bind));
            Self { bones: bones.collect(), clips: Vec::new() }
        }

        pub(super) fn with_clip(mut self, rate: Option<f32>, moved: &[bool], frames: Frames) -> Self {
            self.clips.push((rate, moved.to_vec(), frames));
            self
        }
    }

    impl Motion for Rig {
        fn format(&self) -> &'static str {
            "rig"
        }
        fn version(&self) -> &'static str {
            "rig 1"
        }
        fn bone_count(&self) -> usize {
            self.bones.len()
        }
        fn bone(&self, bone: usize) -> Result<Bone<'_>> {
            let (name, parent, bind) = &self.bones[bone];
            Ok(Bone { name: Name::new(name.as_bytes()), parent: *parent, bind: *bind })
        }
        fn clip_count(&self) -> usize {
            self.clips.len()
        }
        fn clip(&self, clip: usize) -> Result<Clip<'_>> {
            let kind = ErrorKind::NoSuch { count: as_u64(self.clips.len()), index: as_u64(clip) };
            let error = Error::without_offset("rig", Field::new("clip"), kind);
            let (rate, _, frames) = self.clips.get(clip).ok_or(error)?;
            let frames = u32::try_from(frames.len()).unwrap();
            Ok(Clip { name: Name::new(b"clip"), frames, bones: 0, rate: *rate, first_vertex_frame: None })
        }
        fn pose(&self, clip: usize, frame: usize, out: &mut [Transform]) -> Result<()> {
            self.clip(clip)?;
            let kind = ErrorKind::NoSuch { count: 0, index: as_u64(frame) };
            let error = Error::without_offset("rig", Field::new("frame"), kind);
            out.copy_from_slice(self.clips[clip].2.get(frame).ok_or(error)?);
            Ok(())
        }
        fn moves(&self, clip: usize, out: &mut [bool]) -> Result<()> {
            self.clip(clip)?;
            out.copy_from_slice(&self.clips[clip].1);
            Ok(())
        }
    }

    /// A bone that stands so far along x.
    pub(super) fn at(x: f32) -> Transform {
        Transform { position: [x, 0.0, 0.0], ..Transform::default() }
    }

    fn clip(frames: u32) -> Clip<'static> {
        Clip { name: Name::new(b"walk"), frames, bones: 0, rate: Some(10.0), first_vertex_frame: Some(100) }
    }

    #[allow(clippy::unnecessary_wraps, reason = "what it is compared with")]
    fn moment(from: u32, to: u32, fraction: f32) -> Option<Moment> {
        Some(Moment { from, to, fraction })
    }

    #[test]
    fn finds_the_frames_around_a_moment() {
        let walk = clip(4);
        assert_eq!(walk.at(0.0, None, true), moment(100, 101, 0.0));
        assert_eq!(walk.at(0.25, None, true), moment(102, 103, 0.5));
        assert_eq!(walk.at_frame(3.5, true), moment(103, 100, 0.5));
        assert_eq!(walk.at_frame(3.5, false), moment(103, 103, 0.0));
        assert_eq!(walk.at_frame(-0.5, true), moment(103, 100, 0.5));
        assert_eq!(walk.at_frame(-0.5, false), moment(100, 101, 0.0));
        assert_eq!(walk.at_frame(4.25, true), moment(100, 101, 0.25));
        assert_eq!(Clip { rate: None, ..walk }.at(0.1, Some(10.0), false), moment(101, 102, 0.0));
    }

    #[test]
    fn survives_any_moment() {
        assert_eq!(clip(0).at_frame(0.0, true), None);
        assert_eq!(clip(1).at_frame(7.0, false), moment(100, 100, 0.0));
        for wild in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert_eq!(clip(4).at_frame(wild, true), None);
        }
        for wild in [f32::MAX, f32::MIN, f32::MIN_POSITIVE, -f32::MIN_POSITIVE] {
            let found = clip(u32::MAX).at_frame(wild, true).unwrap();
            assert!((0.0..=1.0).contains(&found.fraction), "{wild}: {found:?}");
        }
        assert_eq!(Clip { rate: Some(0.0), ..clip(4) }.at(1.0, None, true), None);
        assert_eq!(Clip { rate: None, ..clip(4) }.at(1.0, None, true), None);
    }
}
