//! Creates the JSON objects `properties` of EZ-Mesh files and of their surfaces.

use meshpeek::ezmesh::{Form, Mesh};
use serde_json::{Value, json};

use crate::render::json::{bounds, number, numbers};

/// The maximum number of elements of each JSON array in `properties`.
pub const MAX_LISTED: usize = 4096;

/// Returns the JSON object `properties` of an EZ-Mesh file.
pub fn properties<D: AsRef<[u8]> + Send + Sync>(system: &Mesh<D>) -> meshpeek::Result<Value> {
    let view = system.view();
    let order = match system.form() {
        Form::Text(_) => None,
        Form::Binary { order, .. } => Some(format!("{order:?}").to_ascii_lowercase()),
    };
    let [version, asset_version] = view.versions().unwrap_or_default();
    let materials = view.materials().take(MAX_LISTED).map(|material| {
        let meta = material.meta_data()?;
        let decoded = material.decoded_meta_data()?;
        Ok(json!({ "name": text(material.name()?), "meta_data": text(meta), "meta_data_decoded": decoded }))
    });
    let skeletons = view.skeletons().take(MAX_LISTED).map(|skeleton| {
        let bones = skeleton.bone_range();
        Ok(json!({ "name": text(skeleton.name()?), "first_bone": bones.start, "bones": bones.len() }))
    });
    let animations = view.animations().take(MAX_LISTED).map(|animation| {
        let timing = animation.timing().unwrap_or_default();
        let seconds = |value: Option<f32>| value.map(number);
        Ok(json!({
            "name": text(animation.name()?),
            "trackcount": timing.tracks,
            "framecount": timing.frames,
            "duration": seconds(timing.duration),
            "dtime": seconds(timing.dtime),
            "tracks": animation.tracks().len(),
        }))
    });
    let tetras = view.tetra_meshes().take(MAX_LISTED).map(|tetra| Ok(json!({ "count": tetra.count().ok() })));
    let instances = view.instances().take(MAX_LISTED).map(|instance| {
        let at = instance.transform().unwrap_or_default();
        Ok(json!({
            "mesh": text(instance.mesh_name()?),
            "position": numbers(&at.position),
            "rotation": numbers(&at.rotation),
            "scale": numbers(&at.scale),
        }))
    });
    let collisions = view.collisions().take(MAX_LISTED).map(|one| {
        let transform = one.transform().ok().flatten().map(|transform| numbers(&transform));
        let points = one.hull_points().ok().flatten().map(|points| points.count());
        let triangles = one.hull_triangles().ok().flatten().map(|triangles| triangles.triangle_count());
        Ok(json!({
            "name": text(one.name()?),
            "type": text(one.kind()?),
            "transform": transform,
            "hull_points": points,
            "hull_triangles": triangles,
        }))
    });
    let representations = view.representations().take(MAX_LISTED).map(|one| {
        let shapes = one.collisions().len();
        Ok(json!({ "name": text(one.name()?), "info": text(one.info()?), "collisions": shapes }))
    });
    let textures =
        view.textures().take(MAX_LISTED).filter_map(|texture| texture.picture().transpose()).map(|picture| {
            let picture = picture?;
            Ok(json!({
                "name": text(picture.name),
                "width": picture.width,
                "height": picture.height,
                "bytes_per_pixel": picture.pixel_size,
                "bytes": picture.pixels.len(),
            }))
        });
    let user_data = view.user_data().take(MAX_LISTED).map(|pair| {
        let [key, value] = pair.pair()?;
        Ok(json!({ "key": text(key), "value": text(value) }))
    });
    let binary = view.user_binary_data().take(MAX_LISTED).map(|one| {
        let (name, bytes) = one.content()?;
        Ok(json!({ "name": text(name), "bytes": bytes.len() }))
    });
    Ok(json!({
        "byte_order": order,
        "dialect": system.dialect().map(|dialect| format!("{dialect:?}")),
        "asset_name": text(view.asset_name()?),
        "asset_info": text(view.asset_info()?),
        "mesh_system_version": version,
        "mesh_system_asset_version": asset_version,
        "declared_bounds": bounds_json(view.declared_bounds()),
        "materials": list(materials)?,
        "skeletons": list(skeletons)?,
        "animations": list(animations)?,
        "meshes": meshes(system)?,
        "tetra_meshes": list(tetras)?,
        "instances": list(instances)?,
        "collision_representations": list(representations)?,
        "collisions": list(collisions)?,
        "textures": list(textures)?,
        "user_data": list(user_data)?,
        "user_binary_data": list(binary)?,
        "left_out": { "surfaces": view.sections().len().saturating_sub(MAX_LISTED) },
        "plane": view.plane()?.map(|plane| numbers(&plane)),
    }))
}

/// Returns a JSON array of the meshes in the file, each with its vertex attributes and its number
/// of mesh sections.
fn meshes<D: AsRef<[u8]> + Send + Sync>(system: &Mesh<D>) -> meshpeek::Result<Value> {
    let all = system.view().meshes().take(MAX_LISTED).map(|mesh| {
        let buffer = mesh.vertex_buffer().ok().flatten();
        Ok(json!({
            "name": text(mesh.name()?),
            "skeleton": text(mesh.skeleton_name()?),
            "sections": mesh.section_range().len(),
            "declared_bounds": bounds_json(mesh.declared_bounds()),
            "vertices": buffer.map(|buffer| buffer.count()),
            "attributes": buffer.map(|buffer| attributes(&buffer)),
        }))
    });
    list(all)
}

/// Returns the names and types of the attributes of a vertex buffer as JSON.
fn attributes(buffer: &meshpeek::ezmesh::VertexBuffer<'_>) -> Value {
    let layout = buffer.format();
    let all = layout.columns().iter().map(|column| {
        let types: String = layout.scalars(column).iter().map(|scalar| scalar.code()).collect();
        let word = column.semantic.word();
        json!({ "semantic": text(buffer.word(column)), "ctype": types, "known_as": word })
    });
    all.collect()
}

/// Returns whether a surface shares its vertices with the previous surface.
pub fn shares_vertices<D: AsRef<[u8]> + Send + Sync>(system: &Mesh<D>, surface: usize) -> bool {
    system
        .section(surface)
        .is_ok_and(|section| !section.has_own_vertices() && surface > section.mesh().section_range().start)
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
pub fn surface_properties<D: AsRef<[u8]> + Send + Sync>(system: &Mesh<D>, surface: usize) -> meshpeek::Result<Value> {
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
fn bounds_json(read: meshpeek::Result<Option<meshpeek::Bounds>>) -> Value {
    read.ok().flatten().map_or(Value::Null, |declared| Value::Object(bounds(&declared)))
}

fn list(items: impl Iterator<Item = meshpeek::Result<Value>>) -> meshpeek::Result<Value> {
    items.collect::<meshpeek::Result<Vec<_>>>().map(Value::Array)
}

fn text(name: meshpeek::Name<'_>) -> String {
    name.to_string_lossy()
}
