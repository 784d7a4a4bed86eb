//! Compares the bones and weights of vertices.

// Rule: this file sorts and maps by copies only.

use super::options::Tolerance;
use crate::model::{Indices, WeightsIter};
use crate::{Array, Weights};

/// Reads the influences on one vertex after another, or on the vertices that the corners of
/// triangles refer to.
///
/// The influences are sorted by bone. Influences with the weight 0 are left out.
pub struct InfluenceReader<'a> {
    order: InfluenceOrder<'a>,
    /// For each bone of the file, the number that it gets, if it gets another one.
    bones: Option<Vec<Option<usize>>>,
}

/// The order in which the vertices are read.
enum InfluenceOrder<'a> {
    Vertices(WeightsIter<'a>, usize),
    Corners { weights: Weights<'a>, corners: Indices<'a>, next: usize },
}

impl<'a> InfluenceReader<'a> {
    pub fn new(weights: Weights<'a>, corners: Option<Indices<'a>>, bones: Option<Vec<Option<usize>>>) -> Self {
        let order = match corners {
            Some(corners) => InfluenceOrder::Corners { weights, corners, next: 0 },
            None => InfluenceOrder::Vertices(weights.iter(), weights.len()),
        };
        Self { order, bones }
    }

    /// Returns the number of lists of influences.
    pub fn len(&self) -> usize {
        match &self.order {
            InfluenceOrder::Vertices(_, count) => *count,
            InfluenceOrder::Corners { corners, .. } => corners.len(),
        }
    }

    /// Returns the number of a bone in the other mesh. A bone without a partner gets a number that
    /// no bone has.
    fn renumbered(&self, bone: i32) -> i32 {
        let Some(bones) = &self.bones else { return bone };
        let Some(partner) = usize::try_from(bone).ok().and_then(|bone| bones.get(bone)) else { return bone };
        let missing = bone.saturating_neg().saturating_sub(1);
        partner.and_then(|partner| i32::try_from(partner).ok()).unwrap_or(missing)
    }
}

impl Iterator for InfluenceReader<'_> {
    type Item = Vec<(i32, f32)>;

    fn next(&mut self) -> Option<Self::Item> {
        let influences = match &mut self.order {
            InfluenceOrder::Vertices(lists, _) => lists.next()?,
            InfluenceOrder::Corners { weights, corners, next } => {
                let vertex = corners.get(*next)?;
                *next = next.saturating_add(1);
                match weights.get(vertex) {
                    Some(influences) => influences,
                    None => return Some(Vec::new()),
                }
            }
        };
        let mut list = Vec::with_capacity(influences.len());
        influences.for_each(|one| {
            if one.weight != 0.0 {
                list.push((self.renumbered(one.bone), one.weight));
            }
        });
        list.sort_unstable_by_key(|(bone, _)| *bone);
        Some(list)
    }
}

/// Returns the largest difference of the weights of a bone, or `None` if all weights count as
/// equal. Both lists are in the order of the bones. A bone that is not in a list has the weight 0.
pub fn compare_influences(mut a: &[(i32, f32)], mut b: &[(i32, f32)], tolerance: &Tolerance) -> Option<f64> {
    let mut largest: Option<f64> = None;
    while let Some(bone) = a.first().into_iter().chain(b.first()).map(|(bone, _)| *bone).min() {
        let difference = tolerance.difference(take_weight(&mut a, bone), take_weight(&mut b, bone));
        largest = largest.into_iter().chain(difference).reduce(f64::max);
    }
    largest
}

/// Removes the weights of a bone from the start of a list, and returns their sum.
fn take_weight(list: &mut &[(i32, f32)], bone: i32) -> f64 {
    let mut sum = 0.0;
    while let Some(((_, weight), rest)) = list.split_first().filter(|((first, _), _)| *first == bone) {
        sum += f64::from(*weight);
        *list = rest;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_bone_has_no_weight() {
        let tolerance = Tolerance { absolute: 0.01, relative: 0.0 };
        assert_eq!(compare_influences(&[(0, 1.0)], &[(0, 0.995), (3, 0.005)], &tolerance), None);
        assert_eq!(compare_influences(&[(0, 0.5), (1, 0.5)], &[(0, 0.5), (2, 0.5)], &tolerance), Some(0.5));
        assert_eq!(compare_influences(&[(0, 0.25), (0, 0.25)], &[(0, 0.5)], &Tolerance::default()), None);
        assert_eq!(compare_influences(&[(0, f32::NAN)], &[(0, f32::NAN)], &tolerance), None);
    }
}
