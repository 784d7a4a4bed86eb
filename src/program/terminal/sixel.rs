//! Sixel graphics: columns of six pixels, one bit each, in a palette of 256 colours.

use std::fmt::Write as _;

use crate::math::as_index;
use crate::render::Picture;

/// The number of rows of pixels in a band.
const BAND: usize = 6;
/// The most colours of a palette. It is what most terminals with sixel graphics have.
const MAX_COLORS: usize = 256;
/// The number of bins: 5 bits of red, 6 of green and 5 of blue.
const BINS: usize = 1 << 16;
/// The least alpha of a pixel that is drawn.
const MIN_ALPHA: u8 = 128;

/// Returns the sequence that shows a picture at the cursor. Transparent pixels remain as they are.
pub fn sixel_image(picture: &Picture) -> String {
    let map = ColorMap::new(picture);
    let [width, height] = picture.size();
    // The second parameter leaves pixels that are not drawn as they are.
    let mut text = format!("\x1bP0;1;0q\"1;1;{width};{height}");
    for (index, color) in map.colors.iter().enumerate() {
        let [red, green, blue] = color.map(percent);
        // Writing to a `String` does not fail.
        let _ = write!(text, "#{index};2;{red};{green};{blue}");
    }
    let rows: Vec<&[[u8; 4]]> = picture.rows().collect();
    let mut band = SixelBand::new(as_index(width), map.colors.len());
    for (number, rows) in rows.chunks(BAND).enumerate() {
        if number > 0 {
            text.push('-');
        }
        band.fill(rows, &map);
        band.write(&mut text);
    }
    text.push_str("\x1b\\");
    text
}

/// Returns a component of a colour from 0 to 100.
fn percent(part: u8) -> u32 {
    u32::from(part).saturating_mul(100).saturating_add(127) / 255
}

/// A band of six rows: for each colour, six bits for each column. A colour that does not occur in
/// the band has no columns.
struct SixelBand {
    width: usize,
    columns: Vec<Vec<u8>>,
}

impl SixelBand {
    fn new(width: usize, colors: usize) -> Self {
        Self { width, columns: vec![Vec::new(); colors] }
    }

    /// Replaces the band by at most six rows of pixels.
    fn fill(&mut self, rows: &[&[[u8; 4]]], map: &ColorMap) {
        self.columns.iter_mut().for_each(Vec::clear);
        for (row, bit) in rows.iter().zip([1, 2, 4, 8, 16, 32]) {
            for (column, pixel) in row.iter().enumerate() {
                let Some(bits) = map.index(*pixel).and_then(|color| self.columns.get_mut(usize::from(color))) else {
                    continue;
                };
                bits.resize(self.width, 0);
                if let Some(bits) = bits.get_mut(column) {
                    *bits |= bit;
                }
            }
        }
    }

    /// Writes the colours one after the other, each from the left border.
    fn write(&self, text: &mut String) {
        let mut is_first = true;
        for (color, bits) in self.columns.iter().enumerate().filter(|(_, bits)| !bits.is_empty()) {
            if !is_first {
                text.push('$');
            }
            is_first = false;
            let _ = write!(text, "#{color}");
            for run in trimmed(bits).chunk_by(|one, other| one == other) {
                write_run(text, run);
            }
        }
    }
}

/// Colours, and the nearest colour for each pixel.
struct ColorMap {
    /// The colours, at most 256.
    colors: Vec<[u8; 3]>,
    /// The index of the colour for each bin.
    indices: Vec<u8>,
}

/// The pixels of similar colour: their number and the sum of each component.
#[derive(Clone, Copy, Default)]
struct ColorBin {
    index: usize,
    count: u32,
    sums: [u32; 3],
}

impl ColorBin {
    /// Returns the mean of each component.
    fn mean(&self) -> [u8; 3] {
        self.sums.map(|sum| {
            let mean = sum.saturating_add(self.count / 2).checked_div(self.count).unwrap_or_default();
            u8::try_from(mean).unwrap_or(u8::MAX)
        })
    }

    fn add(&mut self, other: &Self) {
        self.count = self.count.saturating_add(other.count);
        for (sum, other) in self.sums.iter_mut().zip(other.sums) {
            *sum = sum.saturating_add(other);
        }
    }
}

impl ColorMap {
    /// Finds the colours of a picture.
    fn new(picture: &Picture) -> Self {
        let mut groups = vec![occupied_bins(picture)];
        while groups.len() < MAX_COLORS {
            let widest = (0..groups.len()).max_by_key(|place| groups.get(*place).map_or(0, |bins| worth(bins)));
            let Some(bins) = widest.and_then(|place| groups.get_mut(place)) else { break };
            let Some(other) = split(bins) else { break };
            groups.push(other);
        }
        let mut map = Self { colors: Vec::new(), indices: vec![0; BINS] };
        for bins in groups.iter().filter(|bins| !bins.is_empty()) {
            map.add(bins);
        }
        map
    }

