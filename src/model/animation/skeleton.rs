//! Bones as a tree: conversion of transforms relative to the parent bone into transforms relative
//! to the model.

use std::sync::OnceLock;

use crate::error::debug::{items, short_debug};
use crate::error::{Cause, Error, Field, Result};
use crate::math::{as_index, as_u64};
use crate::model::animation::affine::{Affine, SkinMatrix};
use crate::model::animation::animations::Animations;
use crate::model::animation::stored_binds::StoredBinds;
use crate::model::bone::Transform;
use crate::model::conversion::SpaceConversion;
use crate::parse::{expect_length, filled, room};

/// The bones of a file as trees: the parent of each bone, and the rest transforms. In the file, the
/// bones may be in any order.
///
/// A `Skeleton` does not borrow the file, and takes 208 bytes of memory for each bone, or 252 bytes
/// if the file stores inverse bind matrices. A skeleton of more than 4,096 bones without stored
/// matrices takes 104 bytes for each bone until the first call of [`palette`](Self::palette) or
/// [`inverse_binds`](Self::inverse_binds).
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::model::animation::{Affine, SkinMatrix};
/// use meshpeek::Pose;
/// let mesh = meshpeek::open("data/unigine/skinned_ms12.mesh")?;
/// let skeleton = mesh.skeleton()?;
/// let mut model = vec![Affine::IDENTITY; skeleton.bind().len()];
/// skeleton.model(Pose::rest(mesh.animations())?.bones(), &mut model)?;
/// assert_eq!(model, skeleton.bind());
/// let mut palette = vec![SkinMatrix::IDENTITY; skeleton.bind().len()];
/// skeleton.palette(&model, &mut palette)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Skeleton {
    format: &'static str,
    /// The index of the parent of each bone, or [`NO_PARENT`] for a root.
    parents: Vec<u32>,
    /// The indices of all bones, sorted: each bone comes after its parent.
    order: Vec<u32>,
    bind: Vec<Affine>,
    /// The bind shape matrix, or `None` if it is the identity.
    bind_shape: Option<Affine>,
    /// The inverse bind matrix of each bone, or `None` if the file stores no matrix for the bone
    /// and its rest transform has no inverse.
    ///
    /// The inverses of more than [`MAX_EARLY_INVERSES`] bones are computed when they are first
    /// needed, because an element of a few bytes in a text file is a bone.
    back: OnceLock<Vec<Option<Affine>>>,
    /// The rest transform of each bone whose entry in `bind` is the inverse of a stored matrix, and
    /// `None` for all other bones. The vector is empty if the file stores no inverse bind matrices.
    rest: Vec<Option<Transform>>,
}

short_debug!(Skeleton: |skeleton| { format: skeleton.format, bones: items(&skeleton.bind) });

/// The parent of a root. No bone has this index, because a file stores 32-bit indices with a sign.
const NO_PARENT: u32 = u32::MAX;

/// The maximum number of bones whose inverse rest transforms are computed with the skeleton.
const MAX_EARLY_INVERSES: usize = 4096;

impl Skeleton {
    /// Reads all bones of the file and resolves their parents. Reading the bones takes time linear
    /// in the number of bones, and one byte of memory for each bone besides the skeleton.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Animations::bone`], [`Animations::bind_shape`] and
    /// [`Animations::inverse_bind`]. Returns [`ErrorKind::Value`] if the parent of a bone is
    /// neither the index of a bone nor -1, if a bone is its own ancestor, or if the bind shape
    /// matrix has a component that is not finite. Returns [`ErrorKind::OutOfMemory`] if an
    /// allocation fails.
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    /// [`ErrorKind::OutOfMemory`]: crate::ErrorKind::OutOfMemory
    pub fn new(motion: &dyn Animations) -> Result<Self> {
        let (format, count) = (motion.format(), motion.bone_count()?);
        let bind_shape = finite_shape(motion)?;
        let mut parents = room(format, "skeleton", count)?;
        let mut bind = room(format, "skeleton", count)?;
        let mut stored = StoredBinds::default();
        for number in 0..count {
            let bone = motion.bone(number)?;
            parents.push(resolve(format, number, bone.parent, count)?);
            bind.push(Affine::from(&bone.bind));
            if let Some(inverse) = motion.inverse_bind(number)? {
                stored.set(format, count, number, inverse, bone.bind)?;
            }
        }
        let order = sorted(format, &parents)?;
        stored.place(&parents, &order, &mut bind);
        let (back, rest) = stored.complete(&bind);
        let skeleton = Self { format, parents, order, bind, bind_shape, back, rest };
        if count <= MAX_EARLY_INVERSES {
            skeleton.inverse_binds()?;
        }
        Ok(skeleton)
    }

