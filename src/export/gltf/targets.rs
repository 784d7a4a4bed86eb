//! Morph targets: the vertex frames of a mesh, or its morph targets.

use super::attributes::{VertexInput, VertexNormals, computed_corners, finite_or_zero, known};
use super::buffers::{BufferSink, FloatBlock};
use super::document::{AccessorType, ArraySpec, TargetNames};
use crate::array::Array;
use crate::error::{Cause, Result};
use crate::export::{SceneInput, fault};
use crate::math::{as_index, as_u64, subtract, unit};
use crate::model::animation::FrameBlend;
use crate::model::{Geometry, Normals, Positions, TangentFrames};
use crate::scene::shape::SurfaceShape;

/// The greatest number of morph targets of all primitives of a mesh together.
const MAX_TARGETS: usize = 1 << 18;

/// The shapes of a mesh that become morph targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TargetPlan {
    /// The base shape only.
    None,
    /// The vertex frames after the first of these, which is the base shape.
    Frames { first: u32, count: u32 },
    /// The morph targets of each surface. The count is the greatest number of targets of a surface,
    /// without the base shape.
    Targets(u32),
}

impl TargetPlan {
    /// Returns the number of morph targets.
    pub(super) const fn count(self) -> u32 {
        match self {
            Self::None => 0,
            Self::Frames { count, .. } => count.saturating_sub(1),
            Self::Targets(count) => count,
        }
    }

    /// Returns how the targets are named.
    pub(super) const fn names(self) -> TargetNames {
        match self {
            Self::None => TargetNames::None,
            Self::Frames { first, .. } => TargetNames::Frames(first.saturating_add(1)),
            Self::Targets(_) => TargetNames::Targets,
        }
    }

    /// Returns an error if `surfaces` surfaces have too many targets.
    pub(super) fn check(self, surfaces: usize) -> Result<Self> {
        let asked = as_index(self.count()).saturating_mul(surfaces);
        if asked <= MAX_TARGETS {
            return Ok(self);
        }
        let (allowed, asked) = (as_u64(MAX_TARGETS), as_u64(asked));
        Err(fault("targets", Cause::Limit { name: "targets", allowed, asked }))
    }

    /// Finds the morph targets of the surfaces of a mesh.
    pub(super) fn of_targets(geometry: &dyn Geometry, surfaces: &[usize], input: &SceneInput<'_>) -> Result<Self> {
        let mut most = 0;
        for (number, surface) in surfaces.iter().enumerate() {
            // Finding a surface reads a page near each of its arrays.
            if number % 16 == 15 {
                input.release();
            }
            most = most.max(geometry.surface(*surface)?.counts()?.targets.saturating_sub(1));
        }
        Ok(if most == 0 { Self::None } else { Self::Targets(most) })
    }
}

