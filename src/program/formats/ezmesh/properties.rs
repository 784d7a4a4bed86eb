//! Creates the JSON objects `properties` of EZ-Mesh files and of their surfaces.

use std::io;

use crate::formats::ezmesh::{Form, Mesh};
use serde_json::{Value, json};

use crate::program::render::json::{bounds, number, numbers};
use crate::program::render::json_writer::JsonWriter;

/// The maximum number of surfaces that `info` lists, and of elements of each JSON array in
/// `properties`. An element may take almost no bytes in a file.
pub const MAX_LISTED: usize = 4096;
/// The maximum number of bytes of a surface name that `info` prints. Without a maximum name length,
/// a small file in which many surfaces share one long name would produce a very long output.
pub const MAX_NAME_BYTES: usize = 4096;

/// Writes the JSON fields `properties` of an EZ-Mesh file.
pub fn write_properties<D: AsRef<[u8]> + Send + Sync>(system: &Mesh<D>, out: &mut JsonWriter<'_>) -> io::Result<()> {
    let view = system.view();
    let order = match system.form() {
        Form::Text(_) => None,
        Form::Binary { order, .. } => Some(format!("{order:?}").to_ascii_lowercase()),
    };
    let [version, asset_version] = view.versions().unwrap_or_default();
    out.field("byte_order", order)?;
    out.field("dialect", system.dialect().map(|dialect| format!("{dialect:?}")))?;
    out.field_or_fault("asset_name", view.asset_name().map(text))?;
    out.field_or_fault("asset_info", view.asset_info().map(text))?;
    out.field("mesh_system_version", version)?;
    out.field("mesh_system_asset_version", asset_version)?;
    out.field("declared_bounds", bounds_json(view.declared_bounds()))?;
    list(out, "materials", view.materials(), |material| {
        let (meta, decoded) = (text(material.meta_data()?), material.decoded_meta_data()?);
        Ok(json!({ "name": text(material.name()?), "meta_data": meta, "meta_data_decoded": decoded }))
    })?;
    list(out, "skeletons", view.skeletons(), |skeleton| {
        let bones = skeleton.bone_range();
        Ok(json!({ "name": text(skeleton.name()?), "first_bone": bones.start, "bones": bones.len() }))
    })?;
    list(out, "animations", view.animations(), |animation| {
        let timing = animation.timing().unwrap_or_default();
        Ok(json!({
            "name": text(animation.name()?),
            "trackcount": timing.tracks,
            "framecount": timing.frames,
            "duration": timing.duration.map(number),
            "dtime": timing.dtime.map(number),
            "tracks": animation.tracks().len(),
        }))
    })?;
    list(out, "meshes", view.meshes(), |mesh| {
        let buffer = mesh.vertex_buffer().ok().flatten();
        Ok(json!({
            "name": text(mesh.name()?),
            "skeleton": text(mesh.skeleton_name()?),
            "sections": mesh.section_range().len(),
            "declared_bounds": bounds_json(mesh.declared_bounds()),
            "vertices": buffer.map(|buffer| buffer.count()),
            "attributes": buffer.map(|buffer| attributes(&buffer)),
        }))
    })?;
    list(out, "tetra_meshes", view.tetra_meshes(), |tetra| Ok(json!({ "count": tetra.count().ok() })))?;
    list(out, "instances", view.instances(), |instance| {
        let at = instance.transform().unwrap_or_default();
        Ok(json!({
            "mesh": text(instance.mesh_name()?),
            "position": numbers(&at.position),
            "rotation": numbers(&at.rotation),
            "scale": numbers(&at.scale),
        }))
    })?;
    list(out, "collision_representations", view.representations(), |one| {
        let shapes = one.collisions().len();
        Ok(json!({ "name": text(one.name()?), "info": text(one.info()?), "collisions": shapes }))
    })?;
    list(out, "collisions", view.collisions(), |one| {
        Ok(json!({
            "name": text(one.name()?),
            "type": text(one.kind()?),
            "transform": one.transform().ok().flatten().map(|transform| numbers(&transform)),
            "hull_points": one.hull_points().ok().flatten().map(|points| points.count()),
            "hull_triangles": one.hull_triangles().ok().flatten().map(|triangles| triangles.triangle_count()),
        }))
    })?;
    let pictures = view.textures().take(MAX_LISTED).filter_map(|texture| texture.picture().transpose());
    list(out, "textures", pictures, |picture| {
        let picture = picture?;
        Ok(json!({
            "name": text(picture.name),
            "width": picture.width,
            "height": picture.height,
            "bytes_per_pixel": picture.pixel_size,
            "bytes": picture.pixels.len(),
        }))
    })?;
    list(out, "user_data", view.user_data(), |pair| {
        let [key, value] = pair.pair()?;
        Ok(json!({ "key": text(key), "value": text(value) }))
    })?;
    list(out, "user_binary_data", view.user_binary_data(), |one| {
        let (name, bytes) = one.content()?;
        Ok(json!({ "name": text(name), "bytes": bytes.len() }))
    })?;
    out.field("left_out", json!({ "surfaces": view.sections().len().saturating_sub(MAX_LISTED) }))?;
    out.field_or_fault("plane", view.plane().map(|plane| plane.map(|plane| numbers(&plane))))
}

