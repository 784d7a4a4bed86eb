//! The meshes of an exported EZ-Mesh file.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeMap;

use super::super::builder::{self, Column};
use super::skeleton::{self, AssetBones};
use super::{DistinctNames, text};
use crate::array::Array;
use crate::decode::convert::{OutputFormat as _, Unorm};
use crate::error::Result;
use crate::export::loss::{LossKind, LossList};
use crate::export::{VertexOrder, VertexParts};
use crate::math::{as_index, narrow};
use crate::model::{Influence, Influences, SkinningRules, SpaceConversion, Weights};
use crate::scene::triangles::finite_or_zero;
use crate::scene::{PlacedSurface, PoolKey};

/// The number of influences on a vertex.
const INFLUENCES: usize = 4;

/// Adds surfaces to a file.
pub(super) struct SurfaceBuilder<'b> {
    bones: &'b BTreeMap<usize, AssetBones>,
    names: DistinctNames,
    /// The pool of the last mesh, if the next surface may be a section of it.
    pool: Option<PoolKey>,
}

impl<'b> SurfaceBuilder<'b> {
    pub(super) fn new(bones: &'b BTreeMap<usize, AssetBones>) -> Self {
        Self { bones, names: DistinctNames::default(), pool: None }
    }

    /// Adds a surface.
    pub(super) fn add(
        &mut self,
        surface: &PlacedSurface<'_>,
        mesh: &mut builder::Mesh,
        losses: &mut LossList,
    ) -> Result<()> {
        let view = &surface.surface;
        let bones = self.bones.get(&surface.place.asset);
        let conversion = bones.map_or(surface.conversion, |bones| bones.conversion);
        let parts = VertexParts::new(view, &surface.input)?;
        let pool = surface.attribute_pool()?.filter(|_| parts == VertexParts::Stored);
        for triangles in parts.ranges() {
            let order = parts.order(view, triangles, losses, surface.number)?;
            let section = section(surface, &order, &conversion)?;
            if let Some(same) = mesh.meshes.last_mut().filter(|_| pool.is_some() && pool == self.pool) {
                same.sections.push(section);
                continue;
            }
            let name = self.names.add(view.name()?.as_bytes(), "mesh");
            let (columns, has_still) = columns(surface, &order, &conversion, bones, losses)?;
            if let Some(bones) = bones.filter(|_| has_still) {
                skeleton::add_still(bones, mesh);
            }
            mesh.meshes.push(builder::MeshElement {
                name,
                skeleton: bones.map(|bones| bones.name.clone()).unwrap_or_default(),
                vertices: Some(builder::Vertices::from(columns)),
                sections: vec![section],
                ..builder::MeshElement::default()
            });
        }
        self.pool = pool;
        Ok(())
    }
}

/// Returns the triangles of a surface, with its material.
fn section(surface: &PlacedSurface<'_>, order: &VertexOrder, conversion: &SpaceConversion) -> Result<builder::Section> {
    let view = &surface.surface;
    let material = match view.material()? {
        Some(material) => text(material.as_bytes()),
        None => text(view.name()?.as_bytes()),
    };
    let mut triangles = Vec::new();
    match order {
        VertexOrder::Stored => {
            let indices = view.indices()?;
            for triangle in 0..indices.len() / 3 {
                let first = triangle.saturating_mul(3);
                let corner = |corner: usize| indices.get(first.saturating_add(corner)).unwrap_or_default();
                triangles.push(conversion.triangle([0, 1, 2].map(corner)));
            }
        }
        VertexOrder::Welded(welded) => {
            triangles.extend(welded.indices.as_chunks::<3>().0.iter().map(|triangle| conversion.triangle(*triangle)));
        }
    }
    Ok(builder::Section { material, triangles, ..builder::Section::default() })
}

