//! Reduces the colours of a picture to 256, by median cut.

use crate::render::Picture;

/// The most colours of a palette. It is what most terminals with sixel graphics have.
const MAX_COLORS: usize = 256;
/// The number of bins: 5 bits of red, 6 of green and 5 of blue.
const BINS: usize = 1 << 16;
/// The least alpha of a pixel that is drawn.
const MIN_ALPHA: u8 = 128;

/// Colours, and the nearest colour for each pixel.
pub struct ColorMap {
    /// The colours, at most 256.
    pub colors: Vec<[u8; 3]>,
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
    pub fn new(picture: &Picture) -> Self {
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
    pub fn index(&self, pixel: [u8; 4]) -> Option<u8> {
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
