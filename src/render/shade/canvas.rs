//! Adds up the colours of the fragments of each pixel, and makes the picture of them.

use crate::error::Result;
use crate::math::as_index;
use crate::model::Blend;
use crate::parse::filled;
use crate::render::srgb;

/// The number that a linear colour of 1 and the coverage of a sample add to a pixel. Four samples
/// fit into 16 bits.
pub(crate) const UNIT: f32 = 16_383.0;

/// The sums of the linear colours of the samples of each pixel: red, green, blue, and the coverage.
pub(crate) struct Canvas {
    pub(crate) pixels: Vec<[u16; 4]>,
    /// What is in front of the pixels, or nothing if no surface is translucent.
    glass: Vec<GlassPixel>,
}

/// The translucent surfaces in front of a pixel.
#[derive(Clone, Copy)]
struct GlassPixel {
    /// The light that they add: linear, [`UNIT`] × 4 is 1.
    added: [u16; 3],
    /// The part of the light from behind that they let through: 32,768 is 1.
    passed: [u16; 3],
}

impl Canvas {
    pub(crate) fn new(pixels: usize) -> Result<Self> {
        Ok(Self { pixels: filled("picture", "canvas", pixels, [0; 4])?, glass: Vec::new() })
    }

    /// Adds the colour of `samples` samples to a pixel. `color` is linear, from 0 to 1.
    #[inline]
    pub(crate) fn add(&mut self, pixel: u32, color: [f32; 3], samples: u16) {
        self.add_part(pixel, color, 1.0, samples);
    }

    /// Adds a colour that covers a part of `samples` samples, from 0 to 1, to a pixel.
    #[inline]
    #[allow(
        clippy::as_conversions,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most 16,383"
    )]
    pub(crate) fn add_part(&mut self, pixel: u32, color: [f32; 3], part: f32, samples: u16) {
        let unit = UNIT * part;
        let Some([red, green, blue, covered]) = self.pixels.get_mut(as_index(pixel)) else { return };
        for (sum, part) in [red, green, blue].into_iter().zip(color) {
            *sum = sum.saturating_add(((part * unit + 0.5) as u16).saturating_mul(samples));
        }
        *covered = covered.saturating_add(((unit + 0.5) as u16).saturating_mul(samples));
    }

    /// Returns whether all samples of a pixel are covered.
    pub(crate) fn is_covered(&self, pixel: usize) -> bool {
        self.pixels.get(pixel).is_some_and(|[.., covered]| *covered >= srgb::MAX)
    }

    /// Makes room for translucent surfaces.
    pub(crate) fn with_glass(mut self) -> Result<Self> {
        let clear = GlassPixel { added: [0; 3], passed: [32_768; 3] };
        self.glass = filled("picture", "canvas", self.pixels.len(), clear)?;
        Ok(self)
    }

    /// Puts a translucent surface in front of a part of a pixel. `color` is linear, from 0 to 1,
    /// and the surface covers `samples` samples.
    #[allow(clippy::as_conversions, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    pub(crate) fn add_glass(&mut self, pixel: u32, color: [f32; 3], alpha: f32, samples: u16, blend: Blend) {
        let Some(GlassPixel { added, passed }) = self.glass.get_mut(as_index(pixel)) else { return };
        let cover = f32::from(samples) * 0.25;
        for ((added, passed), part) in added.iter_mut().zip(passed).zip(color) {
            let (light, pass) = match blend {
                // The sum of both lights, which does not exceed white.
                Blend::Translucent => (part * cover, 1.0 - part * cover),
                Blend::Modulated => (0.0, 1.0 + (2.0 * part - 1.0) * cover),
                _ => (part * alpha * cover, 1.0 - alpha * cover),
            };
            let sum = f32::from(*added) * pass + light * UNIT * 4.0;
            *added = (sum + 0.5) as u16;
            *passed = (f32::from(*passed) * pass + 0.5) as u16;
        }
    }

    /// Returns the colour of a pixel on a background, which is linear, or `None` for a transparent
    /// picture. The result is sRGB with straight alpha.
    pub(crate) fn pixel(&self, pixel: usize, background: Option<[u16; 3]>) -> [u8; 4] {
        let [red, green, blue, covered] = self.pixels.get(pixel).copied().unwrap_or_default();
        let mut color = [red, green, blue];
        let mut free = srgb::MAX.saturating_sub(covered);
        if let Some(background) = background {
            for (sum, background) in color.iter_mut().zip(background) {
                *sum = sum.saturating_add(scaled(background, free, srgb::MAX));
            }
        }
        if let Some(glass) = self.glass.get(pixel) {
            glass.cover(&mut color, &mut free);
        }
        let encode = |sums: [u16; 3]| sums.map(srgb::encode);
        let covered = srgb::MAX.saturating_sub(free);
        if background.is_some() {
            let [r, g, b] = encode(color);
            return [r, g, b, 255];
        }
        if covered == 0 {
            return [0; 4];
        }
        let [r, g, b] = encode(color.map(|sum| scaled(sum, srgb::MAX, covered)));
        [r, g, b, u8::try_from(scaled(covered, 255, srgb::MAX)).unwrap_or(255)]
    }
}

impl GlassPixel {
    /// Covers a colour, and the part of the pixel that is free.
    fn cover(self, color: &mut [u16; 3], free: &mut u16) {
        let mut most = 0;
        for ((sum, added), passed) in color.iter_mut().zip(self.added).zip(self.passed) {
            *sum = scaled(*sum, passed, 32_768).saturating_add(added);
            most = passed.max(most);
        }
        *free = scaled(*free, most.min(32_768), 32_768);
    }
}

/// Returns `number * factor / divisor`, rounded.
fn scaled(number: u16, factor: u16, divisor: u16) -> u16 {
    let product = u32::from(number).saturating_mul(u32::from(factor));
    let rounded = product.saturating_add(u32::from(divisor / 2)).checked_div(divisor.into());
    u16::try_from(rounded.unwrap_or_default()).unwrap_or(u16::MAX)
}
