//! Checks the values of an asset before the asset is written.
//!
//! A check returns an error for a value that the format or a Second Life viewer does not support.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use super::super::asset_part::AssetPart;
use super::super::layout::{
    FORMAT, HIGHEST_VERSION, MAX_HULLS, MAX_INFLUENCES, MAX_JOINTS, MAX_SUBMESHES, MAX_VERTICES,
};
use super::super::llsd;
use super::super::surface::SubmeshKey;
use super::values::{Asset, Convex, Header, Level, Skin, Submesh};
use crate::decode::MinMax16;
use crate::error::{Cause, Error, Field, Result};

/// The minimum and the maximum number of points of a convex hull.
const HULL_POINTS: RangeInclusive<usize> = 3..=256;

impl Asset {
    /// Checks that the format and viewers support all values of the asset.
    pub(super) fn check(&self) -> Result<()> {
        self.header.check()?;
        let levels = self.levels();
        for ((above, higher), (part, lower)) in levels.iter().zip(levels.iter().skip(1)) {
            if lower.is_some() && higher.is_none() {
                let expected = format!("the next higher level, `{}`, as well", above.key());
                return Err(refused(Field::new(part.key()), expected, "none"));
            }
        }
        if let Some(skin) = &self.skin {
            skin.check()?;
        }
        let joints = self.skin.as_ref().map(|skin| skin.joints.len());
        for (part, level) in levels.into_iter().chain([(AssetPart::PhysicsMesh, self.physics_mesh.as_ref())]) {
            if let Some(level) = level {
                level.check(part, joints.unwrap_or(usize::MAX))?;
                level.check_skinned(part, joints.is_some())?;
            }
        }
        let Some(convex) = &self.convex else { return Ok(()) };
        convex.check()?;
        if !convex.hulls.is_empty() && self.physics_mesh.is_some() {
            let expected = "no hulls together with `physics_mesh`";
            return Err(refused(hull_field("HullList"), expected, convex.hulls.len().to_string()));
        }
        Ok(())
    }
}

impl Header {
    fn check(&self) -> Result<()> {
        if let Some(version) = self.version.filter(|version| !(0..=HIGHEST_VERSION).contains(version)) {
            let expected = format!("a version from 0 to {HIGHEST_VERSION}");
            return Err(refused(Field::new("version"), expected, version.to_string()));
        }
        if let Some(date) = self.date.filter(|date| !date.is_finite()) {
            return Err(refused(Field::new("date"), "a finite number of seconds", date.to_string()));
        }
        fit(Field::new("material_list"), self.material_list.iter().map(String::len))
    }
}

impl Level {
    /// Checks that the submeshes of the level can be written as a block of the type `part`. The
    /// joint index of every influence must be below `joints`, the number of joints of the skin.
    pub(super) fn check(&self, part: AssetPart, joints: usize) -> Result<()> {
        let field = Field::new(part.key());
        if !part.is_geometry() {
            return Err(refused(field, "a block of geometry for submeshes", part.key()));
        }
        if !(1..=MAX_SUBMESHES).contains(&self.submeshes.len()) {
            let expected = format!("1 to {MAX_SUBMESHES} submeshes");
            return Err(refused(field, expected, self.submeshes.len().to_string()));
        }
        for (index, submesh) in (0..).zip(&self.submeshes) {
            submesh.check(|key| Field::new(key.name()).in_list(part.key(), index), joints)?;
        }
        let domain = self.box_of_all();
        for (index, submesh) in (0..).zip(&self.submeshes) {
            check_domain(
                Field::new(SubmeshKey::PositionDomain.name()).in_list(part.key(), index),
                domain,
                &submesh.positions,
            )?;
        }
        Ok(())
    }

    /// Checks that every submesh with vertices has weights if the asset has a skin.
    ///
    /// If the asset has no skin, no submesh may have weights. Submeshes of collision triangles need
    /// no weights, even if the asset has a skin.
    fn check_skinned(&self, part: AssetPart, skinned: bool) -> Result<()> {
        for (index, submesh) in (0..).zip(&self.submeshes) {
            let field = Field::new(SubmeshKey::Weights.name()).in_list(part.key(), index);
            if !skinned && !submesh.weights.is_empty() {
                return Err(refused(field, "no weights without a skin", submesh.weights.len().to_string()));
            }
            let needed = skinned && part.lod().is_some() && !submesh.positions.is_empty();
            if needed && submesh.weights.is_empty() {
                return Err(refused(field, "weights, because the asset has a skin", "none"));
            }
        }
        Ok(())
    }
}

