//! Computes the transforms of all bones at one time of an animation.

use std::fmt;
use std::path::PathBuf;

use crate::model::Transform;
use crate::model::animation::{Affine, Retarget};
use crate::{Animations, Clip, Error, ErrorKind, Field, FrameBlend, Skeleton};
use clap::Args;
use serde_json::{Value, json};

use super::pose_table::{PoseTable, TableBone};
use crate::program::args;
use crate::program::outcome::{UsageError, usage};
use crate::program::output::json::number;

/// The command line options that choose a moment of a bone animation.
#[allow(clippy::struct_field_names, reason = "the names are the options'")]
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Bone animations")]
pub struct PoseArgs {
    /// Print the position, rotation and scale of each bone at a frame, relative to its parent
    ///
    /// Between two whole frames, bones are interpolated. --clip chooses the animation. Example:
    /// --pose 10.5
    #[arg(long, value_name = "N", value_parser = parse_frame, allow_negative_numbers = true,
        conflicts_with_all = ["attribute", "range", "surface", "frame", "target", "raw"])]
    pose: Option<PoseFrame>,
    /// Print the same as --pose for a time, in seconds since the first frame of the animation
    ///
    /// If the file has no frame rate, --rate is needed. After the last frame, bones keep their last
    /// pose.
    #[arg(long, value_name = "SECONDS", value_parser = args::parse_frame, allow_negative_numbers = true,
        conflicts_with_all = ["pose", "attribute", "range", "surface", "frame", "target", "raw"])]
    time: Option<f32>,
    /// Frame rate in frames per second, for an animation without one; ignored if the file has a
    /// frame rate
    #[arg(long, value_name = "N", requires = "time", value_parser = parse_rate)]
    rate: Option<f32>,
    /// Apply the pose to the bones of another file, a mesh; bones are matched by name
    #[arg(long, value_name = "MESH")]
    pub onto: Option<PathBuf>,
    /// Print the transforms of bones in model space instead of relative to their parents
    ///
    /// Each transform is printed as four columns of a matrix: three axes and a position.
    #[arg(long)]
    model: bool,
}

/// The index of an animation frame, and the fraction of the way from this frame to the next frame
/// (0 or greater, less than 1).
#[derive(Clone, Copy, Debug, PartialEq)]
struct PoseFrame {
    whole: usize,
    fraction: f32,
}

impl fmt::Display for PoseFrame {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { whole, fraction } = self;
        if *fraction == 0.0 {
            return write!(out, "{whole}");
        }
        write!(out, "{whole}{}", fraction.to_string().trim_start_matches('0'))
    }
}

/// Shows the option that chooses the moment, such as `--pose 10.5`.
impl fmt::Display for PoseArgs {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.pose, self.time) {
            (Some(frame), _) => write!(out, "--pose {frame}"),
            (None, Some(time)) => write!(out, "--time {time}"),
            (None, None) => Ok(()),
        }
    }
}

fn parse_frame(text: &str) -> Result<PoseFrame, String> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let parsed = whole.parse().ok().zip(format!("0.{fraction}").parse().ok());
    let frame = parsed.map(|(whole, fraction)| PoseFrame { whole, fraction });
    let frame = frame.filter(|frame| (0.0..1.0).contains(&frame.fraction));
    frame.ok_or_else(|| format!("{text:?}: expected a frame, 0 or more"))
}

fn parse_rate(text: &str) -> Result<f32, String> {
    args::parse_number(text, |rate: &f32| rate.is_finite() && *rate > 0.0, "expected a number greater than 0")
}

impl PoseArgs {
    /// Returns whether the command line contains `--pose` or `--time`.
    pub fn is_set(&self) -> bool {
        self.pose.is_some() || self.time.is_some()
    }