/// Writes a field with a list of elements, of which `describe` returns the JSON values.
fn list<T>(
    out: &mut JsonWriter<'_>,
    name: &str,
    elements: impl Iterator<Item = T>,
    describe: impl Fn(T) -> crate::Result<Value>,
) -> io::Result<()> {
    out.field_results(name, elements.take(MAX_LISTED).map(describe))
}

/// Returns the names and types of the attributes of a vertex buffer as JSON.
fn attributes(buffer: &crate::formats::ezmesh::VertexBuffer<'_>) -> Value {
    let layout = buffer.format();
    let all = layout.columns().iter().map(|column| {
        let types: String = layout.scalars(column).iter().map(|scalar| scalar.code()).collect();
        let word = column.semantic.word();
        json!({ "semantic": text(buffer.word(column)), "ctype": types, "known_as": word })
    });
    all.collect()
}

/// Returns one sentence about the vertex attributes of each mesh.
pub fn composition<D: AsRef<[u8]> + Send + Sync>(system: &Mesh<D>) -> Vec<String> {
    let meshes = system.view().meshes().take(MAX_LISTED).filter_map(|mesh| {
        let own = || mesh.sections().next()?.vertex_buffer().ok();
        let buffer = mesh.vertex_buffer().ok().flatten().or_else(own)?;
        let words = buffer.format().columns().iter().map(|column| buffer.word(column).to_string());
        Some(format!("{}: {}", mesh.name().ok()?, words.collect::<Vec<_>>().join(", ")))
    });
    meshes.collect()
}

/// Returns the JSON object with the fields of a surface that exist only for EZ-Mesh.
pub fn surface_properties<D: AsRef<[u8]> + Send + Sync>(system: &Mesh<D>, surface: usize) -> crate::Result<Value> {
    let section = system.section(surface)?;
    let mesh = section.mesh();
    let buffer = section.vertex_buffer().ok().filter(|_| section.has_own_vertices());
    Ok(json!({
        "mesh": mesh.index(),
        "section": surface.saturating_sub(mesh.section_range().start),
        "own_vertices": section.has_own_vertices(),
        "attributes": buffer.map(|buffer| attributes(&buffer)),
        "declared_bounds": bounds_json(section.declared_bounds()),
        "info": section.info()?.map(text),
    }))
}

/// Converts a bounding box that is stored in the file to JSON, or returns `null` if the file stores
/// no bounding box. If the stored bounding box cannot be decoded, this function returns `null`, and
/// the `validate` command reports a finding.
fn bounds_json(read: crate::Result<Option<crate::Bounds>>) -> Value {
    read.ok().flatten().map_or(Value::Null, |declared| Value::Object(bounds(&declared)))
}

fn text(name: crate::Name<'_>) -> String {
    name.to_string_lossy()
}
