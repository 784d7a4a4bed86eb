//! Positions that are interpolated between two shapes.

use std::ops::Range;

use crate::array::Array;
use crate::array::iter::impl_into_iter;
use crate::io::PrefetchList;
use crate::math::mix;
use crate::model::attributes::Positions;

/// Positions that are interpolated linearly between two shapes. Each interpolated position is
/// computed when it is accessed.
///
/// `InterpolatedPositions` can contain the positions of a mesh at a moment between two vertex
/// frames.
#[derive(Clone, Copy, Debug)]
pub struct InterpolatedPositions<'a> {
    from: Positions<'a>,
    to: Positions<'a>,
    fraction: f32,
}

impl<'a> InterpolatedPositions<'a> {
    /// Makes the positions at `fraction` between two shapes: 0 is the shape `from`, and 1 is the
    /// shape `to`.
    ///
    /// If the two shapes have different numbers of positions, the additional positions of the
    /// longer shape are ignored.
    #[must_use]
    pub const fn new(from: Positions<'a>, to: Positions<'a>, fraction: f32) -> Self {
        Self { from, to, fraction }
    }
}

impl Array for InterpolatedPositions<'_> {
    type Item = [f32; 3];

    fn len(&self) -> usize {
        self.from.len().min(self.to.len())
    }

    #[inline]
    fn get(&self, index: usize) -> Option<[f32; 3]> {
        Some(mix(self.from.get(index)?, self.to.get(index)?, self.fraction))
    }

    fn slice(&self, range: Range<usize>) -> Option<Self> {
        Some(Self { from: self.from.slice(range.clone())?, to: self.to.slice(range)?, ..*self })
    }

    fn prefetch(&self) {
        self.from.prefetch();
        self.to.prefetch();
    }

    fn list_item<'b>(&self, index: usize, list: &mut PrefetchList<'b>)
    where
        Self: 'b,
    {
        self.from.list_item(index, list);
        self.to.list_item(index, list);
    }

    #[inline]
    fn prefetch_to_cache(&self, index: usize) {
        self.from.prefetch_to_cache(index);
        self.to.prefetch_to_cache(index);
    }

    /// Writes the interpolated positions to `out` in two passes, one over each of the two shapes.
    fn fill(&self, out: &mut [[f32; 3]]) {
        let (Some(from), Some(to)) = (self.from.slice(0..self.len()), self.to.slice(0..self.len())) else { return };
        from.fill(out);
        let mut mixed = out.iter_mut();
        to.fold((), |(), to| {
            if let Some(position) = mixed.next() {
                *position = mix(*position, to, self.fraction);
            }
        });
    }
}

impl_into_iter!(['a] InterpolatedPositions<'a>);

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "whole numbers are exact")]
mod tests {
    use super::*;
    use crate::array::Packed;
    use crate::decode::{Packed64, packed64};
    use crate::model::PositionEncoding;

    #[test]
    fn meets_both_ends_and_the_middle() {
        let [from, to] = [[[0, 10, -3], [1, 2, 3]], [[10, 0, -4], [1, 2, 4]]].map(|shape| shape.map(packed64::encode));
        let shapes = |fraction| {
            let shape = |raw| Positions(PositionEncoding::Packed64(Packed::new(raw, Packed64)));
            InterpolatedPositions::new(shape(&from), shape(&to[..]), fraction)
        };
        let all = |fraction| {
            let mut out = [[0.0; 3]; 2];
            shapes(fraction).decode_into(&mut out).unwrap();
            assert_eq!(out.map(Some), [0, 1].map(|index| shapes(fraction).get(index)));
            out
        };
        assert_eq!(all(0.0), [[0.0, 10.0, -3.0], [1.0, 2.0, 3.0]]);
        assert_eq!(all(1.0), [[10.0, 0.0, -4.0], [1.0, 2.0, 4.0]]);
        assert_eq!(all(0.5), [[5.0, 5.0, -3.5], [1.0, 2.0, 3.5]]);
        assert!(shapes(0.5).decode_into(&mut []).is_err() && shapes(0.5).get(2).is_none());
        assert!(shapes(0.5).decode_into(&mut [[0.0; 3]; 3]).is_err());
    }
}
