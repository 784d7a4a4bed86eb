//! Clips (animations), and moments between two frames of a clip.

use crate::math::narrow;
use crate::parse::Name;

/// The description of an animation in a mesh file: its name, its length in frames, and its frame
/// rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clip<'a> {
    /// The name of the clip.
    pub name: Name<'a>,
    /// The number of animation frames in the clip.
    pub frames: u32,
    /// The number of bones that the clip moves, or 0 for a clip that consists of vertex frames.
    pub bones: u32,
    /// Animation frames per second, or `None` if neither the file nor its format defines the rate.
    pub rate: Option<f32>,
    /// Index of the first vertex frame of the clip, or `None` if the clip moves bones.
    ///
    /// The index can be passed to the method
    /// [`vertex_frame`](crate::Surface::vertex_frame).
    pub first_vertex_frame: Option<u32>,
}

impl Clip<'_> {
    /// Returns the two frames around the moment `seconds` after the first frame of the clip.
    ///
    /// The method uses the frame rate of the clip. If the clip has no frame rate, the method uses
    /// the argument `rate`, in frames per second. If `looped` is true, the clip continues after its
    /// last frame with its first frame. If `looped` is false, the clip stays at its last frame.
    /// Returns `None` if the clip has no frames, if the frame rate is not above 0, or if the time
    /// is not finite.
    #[must_use]
    pub fn at(&self, seconds: f32, rate: Option<f32>, looped: bool) -> Option<FrameBlend> {
        let rate = self.rate.or(rate).filter(|rate| *rate > 0.0)?;
        self.at_frame(seconds * rate, looped)
    }

    /// Returns the time of frame `frame` of the clip, in seconds after its first frame.
    ///
    /// The method uses the frame rate of the clip. If the clip has no frame rate, the method uses
    /// the argument `rate`, in frames per second. Returns `None` if the frame rate is not above 0.
    #[must_use]
    pub fn seconds(&self, frame: u32, rate: Option<f32>) -> Option<f32> {
        let rate = self.rate.or(rate).filter(|rate| *rate > 0.0)?;
        Some(narrow(f64::from(frame) / f64::from(rate)))
    }

    /// Returns the two frames around the moment `frame` frames after the first frame of the clip.
    /// `frame` may have a fractional part, for a moment between two frames.
    #[must_use]
    pub fn at_frame(&self, frame: f32, looped: bool) -> Option<FrameBlend> {
        let last = self.frames.checked_sub(1)?;
        if !frame.is_finite() {
            return None;
        }
        // An `f64` represents every frame index exactly, together with the fractional part.
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
        Some(FrameBlend { from, to, fraction: narrow(frame - f64::from(whole)) })
    }
}

#[allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of a float to an integer drops the fraction and saturates, as intended"
)]
fn whole(frame: f64) -> u32 {
    frame as u32
}

/// A moment between two animation frames or vertex frames.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FrameBlend {
    /// Index of the frame before the moment. For a clip of vertex frames, `from` is the index of a
    /// vertex frame among all vertex frames of the mesh. For a clip that moves bones, `from` is the
    /// index of an animation frame within the clip.
    pub from: u32,
    /// Index of the frame after the moment, in the same numbering as the index `from` of the frame
    /// before the moment.
    pub to: u32,
    /// The position of the moment between the two frames: 0 is the frame `from`, and 1 is the frame
    /// `to`.
    pub fraction: f32,
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "whole numbers are exact")]
mod tests {
    use super::*;

    fn clip(frames: u32) -> Clip<'static> {
        Clip { name: Name::new(b"walk"), frames, bones: 0, rate: Some(10.0), first_vertex_frame: Some(100) }
    }

    #[allow(clippy::unnecessary_wraps, reason = "it is compared with an `Option`")]
    fn moment(from: u32, to: u32, fraction: f32) -> Option<FrameBlend> {
        Some(FrameBlend { from, to, fraction })
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
    fn tells_the_time_of_a_frame() {
        let walk = clip(4);
        assert_eq!((walk.seconds(0, None), walk.seconds(3, Some(1.0))), (Some(0.0), Some(0.3)));
        let without = Clip { rate: None, ..walk };
        assert_eq!((without.seconds(3, Some(2.0)), without.seconds(3, None)), (Some(1.5), None));
        for wrong in [0.0, -1.0, f32::NAN] {
            assert_eq!(Clip { rate: Some(wrong), ..walk }.seconds(3, Some(1.0)), None);
        }
        for frame in [1, 2, 3] {
            assert_eq!(walk.at(walk.seconds(frame, None).unwrap(), None, true).unwrap().from, 100 + frame);
        }
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
