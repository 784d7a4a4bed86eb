//! Colours that are easy to tell apart.

use super::srgb::decode;
use crate::math::{mix, narrow};

/// The number of colours, and of their variations.
const COUNT: usize = 12;
const VARIATION_COUNT: usize = 4;

/// The colours in sRGB, of similar lightness. Neighbours differ most.
const COLORS: [[u8; 3]; COUNT] = [
    [78, 121, 167],
    [242, 142, 43],
    [89, 161, 79],
    [225, 87, 89],
    [176, 122, 161],
    [237, 201, 72],
    [80, 170, 170],
    [156, 117, 95],
    [255, 140, 160],
    [140, 190, 90],
    [120, 110, 200],
    [150, 155, 160],
];
/// The colours that repetitions of the palette are mixed with, and their parts.
const VARIATIONS: [([u8; 3], f32); VARIATION_COUNT] =
    [([255; 3], 0.08), ([255; 3], 0.45), ([0; 3], 0.5), ([255; 3], 0.7)];

/// Returns the linear colour of an item of a list. The colours of the first 48 items differ.
pub(crate) fn palette(index: usize) -> [f32; 3] {
    let color = COLORS.get(index % COUNT).copied().unwrap_or_default();
    let variation = VARIATIONS.get(index / COUNT % VARIATION_COUNT);
    let (other, part) = variation.copied().unwrap_or_default();
    mix(linear(color), linear(other), part)
}

/// Returns the linear values of a colour in sRGB.
pub(crate) fn linear(color: [u8; 3]) -> [f32; 3] {
    color.map(|value| narrow(decode(f64::from(value) / 255.0)))
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the colours are exact")]
mod tests {
    use super::*;

    #[test]
    fn the_first_colors_differ() {
        let colors: Vec<[f32; 3]> = (0..48).map(palette).collect();
        for (at, color) in colors.iter().enumerate() {
            for other in &colors[..at] {
                let distance: f32 = color.iter().zip(other).map(|(one, other)| (one - other).abs()).sum();
                assert!(distance > 0.05, "{at}: {color:?} {other:?}");
            }
        }
        assert_eq!(palette(48), palette(0));
        assert!(palette(usize::MAX).iter().all(|part| (0.0..=1.0).contains(part)));
    }
}
