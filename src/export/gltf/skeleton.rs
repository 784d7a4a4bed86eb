//! Bones: nodes, joints and inverse bind matrices.

use super::attributes::write_little_endian;
use super::buffers::BufferSink;
use super::document::{AccessorType, ArraySpec, Document, NodeObject, add};
use crate::error::{Cause, Result};
use crate::export::bones::usable_skeleton;
use crate::export::fault;
use crate::export::loss::{LossKind, LossList, counted};
use crate::math::narrow;
use crate::model::animation::{Affine, Animations, Skeleton};
use crate::model::{SkinningRules, SpaceConversion, Transform};
use crate::scene::is_bound;

/// The greatest number of joints, whose indices have 16 bits.
const MAX_JOINTS: usize = 1 << 16;

/// The bones of an asset.
pub(super) struct SkeletonPlan {
    skeleton: Skeleton,
    rest: Vec<Transform>,
    /// The inverse bind matrices, or `None` to write those of the skeleton.
    rigid: Option<Vec<Option<Affine>>>,
    names: Vec<String>,
    conversion: SpaceConversion,
    /// Whether there is a joint for vertices that no bone moves.
    has_still: bool,
}

/// The nodes of the bones at one place.
#[derive(Clone, Copy, Debug)]
pub(super) struct SkeletonNodes {
    /// The node of bone 0. The other bones follow.
    pub(super) first: u32,
    pub(super) still: Option<u32>,
    /// The node that contains all others.
    pub(super) root: u32,
}

impl SkeletonPlan {
    /// Reads the bones of an asset. Returns `None` if it has no bones, or if they cannot be used.
    /// The reason, and rest transforms that are not finite, are added to `losses`.
    pub(super) fn new(
        animations: &dyn Animations,
        conversion: SpaceConversion,
        losses: &mut LossList,
    ) -> Result<Option<Self>> {
        let count = animations.bone_count().unwrap_or_default();
        if count >= MAX_JOINTS {
            let expected = format!("fewer than {MAX_JOINTS} bones, whose indices have 16 bits").into();
            return Err(fault("bones", Cause::Refused { expected, found: counted(count, "bone").into() }));
        }
        let Some(skeleton) = usable_skeleton(animations, losses)? else { return Ok(None) };
        let (mut rest, mut names) = (Vec::new(), Vec::new());
        for bone in 0..count {
            let bone = animations.bone(bone)?;
            rest.push(bone.bind);
            names.push(bone.name.to_string_lossy());
        }
        let rigid = is_bound(animations).then(|| rigid_joints(&skeleton, &mut rest));
        let replaced = rest.iter().filter(|rest| !conversion.local(rest).is_finite()).count();
        if replaced > 0 {
            let text = format!("the rest transforms of {}, which are not finite", counted(replaced, "bone"));
            losses.add(LossKind::Values, None, text);
        }
        Ok(Some(Self { skeleton, rest, rigid, names, conversion, has_still: false }))
    }

    /// Adds a joint for vertices that no bone moves.
    pub(super) fn add_still(&mut self) {
        self.has_still = true;
    }

    pub(super) fn bone_count(&self) -> usize {
        self.rest.len()
    }

    /// Returns the number of bones, and one more for the vertices that no bone moves.
    pub(super) fn joint_count(&self) -> usize {
        self.bone_count().saturating_add(1)
    }

    /// Returns the rest transform of a bone as the file stores it.
    pub(super) fn stored_rest(&self, bone: usize) -> Transform {
        self.rest.get(bone).copied().unwrap_or_default()
    }

    /// Returns the rest transform of a bone in the conventions of the output.
    pub(super) fn rest(&self, bone: usize) -> Transform {
        self.convert(&self.stored_rest(bone))
    }

    /// Converts a transform relative to the parent of a bone.
    pub(super) fn convert(&self, local: &Transform) -> Transform {
        let finite = |parts: [f32; 3], default: f32| parts.map(|part| if part.is_finite() { part } else { default });
        let Transform { position, rotation, scale } = self.conversion.local(local);
        let rotation = crate::math::unit_rotation(rotation.map(f64::from)).map(narrow);
        Transform { position: finite(position, 0.0), rotation, scale: finite(scale, 1.0) }
    }

    /// Returns the joint of a stored bone, or `None` if the rules of the format make the bone an
    /// error.
    pub(super) fn joint(&self, bone: i32, rules: SkinningRules) -> Option<usize> {
        let found = usize::try_from(bone).ok().filter(|bone| *bone < self.bone_count());
        found.or_else(|| (rules == SkinningRules::Clamped).then(|| self.bone_count().saturating_sub(1)))
    }

    /// Returns the joint of the vertices that no bone moves.
    pub(super) fn still_joint(&self, rules: SkinningRules) -> usize {
        if rules == SkinningRules::Clamped { 0 } else { self.bone_count() }
    }

