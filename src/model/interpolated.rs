//! Positions between two shapes.

use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::{as_u64, mix};
use crate::model::attributes::Positions;

/// The positions on the straight way from one shape to another, computed on access: a moment between two vertex frames.
#[derive(Clone, Copy, Debug)]
pub struct InterpolatedPositions<'a> {
    from: Positions<'a>,
    to: Positions<'a>,
    fraction: f32,
}

impl<'a> InterpolatedPositions<'a> {
    /// Stands `fraction` of the way from one shape to the other. Where one has more positions, those are left out.
    #[must_use]
    pub const fn new(from: Positions<'a>, to: Positions<'a>, fraction: f32) -> Self {
        Self { from, to, fraction }
    }

    /// Returns the number of positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.from.len().min(self.to.len())
    }

    /// Tells whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Computes position `index`; `None` where there is none.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<[f32; 3]> {
        Some(mix(self.from.get(index)?, self.to.get(index)?, self.fraction))
    }

    /// Computes all positions into `out`, in two passes: one over each shape.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Buffer`] where `out` is not of this length.
    pub fn decode_into(&self, out: &mut [[f32; 3]]) -> Result<()> {
        let (Some(from), Some(to)) = (self.from.slice(0..out.len()), self.to.slice(0..self.len())) else {
            return Err(self.wrong_size(out.len()));
        };
        if out.len() != self.len() {
            return Err(self.wrong_size(out.len()));
        }
        from.decode_into(out)?;
        let mut mixed = out.iter_mut();
        to.for_each(|to| {
            if let Some(position) = mixed.next() {
                *position = mix(*position, to, self.fraction);
            }
        });
        Ok(())
    }

    fn wrong_size(&self, given: usize) -> Error {
        let kind = ErrorKind::Buffer { needed: as_u64(self.len()), given: as_u64(given) };
        Error::without_offset("positions", Field::new("out"), kind)
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "whole numbers are exact")]
mod tests {
    use super::*;
    use crate::array::Packed;
    use crate::decode::{Packed64, packed64};

    #[test]
    fn meets_both_ends_and_the_middle() {
        let [from, to] = [[[0, 10, -3], [1, 2, 3]], [[10, 0, -4], [1, 2, 4]]].map(|shape| shape.map(packed64::encode));
        let shapes = |fraction| {
            let shape = |raw| Positions::Packed64(Packed::new(raw, Packed64));
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