/// Returns the attributes of the vertices of a surface, and whether a vertex follows the bone
/// that never moves.
fn columns(
    surface: &PlacedSurface<'_>,
    order: &VertexOrder,
    conversion: &SpaceConversion,
    bones: Option<&AssetBones>,
    losses: &mut LossList,
) -> Result<(Vec<Column>, bool)> {
    let view = &surface.surface;
    let positions = surface.shape.positions(view)?;
    let count = order.vertex_count(positions.len());
    let corners = (0..count).map(|vertex| order.corner(vertex));
    let attributes = corners.clone().map(|corner| as_index(corner.attribute));
    let at = |index: u32| conversion.position(positions.get(as_index(index)).unwrap_or_default()).map(finite_or_zero);
    let mut columns = vec![Column::positions(corners.clone().map(|corner| at(corner.position)))];
    let all: Vec<_> = corners.clone().collect();
    if let Some(normals) = surface.shape.skinned_normals(view, &all)? {
        columns.push(Column::normals(normals.into_iter().map(|normal| conversion.normal(normal))));
    } else if let Some(normals) = view.normals()? {
        let normal = |index| conversion.normal(normals.get(index).unwrap_or_default());
        columns.push(Column::normals(attributes.clone().map(normal)));
        if let Some(frames) = view.tangent_frames()? {
            let frame = |index| conversion.tangent_frame(&frames.get(index).unwrap_or_default());
            columns.push(Column::tangents(attributes.clone().map(|index| frame(index).tangent())));
            columns.push(Column::binormals(attributes.clone().map(|index| frame(index).bitangent())));
        }
    }
    for set in 0..4_u8 {
        let Some(uvs) = view.uvs(set.into())? else { break };
        let uv = |index| conversion.uv(uvs.get(index).unwrap_or_default()).map(finite_or_zero);
        columns.push(Column::texcoords(set, attributes.clone().map(uv)));
    }
    if let Some(colors) = view.colors()? {
        columns.push(Column::colors(attributes.clone().map(|index| argb(colors.get(index).unwrap_or([1.0; 4])))));
    }
    if let Some((weights, bones)) = view.weights()?.zip(bones) {
        let vertices = corners.map(|corner| corner.position);
        let (influences, has_still) = influences(&weights, bones, vertices, losses, surface.number);
        columns.extend(influences);
        return Ok((columns, has_still));
    }
    Ok((columns, false))
}

/// Returns a colour as `0xAARRGGBB`.
fn argb(color: [f32; 4]) -> u32 {
    let [red, green, blue, alpha] = Unorm::<u8>::new().convert(color);
    u32::from_be_bytes([alpha, red, green, blue])
}

/// Returns the columns of the four greatest weights of each vertex, and of their bones. Also
/// returns whether a vertex follows the bone that never moves.
fn influences(
    weights: &Weights<'_>,
    bones: &AssetBones,
    vertices: impl Iterator<Item = u32>,
    losses: &mut LossList,
    surface: usize,
) -> ([Column; 2], bool) {
    let (mut shares, mut indices, mut too_many, mut has_still) = (Vec::new(), Vec::new(), 0_usize, false);
    for vertex in vertices {
        let mut list =
            weights.get(vertex).map(|list| merged(&list, bones, weights.skinning_rules())).unwrap_or_default();
        too_many = too_many.saturating_add(usize::from(list.len() > INFLUENCES));
        list.truncate(INFLUENCES);
        if list.is_empty() && weights.skinning_rules() == SkinningRules::Strict {
            list.push((bones.still(), 1.0));
            has_still = true;
        }
        let sum: f64 = list.iter().map(|(_, weight)| f64::from(*weight)).sum();
        let (mut share, mut index) = ([0.0; INFLUENCES], [0; INFLUENCES]);
        for ((share, index), (bone, weight)) in share.iter_mut().zip(&mut index).zip(list) {
            (*share, *index) = (narrow(f64::from(weight) / sum), bone);
        }
        shares.push(share);
        indices.push(index);
    }
    if too_many > 0 {
        let text = format!("all but the 4 greatest weights of {too_many} vertices");
        losses.add(LossKind::Influences, Some(surface), text);
    }
    ([Column::weights(shares), Column::bones(indices)], has_still)
}

/// Returns each bone once, from the greatest weight to the least.
fn merged(list: &Influences<'_>, bones: &AssetBones, rules: SkinningRules) -> Vec<(u16, f32)> {
    let mut all: Vec<(u16, f32)> = Vec::new();
    for Influence { bone, weight } in list.iter().filter(|one| one.weight > 0.0 && one.weight.is_finite()) {
        let stored = usize::try_from(bone).ok().and_then(|bone| bones.order.get(bone));
        let clamped = bones.order.last().filter(|_| rules == SkinningRules::Clamped);
        let Some(bone) = stored.or(clamped).and_then(|bone| u16::try_from(*bone).ok()) else { continue };
        match all.iter_mut().find(|(other, _)| *other == bone) {
            Some((_, sum)) => *sum += weight,
            None => all.push((bone, weight)),
        }
    }
    all.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    all
}