    /// Adds the nodes of all bones at a place. `transform` moves the whole skeleton.
    pub(super) fn add_nodes(
        &self,
        document: &mut Document,
        name: Option<&str>,
        transform: Option<Transform>,
    ) -> SkeletonNodes {
        let first = u32::try_from(document.nodes.len()).unwrap_or(u32::MAX);
        let (mut roots, mut children) = (Vec::new(), vec![Vec::new(); self.bone_count()]);
        for (bone, node) in (0..self.bone_count()).zip(first..) {
            match self.skeleton.parent(bone).and_then(|parent| children.get_mut(parent)) {
                Some(children) => children.push(node),
                None => roots.push(node),
            }
        }
        for (bone, children) in children.into_iter().enumerate() {
            let transform = Some(Box::new(self.rest(bone)));
            let name = self.names.get(bone).cloned();
            document.nodes.push(NodeObject { name, transform, children, ..NodeObject::default() });
        }
        let still = self.has_still.then(|| {
            add(&mut document.nodes, NodeObject { name: Some("without bones".to_owned()), ..NodeObject::default() })
        });
        roots.extend(still);
        let root = if let ([only], None) = (roots.as_slice(), &transform) {
            *only
        } else {
            let name = Some(name.map_or_else(|| "skeleton".to_owned(), |name| format!("{name} skeleton")));
            let transform = transform.map(Box::new);
            add(&mut document.nodes, NodeObject { name, transform, children: roots, ..NodeObject::default() })
        };
        SkeletonNodes { first, still, root }
    }

    /// Writes the inverse bind matrices of all joints, for vertices that are placed and converted.
    pub(super) fn inverse_binds(&self, sink: &mut dyn BufferSink, losses: &mut LossList) -> Result<u32> {
        let inverses = match &self.rigid {
            Some(rigid) => rigid.as_slice(),
            None => self.skeleton.inverse_binds()?,
        };
        let singular = inverses.iter().filter(|inverse| inverse.is_none()).count();
        if singular > 0 {
            let text = format!("the bind matrices of {}, which are singular", counted(singular, "bone"));
            losses.add(LossKind::Skin, None, text);
        }
        // The joints are bound in the space before the conversion.
        let bound = self.conversion.map().inverse().unwrap_or_default();
        let still = self.has_still.then(|| bound.then(self.conversion.map()));
        let joints =
            || inverses.iter().map(|inverse| bound.then(&inverse.unwrap_or_default()).then(self.conversion.map()));
        let replaced = joints().chain(still).filter(|map| !map.fits_f32()).count();
        if replaced > 0 {
            let text = format!("the bind matrices of {}, which are not finite", counted(replaced, "bone"));
            losses.add(LossKind::Skin, None, text);
        }
        let count = inverses.len().saturating_add(still.iter().len());
        let spec = ArraySpec::other(AccessorType::MATRICES, count);
        sink.array(&spec, &mut |out| {
            for map in joints().chain(still) {
                write_little_endian(&matrix(&Some(map).filter(Affine::fits_f32).unwrap_or_default()), out)?;
            }
            Ok(())
        })
    }
}

/// Replaces the rest transforms of joints that the file binds by matrices with transforms without
/// scale and shear, and returns their inverse bind matrices.
///
/// A joint with a scale, such as a collision volume of an avatar, moves its vertices in the same
/// way without the scale. Programs whose bones have no scale at rest, such as Blender, show only
/// the result without it correctly.
fn rigid_joints(skeleton: &Skeleton, rest: &mut [Transform]) -> Vec<Option<Affine>> {
    let rigid = |map: &Affine| {
        let transform = map.to_transform().unwrap_or_default();
        Affine::from(&Transform { scale: [1.0; 3], ..transform })
    };
    let worlds: Vec<Affine> = skeleton.bind().iter().map(rigid).collect();
    let inverses: Vec<Option<Affine>> = worlds.iter().map(Affine::inverse).collect();
    for (bone, (rest, world)) in rest.iter_mut().zip(&worlds).enumerate() {
        let parent = skeleton.parent(bone).and_then(|parent| *inverses.get(parent)?);
        let local = parent.map_or(*world, |parent| world.then(&parent));
        *rest = Transform { scale: [1.0; 3], ..local.to_transform().unwrap_or_default() };
    }
    inverses
}

/// Returns the columns of a 4 x 4 matrix.
fn matrix(map: &Affine) -> [f32; 16] {
    let [x, y, z, origin] = map.columns_f32();
    let column = |[x, y, z]: [f32; 3], last| [x, y, z, last];
    let columns = [column(x, 0.0), column(y, 0.0), column(z, 0.0), column(origin, 1.0)];
    let mut all = [0.0; 16];
    all.iter_mut().zip(columns.as_flattened()).for_each(|(place, part)| *place = *part);
    all
}
