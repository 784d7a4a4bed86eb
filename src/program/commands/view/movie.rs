//! Turntables and animations: several pictures of a mesh in one file.

use std::io::Write;
use std::path::Path;

use super::args::ViewArgs;
use super::drawing::Drawing;
use super::report::{DrawTotals, MovieFrames};
use crate::math::{as_index, narrow};
use crate::program::args::Global;
use crate::program::input::InputAsset;
use crate::program::outcome::{UsageError, usage};
use crate::program::output::{ProgressMeter, shown, whole};
use crate::program::picture::file_format::{MovieWriter, PictureFormat};
use crate::render::{CameraMotion, PictureOptions, Shading};

/// The size of a movie if none is given.
const SIZE: [u32; 2] = [512, 512];
/// The number of pictures per second of a turntable.
const TURNTABLE_RATE: f32 = 24.0;
/// The number of pictures per second of a clip without a rate.
pub const DEFAULT_RATE: f32 = 30.0;
/// The greatest number of pictures per second of a GIF.
const MAX_GIF_RATE: f64 = 50.0;
/// The greatest number of pictures of an animation.
const MAX_FRAMES: u32 = 600;

/// The pictures of a movie, before they are drawn.
pub struct Movie {
    pictures: Vec<PictureOptions>,
    /// The time of a picture: seconds, and the number that they are divided by.
    delay: [u16; 2],
    frames: MovieFrames,
    format: PictureFormat,
}

impl Movie {
    /// Chooses the pictures, and measures the mesh in them.
    pub fn new(
        args: &ViewArgs,
        drawing: &Drawing<'_>,
        (asset, path): (&InputAsset, &Path),
        format: PictureFormat,
    ) -> anyhow::Result<Self> {
        let options = drawing.options(asset, SIZE)?;
        let movie = match args.turntable {
            Some(count) => Self::turntable(count, &options)?,
            None => Self::animation(drawing, (asset, path), &options, format)?,
        };
        let movie = Self { format, ..movie };
        if options.shading == Shading::Uv {
            return Ok(movie);
        }
        let framing = match args.turntable {
            Some(_) => drawing.framing(asset, path, &[options], CameraMotion::Turning)?,
            None => drawing.framing(asset, path, &movie.pictures, CameraMotion::Still)?,
        };
        let pictures = movie.pictures.into_iter().map(|options| options.with_framing(Some(framing)));
        Ok(Self { pictures: pictures.collect(), ..movie })
    }

    fn turntable(count: u32, options: &PictureOptions) -> Result<Self, UsageError> {
        if options.shading == Shading::Uv {
            usage!("--style uv: the UV layout cannot be seen from several sides");
        }
        let turned = |picture| options.camera.turned(f64::from(picture) * 360.0 / f64::from(count));
        let pictures = (0..count).map(|picture| options.clone().with_camera(turned(picture))).collect();
        let (delay, frames) = (delay(TURNTABLE_RATE, 1), MovieFrames { written: count, all: count });
        Ok(Self { pictures, delay, frames, format: PictureFormat::Png })
    }

    fn animation(
        drawing: &Drawing<'_>,
        (asset, path): (&InputAsset, &Path),
        options: &PictureOptions,
        format: PictureFormat,
    ) -> anyhow::Result<Self> {
        let Some(played) = drawing.played_clip(asset, options)? else {
            usage!("{}: no clips and no vertex frames; --animation FILE plays those of a file", shown(path));
        };
        let rate = played.rate.unwrap_or(DEFAULT_RATE);
        let step = played.frames.div_ceil(MAX_FRAMES).max(1);
        let step = if format == PictureFormat::Gif { step.max(gif_step(rate)) } else { step };
        let frames = (0..played.frames).step_by(as_index(step));
        let options = options.clone().with_clip(played.clip);
        let pictures: Vec<_> = frames.map(|frame| options.clone().with_frame(Some(narrow(frame.into())))).collect();
        let written = u32::try_from(pictures.len()).unwrap_or(u32::MAX);
        let frames = MovieFrames { written, all: played.frames };
        Ok(Self { pictures, delay: delay(rate, step), frames, format })
    }

    /// Draws the pictures and writes each as soon as it is drawn.
    pub fn write(
        &self,
        drawing: &Drawing<'_>,
        (asset, path): (&InputAsset, &Path),
        out: &mut dyn Write,
        global: &Global,
    ) -> anyhow::Result<DrawTotals> {
        let size = self.pictures.first().map(|options| options.size).unwrap_or_default();
        let mut writer = MovieWriter::new(self.format, out, size, self.frames.written, self.delay)?;
        let progress = ProgressMeter::of_items(self.frames.written.into(), "pictures", global);
        let mut facts: Option<DrawTotals> = None;
        for options in &self.pictures {
            let drawn = drawing.draw(asset, path, options)?;
            writer.add(&drawn.picture)?;
            progress.add(1);
            let new = DrawTotals::new(&drawn);
            // The facts are those of the picture from which the most is missing.
            if facts.as_ref().is_none_or(|facts| facts.left_out.amount() < new.left_out.amount()) {
                facts = Some(new);
            }
        }
        writer.finish()?;
        let facts = facts.unwrap_or_default();
        Ok(DrawTotals { frames: Some(self.frames), ..facts })
    }
}

/// Returns the step between the frames of a clip that a GIF has. Browsers show a picture of a GIF
/// for at least 2 hundredths of a second.
fn gif_step(rate: f32) -> u32 {
    u32::from(saturated((f64::from(rate) / MAX_GIF_RATE).ceil())).max(1)
}

/// Returns the time of a picture of a clip of which every `step`-th frame is drawn, as a fraction
/// of seconds.
fn delay(rate: f32, step: u32) -> [u16; 2] {
    let hundredths = (f64::from(rate) * 100.0).round().clamp(1.0, 65_500.0);
    let times = if hundredths % 100.0 == 0.0 { 1.0 } else { 100.0 };
    [f64::from(step) * times, hundredths * times / 100.0].map(|number| saturated(number.round()))
}

fn saturated(number: f64) -> u16 {
    u16::try_from(whole(number)).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_fractions_of_seconds() {
        assert_eq!(delay(24.0, 1), [1, 24]);
        assert_eq!(delay(30.0, 3), [3, 30]);
        assert_eq!(delay(29.97, 1), [100, 2997]);
        assert_eq!(delay(12.5, 2), [200, 1250]);
        assert_eq!(delay(0.0, 1), [100, 1]);
        assert_eq!(delay(f32::NAN, 1)[1], 0);
        assert_eq!([24.0, 50.0, 60.0, 120.0, f32::NAN].map(gif_step), [1, 1, 2, 3, 1]);
    }
}