impl VertexInput<'_, '_> {
    /// Writes the differences between each morph target and the base shape. Returns the accessors
    /// of the positions, normals and tangents of each target.
    pub(super) fn targets(
        &self,
        plan: TargetPlan,
        sink: &mut dyn BufferSink,
        block: &mut FloatBlock,
    ) -> Result<Vec<[Option<u32>; 3]>> {
        let mut targets = Vec::new();
        match plan {
            TargetPlan::None => {}
            TargetPlan::Frames { first, count } => {
                let base = self.surface.vertex_frame(as_index(first))?;
                for frame in first.saturating_add(1)..first.saturating_add(count) {
                    let positions = self.surface.vertex_frame(as_index(frame))?;
                    let positions = self.position_differences(base, positions, sink, block)?;
                    targets.push([Some(positions), self.frame_normals(frame, sink, block)?, None]);
                }
            }
            TargetPlan::Targets(count) => {
                let own = self.surface.counts()?.targets.saturating_sub(1).min(count);
                let base = self.surface.positions()?;
                for target in (1..=own).map(as_index) {
                    let positions = self.surface.target_positions(target)?;
                    let positions = self.position_differences(base, positions, sink, block)?;
                    let normals = self.stored_normals()?.zip(self.surface.target_normals(target)?);
                    let normal = |normals: &Normals<'_>, index| Some(self.conversion.normal(normals.get(index)?));
                    let normals = normals.map(|pair| self.direction_differences(pair, normal, sink, block));
                    let frames = self.stored_frames()?.zip(self.surface.target_tangent_frames(target)?);
                    let tangent = |frames: &TangentFrames<'_>, index| {
                        Some(self.conversion.direction(frames.get(index)?.tangent()))
                    };
                    let tangents = frames.map(|pair| self.direction_differences(pair, tangent, sink, block));
                    targets.push([Some(positions), normals.transpose()?, tangents.transpose()?]);
                }
                self.pad_targets(count, &mut targets, sink)?;
            }
        }
        Ok(targets)
    }

    /// Adds targets without a difference, because all primitives of a mesh have the same number.
    fn pad_targets(&self, count: u32, targets: &mut Vec<[Option<u32>; 3]>, sink: &mut dyn BufferSink) -> Result<()> {
        if targets.len() < as_index(count) {
            let spec = ArraySpec::vertices(AccessorType::FLOATS3, self.count).with_bounds();
            let zeros = sink.array(&spec, &mut |out| self.write_bytes(out, |_| [0; 12]))?;
            let normals = self.stored_normals()?.map(|_| zeros);
            let tangents = self.stored_frames()?.map(|_| zeros);
            targets.resize(as_index(count), [Some(zeros), normals, tangents]);
        }
        Ok(())
    }

    /// Writes the differences between the computed normals of the base shape and those of a frame.
    fn frame_normals(&self, frame: u32, sink: &mut dyn BufferSink, block: &mut FloatBlock) -> Result<Option<u32>> {
        let VertexNormals::Computed(base, computed) = self.normals else { return Ok(None) };
        let spec = ArraySpec::vertices(AccessorType::FLOATS3, self.count);
        let shape = SurfaceShape::Frames(FrameBlend { from: frame, to: frame, fraction: 0.0 });
        let written = sink.array(&spec, &mut |out| {
            let corners =
                computed_corners(computed, self.surface, shape, &self.conversion)?.unwrap_or_default().normals;
            self.write_each(block, out, |vertex| {
                let corner = base.corners.get(vertex).map_or(usize::MAX, |corner| as_index(*corner));
                subtract(known(&corners, corner), known(&base.values, vertex))
            })
        });
        written.map(Some)
    }

    fn position_differences(
        &self,
        base: Positions<'_>,
        target: Positions<'_>,
        sink: &mut dyn BufferSink,
        block: &mut FloatBlock,
    ) -> Result<u32> {
        let spec = ArraySpec::vertices(AccessorType::FLOATS3, self.count).with_bounds();
        sink.array(&spec, &mut |out| {
            self.write_each(block, out, |vertex| {
                let index = as_index(self.order.corner(vertex).position);
                let Some((base, target)) = base.get(index).zip(target.get(index)) else { return [0.0; 3] };
                let [base, target] = [base, target].map(|position| self.conversion.position(position));
                subtract(target, base).map(finite_or_zero)
            })
        })
    }

    /// Writes the differences between the directions of the base shape and those of a target.
    /// `direction` returns an item of an array as a direction in the output.
    fn direction_differences<A>(
        &self,
        (base, target): (A, A),
        direction: impl Fn(&A, usize) -> Option<[f32; 3]>,
        sink: &mut dyn BufferSink,
        block: &mut FloatBlock,
    ) -> Result<u32> {
        let spec = ArraySpec::vertices(AccessorType::FLOATS3, self.count);
        sink.array(&spec, &mut |out| {
            self.write_each(block, out, |vertex| {
                let index = as_index(self.order.corner(vertex).attribute);
                let pair = direction(&base, index).and_then(unit).zip(direction(&target, index).and_then(unit));
                pair.map_or([0.0; 3], |(base, target)| subtract(target, base))
            })
        })
    }
}
