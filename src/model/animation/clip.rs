//! Clips, and frames between frames.

use crate::math::narrow;
use crate::parse::Name;

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
    /// [`vertex_frame`](crate::model::geometry::Geometry::vertex_frame)s.
    pub first_vertex_frame: Option<u32>,
}

impl Clip<'_> {
    /// Returns the moment `seconds` after the clip's first frame, at the clip's own rate or, where it has none, at `rate`
    /// frames per second. A clip that is `looped` goes from its last frame back to its first; otherwise it stays at its
    /// last. `None` without frames, without a rate above 0, and for a time that is no number.
    #[must_use]
    pub fn at(&self, seconds: f32, rate: Option<f32>, looped: bool) -> Option<FrameBlend> {
        let rate = self.rate.or(rate).filter(|rate| *rate > 0.0)?;
        self.at_frame(seconds * rate, looped)
    }

    /// Returns the moment that lies `frame` frames after the clip's first, which may be between two of them.
    #[must_use]
    pub fn at_frame(&self, frame: f32, looped: bool) -> Option<FrameBlend> {
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
        Some(FrameBlend { from, to, fraction: narrow(frame - f64::from(whole)) })
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
pub struct FrameBlend {
    /// The frame before it, counted among all of the mesh.
    pub from: u32,
    /// The frame after it.
    pub to: u32,
    /// How far it is from the one to the other, 0 to 1.
    pub fraction: f32,
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "whole numbers are exact")]
mod tests {
    use super::*;

    fn clip(frames: u32) -> Clip<'static> {
        Clip { name: Name::new(b"walk"), frames, bones: 0, rate: Some(10.0), first_vertex_frame: Some(100) }
    }

    #[allow(clippy::unnecessary_wraps, reason = "what it is compared with")]
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