    /// Returns the inverse bind matrix of each bone: the map from the space in which the bones are
    /// bound to the space of the bone.
    ///
    /// The inverse bind matrix is the matrix that the file stores. If the file stores no inverse
    /// bind matrices, it is the inverse of the rest transform in [`bind`](Self::bind), or `None` if
    /// the rest transform has no inverse. glTF has no bind shape matrix: there, the inverse bind
    /// matrix is [`bind_shape`](Self::bind_shape), followed by this matrix.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::OutOfMemory`] if the first call for a skeleton of more than 4,096 bones
    /// cannot allocate memory.
    ///
    /// [`ErrorKind::OutOfMemory`]: crate::ErrorKind::OutOfMemory
    pub fn inverse_binds(&self) -> Result<&[Option<Affine>]> {
        if let Some(back) = self.back.get() {
            return Ok(back);
        }
        let mut back = room(self.format, "skeleton", self.len())?;
        back.extend(self.bind.iter().map(Affine::inverse));
        Ok(self.back.get_or_init(|| back))
    }

    /// Returns the bind shape matrix of the file: the map from the space of the mesh to the space
    /// in which the bones are bound. The map is the identity if the file
    /// stores no such matrix.
    #[must_use]
    pub fn bind_shape(&self) -> Affine {
        self.bind_shape.unwrap_or_default()
    }

    /// Returns the number of bones in the skeleton.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Returns whether the skeleton has no bones.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// Returns the index of the parent of a bone, or `None` if the bone is a root or its index is
    /// out of range.
    #[must_use]
    pub fn parent(&self, bone: usize) -> Option<usize> {
        parent_of(&self.parents, bone)
    }

    /// Returns the rest pose: for each bone, the map from the space of the bone to the space of the
    /// model.
    ///
    /// If the file stores an inverse bind matrix that has an inverse, the map of the bone is this
    /// inverse. The map is exact even if it shears, which the [`Transform`] of a bone cannot
    /// represent.
    #[must_use]
    pub fn bind(&self) -> &[Affine] {
        &self.bind
    }

    /// Writes to `out`, for each bone, the map from the space of the bone to the space of the
    /// model.
    ///
    /// `local` contains the transform of each bone relative to its parent. A bone with exactly its
    /// rest transform rests relative to its parent: if the stored bind matrix of the bone shears,
    /// the map then includes the shear. The map of a transform that differs from the rest
    /// transform contains no shear. The cost of `model` is one multiplication of two affine maps
    /// for each bone.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Buffer`] if the length of `local` or `out` is not the number of bones.
    ///
    /// [`ErrorKind::Buffer`]: crate::ErrorKind::Buffer
    pub fn model(&self, local: &[Transform], out: &mut [Affine]) -> Result<()> {
        expect_length(self.format, "local", self.len(), local.len())?;
        expect_length(self.format, "out", self.len(), out.len())?;
        for bone in self.order.iter().copied().map(as_index) {
            let Some(local) = local.get(bone) else { continue };
            let local = self.exact(bone, local).unwrap_or_else(|| Affine::from(local));
            let parent = parent_of(&self.parents, bone).and_then(|parent| out.get(parent));
            let map = parent.map_or(local, |parent| local.then(parent));
            if let Some(out) = out.get_mut(bone) {
                *out = map;
            }
        }
        Ok(())
    }

    /// Returns the rest transform of a bone relative to its parent as an exact map, if the file
    /// stores the inverse bind matrix of the bone, and `local` is the rest transform of the bone.
    fn exact(&self, bone: usize, local: &Transform) -> Option<Affine> {
        self.rest.get(bone)?.as_ref().filter(|rest| *rest == local)?;
        let bind = self.bind.get(bone)?;
        let Some(parent) = parent_of(&self.parents, bone) else { return Some(*bind) };
        // The stored matrix of a parent without a rest transform has no inverse.
        self.rest.get(parent)?.as_ref()?;
        Some(bind.then(self.back.get()?.get(parent)?.as_ref()?))
    }

