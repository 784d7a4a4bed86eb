//! A pose: the transform of every bone of a skeleton at one moment.

use crate::error::debug::{items, short_debug};
use crate::error::{Cause, Error, Field, Result};
use crate::math::{as_index, as_u64};
use crate::model::animation::affine::{Affine, SkinMatrix};
use crate::model::animation::animations::Animations;
use crate::model::animation::clip::{Clip, FrameBlend};
use crate::model::animation::skeleton::Skeleton;
use crate::model::bone::Transform;
use crate::model::conversion::SpaceConversion;
use crate::parse::{expect_length, filled, room};

/// The transform of every bone of a skeleton, relative to the parent of the bone. Setting an
/// existing `Pose` to another animation frame allocates no memory, and neither does
/// [`palette`](Self::palette) after its first call.
///
/// If a method that sets the pose returns an error, the pose may contain transforms of two
/// different animation frames. After an error, the pose must be set again before it is used.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::Pose;
/// let mesh = meshpeek::open("data/unigine/skinned_ms12.mesh")?;
/// let mut pose = Pose::rest(mesh.animations())?;
/// for bone in pose.bones_mut() {
///     bone.position = bone.position.map(|part| part * 2.0);
/// }
/// let mut model = vec![Default::default(); mesh.animations().bone_count()?];
/// mesh.skeleton()?.model(pose.bones(), &mut model)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Pose {
    bones: Vec<Transform>,
    /// The transforms of the bones in the second of the two frames that are interpolated.
    next: Vec<Transform>,
    /// The maps and the matrices of the last call of `palette`.
    model: Vec<Affine>,
    palette: Vec<SkinMatrix>,
}

short_debug!(Pose: |pose| { bones: items(&pose.bones) });

impl Pose {
    /// Returns the rest pose of the bones of the file `motion`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Animations::bone`], and [`ErrorKind::OutOfMemory`] if an allocation
    /// fails.
    ///
    /// [`ErrorKind::OutOfMemory`]: crate::ErrorKind::OutOfMemory
    pub fn rest(motion: &dyn Animations) -> Result<Self> {
        let (format, count) = (motion.format(), motion.bone_count()?);
        let mut bones = room(format, "pose", count)?;
        for bone in 0..count {
            bones.push(motion.bone(bone)?.bind);
        }
        let next = filled(format, "pose", count, Transform::default())?;
        Ok(Self { bones, next, model: Vec::new(), palette: Vec::new() })
    }

    /// Returns the transforms of the bones, in file order.
    #[must_use]
    pub fn bones(&self) -> &[Transform] {
        &self.bones
    }

    /// Returns the transforms of the bones, in file order, as a mutable slice.
    #[must_use]
    pub fn bones_mut(&mut self) -> &mut [Transform] {
        &mut self.bones
    }

    /// Sets the pose to animation frame `frame` of the clip `clip`.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if the clip or the frame does not
    /// exist, the error of damaged keys, and [`ErrorKind::Buffer`] if the file `motion` has another
    /// number of bones than the pose.
    ///
    /// [`ErrorKind::Buffer`]: crate::ErrorKind::Buffer
    pub fn set_frame(&mut self, motion: &dyn Animations, clip: usize, frame: usize) -> Result<()> {
        expect_length(motion.format(), "pose", motion.bone_count()?, self.bones.len())?;
        motion.pose(clip, frame, &mut self.bones)
    }

    /// Sets the pose to the moment `seconds` after the first frame of the clip `clip`.
    ///
    /// The pose is interpolated between the two frames that [`Clip::at`] returns. The method uses
    /// the frame rate of the clip. If the clip has no frame rate, the method uses the argument
    /// `rate`, in frames per second. If `looped` is true, the clip continues after its last frame
    /// with its first frame. If `looped` is false, the clip stays at its last frame.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`set_frame`](Self::set_frame). Returns [`ErrorKind::Missing`] if
    /// neither the rate of the clip nor `rate` is above 0, [`ErrorKind::NoSuch`] if the clip has no
    /// frames, and [`ErrorKind::Value`] if the time is not finite.
    ///
    /// [`ErrorKind::Missing`]: crate::ErrorKind::Missing
    /// [`ErrorKind::NoSuch`]: crate::ErrorKind::NoSuch
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn set_time(
        &mut self,
        motion: &dyn Animations,
        clip: usize,
        seconds: f32,
        rate: Option<f32>,
        looped: bool,
    ) -> Result<()> {
        let moment = Self::moment(motion, clip, seconds, rate, looped)?;
        self.set_moment(motion, clip, &moment)
    }

