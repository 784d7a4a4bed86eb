//! The transfer function of sRGB, in tables, and colours that are easy to tell apart.
//!
//! The tables are computed with additions, multiplications, divisions and square roots only, which
//! give the same bits on every machine.

use std::sync::LazyLock;

use crate::math::{mix, narrow};

/// The linear value of each sRGB value, from 0 to 65,532.
pub(crate) static LINEAR: LazyLock<[u16; 256]> = LazyLock::new(|| table(|linear| to_u16(linear * f64::from(MAX))));

/// The linear value of each sRGB value, from 0 to 1.
static UNIT: LazyLock<[f32; 256]> = LazyLock::new(|| table(narrow));
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

/// Makes a table of numbers that are computed from the linear value of each sRGB value.
fn table<T>(of: impl Fn(f64) -> T) -> [T; 256] {
    std::array::from_fn(|value| of(decode(f64::from(u8::try_from(value).unwrap_or_default()) / 255.0)))
}

/// The linear value of white.
pub(crate) const MAX: u16 = 65_532;

/// The sRGB value of the linear values of each step of 16.
static ENCODED: LazyLock<[u8; 4096]> = LazyLock::new(|| {
    let mut table = [0; 4096];
    let mut value = 0_u8;
    for (encoded, step) in table.iter_mut().zip(0_u16..) {
        let linear = step.saturating_mul(16).saturating_add(8);
        while value < 255 && middle(value) < linear {
            value = value.saturating_add(1);
        }
        *encoded = value;
    }
    table
});

/// Returns the linear value between an sRGB value and the next.
fn middle(value: u8) -> u16 {
    to_u16(decode((f64::from(value) + 0.5) / 255.0) * f64::from(MAX))
}

/// Returns the linear value of an sRGB value, from 0 to 1.
pub(crate) fn to_linear(value: u8) -> f32 {
    UNIT.get(usize::from(value)).copied().unwrap_or_default()
}

/// Returns the linear value of an sRGB value, from 0 to [`MAX`].
pub(crate) fn to_linear_16(value: u8) -> u16 {
    LINEAR.get(usize::from(value)).copied().unwrap_or_default()
}

/// Returns the sRGB value of a linear value.
pub(crate) fn encode(linear: u16) -> u8 {
    ENCODED.get(usize::from(linear / 16)).copied().unwrap_or(255)
}

/// Returns the linear value of an sRGB value. Both are from 0 to 1.
pub(crate) fn decode(value: f64) -> f64 {
    if value <= 0.040_45 {
        return value / 12.92;
    }
    let base = (value + 0.055) / 1.055;
    // The power 2.4 is the fifth root of the power 12.
    let square = base * base;
    let twelfth = square * square * square * (square * square * square);
    let mut root = base * base;
    for _ in 0..12 {
        let fourth = root * root * (root * root);
        root -= (root * fourth - twelfth) / (5.0 * fourth);
    }
    root
}

#[allow(clippy::as_conversions, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 65,535")]
fn to_u16(value: f64) -> u16 {
    (value + 0.5) as u16
}

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
#[allow(clippy::float_cmp, reason = "exact floats are meant")]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_powers() {
        for step in 0..=1000 {
            let value = f64::from(step) / 1000.0;
            let expected = if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) };
            assert!((decode(value) - expected).abs() < 1e-12, "{value}");
        }
    }

    #[test]
    fn encodes_what_it_decodes() {
        for value in 0..=255_u8 {
            assert_eq!(encode(LINEAR[usize::from(value)]), value);
            let unit = f64::from(to_linear_16(value)) / f64::from(MAX);
            assert!((f64::from(to_linear(value)) - unit).abs() <= 0.6 / f64::from(MAX), "{value}");
        }
        assert_eq!([to_linear(0), to_linear(255)], [0.0, 1.0]);
    }

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