    /// Writes the skin matrix of each bone to `out`. A skin matrix first applies the bind shape
    /// matrix of the file, then the inverse bind matrix of the bone, and then the map from the
    /// space of the bone to the space of the model, which the slice `model` contains.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Buffer`] if the length of `model` or `out` is not the number of bones.
    /// Returns [`ErrorKind::Value`] if a bone has no inverse bind matrix: the file stores none and
    /// the rest transform has no inverse, because its scale is 0, or a component of the stored
    /// matrix or of the rest transform is not finite. Returns [`ErrorKind::OutOfMemory`] if the
    /// first call for a skeleton of more than 4,096 bones cannot allocate memory.
    ///
    /// [`ErrorKind::Buffer`]: crate::ErrorKind::Buffer
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    /// [`ErrorKind::OutOfMemory`]: crate::ErrorKind::OutOfMemory
    pub fn palette(&self, model: &[Affine], out: &mut [SkinMatrix]) -> Result<()> {
        self.converted_palette(model, &SpaceConversion::IDENTITY, out)
    }

    /// Writes the skin matrix of each bone to `out`, like [`palette`](Self::palette), for vertices
    /// in the space of the conversion.
    pub(super) fn converted_palette(
        &self,
        model: &[Affine],
        conversion: &SpaceConversion,
        out: &mut [SkinMatrix],
    ) -> Result<()> {
        expect_length(self.format, "model", self.len(), model.len())?;
        expect_length(self.format, "out", self.len(), out.len())?;
        // The maps before and after those of the bones.
        let mut first = self.bind_shape;
        let mut last = None;
        if *conversion.map() != Affine::IDENTITY {
            let back = conversion.map().inverse().ok_or_else(|| self.no_way_back())?;
            first = Some(first.map_or(back, |shape| back.then(&shape)));
            last = Some(conversion.map());
        }
        for (bone, ((back, map), out)) in self.inverse_binds()?.iter().zip(model).zip(out).enumerate() {
            let map = back.as_ref().ok_or_else(|| self.flat(bone))?.then(map);
            let map = first.map_or(map, |first| first.then(&map));
            *out = SkinMatrix::from(&last.map_or(map, |last| map.then(last)));
        }
        Ok(())
    }

    /// Returns the error for a conversion without an inverse.
    fn no_way_back(&self) -> Error {
        let kind = Cause::value("a conversion that can be inverted", "one that flattens the mesh");
        Error::without_offset(self.format, Field::new("conversion"), kind)
    }

    fn flat(&self, bone: usize) -> Error {
        let expected = "an invertible bind transform".into();
        wrong(self.format, "bind", bone, expected, "a singular or non-finite transform".into())
    }
}

/// Returns the index of the parent of a bone, or `None` if the bone is a root.
pub(super) fn parent_of(parents: &[u32], bone: usize) -> Option<usize> {
    parents.get(bone).filter(|parent| **parent != NO_PARENT).copied().map(as_index)
}

/// Returns the index of the parent of a bone, or [`NO_PARENT`] if the file stores -1 as the parent.
fn resolve(format: &'static str, bone: usize, parent: i32, count: usize) -> Result<u32> {
    if parent == -1 {
        return Ok(NO_PARENT);
    }
    let found = u32::try_from(parent).ok().filter(|parent| as_index(*parent) < count);
    let expected = || format!("-1 or a bone below {count}");
    found.ok_or_else(|| wrong(format, "parent", bone, expected(), parent.to_string()))
}

/// Returns the bind shape matrix of a file, or `None` if it is the identity.
fn finite_shape(motion: &dyn Animations) -> Result<Option<Affine>> {
    let shape = motion.bind_shape()?;
    if shape.is_finite() {
        return Ok(Some(shape).filter(|shape| *shape != Affine::IDENTITY));
    }
    let kind = Cause::value("finite numbers", "a number that is not finite");
    Err(Error::without_offset(motion.format(), Field::new("bind_shape"), kind))
}

