//! Paints a UV layout: the paper of the unit square, the triangles, and the lines.

use crate::math::{mix, narrow};
use crate::render::palette::linear;
use crate::render::raster::visibility::SAMPLES;
use crate::render::srgb;

/// The colours in sRGB of triangles, where one covers a sample and where many do.
const FILLS: [[u8; 3]; 2] = [[92, 148, 208], [30, 48, 92]];
/// The part of the background that each triangle leaves visible.
const CLEAR: f32 = 0.58;
/// The number of triangles on a sample from which the colour does not change.
const MOST: usize = 24;
/// The colour of lines.
const INK: [u8; 3] = [22, 30, 48];
/// The opacity of the white paper.
const PAPER: f32 = 0.45;

/// A linear colour that is multiplied by its opacity, and the opacity.
type Layer = [f32; 4];

/// The colours of a UV layout.
pub(crate) struct UvPaint {
    /// The colour of a sample for each number of triangles.
    fills: [Layer; MOST],
    ink: [f32; 3],
}

impl UvPaint {
    pub(crate) fn new() -> Self {
        let [light, dark] = FILLS.map(linear);
        let (mut fills, mut clear, mut part) = ([[0.0; 4]; MOST], 1.0, 0.0);
        for fill in fills.iter_mut().skip(1) {
            clear *= CLEAR;
            *fill = layer(mix(light, dark, part), 1.0 - clear);
            part += (1.0 - part) * 0.3;
        }
        Self { fills, ink: linear(INK) }
    }

    /// Returns the colour of a pixel. `counts` are the numbers of triangles on its samples, and
    /// `ink` is the strength of the lines.
    pub(crate) fn pixel(
        &self,
        background: Option<[u16; 3]>,
        is_paper: bool,
        counts: [i32; SAMPLES],
        ink: u8,
    ) -> [u8; 4] {
        let mut fill = [0.0; 4];
        for count in counts {
            let count = usize::try_from(count).unwrap_or_default().min(MOST.saturating_sub(1));
            let sample = self.fills.get(count).copied().unwrap_or_default();
            fill.iter_mut().zip(sample).for_each(|(sum, part)| *sum += part * 0.25);
        }
        let under = match background {
            Some(background) => layer(background.map(|part| f32::from(part) / f32::from(srgb::MAX)), 1.0),
            None => [0.0; 4],
        };
        let under = if is_paper { over(layer([1.0; 3], PAPER), under) } else { under };
        encode(over(layer(self.ink, f32::from(ink) / 255.0), over(fill, under)))
    }
}

fn layer([r, g, b]: [f32; 3], opacity: f32) -> Layer {
    [r * opacity, g * opacity, b * opacity, opacity]
}

/// Returns a layer over another.
fn over(top: Layer, under: Layer) -> Layer {
    let [.., opacity] = top;
    let mut out = top;
    out.iter_mut().zip(under).for_each(|(part, under)| *part += under * (1.0 - opacity));
    out
}

#[allow(clippy::as_conversions, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
fn encode([r, g, b, opacity]: Layer) -> [u8; 4] {
    if opacity <= 0.0 {
        return [0; 4];
    }
    let greatest = f32::from(srgb::MAX);
    let [r, g, b] = [r, g, b].map(|part| srgb::encode((part / opacity * greatest + 0.5).clamp(0.0, greatest) as u16));
    [r, g, b, narrow(f64::from(opacity * 255.0 + 0.5).clamp(0.0, 255.0)) as u8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_are_darker() {
        let paint = UvPaint::new();
        let [one, two, many] =
            [1, 2, i32::MAX].map(|count| paint.pixel(Some([srgb::MAX; 3]), false, [count; SAMPLES], 0));
        let light = |pixel: [u8; 4]| pixel.iter().take(3).map(|part| u32::from(*part)).sum::<u32>();
        assert!(light(one) > light(two) && light(two) > light(many), "{one:?} {two:?} {many:?}");
        assert_eq!(paint.pixel(Some([srgb::MAX; 3]), false, [0; SAMPLES], 0), [255; 4]);
        assert_eq!(paint.pixel(None, false, [0; SAMPLES], 0), [0; 4]);
        assert_eq!(paint.pixel(None, false, [-1; SAMPLES], 255), [22, 30, 48, 255]);
    }
}