    /// Returns the two frames of the clip between which [`set_time`](Self::set_time) interpolates.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`set_time`](Self::set_time).
    #[doc(hidden)]
    pub fn moment(
        motion: &dyn Animations,
        clip: usize,
        seconds: f32,
        rate: Option<f32>,
        looped: bool,
    ) -> Result<FrameBlend> {
        let found = motion.clip(clip)?;
        found.at(seconds, rate, looped).ok_or_else(|| no_moment(motion, clip, &found, seconds, rate))
    }

    /// Sets the pose to the moment `moment` of the clip `clip`, which is an animation frame or lies
    /// between two animation frames.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`set_frame`](Self::set_frame).
    pub fn set_moment(&mut self, motion: &dyn Animations, clip: usize, moment: &FrameBlend) -> Result<()> {
        self.set_frame(motion, clip, as_index(moment.from))?;
        if moment.from == moment.to || moment.fraction == 0.0 {
            return Ok(());
        }
        motion.pose(clip, as_index(moment.to), &mut self.next)?;
        mix(&mut self.bones, &self.next, moment.fraction);
        Ok(())
    }

    /// Returns the skin matrix of each bone in this pose, for vertices in the space of the
    /// conversion: the palette that a GPU gets.
    ///
    /// A skin matrix first applies the bind shape matrix and the inverse bind matrix of the bone,
    /// and then moves the bone to its place in the model. [`SpaceConversion::IDENTITY`] makes the
    /// palette for stored vertices, which [`SkinnedSurface`](crate::SkinnedSurface) takes, and the
    /// conversion of a [draw](crate::model::DrawItem::conversion) that for its vertices. The
    /// palette remains in the pose, so that later calls allocate no memory.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Skeleton::palette`]. Returns [`ErrorKind::Buffer`] if the skeleton
    /// has another number of bones than the pose, and [`ErrorKind::Value`] if the conversion
    /// cannot be inverted.
    ///
    /// [`ErrorKind::Buffer`]: crate::ErrorKind::Buffer
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::{Pose, model::Space};
    /// let mesh = meshpeek::open("data/unigine/skinned_ms12.mesh")?;
    /// let conversion = mesh.space().conversion_to(&Space::GLTF)?;
    /// let (skeleton, mut pose) = (mesh.skeleton()?, Pose::rest(mesh.animations())?);
    /// for frame in 0..mesh.clip(0)?.frames as usize {
    ///     pose.set_frame(mesh.animations(), 0, frame)?;
    ///     let rows: Vec<_> = pose.palette(&skeleton, &conversion)?.iter().map(|bone| bone.rows()).collect();
    ///     println!("{} bytes", size_of_val(&rows[..]));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn palette(&mut self, skeleton: &Skeleton, conversion: &SpaceConversion) -> Result<&[SkinMatrix]> {
        if self.palette.len() != self.bones.len() {
            self.model = filled("pose", "palette", self.bones.len(), Affine::IDENTITY)?;
            self.palette = filled("pose", "palette", self.bones.len(), SkinMatrix::IDENTITY)?;
        }
        skeleton.model(&self.bones, &mut self.model)?;
        skeleton.converted_palette(&self.model, conversion, &mut self.palette)?;
        Ok(&self.palette)
    }

    /// Interpolates from this pose to another pose of the same skeleton, and stores the result in
    /// this pose.
    ///
    /// `fraction` is 0 for this pose and 1 for the pose `to`. [`Transform::interpolate`] describes
    /// the interpolation.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Buffer`] if the two poses have different numbers of bones.
    ///
    /// [`ErrorKind::Buffer`]: crate::ErrorKind::Buffer
    pub fn interpolate(&mut self, to: &Self, fraction: f32) -> Result<()> {
        expect_length("pose", "to", self.bones.len(), to.bones.len())?;
        mix(&mut self.bones, &to.bones, fraction);
        Ok(())
    }
}

pub(super) fn mix(bones: &mut [Transform], to: &[Transform], fraction: f32) {
    for (bone, to) in bones.iter_mut().zip(to) {
        *bone = bone.interpolate(to, fraction);
    }
}