/// Returns the indices of all bones, each bone after its parent.
fn sorted(format: &'static str, parents: &[u32]) -> Result<Vec<u32>> {
    let mut order = room(format, "skeleton", parents.len())?;
    let stages = filled(format, "skeleton", parents.len(), Stage::Ahead)?;
    sort(parents, stages, &mut order).map_err(|bone| {
        let found = parent_of(parents, bone).unwrap_or(bone);
        let expected = "a parent that is not a descendant of this bone".into();
        wrong(format, "parent", bone, expected, format!("bone {found}, which is a descendant"))
    })?;
    Ok(order)
}

/// Whether the function [`sort`] has visited a bone (`Climbed`), has added it to the order
/// (`Placed`), or neither (`Ahead`).
#[derive(Clone, Copy, PartialEq)]
enum Stage {
    Ahead,
    Climbed,
    Placed,
}

/// Writes the indices of all bones to `order`, each bone after its parent.
///
/// From each bone, the function follows the parents up to a root or to a bone that is already in
/// `order`, and adds the visited bones to `order`. The function then reverses the added part of
/// `order`, which now starts with the bone nearest to the root. Each bone is visited only once.
///
/// # Errors
///
/// Returns, as the error, the index of a bone that is its own ancestor.
fn sort(parents: &[u32], mut stages: Vec<Stage>, order: &mut Vec<u32>) -> Result<(), usize> {
    for bone in 0..parents.len() {
        let (mut next, start) = (Some(bone), order.len());
        while let Some((at, stage)) = next.and_then(|at| stages.get_mut(at).map(|stage| (at, stage))) {
            match stage {
                Stage::Placed => break,
                Stage::Climbed => return Err(at),
                Stage::Ahead => *stage = Stage::Climbed,
            }
            order.push(u32::try_from(at).unwrap_or(NO_PARENT));
            next = parent_of(parents, at);
        }
        let path = order.get_mut(start..).unwrap_or_default();
        path.reverse();
        for at in path {
            stages.get_mut(as_index(*at)).into_iter().for_each(|stage| *stage = Stage::Placed);
        }
    }
    Ok(())
}

fn wrong(format: &'static str, name: &'static str, bone: usize, expected: String, found: String) -> Error {
    let kind = Cause::value(expected, found);
    Error::without_offset(format, Field::new(name).in_list("bone", as_u64(bone)), kind)
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "small whole numbers are exact")]
mod tests {
    use super::*;
    use crate::model::animation::rig::{Rig, at};

    /// The quaternion of a rotation by 90 degrees, from the x axis to the y axis.
    const QUARTER: [f32; 4] = [0.0, 0.0, std::f32::consts::FRAC_1_SQRT_2, std::f32::consts::FRAC_1_SQRT_2];

    fn rig(parents: &[i32]) -> Rig {
        Rig::new(&parents.iter().map(|parent| ("", *parent, at(1.0))).collect::<Vec<_>>())
    }

    fn origins(skeleton: &Skeleton) -> Vec<f64> {
        skeleton.bind().iter().map(|map| map.columns()[3][0]).collect()
    }

