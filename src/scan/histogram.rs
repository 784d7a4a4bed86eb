//! Histograms: the number of values in each of several bins, which divide an interval into equal
//! parts.

/// A histogram: the number of values in each of `BINS` bins, which divide an interval into equal
/// parts.
///
/// ```
/// use meshpeek::scan::Histogram;
/// let found = Histogram::<4>::of([0.0, 0.1, 0.5, 1.0, 1.5, -2.0, f32::NAN], [0.0, 1.0]);
/// assert_eq!(found.bins, [2, 0, 1, 1]);
/// assert_eq!((found.below, found.above, found.not_a_number), (1, 1, 1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Histogram<const BINS: usize> {
    /// The number of values in each bin. The first bin counts the values at the lower end of the
    /// interval, and the last bin the values at the upper end.
    ///
    /// A value on the border between two bins is counted in the bin of the greater values. A value
    /// equal to the upper end of the interval is counted in the last bin.
    pub bins: [u64; BINS],
    /// The number of values that are less than the lower end of the interval.
    pub below: u64,
    /// The number of values that are greater than the upper end of the interval.
    pub above: u64,
    /// The number of values that are NaN.
    pub not_a_number: u64,
}

impl<const BINS: usize> Histogram<BINS> {
    /// Makes a histogram of `values` over the interval from `low` to `high`.
    #[must_use]
    pub fn of(values: impl IntoIterator<Item = f32>, [low, high]: [f32; 2]) -> Self {
        let mut found = Self { bins: [0; BINS], below: 0, above: 0, not_a_number: 0 };
        let (start, width) = (f64::from(low), f64::from(high) - f64::from(low));
        for value in values {
            let count = if value.is_nan() {
                &mut found.not_a_number
            } else if value < low {
                &mut found.below
            } else if value > high {
                &mut found.above
            } else {
                let part = bin((f64::from(value) - start) / width, BINS);
                found.bins.get_mut(part).unwrap_or(&mut found.above)
            };
            *count = count.saturating_add(1);
        }
        found
    }
}

/// Returns the index of the bin that contains a value.
///
/// `share` is the position of the value in the interval as a fraction: 0 at the lower end, and 1 at
/// the upper end.
#[allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a float-to-integer cast truncates and saturates, and turns NaN into 0"
)]
fn bin(share: f64, bins: usize) -> usize {
    ((share * bins as f64) as usize).min(bins.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use super::*;
    use crate::array::runs::CountedRuns;
    use crate::model::Weights;

    #[test]
    fn every_value_is_somewhere() {
        let values = (0..=1000_u16).map(|value| f32::from(value) / 100.0);
        let found = Histogram::<10>::of(values.clone(), [2.0, 7.0]);
        assert_eq!((found.below, found.above, found.not_a_number), (200, 300, 0));
        assert_eq!(found.bins.iter().sum::<u64>(), 501);
        assert_eq!((found.bins[0], found.bins[9]), (50, 51));
        let flat = Histogram::<3>::of(values, [5.0, 5.0]);
        assert_eq!((flat.bins, flat.below, flat.above), ([1, 0, 0], 500, 500));
        assert_eq!(Histogram::<0>::of([1.0], [0.0, 2.0]).above, 1);
        let ends = Histogram::<2>::of([f32::INFINITY, f32::NEG_INFINITY], [f32::MIN, f32::MAX]);
        assert_eq!((ends.bins, ends.below, ends.above), ([0, 0], 1, 1));
    }

    #[test]
    fn counts_the_lengths_of_lists() {
        let mut bytes = vec![0, 2, 1, 0, 1, 0, 2, 0, 2, 0, 0, 1, 3, 0, 3, 0, 255];
        bytes.resize(bytes.len() + 255 * 4, 9);
        let index = OnceLock::new();
        let lengths = Weights::from_counted(CountedRuns::new(&bytes, 5), Some(&index)).histogram();
        let mut expected = [0; 256];
        for length in [0_usize, 0, 1, 2, 255] {
            expected[length] += 1;
        }
        assert_eq!(lengths, expected);
        assert!(index.get().is_none());
    }
}
