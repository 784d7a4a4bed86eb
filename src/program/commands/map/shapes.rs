//! Merges small neighbouring regions for a picture. A small file may have a million regions, but a
//! picture has a bounded number of shapes.

use super::kinds::{ALL, ByteKind, UNREADABLE};
use crate::Region;

/// The largest number of shapes in a picture that is a file of its own.
pub const MAX_SHAPES: u64 = 3500;

/// The number and the bytes of the regions of similar size: item `n` is for sizes that have `n`
/// binary digits.
#[derive(Debug)]
pub struct SizeHistogram([(u64, u64); 65]);

impl Default for SizeHistogram {
    fn default() -> Self {
        Self([(0, 0); 65])
    }
}

impl SizeHistogram {
    /// Adds a region. An empty region has no shape and is not counted.
    pub fn add(&mut self, size: u64) {
        if size == 0 {
            return;
        }
        let digits = u64::BITS.saturating_sub(size.leading_zeros());
        if let Some((count, bytes)) = usize::try_from(digits).ok().and_then(|digits| self.0.get_mut(digits)) {
            (*count, *bytes) = (count.saturating_add(1), bytes.saturating_add(size));
        }
    }

    /// Returns the smallest size of a region that is a shape of its own in a picture of at most
    /// `most` shapes. Smaller neighbours are merged until they have this size.
    pub fn least_size(&self, most: u64) -> u64 {
        let all = self.0.iter().fold(0_u64, |sum, (count, _)| sum.saturating_add(*count));
        let (mut small, mut bytes) = (0_u64, 0_u64);
        for (digits, (count, size)) in (0_u32..).zip(&self.0) {
            // Each large region may end a run of small ones. A run that no large region ends has at
            // least the least size.
            let least = 1_u64.checked_shl(digits.saturating_sub(1)).unwrap_or(u64::MAX);
            let runs = small.min(bytes.checked_div(least).unwrap_or_default());
            let large = all.saturating_sub(small);
            if large.saturating_add(runs).saturating_add(small.min(large)) <= most {
                return least;
            }
            (small, bytes) = (small.saturating_add(*count), bytes.saturating_add(*size));
        }
        u64::MAX
    }
}

/// A range of bytes in a picture: one region, or small neighbouring regions.
#[derive(Clone, Debug)]
pub struct ByteShape {
    pub start: u64,
    pub end: u64,
    /// The number of regions.
    pub regions: u64,
    /// The first of the regions, or `None` for bytes that no region describes.
    pub first: Option<Region>,
    /// The kind with the most bytes.
    pub kind: ByteKind,
}

/// Merges the regions of a file, in file order, into shapes.
pub struct RegionMerger<'s> {
    least: u64,
    /// The bytes of each kind in the run of small regions that has not ended yet.
    run: [u64; ALL.len()],
    first: Option<Region>,
    end: u64,
    regions: u64,
    see: &'s mut dyn FnMut(ByteShape),
}

impl<'s> RegionMerger<'s> {
    /// Creates a merger that passes each shape to `see`. `least` is the smallest size of a region
    /// that is not merged.
    pub fn new(least: u64, see: &'s mut dyn FnMut(ByteShape)) -> Self {
        Self { least, run: [0; ALL.len()], first: None, end: 0, regions: 0, see }
    }

    pub fn add(&mut self, region: Region) {
        if region.is_empty() {
            return;
        }
        if region.len() >= self.least {
            self.end_run();
        }
        let first = *self.first.get_or_insert(region);
        self.end = region.end;
        self.regions = self.regions.saturating_add(1);
        if let Some(bytes) = self.run.get_mut(ByteKind::of(&region).index()) {
            *bytes = bytes.saturating_add(region.len());
        }
        if self.end.saturating_sub(first.start) >= self.least {
            self.end_run();
        }
    }

    /// Ends the last run. The bytes of the file after it are unreadable. `size` is the size of the
    /// file in bytes.
    pub fn finish(mut self, size: u64) {
        self.end_run();
        if self.end < size {
            (self.see)(ByteShape { start: self.end, end: size, regions: 0, first: None, kind: UNREADABLE });
        }
    }

    fn end_run(&mut self) {
        let Some(first) = self.first.take() else { return };
        let most = ALL.iter().zip(&self.run).max_by_key(|(_, bytes)| **bytes);
        let kind = most.map_or(UNREADABLE, |(kind, _)| *kind);
        let regions = std::mem::take(&mut self.regions);
        self.run = [0; ALL.len()];
        (self.see)(ByteShape { start: first.start, end: self.end, regions, first: Some(first), kind });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Field;
    use crate::parse::ElementType;

    fn shapes(sizes: &[u64]) -> Vec<ByteShape> {
        let mut histogram = SizeHistogram::default();
        for size in sizes {
            histogram.add(*size);
        }
        let mut shapes = Vec::new();
        let mut see = |shape| shapes.push(shape);
        let mut merger = RegionMerger::new(histogram.least_size(MAX_SHAPES), &mut see);
        let mut start = 0;
        for size in sizes {
            let (field, end) = (Field::new("positions"), start + size);
            merger.add(Region { field, start, end, element: ElementType::new("u8", 1, 1), count: *size });
            start = end;
        }
        merger.finish(start + 1);
        shapes
    }

    #[test]
    fn keeps_few_regions_apart() {
        let found = shapes(&[1, 0, 2, 1_000_000, 1]);
        let ranges: Vec<_> = found.iter().map(|shape| (shape.start, shape.end, shape.kind.name)).collect();
        let kind = "positions";
        let end = (1_000_004, 1_000_005, "unreadable");
        assert_eq!(ranges, [(0, 1, kind), (1, 3, kind), (3, 1_000_003, kind), (1_000_003, 1_000_004, kind), end]);
    }

    #[test]
    fn merges_many_regions_without_gaps() {
        for sizes in [vec![1; 100_000], (0..200_000).map(|at| if at % 2 == 0 { 1 } else { 1 << (at % 13) }).collect()] {
            let found = shapes(&sizes);
            assert!((100..=usize::try_from(MAX_SHAPES).unwrap() + 1).contains(&found.len()), "{} shapes", found.len());
            assert!(found.windows(2).all(|pair| pair[0].end == pair[1].start));
            assert_eq!(found.iter().map(|shape| shape.regions).sum::<u64>(), u64::try_from(sizes.len()).unwrap());
        }
    }
}
