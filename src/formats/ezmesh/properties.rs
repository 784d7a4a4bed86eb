//! Passes the properties of files and of their surfaces.

use std::io;

use super::elements::Section;
use super::elements::buffers::VertexBuffer;
use super::file::Mesh;
use crate::array::Bounds;
use crate::decode::ByteOrder;
use crate::error::Result;
use crate::model::Properties;
use crate::parse::{Value, record};

/// The maximum number of elements of each list. An element may take almost no bytes in a file.
pub(super) const MAX_LISTED: usize = 4096;

/// Passes the elements of a file.
pub(super) fn of_mesh<D: AsRef<[u8]> + Send + Sync>(system: &Mesh<D>, out: &mut Properties<'_>) -> io::Result<()> {
    let view = system.view();
    let order = view.order().map(|order| if order == ByteOrder::Little { "little" } else { "big" });
    let [version, asset_version] = view.versions().unwrap_or_default();
    out.field("byte_order", order)?;
    out.field("dialect", system.dialect().map(|dialect| format!("{dialect:?}")))?;
    out.field_or_fault("asset_name", view.asset_name())?;
    out.field_or_fault("asset_info", view.asset_info())?;
    out.field("mesh_system_version", version)?;
    out.field("mesh_system_asset_version", asset_version)?;
    out.field("declared_bounds", bounds(view.declared_bounds()))?;
    list(out, "materials", view.materials(), |material| {
        let (meta, decoded) = (material.meta_data()?, material.decoded_meta_data()?);
        Ok(record! { "name": material.name()?, "meta_data": meta, "meta_data_decoded": decoded })
    })?;
    list(out, "skeletons", view.skeletons(), |skeleton| {
        let bones = skeleton.bone_range();
        Ok(record! { "name": skeleton.name()?, "first_bone": bones.start, "bones": bones.len() })
    })?;
    list(out, "animations", view.animations(), |animation| {
        let timing = animation.timing().unwrap_or_default();
        Ok(record! {
            "name": animation.name()?,
            "trackcount": timing.tracks,
            "framecount": timing.frames,
            "duration": timing.duration,
            "dtime": timing.dtime,
            "tracks": animation.tracks().len(),
        })
    })?;
    list(out, "meshes", view.meshes(), |mesh| {
        let buffer = mesh.vertex_buffer().ok().flatten();
        Ok(record! {
            "name": mesh.name()?,
            "skeleton": mesh.skeleton_name()?,
            "sections": mesh.section_range().len(),
            "declared_bounds": bounds(mesh.declared_bounds()),
            "vertices": buffer.map(|buffer| buffer.count()),
            "attributes": buffer.map(|buffer| attributes(&buffer)),
        })
    })?;
    list(out, "tetra_meshes", view.tetra_meshes(), |tetra| Ok(record! { "count": tetra.count().ok() }))?;
    list(out, "instances", view.instances(), |instance| {
        let at = instance.transform().unwrap_or_default();
        Ok(record! {
            "mesh": instance.mesh_name()?,
            "position": at.position,
            "rotation": at.rotation,
            "scale": at.scale,
        })
    })?;
    list(out, "collision_representations", view.representations(), |one| {
        let shapes = one.collisions().len();
        Ok(record! { "name": one.name()?, "info": one.info()?, "collisions": shapes })
    })?;
    list(out, "collisions", view.collisions(), |one| {
        Ok(record! {
            "name": one.name()?,
            "type": one.kind()?,
            "transform": one.transform().ok().flatten(),
            "hull_points": one.hull_points().ok().flatten().map(|points| points.count()),
            "hull_triangles": one.hull_triangles().ok().flatten().map(|triangles| triangles.triangle_count()),
        })
    })?;
    let pictures = view.textures().take(MAX_LISTED).filter_map(|texture| texture.picture().transpose());
    list(out, "textures", pictures, |picture| {
        let (name, [width, height, depth], pixels) = picture?;
        Ok(record! {
            "name": name, "width": width, "height": height, "bytes_per_pixel": depth, "bytes": pixels.len(),
        })
    })?;
    list(out, "user_data", view.user_data(), |pair| {
        let [key, value] = pair.pair()?;
        Ok(record! { "key": key, "value": value })
    })?;
    list(out, "user_binary_data", view.user_binary_data(), |one| {
        let (name, bytes) = one.content()?;
        Ok(record! { "name": name, "bytes": bytes.len() })
    })?;
    out.field("left_out", record! { "surfaces": view.sections().len().saturating_sub(MAX_LISTED) })?;
    out.field_or_fault("plane", view.plane())
}

/// Passes a list of elements, which `describe` converts.
fn list<T>(
    out: &mut Properties<'_>,
    name: &str,
    elements: impl Iterator<Item = T>,
    describe: impl Fn(T) -> Result<Value>,
) -> io::Result<()> {
    out.results(name, elements.take(MAX_LISTED).map(describe))
}

/// Returns the names and types of the attributes of a vertex buffer.
fn attributes(buffer: &VertexBuffer<'_>) -> Value {
    let layout = buffer.format();
    Value::list(layout.columns().iter().map(|column| {
        record! { "semantic": buffer.word(column), "ctype": layout.codes(column), "known_as": column.semantic.word() }
    }))
}

/// Returns one sentence about the vertex attributes of each mesh.
pub(super) fn composition<D: AsRef<[u8]> + Send + Sync>(system: &Mesh<D>) -> Vec<String> {
    let meshes = system.view().meshes().take(MAX_LISTED).filter_map(|mesh| {
        let own = || mesh.sections().next()?.vertex_buffer().ok();
        let buffer = mesh.vertex_buffer().ok().flatten().or_else(own)?;
        let words = buffer.format().columns().iter().map(|column| buffer.word(column).to_string());
        Some(format!("{}: {}", mesh.name().ok()?, words.collect::<Vec<_>>().join(", ")))
    });
    meshes.collect()
}

/// Passes the properties of a surface.
pub(super) fn of_surface(section: Section<'_>, out: &mut Properties<'_>) -> Result<io::Result<()>> {
    let mesh = section.mesh();
    let buffer = section.vertex_buffer().ok().filter(|_| section.has_own_vertices());
    Ok(out.fields(record! {
        "mesh": mesh.index(),
        "section": section.index().saturating_sub(mesh.section_range().start),
        "own_vertices": section.has_own_vertices(),
        "attributes": buffer.map(|buffer| attributes(&buffer)),
        "declared_bounds": bounds(section.declared_bounds()),
        "info": section.info()?,
    }))
}

/// Returns a bounding box that is stored in the file. If it cannot be decoded, the value is
/// missing, and `validate` reports a finding.
fn bounds(read: Result<Option<Bounds>>) -> Value {
    read.ok().flatten().map(|declared| record! { "min": declared.min, "max": declared.max }).into()
}
