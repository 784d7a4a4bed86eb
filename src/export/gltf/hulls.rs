//! Collision shapes, as nodes with points or triangles.

use super::attributes::{VertexInput, VertexNormals, finite_or_zero, write_little_endian};
use super::document::{
    AccessorType, ArraySpec, AttributeName, ComponentType, Document, MeshObject, NodeObject, Primitive, add,
};
use super::nodes::node_transform;
use super::surface::SurfaceWriter;
use crate::array::Array;
use crate::error::Result;
use crate::export::VertexOrder;
use crate::export::loss::{LossKind, LossList, counted};
use crate::export::options::ExportScene;
use crate::math::as_index;
use crate::model::animation::Affine;
use crate::model::{Asset, Geometry, Hull, Indices, Positions, SpaceConversion};
use crate::scene::shape::SurfaceShape;

/// Adds a node for each collision shape of an asset at a place with the transform `placed`, and
/// returns the nodes. Does nothing unless the options choose collision shapes.
pub(super) fn add_nodes(
    asset: &dyn Asset,
    scene: &ExportScene<'_>,
    placed: &Affine,
    conversion: &SpaceConversion,
    document: &mut Document,
    writer: &mut SurfaceWriter<'_>,
    losses: &mut LossList,
) -> Result<Vec<u32>> {
    let mut nodes = Vec::new();
    if !scene.options.hulls {
        return Ok(nodes);
    }
    let mut add_mesh = |name: String, primitives, transform: &Affine, losses: &mut LossList| {
        let transform = node_transform(transform, conversion, "a collision shape", losses).map(Box::new);
        let mesh = MeshObject { name: Some(name.clone()), primitives, ..MeshObject::default() };
        let mesh = Some(add(&mut document.meshes, mesh));
        nodes.push(add(&mut document.nodes, NodeObject { name: Some(name), transform, mesh, ..NodeObject::default() }));
    };
    for index in 0..asset.hull_count()? {
        // Each hull before this one has a node and a mesh.
        writer.sink.check_objects(index.saturating_mul(2))?;
        let hull = asset.hull(index)?;
        if let Some(primitive) = hull_primitive(&hull, conversion, writer, losses)? {
            let stored = hull.name.map(|name| name.to_string_lossy()).filter(|name| !name.is_empty());
            let kind = format!("{:?}", hull.kind).to_lowercase();
            let name = stored.unwrap_or_else(|| format!("hull {index} ({kind})"));
            add_mesh(name, vec![primitive], &hull.transform.then(placed), losses);
        } else {
            let text = format!("collision shape {index}, for which the file stores no points");
            losses.add(LossKind::Hulls, None, text);
        }
    }
    if let Some(geometry) = asset.collision_mesh()? {
        let primitives = collision_primitives(&*geometry, conversion, writer)?;
        if !primitives.is_empty() {
            add_mesh("collision mesh".to_owned(), primitives, placed, losses);
        }
    }
    Ok(nodes)
}

/// Returns the points or triangles of a collision shape, or `None` if the file stores no points.
fn hull_primitive(
    hull: &Hull<'_>,
    conversion: &SpaceConversion,
    writer: &mut SurfaceWriter<'_>,
    losses: &mut LossList,
) -> Result<Option<Primitive>> {
    let Some(points) = hull.points.filter(|points| !points.is_empty()) else { return Ok(None) };
    let attributes = vec![(AttributeName::Position, write_points(&points, conversion, writer)?)];
    let triangles = hull.triangles.map(|indices| valid_triangles(&indices, points.len(), losses)).unwrap_or_default();
    let indices = if triangles.is_empty() { None } else { Some(write_triangles(&triangles, conversion, writer)?) };
    Ok(Some(Primitive { attributes, indices, is_points: indices.is_none(), ..Primitive::default() }))
}

/// Returns the triangles for collision tests.
fn collision_primitives(
    geometry: &dyn Geometry,
    conversion: &SpaceConversion,
    writer: &mut SurfaceWriter<'_>,
) -> Result<Vec<Primitive>> {
    let mut primitives = Vec::new();
    for surface in geometry.surfaces()? {
        let (welded, _) = surface.weld_lossy()?;
        let order = VertexOrder::Welded(welded);
        let (surface, count) = (&surface, order.vertex_count(0));
        if count > 0 {
            let (shape, normals) = (SurfaceShape::Base, VertexNormals::None);
            let input = VertexInput { surface, order: &order, count, shape, conversion: *conversion, normals };
            let attributes = vec![(AttributeName::Position, input.positions(&mut *writer.sink, &mut writer.block)?)];
            let indices = Some(input.indices(&mut *writer.sink)?);
            primitives.push(Primitive { attributes, indices, ..Primitive::default() });
        }
    }
    Ok(primitives)
}

fn write_points(points: &Positions<'_>, conversion: &SpaceConversion, writer: &mut SurfaceWriter<'_>) -> Result<u32> {
    let spec = ArraySpec::vertices(AccessorType::FLOATS3, points.len()).with_bounds();
    writer.sink.array(&spec, &mut |out| {
        points.iter().try_for_each(|point| write_little_endian(&conversion.position(point).map(finite_or_zero), out))
    })
}

/// Returns the triangles whose indices are below `count`. Others are added to `losses`.
fn valid_triangles(indices: &Indices<'_>, count: usize, losses: &mut LossList) -> Vec<[u32; 3]> {
    let is_valid = |corners: &[u32; 3]| corners.iter().all(|index| as_index(*index) < count);
    let valid: Vec<_> = indices.triangles().filter(is_valid).collect();
    let omitted = (indices.len() / 3).saturating_sub(valid.len());
    if omitted > 0 {
        let text = format!("{} of a collision shape with an invalid index", counted(omitted, "triangle"));
        losses.add(LossKind::Triangles, None, text);
    }
    valid
}

fn write_triangles(
    triangles: &[[u32; 3]],
    conversion: &SpaceConversion,
    writer: &mut SurfaceWriter<'_>,
) -> Result<u32> {
    let elements = [AccessorType::integers(ComponentType::U32, 1)];
    let spec = ArraySpec::indices(&elements, triangles.len().saturating_mul(3));
    writer.sink.array(&spec, &mut |out| {
        let indices = triangles.iter().flat_map(|triangle| conversion.triangle(*triangle));
        indices.into_iter().try_for_each(|index| Ok(out.write_all(&index.to_le_bytes())?))
    })
}
