//! The joints and weights of vertices.

use std::io::Write;

use super::attributes::VertexInput;
use super::buffers::BufferSink;
use super::document::{AccessorType, ArraySpec, ComponentType};
use super::skeleton::SkeletonPlan;
use crate::error::{Cause, Result};
use crate::export::fault;
use crate::export::influences::InfluenceList;
use crate::export::loss::{LossKind, LossList, counted};
use crate::model::{Influences, SkinningRules, Weights};

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
            let found = fill(&mut list, Some(&influences), weights.skinning_rules(), skeleton)?;
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

/// Reads the influences on a vertex, and returns their number.
fn fill(
    list: &mut InfluenceList,
    influences: Option<&Influences<'_>>,
    rules: SkinningRules,
    skeleton: &SkeletonPlan,
) -> Result<usize> {
    list.fill(influences, MAX_INFLUENCES, |bone| {
        skeleton.joint(bone, rules).map(Some).ok_or_else(|| out_of_range(bone, skeleton))
    })
}

fn out_of_range(bone: i32, skeleton: &SkeletonPlan) -> crate::error::Error {
    fault("weights", Cause::value(format!("a bone below {}", skeleton.bone_count()), format!("bone {bone}")))
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
        let joints = AccessorType::integers(if is_wide { ComponentType::U16 } else { ComponentType::U8 }, 4);
        let elements = vec![[joints, AccessorType::floats(4)]; plan.sets];
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
            let influences = weights.get(self.order.corner(vertex).position);
            fill(&mut list, influences.as_ref(), weights.skinning_rules(), skeleton)?;
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
