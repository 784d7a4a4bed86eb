//! Collision shapes, as nodes with points or triangles.

use super::attributes::finite_or_zero;
use super::document::{AttributeName, Document, MeshObject, NodeObject, Primitive, add};
use super::elements::{ArraySpec, ComponentType, ElementType};
use super::surface::SurfaceWriter;
use crate::array::Array;
use crate::error::Result;
use crate::export::VertexOrder;
use crate::export::scene::ExportScene;
use crate::model::{Asset, Indices, Positions, SpaceConversion, Surface};

use super::attributes::{VertexInput, write_little_endian};
use crate::export::shape::SurfaceShape;

/// Adds a node for each collision shape of an asset, and returns the nodes. Does nothing unless the
/// options choose collision shapes.
pub(super) fn add_nodes(
    asset: &dyn Asset,
    scene: &ExportScene<'_>,
    conversion: &SpaceConversion,
    document: &mut Document,
    writer: &mut SurfaceWriter<'_>,
) -> Result<Vec<u32>> {
    let mut nodes = Vec::new();
    if !scene.options.hulls {
        return Ok(nodes);
    }
    for index in 0..asset.hull_count()? {
        let hull = asset.hull(index)?;
        let Some(points) = hull.points.filter(|points| !points.is_empty()) else { continue };
        let attributes = vec![(AttributeName::Position, write_points(&points, conversion, writer)?)];
        let indices = hull.triangles.map(|indices| write_indices(&indices, conversion, writer)).transpose()?;
        let primitive = Primitive { attributes, indices, is_points: indices.is_none(), ..Primitive::default() };
        let stored = hull.name.map(|name| name.to_string_lossy()).filter(|name| !name.is_empty());
        let name =
            Some(stored.unwrap_or_else(|| format!("hull {index} ({})", format!("{:?}", hull.kind).to_lowercase())));
        let transform = conversion.transform(&hull.transform).and_then(|map| map.to_transform()).map(Box::new);
        nodes.push(add_mesh(document, name, vec![primitive], transform));
    }
    if let Some(geometry) = asset.collision_mesh()? {
        let mut primitives = Vec::new();
        for surface in Surface::all(&*geometry)? {
            let (welded, _) = surface.weld_lossy()?;
            let order = VertexOrder::Welded(welded);
            let count = order.vertex_count(0);
            if count == 0 {
                continue;
            }
            let input = VertexInput {
                surface: &surface,
                order: &order,
                count,
                shape: SurfaceShape::Base,
                conversion: *conversion,
            };
            let attributes = vec![(AttributeName::Position, input.positions(&mut *writer.sink, &mut writer.block)?)];
            let indices = Some(input.indices(&mut *writer.sink)?);
            primitives.push(Primitive { attributes, indices, ..Primitive::default() });
        }
        if !primitives.is_empty() {
            nodes.push(add_mesh(document, Some("collision mesh".to_owned()), primitives, None));
        }
    }
    Ok(nodes)
}

fn add_mesh(
    document: &mut Document,
    name: Option<String>,
    primitives: Vec<Primitive>,
    transform: Option<Box<crate::model::Transform>>,
) -> u32 {
    let mesh = add(&mut document.meshes, MeshObject { name: name.clone(), primitives, ..MeshObject::default() });
    add(&mut document.nodes, NodeObject { name, transform, mesh: Some(mesh), ..NodeObject::default() })
}

fn write_points(points: &Positions<'_>, conversion: &SpaceConversion, writer: &mut SurfaceWriter<'_>) -> Result<u32> {
    let spec = ArraySpec::vertices(ElementType::FLOATS3, points.len()).with_bounds();
    writer.sink.array(&spec, &mut |out| {
        points.iter().try_for_each(|point| write_little_endian(&conversion.position(point).map(finite_or_zero), out))
    })
}

fn write_indices(indices: &Indices<'_>, conversion: &SpaceConversion, writer: &mut SurfaceWriter<'_>) -> Result<u32> {
    let elements = [ElementType::integers(ComponentType::U32, 1)];
    let triangles = indices.len() / 3;
    let count = triangles.saturating_mul(3);
    let spec = ArraySpec::indices(&elements, count);
    writer.sink.array(&spec, &mut |out| {
        for triangle in 0..triangles {
            let first = triangle.saturating_mul(3);
            let corner = |corner: usize| indices.get(first.saturating_add(corner)).unwrap_or_default();
            for index in conversion.triangle([0, 1, 2].map(corner)) {
                out.write_all(&index.to_le_bytes())?;
            }
        }
        Ok(())
    })
}