    /// Returns the index of the colour of a pixel, or `None` if the pixel is transparent.
    fn index(&self, pixel: [u8; 4]) -> Option<u8> {
        bin_of(pixel).and_then(|bin| self.indices.get(bin)).copied()
    }

    /// Adds a colour: the mean of the bins.
    fn add(&mut self, bins: &[ColorBin]) {
        let index = u8::try_from(self.colors.len()).unwrap_or(u8::MAX);
        let mut sum = ColorBin::default();
        for bin in bins {
            sum.add(bin);
            if let Some(place) = self.indices.get_mut(bin.index) {
                *place = index;
            }
        }
        self.colors.push(sum.mean());
    }
}

/// Returns the bin of a pixel, or `None` if the pixel is transparent.
fn bin_of([red, green, blue, alpha]: [u8; 4]) -> Option<usize> {
    let [red, green, blue] = [red >> 3, green >> 2, blue >> 3].map(usize::from);
    (alpha >= MIN_ALPHA).then_some(red << 11 | green << 5 | blue)
}

fn occupied_bins(picture: &Picture) -> Vec<ColorBin> {
    let mut bins = vec![ColorBin::default(); BINS];
    for pixel in picture.pixels() {
        let [red, green, blue, _] = pixel.map(u32::from);
        if let Some(bin) = bin_of(*pixel).and_then(|bin| bins.get_mut(bin)) {
            bin.add(&ColorBin { index: 0, count: 1, sums: [red, green, blue] });
        }
    }
    let numbered = bins.into_iter().enumerate().map(|(index, bin)| ColorBin { index, ..bin });
    numbered.filter(|bin| bin.count > 0).collect()
}

/// Returns the component in which bins differ most, and its least and greatest value.
fn widest_component(bins: &[ColorBin]) -> (usize, [u8; 2]) {
    let mut ranges = [[u8::MAX, 0]; 3];
    for mean in bins.iter().map(ColorBin::mean) {
        for (range, part) in ranges.iter_mut().zip(mean) {
            *range = [range[0].min(part), range[1].max(part)];
        }
    }
    let width = |range: &[u8; 2]| range[1].saturating_sub(range[0]);
    ranges.into_iter().enumerate().max_by_key(|(_, range)| width(range)).unwrap_or_default()
}

/// Returns the gain of a split: the number of pixels times the square of the range of colours.
fn worth(bins: &[ColorBin]) -> u64 {
    let count = bins.iter().map(|bin| u64::from(bin.count)).sum::<u64>();
    let (_, [least, most]) = widest_component(bins);
    count.saturating_mul(u64::from(most.saturating_sub(least)).saturating_pow(2))
}

/// Splits bins at the mean of their widest component, and returns the brighter ones. Returns `None`
/// if all are equal.
fn split(bins: &mut Vec<ColorBin>) -> Option<Vec<ColorBin>> {
    let (component, [least, most]) = widest_component(bins);
    let mut sum = ColorBin::default();
    for bin in &*bins {
        sum.add(bin);
    }
    let part = |bin: &ColorBin| bin.mean().get(component).copied().unwrap_or_default();
    // At least one bin is above the threshold, and one is not.
    let threshold = part(&sum).min(most.saturating_sub(1)).max(least);
    let (above, below): (Vec<_>, Vec<_>) = bins.iter().copied().partition(|bin| part(bin) > threshold);
    if most <= least || above.is_empty() || below.is_empty() {
        return None;
    }
    *bins = below;
    Some(above)
}

/// Returns the columns without the empty ones at the end.
fn trimmed(bits: &[u8]) -> &[u8] {
    let end = bits.iter().rposition(|bits| *bits != 0).map_or(0, |last| last.saturating_add(1));
    bits.get(..end).unwrap_or(bits)
}