impl Submesh {
    fn check(&self, field: impl Fn(SubmeshKey) -> Field, joints: usize) -> Result<()> {
        let vertices = self.positions.len();
        if vertices > MAX_VERTICES {
            let expected = format!("at most {MAX_VERTICES} vertices");
            return Err(refused(field(SubmeshKey::Position), expected, vertices.to_string()));
        }
        // One or two vertices cannot form a triangle. A submesh without vertices is allowed, and is
        // written as a placeholder without geometry.
        if (1..3).contains(&vertices) {
            return Err(refused(field(SubmeshKey::Position), "0 vertices, or 3 or more", vertices.to_string()));
        }
        if vertices > 0 && self.triangles.is_empty() {
            return Err(refused(field(SubmeshKey::TriangleList), "at least one triangle", "none"));
        }
        let lengths = [
            (SubmeshKey::Normal, self.normals.len()),
            (SubmeshKey::TexCoord0, self.uvs.len()),
            (SubmeshKey::Tangent, self.tangents.len()),
            (SubmeshKey::Weights, self.weights.len()),
        ];
        for (key, length) in lengths {
            if length != 0 && length != vertices {
                let expected = format!("{vertices}, one per vertex, or none");
                return Err(refused(field(key), expected, length.to_string()));
            }
        }
        finite(field(SubmeshKey::Position), &self.positions)?;
        finite(field(SubmeshKey::Normal), &self.normals)?;
        finite(field(SubmeshKey::TexCoord0), &self.uvs)?;
        finite(field(SubmeshKey::Tangent), &self.tangents)?;
        if let Some(scale) = self.normalized_scale {
            finite(field(SubmeshKey::NormalizedScale), &[scale])?;
            if vertices == 0 {
                let expected = "no scale in a submesh without vertices";
                return Err(refused(field(SubmeshKey::NormalizedScale), expected, format!("{scale:?}")));
            }
        }
        check_domain(field(SubmeshKey::TexCoord0Domain), self.uv_intervals(), &self.uvs)?;
        for (number, triangle) in self.triangles.iter().enumerate() {
            if triangle.iter().any(|index| usize::try_from(*index).map_or(true, |index| index >= vertices)) {
                let expected = format!("indices below {vertices}, the number of vertices");
                let found = format!("{triangle:?} in triangle {number}");
                return Err(refused(field(SubmeshKey::TriangleList), expected, found));
            }
        }
        fit(field(SubmeshKey::TriangleList), [self.triangles.len().saturating_mul(6)])?;
        self.check_weights(field(SubmeshKey::Weights), joints)
    }

    fn check_weights(&self, field: Field, joints: usize) -> Result<()> {
        // The byte 255 ends the influences of a vertex, so 255 cannot be a joint index.
        let joints = joints.min(255);
        for (vertex, list) in self.weights.iter().enumerate() {
            if list.len() > MAX_INFLUENCES {
                let expected = format!("at most {MAX_INFLUENCES} influences on a vertex");
                return Err(refused(field, expected, format!("{} on vertex {vertex}", list.len())));
            }
            for one in list {
                if usize::try_from(one.bone).map_or(true, |bone| bone >= joints) {
                    let expected = format!("a joint below {joints}");
                    return Err(refused(field, expected, format!("{} on vertex {vertex}", one.bone)));
                }
                if !(0.0..=1.0).contains(&one.weight) {
                    let found = format!("{} on vertex {vertex}", one.weight);
                    return Err(refused(field, "a weight from 0 to 1", found));
                }
            }
        }
        Ok(())
    }
}

impl Convex {
    /// Checks that the format and viewers support the values of the convex hulls.
    pub(super) fn check(&self) -> Result<()> {
        if self.hulls.len() > MAX_HULLS {
            let expected = format!("at most {MAX_HULLS} hulls");
            return Err(refused(hull_field("HullList"), expected, self.hulls.len().to_string()));
        }
        for (index, hull) in (0..).zip(&self.hulls) {
            check_hull(hull_field("").in_inner_list("hull", index), hull)?;
        }
        if !self.bounding.is_empty() || self.hulls.is_empty() {
            check_hull(hull_field("BoundingVerts"), &self.bounding)?;
        }
        check_domain(hull_field("Min"), self.box_of_all(), self.hulls.iter().flatten().chain(&self.bounding))
    }
}