/// Makes the error for a clip that has no frame at the given time.
fn no_moment(motion: &dyn Animations, clip: usize, found: &Clip<'_>, seconds: f32, rate: Option<f32>) -> Error {
    let (name, kind) = if found.frames == 0 {
        ("frame", Cause::NoSuch { count: 0, index: 0 })
    } else if found.rate.or(rate).is_some_and(|rate| rate > 0.0) {
        ("time", Cause::value("a finite time", format!("{seconds} s")))
    } else {
        let expected = match found.rate {
            None => "a rate above 0 from the caller, in frames per second, because the clip has none",
            Some(_) => "a rate above 0 in the clip, in frames per second",
        };
        ("rate", Cause::Missing { expected: expected.into() })
    };
    Error::without_offset(motion.format(), Field::new(name).in_list("clip", as_u64(clip)), kind)
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "small whole numbers are exact")]
mod tests {
    use super::*;
    use crate::model::animation::rig::{Rig, at};

    /// A rig with one bone at x = 1. A clip of three frames moves the bone to x = 10, 20 and 40.
    fn rig(rate: Option<f32>) -> Rig {
        let frames = [10.0, 20.0, 40.0].map(|x| vec![at(x)]);
        Rig::new(&[("root", -1, at(1.0))]).with_clip(rate, &[true], frames.to_vec())
    }

    fn x(pose: &Pose) -> f32 {
        pose.bones()[0].position[0]
    }

    #[test]
    fn takes_frames_and_moments_between_them() {
        let rig = rig(None);
        let mut pose = Pose::rest(&rig).unwrap();
        assert_eq!(x(&pose), 1.0);
        pose.set_frame(&rig, 0, 2).unwrap();
        assert_eq!(x(&pose), 40.0);
        assert!(pose.set_frame(&rig, 0, 3).is_err() && pose.set_frame(&rig, 1, 0).is_err());
        let places = [(0.0, 10.0), (0.5, 15.0), (1.25, 25.0), (2.0, 40.0)];
        for (seconds, expected) in places {
            pose.set_time(&rig, 0, seconds, Some(1.0), false).unwrap();
            assert_eq!(x(&pose), expected, "{seconds}");
        }
        pose.set_time(&rig, 0, 2.5, Some(1.0), true).unwrap();
        assert_eq!(x(&pose), 25.0, "from the last frame to the first");
        pose.set_time(&rig, 0, 2.5, Some(1.0), false).unwrap();
        assert_eq!(x(&pose), 40.0, "stays at the last frame");
    }

    #[test]
    fn the_clips_own_rate_wins() {
        let mut pose = Pose::rest(&rig(None)).unwrap();
        pose.set_time(&rig(Some(2.0)), 0, 0.5, Some(100.0), false).unwrap();
        assert_eq!(x(&pose), 20.0);
        pose.set_time(&rig(Some(2.0)), 0, 0.25, None, false).unwrap();
        assert_eq!(x(&pose), 15.0);
    }

    #[test]
    fn says_why_there_is_no_moment() {
        let mut pose = Pose::rest(&rig(None)).unwrap();
        let mut told = |rig: &Rig, seconds, rate| {
            let error = pose.set_time(rig, 0, seconds, rate, true).unwrap_err();
            (error.kind().id(), error.field().to_string(), error.to_string())
        };
        for wrong in [None, Some(0.0), Some(-1.0), Some(f32::NAN)] {
            let (id, field, text) = told(&rig(None), 0.0, wrong);
            assert_eq!((id, &*field), ("missing", "clip[0].rate"));
            assert!(text.contains("from the caller, in frames per second"), "{text}");
        }
        assert_eq!(told(&rig(Some(0.0)), 0.0, Some(1.0)).0, "missing");
        for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX] {
            assert_eq!(told(&rig(Some(2.0)), wrong, None).0, "value", "{wrong}");
        }
        let empty = Rig::new(&[("root", -1, at(1.0))]).with_clip(Some(1.0), &[true], Vec::new());
        assert_eq!(told(&empty, 0.0, None).0, "no-such");
    }

    #[test]
    fn goes_part_of_the_way_to_another_pose() {
        let rig = rig(None);
        let [mut one, mut other] = [0; 2].map(|_: u8| Pose::rest(&rig).unwrap());
        other.bones_mut()[0] = at(5.0);
        one.interpolate(&other, 0.25).unwrap();
        assert_eq!(x(&one), 2.0);
        assert_eq!(one.interpolate(&Pose::default(), 0.5).unwrap_err().kind().id(), "buffer");
        assert_eq!(Pose::default().set_frame(&rig, 0, 0).unwrap_err().kind().id(), "buffer");
    }
}