/// Writes equal columns, with a count if that is shorter.
fn write_run(text: &mut String, run: &[u8]) {
    let character = char::from(run.first().copied().unwrap_or_default().saturating_add(63));
    if run.len() > 3 {
        let _ = write!(text, "!{}{character}", run.len());
    } else {
        text.extend(run.iter().map(|_| character));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a sequence that `sixel_image` has written. Pixels that are not drawn are transparent.
    fn decode(text: &str) -> Picture {
        let body = text.strip_prefix("\x1bP0;1;0q\"1;1;").unwrap().strip_suffix("\x1b\\").unwrap();
        let start = body.find('#').unwrap_or(body.len());
        let size: Vec<u32> = body[..start].split(';').map(|side| side.parse().unwrap()).collect();
        let mut picture = Picture::new([size[0], size[1]], [0; 4]).unwrap();
        let width = as_index(size[0]);
        let (mut colors, mut color, mut column, mut top, mut count) = (vec![[0_u8; 4]; 256], 0, 0, 0, 1);
        let mut rest = &body[start..];
        while let Some(character) = rest.chars().next() {
            rest = &rest[1..];
            let mut numbers = |separated: bool| {
                let is_part = |it: char| it.is_ascii_digit() || (separated && it == ';');
                let end = rest.find(|it| !is_part(it)).unwrap_or(rest.len());
                let (text, after) = rest.split_at(end);
                rest = after;
                text.split(';').map(|number| number.parse::<usize>().unwrap()).collect::<Vec<_>>()
            };
            match character {
                '#' => {
                    let parts = numbers(true);
                    color = parts[0];
                    if let [index, 2, red, green, blue] = parts[..] {
                        let byte = |percent: usize| u8::try_from(percent * 255 / 100).unwrap();
                        colors[index] = [byte(red), byte(green), byte(blue), 255];
                    }
                }
                '!' => count = numbers(false)[0],
                '$' => column = 0,
                '-' => (column, top) = (0, top + 6),
                sixel => {
                    let bits = u32::from(sixel) - 63;
                    assert!(bits < 64, "{sixel}");
                    for column in column..column + count {
                        for row in (0..6).filter(|row| bits >> row & 1 == 1) {
                            picture.pixels_mut()[(top + row) * width + column] = colors[color];
                        }
                    }
                    (column, count) = (column + count, 1);
                }
            }
        }
        picture
    }

    fn worst_difference(one: &Picture, other: &Picture) -> u8 {
        assert_eq!(one.size(), other.size());
        let mut worst = 0;
        for (one, other) in one.pixels().iter().zip(other.pixels()) {
            assert_eq!(one[3], other[3], "transparency");
            worst = one.iter().zip(other).fold(worst, |worst, (one, other)| worst.max(one.abs_diff(*other)));
        }
        worst
    }

    #[test]
    fn tiny_pictures_have_exact_text() {
        let mut picture = Picture::new([5, 7], [255, 0, 0, 255]).unwrap();
        picture.pixels_mut()[0] = [0, 0, 0, 0];
        let expected = "\x1bP0;1;0q\"1;1;5;7#0;2;100;0;0#0}!4~-#0!5@\x1b\\";
        assert_eq!(sixel_image(&picture), expected);
        let empty = Picture::new([2, 1], [0; 4]).unwrap();
        assert_eq!(sixel_image(&empty), "\x1bP0;1;0q\"1;1;2;1\x1b\\");
        assert_eq!(sixel_image(&Picture::new([0, 0], [0; 4]).unwrap()), "\x1bP0;1;0q\"1;1;0;0\x1b\\");
    }

    #[test]
    fn few_colours_survive_the_round_trip() {
        for [width, height] in [[1, 1], [7, 13], [33, 6], [64, 20]] {
            let mut picture = Picture::new([width, height], [0, 0, 0, 0]).unwrap();
            for (index, pixel) in picture.pixels_mut().iter_mut().enumerate() {
                let colors = [[0; 4], [255, 0, 0, 255], [0, 255, 255, 255], [255, 255, 255, 255], [0, 0, 0, 255]];
                *pixel = colors[index * 7 / 3 % 5];
            }
            assert_eq!(decode(&sixel_image(&picture)).pixels(), picture.pixels());
        }
    }

    #[test]
    fn many_colours_lose_little() {
        let mut grey = Picture::new([256, 12], [0; 4]).unwrap();
        for (index, pixel) in grey.pixels_mut().iter_mut().enumerate() {
            let value = u8::try_from(index % 256).unwrap();
            *pixel = [value, value, value, 255];
        }
        let worst = worst_difference(&decode(&sixel_image(&grey)), &grey);
        assert!(worst <= 5, "{worst}");
        let mut colored = Picture::new([128, 128], [0; 4]).unwrap();
        for (index, pixel) in colored.pixels_mut().iter_mut().enumerate() {
            let (x, y) = (u8::try_from(index % 128).unwrap(), u8::try_from(index / 128).unwrap());
            *pixel = [x * 2, y * 2, 255 - x, 255];
        }
        let worst = worst_difference(&decode(&sixel_image(&colored)), &colored);
        assert!(worst <= 24, "{worst}");
    }
}