impl Skin {
    /// Checks that the format and viewers support the values of the skin.
    pub(super) fn check(&self) -> Result<()> {
        let field = |name| Field::new(name).in_struct(AssetPart::Skin.key());
        if !(1..=MAX_JOINTS).contains(&self.joints.len()) {
            let expected = format!("1 to {MAX_JOINTS} joints");
            return Err(refused(field("joint_names"), expected, self.joints.len().to_string()));
        }
        fit(field("joint_names"), self.joints.iter().map(|joint| joint.name.len()))?;
        finite(field("bind_shape_matrix"), &[self.bind_shape])?;
        let moved = self.joints.iter().filter(|joint| joint.alt_inverse_bind.is_some()).count();
        if moved != 0 && moved != self.joints.len() {
            let expected = format!("{}, one per joint, or none", self.joints.len());
            return Err(refused(field("alt_inverse_bind_matrix"), expected, moved.to_string()));
        }
        for (index, joint) in (0..).zip(&self.joints) {
            finite(field("").in_inner_list("inverse_bind_matrix", index), &[joint.inverse_bind])?;
            finite(field("").in_inner_list("alt_inverse_bind_matrix", index), joint.alt_inverse_bind.as_slice())?;
        }
        match self.pelvis_offset {
            Some(offset) => finite(field("pelvis_offset"), &[[offset]]),
            None => Ok(()),
        }
    }
}

fn check_hull(field: Field, points: &[[f32; 3]]) -> Result<()> {
    if !HULL_POINTS.contains(&points.len()) {
        let expected = format!("{} to {} points", HULL_POINTS.start(), HULL_POINTS.end());
        return Err(refused(field, expected, points.len().to_string()));
    }
    finite(field, points)
}

fn hull_field(name: &'static str) -> Field {
    Field::new(name).in_struct(AssetPart::PhysicsConvex.key())
}

/// Checks that all components of all vectors in `items` are finite (not infinite and not NaN).
fn finite<const N: usize>(field: Field, items: &[[f32; N]]) -> Result<()> {
    let found = items.iter().enumerate().find(|(_, item)| !item.iter().all(|number| number.is_finite()));
    match found {
        Some((number, item)) => Err(refused(field, "finite numbers", format!("{item:?} as item {number}"))),
        None => Ok(()),
    }
}

/// Checks that all points can be encoded as 16-bit codes within `domain`.
///
/// A domain is the minimum and the maximum of each coordinate: the 16-bit code 0 is the minimum,
/// and the code 65535 is the maximum. No point may be outside the domain by more than half of the
/// distance between two neighbouring codes.
fn check_domain<'p, const N: usize>(
    field: Field,
    domain: MinMax16<N>,
    points: impl IntoIterator<Item = &'p [f32; N]>,
) -> Result<()> {
    let (min, max) = (domain.min(), domain.max());
    // Decoding multiplies codes by the extent of the domain, so this extent must be finite.
    if !min.iter().zip(&max).all(|(min, max)| min <= max && (max - min).is_finite()) {
        let expected = format!("a domain with minimum <= maximum and an extent of at most {:e}", f32::MAX);
        return Err(refused(field, expected, format!("{min:?} to {max:?}")));
    }
    let inside = |point: &[f32; N]| {
        point.iter().zip(min.iter().zip(&max)).all(|(value, (min, max))| {
            let [value, min, max] = [*value, *min, *max].map(f64::from);
            let half = (max - min) / 65535.0 * 0.5;
            (min - half..=max + half).contains(&value)
        })
    };
    match points.into_iter().find(|point| !inside(point)) {
        Some(point) => {
            let found = format!("{point:?} outside {min:?} to {max:?}");
            Err(refused(field, "a domain that contains all points, or no domain", found))
        }
        None => Ok(()),
    }
}

/// Checks that the number of byte strings and the length of each byte string fit in a length field
/// of LLSD. `lengths` contains the length of each byte string, in bytes.
pub(super) fn fit(field: Field, lengths: impl IntoIterator<Item = usize>) -> Result<()> {
    let mut all = 0_usize;
    for length in lengths {
        llsd::fits(length).map_err(|kind| error(field, kind))?;
        all = all.saturating_add(1);
    }
    llsd::fits(all).map_err(|kind| error(field, kind))
}

fn error(field: Field, kind: Cause) -> Error {
    Error::without_offset(FORMAT, field, kind)
}

/// Converts the offset or the size of a block to an LLSD integer, which is a signed 32-bit integer.
pub(super) fn whole(part: AssetPart, number: usize) -> Result<i32> {
    i32::try_from(number).map_err(|_| {
        let expected = format!("at most {} bytes for all blocks together", i32::MAX);
        refused(Field::new(part.key()), expected, number.to_string())
    })
}

/// Creates the error for a value that the format or a viewer does not support.
pub(super) fn refused(
    field: Field,
    expected: impl Into<Cow<'static, str>>,
    found: impl Into<Cow<'static, str>>,
) -> Error {
    let kind = Cause::Refused { expected: expected.into(), found: found.into() };
    Error::without_offset(FORMAT, field, kind)
}
