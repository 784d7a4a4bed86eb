//! The joints and weights of vertices.

// Rule: this file sorts and maps by copies only.

use std::io::Write;

use super::attributes::VertexInput;
use super::buffers::BufferSink;
use super::elements::{ArraySpec, ComponentType, ElementType};
use super::skeleton::SkeletonPlan;
use crate::array::Array;
use crate::error::{Cause, Result};
use crate::export::fault;
use crate::export::loss::{LossKind, LossList, counted};
use crate::math::narrow;
use crate::model::{Influence, Influences, SkinningRules, Weights};

/// The number of influences in a set of glTF attributes.
const SET: usize = 4;
/// The greatest number of sets.
const MAX_SETS: usize = 4;
/// The greatest number of influences on a vertex that are written.
const MAX_INFLUENCES: usize = SET * MAX_SETS;

/// How the influences of a surface are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InfluencePlan {
    /// The number of sets of four influences.
    pub(super) sets: usize,
    /// Whether a vertex has no weights and keeps its position.
    pub(super) has_still: bool,
}

impl InfluencePlan {
    /// Reads all weights of a surface with `count` positions. Influences that are left out are
    /// added to `losses`.
    pub(super) fn new(
        weights: &Weights<'_>,
        skeleton: &SkeletonPlan,
        count: usize,
        losses: &mut LossList,
        surface: usize,
    ) -> Result<Self> {
        let mut plan = Self { sets: 1, has_still: false };
        let (mut most, mut too_many) = (0, 0_usize);
        let (mut list, mut vertices) = (InfluenceList::default(), 0_usize);
        for influences in weights {
            vertices = vertices.saturating_add(1);
            let found = list.fill(&influences, weights.skinning_rules(), skeleton)?;
            most = most.max(found);
            too_many = too_many.saturating_add(usize::from(found > MAX_INFLUENCES));
            plan.has_still |= list.is_empty() && weights.skinning_rules() == SkinningRules::Strict;
        }
        if too_many > 0 {
            let vertices = counted(too_many, "vertex");
            let text = format!("all but the {MAX_INFLUENCES} greatest weights of {vertices}");
            losses.add(LossKind::Influences, Some(surface), text);
        }
        // In a damaged file, the last vertices may have no list of influences.
        plan.has_still |= vertices < count && weights.skinning_rules() == SkinningRules::Strict;
        plan.sets = most.div_ceil(SET).clamp(1, MAX_SETS);
        Ok(plan)
    }
}

/// The influences on a vertex: each bone once, from the greatest weight to the least.
#[derive(Debug, Default)]
struct InfluenceList(Vec<(usize, f32)>);

impl InfluenceList {
    /// Reads the influences on a vertex, and returns their number. At most [`MAX_INFLUENCES`] are
    /// kept.
    fn fill(&mut self, influences: &Influences<'_>, rules: SkinningRules, skeleton: &SkeletonPlan) -> Result<usize> {
        self.0.clear();
        for Influence { bone, weight } in influences.iter().filter(|one| one.weight > 0.0 && one.weight.is_finite()) {
            let joint = skeleton.joint(bone, rules).ok_or_else(|| out_of_range(bone, skeleton))?;
            match self.0.iter_mut().find(|(other, _)| *other == joint) {
                Some((_, sum)) => *sum += weight,
                None => self.0.push((joint, weight)),
            }
        }
        let count = self.0.len();
        self.0.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        self.0.truncate(MAX_INFLUENCES);
        let sum: f64 = self.0.iter().map(|(_, weight)| f64::from(*weight)).sum();
        for (_, weight) in &mut self.0 {
            *weight = narrow(f64::from(*weight) / sum);
        }
        // A weight may be too small for a share of an `f32`, and a joint without weight is 0.
        self.0.retain(|(_, weight)| *weight > 0.0);
        Ok(count)
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sets the only joint of a vertex without weights.
    fn set_only(&mut self, joint: usize) {
        self.0.clear();
        self.0.push((joint, 1.0));
    }

    fn get(&self, number: usize) -> (usize, f32) {
        self.0.get(number).copied().unwrap_or_default()
    }
}

fn out_of_range(bone: i32, skeleton: &SkeletonPlan) -> crate::error::Error {
    let expected = format!("a bone below {}", skeleton.bone_count()).into();
    fault("weights", Cause::Value { expected, found: format!("bone {bone}").into() })
}

impl VertexInput<'_, '_> {
    /// Writes the joints and weights. Returns the first accessor: the joints and the weights of set
    /// *n* are the accessors 2 *n* and 2 *n* + 1 after it.
    pub(super) fn influences(
        &self,
        weights: &Weights<'_>,
        plan: InfluencePlan,
        skeleton: &SkeletonPlan,
        sink: &mut dyn BufferSink,
    ) -> Result<u32> {
        let is_wide = skeleton.joint_count() > 1 << 8;
        let joints = ElementType::integers(if is_wide { ComponentType::U16 } else { ComponentType::U8 }, 4);
        let elements = vec![[joints, ElementType::floats(4)]; plan.sets];
        let spec = ArraySpec::vertices(elements.as_flattened(), self.count);
        sink.array(&spec, &mut |out| self.write_influences(weights, plan, skeleton, is_wide, out))
    }

    fn write_influences(
        &self,
        weights: &Weights<'_>,
        plan: InfluencePlan,
        skeleton: &SkeletonPlan,
        is_wide: bool,
        out: &mut dyn Write,
    ) -> Result<()> {
        let (mut list, mut bytes) = (InfluenceList::default(), Vec::new());
        for vertex in 0..self.count {
            match weights.get(self.order.corner(vertex).position) {
                Some(influences) => {
                    list.fill(&influences, weights.skinning_rules(), skeleton)?;
                }
                None => list.0.clear(),
            }
            if list.is_empty() {
                list.set_only(skeleton.still_joint(weights.skinning_rules()));
            }
            put_vertex(&list, plan.sets, is_wide, &mut bytes);
            if bytes.len() >= 1 << 15 {
                out.write_all(&bytes)?;
                bytes.clear();
            }
        }
        Ok(out.write_all(&bytes)?)
    }
}

/// Appends the joints and weights of a vertex.
fn put_vertex(list: &InfluenceList, sets: usize, is_wide: bool, bytes: &mut Vec<u8>) {
    for set in 0..sets {
        let first = set.saturating_mul(SET);
        let all = (first..first.saturating_add(SET)).map(|number| list.get(number));
        for (joint, _) in all.clone() {
            let joint = u16::try_from(joint).unwrap_or(u16::MAX).to_le_bytes();
            bytes.extend_from_slice(if is_wide { &joint } else { joint.get(..1).unwrap_or_default() });
        }
        all.for_each(|(_, weight)| bytes.extend_from_slice(&weight.to_le_bytes()));
    }
}
