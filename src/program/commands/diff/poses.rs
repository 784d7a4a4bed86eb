//! Compares the poses of two clips, frame by frame.

use super::both::Both;
use super::comparison::MeshComparison;
use super::difference::DiffPlace;
use super::items::ItemCounter;
use super::options::DiffKind;
use super::tolerance::Tolerance;
use super::value::DiffValue;
use crate::Animations;
use crate::math::{as_index, as_u64};
use crate::model::Transform;

/// The differences of the positions, rotations and scales of bones.
#[derive(Default)]
struct PoseCounters {
    positions: ItemCounter,
    rotations: ItemCounter,
    scales: ItemCounter,
}

impl MeshComparison<'_, '_> {
    /// Compares the transforms of the paired bones in all frames that both clips have.
    pub fn compare_poses(
        &mut self,
        place: &DiffPlace,
        motions: Both<&dyn Animations>,
        clips: Both<usize>,
        bones: &[Both<usize>],
    ) -> anyhow::Result<()> {
        let found =
            Both { a: self.sides.a.locate(motions.a.clip(clips.a))?, b: self.sides.b.locate(motions.b.clip(clips.b))? };
        // A clip of vertex frames has no poses. Its frames are compared as vertex frames.
        if found.as_ref().map(|clip| clip.first_vertex_frame).all().is_some() {
            return Ok(());
        }
        let frames = found.a.frames.min(found.b.frames);
        let counts = self.read(motions, Animations::bone_count)?;
        let mut poses = counts.map(|count| vec![Transform::default(); count]);
        let mut counters = PoseCounters::default();
        for frame in 0..frames {
            let number = as_index(frame);
            self.sides.a.locate(motions.a.pose(clips.a, number, &mut poses.a))?;
            self.sides.b.locate(motions.b.pose(clips.b, number, &mut poses.b))?;
            if poses.a != poses.b || bones.iter().any(|pair| pair.a != pair.b) {
                let poses = poses.as_ref().map(Vec::as_slice);
                counters.add_frame(frame.into(), poses, bones, &self.options().tolerance);
            }
        }
        let of = u64::from(frames).saturating_mul(as_u64(bones.len()));
        let PoseCounters { positions, rotations, scales } = counters;
        for (name, counter) in [("positions", positions), ("rotations", rotations), ("scales", scales)] {
            self.add_items(DiffKind::Animations, place.part(name, name), counter.finish(of))?;
        }
        Ok(())
    }
}

impl PoseCounters {
    /// Adds the transforms of one frame.
    fn add_frame(&mut self, frame: u64, poses: Both<&[Transform]>, bones: &[Both<usize>], tolerance: &Tolerance) {
        for pair in bones {
            let Some(Both { a, b }) = Both::new(poses.a.get(pair.a), poses.b.get(pair.b)).all() else { continue };
            let add = |counter: &mut ItemCounter, a: &[f32], b: &[f32], largest: Option<f64>| {
                if largest.is_some() {
                    let values = || Both::new(DiffValue::Floats(a.to_vec()), DiffValue::Floats(b.to_vec()));
                    counter.add(frame, Some(pair.a), largest, values);
                }
            };
            let vector = |a: &[f32; 3], b: &[f32; 3]| tolerance.greatest(&a.map(f64::from), &b.map(f64::from));
            add(&mut self.positions, &a.position, &b.position, vector(&a.position, &b.position));
            add(&mut self.scales, &a.scale, &b.scale, vector(&a.scale, &b.scale));
            add(&mut self.rotations, &a.rotation, &b.rotation, rotation(&a.rotation, &b.rotation, tolerance));
        }
    }
}

/// Returns the greatest difference between two quaternions, or `None` if they count as equal. A
/// quaternion and its negation are the same rotation.
fn rotation(a: &[f32; 4], b: &[f32; 4], tolerance: &Tolerance) -> Option<f64> {
    let [a, b] = [a, b].map(|quaternion| quaternion.map(f64::from));
    let [same, negated] = [b, b.map(|part| -part)].map(|b| tolerance.greatest(&a, &b));
    Some(same?.min(negated?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_negated_quaternion_is_the_same_rotation() {
        let exact = Tolerance::default();
        assert_eq!(rotation(&[0.0, 0.5, 0.0, 1.0], &[0.0, -0.5, 0.0, -1.0], &exact), None);
        assert_eq!(rotation(&[0.0, 0.5, 0.0, 1.0], &[0.0, -0.5, 0.0, -0.75], &exact), Some(0.25));
    }
}
