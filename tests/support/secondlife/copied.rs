//! Copies levels of detail, convex hulls and skins of an asset to the structs of the builder.

use crate::support::secondlife::builder::{Convex, Joint, Level, Skin, Submesh};
use meshpeek::Array as _;
use meshpeek::secondlife::{self, Mesh};

/// Copies a level of detail. The quantization box is copied if all submeshes have the same.
pub fn level(level: secondlife::Level<'_>) -> Level {
    let submeshes: Vec<_> = level.submeshes().map(Result::unwrap).collect();
    let filled = submeshes.iter().filter(|submesh| !submesh.is_placeholder());
    let domains: Vec<_> = filled.map(|submesh| submesh.position_domain().unwrap()).collect();
    let domain = domains.first().copied().filter(|first| domains.iter().all(|domain| domain == first));
    Level { submeshes: submeshes.iter().map(submesh).collect(), domain }
}

fn submesh(submesh: &secondlife::Submesh<'_>) -> Submesh {
    if submesh.is_placeholder() {
        return Submesh::default();
    }
    let (uvs, indices) = (submesh.uvs().unwrap(), submesh.indices().unwrap());
    let weights = submesh.weights().unwrap();
    Submesh {
        positions: submesh.positions().unwrap().to_vec(),
        normals: submesh.normals().unwrap().map(|all| all.to_vec()).unwrap_or_default(),
        uvs: uvs.map(|all| all.to_vec()).unwrap_or_default(),
        uv_domain: uvs.map(|_| submesh.uv_domain().unwrap()),
        tangents: submesh.tangents().unwrap().map(|all| all.to_vec()).unwrap_or_default(),
        triangles: indices.to_vec().as_chunks().0.to_vec(),
        weights: weights.map_or_else(Vec::new, |all| all.iter().map(|list| list.iter().collect()).collect()),
        normalized_scale: submesh.normalized_scale().unwrap(),
    }
}

/// Copies convex hulls, with the quantization box of their points.
pub fn convex(convex: secondlife::Convex<'_>) -> Convex {
    Convex {
        hulls: convex.hulls().unwrap().map(|hull| hull.to_vec()).collect(),
        domain: Some(convex.domain().unwrap()),
        bounding: convex.bounding_points().unwrap().map(|all| all.to_vec()).unwrap_or_default(),
    }
}

/// Copies the skin of an asset.
pub fn skin<D: AsRef<[u8]>>(mesh: &Mesh<D>) -> Option<Skin> {
    let skin = mesh.skin().unwrap()?;
    let moved = skin.alt_inverse_bind_count() > 0;
    let joint = |joint| Joint {
        name: skin.joint_name(joint).unwrap().to_string_lossy(),
        inverse_bind: skin.inverse_bind(joint).unwrap(),
        alt_inverse_bind: moved.then(|| skin.alt_inverse_bind(joint).unwrap()),
    };
    Some(Skin {
        joints: (0..skin.joint_count()).map(joint).collect(),
        bind_shape: skin.bind_shape().unwrap(),
        pelvis_offset: skin.pelvis_offset().unwrap(),
        lock_scale_if_joint_position: skin.lock_scale_if_joint_position().unwrap(),
    })
}