    #[test]
    fn resolves_parents_in_any_order() {
        let depth = |parents: &[i32]| origins(&Skeleton::new(&rig(parents)).unwrap());
        assert_eq!(depth(&[-1, 0, 1, 2]), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(depth(&[1, 2, 3, -1]), [4.0, 3.0, 2.0, 1.0]);
        assert_eq!(depth(&[3, -1, 0, 1, -1, 4]), [3.0, 1.0, 4.0, 2.0, 1.0, 2.0]);
        assert_eq!(depth(&[]), [0.0; 0]);
        let skeleton = Skeleton::new(&rig(&[1, -1])).unwrap();
        assert_eq!([0, 1, 2].map(|bone| skeleton.parent(bone)), [Some(1), None, None]);
    }

    #[test]
    fn refuses_cycles() {
        let fails = |parents: &[i32]| {
            let error = Skeleton::new(&rig(parents)).unwrap_err();
            assert_eq!((error.kind().id(), error.field().name()), ("value", "parent"));
            assert_eq!(error.format(), "rig");
            error.field().outer().unwrap().1
        };
        assert_eq!(fails(&[0]), 0);
        assert_eq!(fails(&[-1, 1]), 1);
        assert!(fails(&[1, 0]) < 2);
        // The error for a cycle of parents names a bone of the cycle, and not a bone that only
        // descends from the cycle.
        assert!((1..3).contains(&fails(&[1, 2, 1, 0, -1])));
        let ring: Vec<i32> = (1..10_000).chain([0]).collect();
        assert!(fails(&ring) < 10_000);
    }

    #[test]
    fn refuses_parents_that_are_no_bones() {
        for wild in [-2, 3, i32::MIN, i32::MAX] {
            let error = Skeleton::new(&rig(&[-1, 0, wild])).unwrap_err();
            assert_eq!(error.field().to_string(), "bone[2].parent");
            assert!(error.to_string().contains(&format!("found {wild}")), "{error}");
        }
    }

    #[test]
    fn survives_a_long_chain() {
        let down: Vec<i32> = (-1..29_999).collect();
        let up: Vec<i32> = (1..30_000).chain([-1]).collect();
        assert_eq!(origins(&Skeleton::new(&rig(&down)).unwrap()).last(), Some(&30_000.0));
        assert_eq!(origins(&Skeleton::new(&rig(&up)).unwrap()).first(), Some(&30_000.0));
    }

    #[test]
    fn a_childs_place_is_its_parents() {
        let arm = Transform { position: [10.0, 0.0, 0.0], rotation: QUARTER, scale: [2.0; 3] };
        let hand = Transform { position: [3.0, 0.0, 0.0], ..Transform::default() };
        let rig = Rig::new(&[("hand", 1, hand), ("arm", -1, arm)]);
        let skeleton = Skeleton::new(&rig).unwrap();
        let mut model = [Affine::IDENTITY; 2];
        skeleton.model(&[hand, arm], &mut model).unwrap();
        assert_eq!(model, skeleton.bind());
        // In the space of the model, the x axis of the arm bone points along the y axis and has the
        // length 2.
        let near = |found: [f32; 3], expected: [f32; 3]| {
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5), "{found:?}");
        };
        near(model[0].apply([0.0; 3]), [10.0, 6.0, 0.0]);
        near(model[0].apply([1.0, 0.0, 0.0]), [10.0, 8.0, 0.0]);
        // When the arm bone turns back from its rest rotation, a point on the hand moves together
        // with the hand.
        let straight = Transform { rotation: [0.0, 0.0, 0.0, 1.0], ..arm };
        skeleton.model(&[hand, straight], &mut model).unwrap();
        let mut palette = [SkinMatrix::IDENTITY; 2];
        skeleton.palette(&model, &mut palette).unwrap();
        near(palette[0].apply([10.0, 8.0, 0.0]), [18.0, 0.0, 0.0]);
    }

    #[test]
    fn the_palette_of_the_bind_moves_nothing() {
        let bent = Transform { position: [1.0, -2.0, 3.0], rotation: [0.1, 0.5, -0.3, 0.7], scale: [1.0, 2.0, -0.5] };
        let skeleton = Skeleton::new(&Rig::new(&[("a", 2, bent), ("b", 0, bent), ("c", -1, bent)])).unwrap();
        let mut palette = [SkinMatrix { columns: [[7.0; 3]; 4] }; 3];
        skeleton.palette(skeleton.bind(), &mut palette).unwrap();
        for (found, expected) in
            palette.iter().flat_map(|matrix| matrix.columns.iter().zip(SkinMatrix::IDENTITY.columns))
        {
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
        }
    }

    #[test]
    fn refuses_a_bind_without_a_way_back() {
        for scale in [[0.0, 1.0, 1.0], [f32::NAN; 3]] {
            let flat = Transform { scale, ..at(1.0) };
            let skeleton = Skeleton::new(&Rig::new(&[("root", -1, at(1.0)), ("flat", 0, flat)])).unwrap();
            let mut palette = [SkinMatrix::IDENTITY; 2];
            let error = skeleton.palette(skeleton.bind(), &mut palette).unwrap_err();
            assert_eq!((error.kind().id(), &*error.field().to_string()), ("value", "bone[1].bind"));
        }
    }

    #[test]
    fn stored_matrices_come_first() {
        let stretch = Affine::new([[2.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.5, 0.0, 0.0]]);
        let shape = Affine::from(&Transform { position: [0.0, 3.0, 0.0], ..Transform::default() });
        // The child comes first. Only the root and the child have stored matrices.
        let bones = [("child", 1, at(1.0)), ("root", -1, at(4.0)), ("free", 0, at(1.0))];
        let rig = Rig::new(&bones).with_binds(shape, &[Some(stretch), Some(stretch)]);
        let skeleton = Skeleton::new(&rig).unwrap();
        let inverse = stretch.inverse().unwrap();
        let free = Affine::from(&at(1.0)).then(&inverse);
        assert_eq!((skeleton.bind(), skeleton.bind_shape()), (&[inverse, inverse, free][..], shape));
        assert_eq!(skeleton.inverse_binds().unwrap(), [Some(stretch), Some(stretch), free.inverse()]);
        let near = |found: &[Affine]| {
            let parts = found.iter().zip(skeleton.bind()).flat_map(|(a, b)| a.columns().into_iter().zip(b.columns()));
            parts.into_iter().all(|(a, b)| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12))
        };
        let (mut model, mut palette) = ([Affine::IDENTITY; 3], [SkinMatrix::IDENTITY; 3]);
        let rest = bones.map(|(_, _, bind)| bind);
        skeleton.model(&rest, &mut model).unwrap();
        assert!(near(&model), "{model:?}");
        skeleton.palette(&model, &mut palette).unwrap();
        for matrix in palette {
            let moved = matrix.apply([1.0, 2.0, 3.0]);
            assert!(moved.iter().zip([1.0, 5.0, 3.0]).all(|(a, b)| (a - b).abs() < 1e-6), "{moved:?}");
        }
        let moved = [rest[0], at(5.0), rest[2]];
        skeleton.model(&moved, &mut model).unwrap();
        assert_eq!(model[1], Affine::from(&at(5.0)), "a transform that is not the rest transform");
        let below = inverse.then(&stretch).then(&model[1]);
        assert_eq!(model[0], below, "the child rests relative to its parent");
    }

    #[test]
    fn stored_matrices_may_be_singular_but_not_wild() {
        let flat = Affine::new([[0.0; 3], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]]);
        let wild = Affine::new([[f64::NAN; 3], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]]);
        let bones = [("root", -1, at(1.0)), ("bone", 0, at(1.0))];
        let mut palette = [SkinMatrix::IDENTITY; 2];
        let skeleton = Skeleton::new(&Rig::new(&bones).with_binds(Affine::IDENTITY, &[None, Some(flat)])).unwrap();
        assert_eq!(skeleton.bind()[1], Affine::from(&at(2.0)));
        skeleton.palette(skeleton.bind(), &mut palette).unwrap();
        assert_eq!(palette[1].apply([5.0, 6.0, 7.0]), [2.0, 6.0, 7.0]);
        let skeleton = Skeleton::new(&Rig::new(&bones).with_binds(Affine::IDENTITY, &[None, Some(wild)])).unwrap();
        let error = skeleton.palette(skeleton.bind(), &mut palette).unwrap_err();
        assert_eq!((error.kind().id(), &*error.field().to_string()), ("value", "bone[1].bind"));
        let error = Skeleton::new(&Rig::new(&bones).with_binds(wild, &[])).unwrap_err();
        assert_eq!((error.kind().id(), &*error.field().to_string()), ("value", "bind_shape"));
    }

    #[test]
    fn refuses_lists_of_another_length() {
        let skeleton = Skeleton::new(&rig(&[-1, 0])).unwrap();
        let (local, mut model, mut palette) = ([at(1.0); 3], [Affine::IDENTITY; 3], [SkinMatrix::IDENTITY; 3]);
        let short = |result: Result<()>| assert_eq!(result.unwrap_err().kind().id(), "buffer");
        short(skeleton.model(&local, &mut model[..2]));
        short(skeleton.model(&local[..2], &mut model));
        short(skeleton.palette(&model, &mut palette[..2]));
        short(skeleton.palette(&model[..2], &mut palette));
    }
}
