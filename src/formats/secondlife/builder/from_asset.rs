//! Copies levels of detail, convex hulls and skins of an existing asset to structs that can be
//! changed and written again.

use super::super::layout::FORMAT;
use super::super::surface::SubmeshKey;
use super::super::{level, physics, skin, surface};
use super::values::{Convex, Joint, Level, Skin, Submesh};
use crate::array::Array;
use crate::decode::Influence;
use crate::error::{Cause, Error, Result};

impl Level {
    /// Copies a level of detail: the decoded arrays and the quantization box of the positions.
    ///
    /// Unknown keys of the LLSD maps are not copied. If all submeshes share one quantization box
    /// with an extent of at least 0.004 on each axis, encoding the copy produces the same 16-bit
    /// codes as in the original level.
    ///
    /// # Errors
    ///
    /// Returns the error of the first array that cannot be decoded.
    pub fn of(level: level::Level<'_>) -> Result<Self> {
        let mut submeshes = Vec::new();
        let mut domains = Vec::new();
        for submesh in level.submeshes() {
            let submesh = submesh?;
            submeshes.push(Submesh::of(&submesh)?);
            if !submesh.is_placeholder() {
                domains.push(submesh.position_domain()?);
            }
        }
        let first = domains.first().copied();
        let domain = first.filter(|first| domains.iter().all(|domain| domain == first));
        Ok(Self { submeshes, domain })
    }
}

impl Submesh {
    /// Copies a submesh: the decoded arrays, and the u and v intervals that the texture coordinate
    /// codes are scaled to.
    ///
    /// The quantization box of the positions is not copied, because this box belongs to the whole
    /// level.
    ///
    /// # Errors
    ///
    /// Returns the error of the first array that cannot be decoded. Returns [`ErrorKind::Value`] if
    /// the submesh has weights for only some of the vertices.
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn of(submesh: &surface::Submesh<'_>) -> Result<Self> {
        if submesh.is_placeholder() {
            return Ok(Self::default());
        }
        let weights: Vec<Vec<Influence>> = match submesh.weights()? {
            Some(lists) => lists.iter().map(|list| list.iter().collect()).collect(),
            None => Vec::new(),
        };
        if submesh.get(SubmeshKey::Weights).is_some() && weights.len() != submesh.vertex_count() {
            let expected = format!("{} lists, one per vertex", submesh.vertex_count());
            let kind = Cause::Value { expected: expected.into(), found: weights.len().to_string().into() };
            return Err(Error::without_offset(FORMAT, submesh.field(SubmeshKey::Weights), kind));
        }
        let indices: Vec<u32> = submesh.indices()?.iter().collect();
        Ok(Self {
            positions: submesh.positions()?.iter().collect(),
            normals: submesh.normals()?.into_iter().flat_map(|all| all.iter()).collect(),
            uvs: submesh.uvs()?.into_iter().flat_map(|all| all.iter()).collect(),
            uv_domain: if submesh.uvs()?.is_some() { Some(submesh.uv_domain()?) } else { None },
            tangents: submesh.tangents()?.into_iter().flat_map(|all| all.iter()).collect(),
            triangles: indices.as_chunks().0.to_vec(),
            weights,
            normalized_scale: submesh.normalized_scale()?,
        })
    }
}

impl Convex {
    /// Copies convex hulls: the decoded points and the quantization box of the points.
    ///
    /// # Errors
    ///
    /// Returns the error of the first array that cannot be decoded.
    pub fn of(convex: physics::Convex<'_>) -> Result<Self> {
        Ok(Self {
            hulls: convex.hulls()?.map(|hull| hull.iter().collect()).collect(),
            domain: Some(convex.domain()?),
            bounding: convex.bounding_points()?.into_iter().flat_map(|all| all.iter()).collect(),
        })
    }
}

impl Skin {
    /// Copies a skin: the joint names, the matrices, the pelvis offset and the flag
    /// `lock_scale_if_joint_position`.
    ///
    /// In a joint name that is not UTF-8, the bytes that are not UTF-8 are replaced with U+FFFD.
    ///
    /// # Errors
    ///
    /// Returns the error of the first value of the skin that cannot be read. Returns
    /// [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if the skin has fewer matrices than joints.
    pub fn of(skin: skin::Skin<'_>) -> Result<Self> {
        let moved = skin.alt_inverse_bind_count() > 0;
        let joint = |joint| {
            Ok(Joint {
                name: skin.joint_name(joint)?.to_string_lossy(),
                inverse_bind: skin.inverse_bind(joint)?,
                alt_inverse_bind: if moved { Some(skin.alt_inverse_bind(joint)?) } else { None },
            })
        };
        Ok(Self {
            joints: (0..skin.joint_count()).map(joint).collect::<Result<_>>()?,
            bind_shape: skin.bind_shape()?,
            pelvis_offset: skin.pelvis_offset()?,
            lock_scale_if_joint_position: skin.lock_scale_if_joint_position()?,
        })
    }
}
