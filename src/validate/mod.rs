//! Validation: the report that collects findings, and the checks of values that all formats share.
//! The folder `validate` of a format contains the rules of the format and its own checks.

mod indices;
mod report;

use crate::array::Bounds;
use crate::error::Result;
use crate::model::Transform;
use crate::parse::{filled, room};

internal_use!(indices::IndexCheck, report::Report, report::Tally);

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

/// Returns, for each cycle of parents, the index of one bone in the cycle. A parent that is no
/// bone, such as -1, belongs to no cycle.
///
/// One search starts at each bone and follows the parents. Each bone is marked with the start of
/// the first search that reaches it, so all searches together visit every bone once.
pub(crate) fn cycles(format: &'static str, parents: &[i32]) -> Result<Vec<usize>> {
    const NEW: u32 = u32::MAX;
    let mut seen = filled(format, "bones", parents.len(), NEW)?;
    // A cycle has at least one bone, so the list never has more items than `parents`.
    let mut found = room(format, "bones", parents.len())?;
    for start in 0..parents.len() {
        let mark = u32::try_from(start).unwrap_or(NEW);
        let mut at = start;
        while let Some(place) = seen.get_mut(at).filter(|place| **place == NEW) {
            *place = mark;
            match parents.get(at).and_then(|parent| usize::try_from(*parent).ok()) {
                Some(parent) if seen.get(parent) == Some(&mark) => found.push(parent),
                Some(parent) => at = parent,
                None => break,
            }
        }
    }
    Ok(found)
}

/// Returns whether all numbers of a transform are finite.
pub(crate) fn is_finite(transform: &Transform) -> bool {
    let Transform { position, rotation, scale } = transform;
    position.iter().chain(rotation).chain(scale).all(|value| value.is_finite())
}

/// Returns the length of a quaternion.
pub(crate) fn length(quaternion: [f32; 4]) -> f32 {
    quaternion.iter().map(|value| value * value).sum::<f32>().sqrt()
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

    fn cycles(parents: &[i32]) -> Vec<usize> {
        super::cycles("test", parents).unwrap()
    }

    #[test]
    fn finds_each_cycle_once() {
        assert!(cycles(&[]).is_empty());
        assert!(cycles(&[-1, 0, 1, 5, 0, -1]).is_empty());
        assert_eq!(cycles(&[0]), [0]);
        assert_eq!(cycles(&[1, 0, 1]).len(), 1);
        assert_eq!(cycles(&[1, 2, 1, 4, 3]).len(), 2);
        let ring: Vec<_> = (0..10_000).map(|bone| (bone + 1) % 10_000).collect();
        assert_eq!(cycles(&ring).len(), 1);
        let chain: Vec<_> = (0..10_000).map(|bone| bone - 1).collect();
        assert!(cycles(&chain).is_empty());
    }
}