    /// Returns the first option on the command line that needs `--pose` or `--time`, or `None` if
    /// there is no such option.
    pub fn option_without_pose(&self) -> Option<&'static str> {
        args::first_set(&[(self.onto.is_some(), "--onto"), (self.model, "--model")]).filter(|_| !self.is_set())
    }

    /// Returns the frame or time from the command line as a JSON object.
    pub fn json(&self, motion: &dyn Animations, clip: usize) -> Value {
        match (self.pose, self.time) {
            (Some(PoseFrame { whole, fraction: 0.0 }), _) => json!({ "clip": clip, "pose": whole }),
            (Some(PoseFrame { whole, fraction }), _) => {
                json!({ "clip": clip, "pose": number(fraction + lossy(whole)) })
            }
            (None, Some(time)) => {
                let rate = motion.clip(clip).ok().and_then(|clip| clip.rate).or(self.rate);
                json!({ "clip": clip, "time": number(time), "rate": rate.map(number) })
            }
            (None, None) => json!({}),
        }
    }

    /// Returns the index of the chosen animation frame. Returns an error if the options require
    /// interpolation between two frames, or if they require a skeleton.
    pub fn whole_frame(&self) -> anyhow::Result<usize> {
        let frame = self.pose.filter(|frame| frame.fraction == 0.0 && self.onto.is_none() && !self.model);
        let text = "--pose: a file without a skeleton needs a whole frame number, without --onto and --model";
        frame.map(|frame| frame.whole).ok_or_else(|| UsageError(text.to_owned()).into())
    }

    /// Returns the transform of every bone at the chosen time. A bone that the animation does not
    /// move has its rest transform.
    pub fn table(
        &self,
        clip: usize,
        motion: &dyn Animations,
        onto: Option<&dyn Animations>,
    ) -> anyhow::Result<PoseTable> {
        let skeleton: &dyn Animations = onto.unwrap_or(motion);
        let moment = self.moment(motion, clip)?;
        let mut pose = vec![Transform::default(); skeleton.bone_count()?];
        if let Some(onto) = onto {
            Retarget::new(onto, motion)?.pose_between(motion, clip, &moment, &mut pose)?;
        } else {
            let mut own = crate::Pose::rest(motion)?;
            own.set_moment(motion, clip, &moment)?;
            pose.copy_from_slice(own.bones());
        }
        let bones = pose.iter().enumerate().map(|(number, transform)| {
            let bone = skeleton.bone(number)?;
            Ok(TableBone::local(bone.name, bone.parent, transform))
        });
        let mut bones = bones.collect::<crate::Result<Vec<_>>>()?;
        if self.model {
            let mut model = vec![Affine::IDENTITY; pose.len()];
            Skeleton::new(skeleton)?.model(&pose, &mut model)?;
            for (bone, model) in bones.iter_mut().zip(&model) {
                bone.floats = model.columns_f32().concat();
            }
        }
        Ok(PoseTable { bones, is_model: self.model })
    }

    /// Returns the animation frame at or before the chosen time, and the fraction of the way to the
    /// next frame.
    fn moment(&self, motion: &dyn Animations, clip: usize) -> anyhow::Result<FrameBlend> {
        let Clip { frames, rate, .. } = motion.clip(clip)?;
        let Some(frame @ PoseFrame { whole, fraction }) = self.pose else {
            if frames == 0 {
                usage!("{self}: the animation has 0 frames");
            }
            if rate.or(self.rate).is_none() {
                let text = "the animation has no frame rate; give one, such as --rate 30";
                usage!("{self}: {text}");
            }
            return Ok(crate::Pose::moment(motion, clip, self.time.unwrap_or_default(), self.rate, false)?);
        };
        let last = if fraction > 0.0 { whole.saturating_add(1) } else { whole };
        let [from, to] = [whole, last].map(|frame| u32::try_from(frame).unwrap_or(u32::MAX));
        if to >= frames && fraction > 0.0 {
            let last = frames.saturating_sub(1);
            usage!("--pose: expected at most {last}, the last of {frames} frames, found {frame}");
        }
        if to >= frames {
            let text = match frames {
                0 => "the clip has no frames".to_owned(),
                _ => format!("expected a number below {frames}, found {whole}"),
            };
            let error = Error::custom(ErrorKind::NoSuch, text);
            let field = Field::new("frame").in_list("clip", clip.try_into().unwrap_or(u64::MAX));
            return Err(error.located(motion.format(), field, None).into());
        }
        Ok(FrameBlend { from, to, fraction })
    }
}

#[allow(clippy::as_conversions, clippy::cast_precision_loss, reason = "shown to seven digits")]
fn lossy(frame: usize) -> f32 {
    frame as f32
}
