//! Comparisons of stored bounding boxes with computed ones.

use crate::array::Bounds;

/// Maximum accepted distance of a position outside the declared bounding box, on each axis, as a
/// fraction of the extent of all positions on this axis.
///
/// Programs that write text files truncate numbers, with a relative error of up to 1e-4.
const CUT: f32 = 1e-4;
/// Maximum accepted distance of a position outside the declared bounding box, on each axis, as a
/// fraction of the greatest absolute coordinate of the positions on this axis.
const ROUNDED_AT: f32 = 1e-5;

/// Returns whether a declared box contains the box of the positions, up to the rounding errors of
/// text files.
pub(crate) fn contains(declared: &Bounds, found: &Bounds) -> bool {
    let mut corners = declared.min.iter().zip(&declared.max).zip(found.min.iter().zip(&found.max));
    corners.all(|((low, high), (least, most))| {
        // The positions of a flat mesh have an extent of 0 on one axis. Because the extent on an
        // axis can be 0, the tolerance for the bounding box also depends on the greatest absolute
        // coordinate of the positions.
        let slack = ((most - least).abs() * CUT).max(most.abs().max(least.abs()) * ROUNDED_AT).max(f32::EPSILON);
        // A bounding box with NaN coordinates contains no position.
        *least >= low - slack && *most <= high + slack
    })
}

/// Returns whether all coordinates of two bounding boxes are equal to within one unit in the last
/// place (ULP).
pub(crate) fn nearly_equal(one: &Bounds, other: &Bounds) -> bool {
    let pairs = one.min.iter().zip(&other.min).chain(one.max.iter().zip(&other.max));
    pairs.into_iter().all(|(one, other)| ordered(*one).abs_diff(ordered(*other)) <= 1)
}

/// Maps floats to integers with the same order: a greater float has a greater integer. Two adjacent
/// floats are mapped to integers that differ by 1, and positive and negative zero are mapped to the
/// same integer.
fn ordered(value: f32) -> i64 {
    let bits = i64::from(value.to_bits() & 0x7fff_ffff);
    if value.is_sign_negative() { bits.wrapping_neg() } else { bits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_apart() {
        assert_eq!(ordered(0.0), ordered(-0.0));
        assert_eq!(ordered(1.0) + 1, ordered(1.0_f32.next_up()));
        assert_eq!(ordered(-1.0) - 1, ordered((-1.0_f32).next_down()));
        assert_eq!(ordered(f32::MIN_POSITIVE) - ordered(f32::MIN_POSITIVE.next_down()), 1);
    }
}
