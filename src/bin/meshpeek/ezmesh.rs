//! What only EZ-Mesh files have: attributes by any name, materials, several meshes and skeletons.

use std::io::{self, Write};

use meshpeek::ezmesh::{Column, Form, Mesh, Semantic, VertexValue, Vertices};
use meshpeek::{Animations as _, Limits};
use serde_json::{Value, json};

use crate::dump::Attribute;
use crate::opened::Data;
use crate::output::{self, number, numbers};
use crate::pose::print_bones;
use crate::values::{Item, Values, Visit};

/// The most items of any list that are told.
pub const MOST_TOLD: usize = 4096;

/// Prints every track of an animation whose file has no skeleton, at a whole frame.
pub fn print_tracks(
    frame: usize,
    clip: usize,
    system: &Mesh<Data>,
    head: Value,
    in_json: bool,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    // Where there is no such frame, this says so.
    system.pose(clip, frame, &mut [])?;
    let mut bones = Vec::new();
    for track in system.animation(clip)?.tracks() {
        let keys = track.keys()?;
        let last = keys.len().saturating_sub(1);
        bones.push((track.name()?.to_string_lossy(), keys.get(frame.min(last)).unwrap_or_default()));
    }
    print_bones(bones.into_iter(), head, in_json, out)?;
    Ok(())
}

/// Locates an attribute that only these files have, or its stored numbers; `None` where any format's would do.
pub fn locate(
    system: &Mesh<Data>,
    surface: usize,
    attribute: Attribute,
    raw: bool,
) -> meshpeek::Result<Option<Values<'_>>> {
    let semantic = match attribute {
        Attribute::Radius => Semantic::Radius,
        Attribute::Colors if raw => Semantic::Color,
        Attribute::Tangents | Attribute::Bitangents | Attribute::Weights => Semantic::Other,
        _ => match attribute.interp() {
            Some(set) => Semantic::Interp(set),
            None => return Ok(None),
        },
    };
    let vertices = system.section(surface)?.vertex_buffer()?.vertices()?;
    Ok(match attribute {
        Attribute::Tangents => vertices.tangents().map(Values::Normals),
        Attribute::Bitangents => vertices.binormals().map(Values::Normals),
        Attribute::Weights if raw => vertices.lanes().map(|(bones, weights)| Values::Lanes(bones, weights)),
        _ => vertices.format().column(semantic).map(|column| Values::Column(Box::new(vertices), *column)),
    })
}

/// Visits the numbers of one group, vertex by vertex.
pub fn visit_column(
    vertices: &Vertices<'_>,
    column: &Column,
    range: std::ops::Range<usize>,
    visit: Visit<'_>,
) -> io::Result<()> {
    for vertex in range {
        let mut floats = Vec::new();
        for cell in vertices.column_values(column, vertex) {
            match cell {
                VertexValue::Float(float) => floats.push(float),
                VertexValue::Hex(hex) => visit(Item::Number(hex))?,
                _ => {}
            }
        }
        match &*floats {
            [] => {}
            [only] => visit(Item::Float(*only))?,
            floats => visit(Item::Floats(floats))?,
        }
    }
    Ok(())
}

/// What only the format has, told of a file.
pub fn properties(system: &Mesh<Data>) -> meshpeek::Result<Value> {
    let view = system.view();
    let order = match system.form() {
        Form::Text(_) => None,
        Form::Binary { order, .. } => Some(format!("{order:?}").to_ascii_lowercase()),
    };
    let [version, asset_version] = view.versions().unwrap_or_default();
    let materials = view.materials().take(MOST_TOLD).map(|material| {
        let meta = material.meta_data()?;
        let decoded = material.decoded_meta_data()?;
        Ok(json!({ "name": text(material.name()?), "meta_data": text(meta), "meta_data_decoded": decoded }))
    });
    let skeletons = view.skeletons().take(MOST_TOLD).map(|skeleton| {
        let bones = skeleton.bone_range();
        Ok(json!({ "name": text(skeleton.name()?), "first_bone": bones.start, "bones": bones.len() }))
    });
    let animations = view.animations().take(MOST_TOLD).map(|animation| {
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
    let tetras = view.tetra_meshes().take(MOST_TOLD).map(|tetra| Ok(json!({ "count": tetra.count().ok() })));
    let instances = view.instances().take(MOST_TOLD).map(|instance| {
        let at = instance.transform().unwrap_or_default();
        Ok(json!({
            "mesh": text(instance.mesh_name()?),
            "position": numbers(&at.position),
            "rotation": numbers(&at.rotation),
            "scale": numbers(&at.scale),
        }))
    });
    let collisions = view.collisions().take(MOST_TOLD).map(|one| {
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
    let representations = view.representations().take(MOST_TOLD).map(|one| {
        let shapes = one.collisions().len();
        Ok(json!({ "name": text(one.name()?), "info": text(one.info()?), "collisions": shapes }))
    });
    let textures = view.textures().take(MOST_TOLD).filter_map(|texture| texture.picture().transpose()).map(|picture| {
        let picture = picture?;
        Ok(json!({
            "name": text(picture.name),
            "width": picture.width,
            "height": picture.height,
            "bytes_per_pixel": picture.pixel_size,
            "bytes": picture.pixels.len(),
        }))
    });
    let user_data = view.user_data().take(MOST_TOLD).map(|pair| {
        let [key, value] = pair.pair()?;
        Ok(json!({ "key": text(key), "value": text(value) }))
    });
    let binary = view.user_binary_data().take(MOST_TOLD).map(|one| {
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
        "declared_bounds": declared(view.declared_bounds()),
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
        "left_out": { "surfaces": view.sections().len().saturating_sub(MOST_TOLD) },
        "plane": view.plane()?.map(|plane| numbers(&plane)),
    }))
}

/// Tells of meshes: what their vertices are made of, and how many sections they have.
fn meshes(system: &Mesh<Data>) -> meshpeek::Result<Value> {
    let all = system.view().meshes().take(MOST_TOLD).map(|mesh| {
        let buffer = mesh.vertex_buffer().ok().flatten();
        Ok(json!({
            "name": text(mesh.name()?),
            "skeleton": text(mesh.skeleton_name()?),
            "sections": mesh.section_range().len(),
            "declared_bounds": declared(mesh.declared_bounds()),
            "vertices": buffer.map(|buffer| buffer.count()),
            "attributes": buffer.map(|buffer| attributes(&buffer)),
        }))
    });
    list(all)
}

/// Tells what vertices are made of.
fn attributes(buffer: &meshpeek::ezmesh::VertexBuffer<'_>) -> Value {
    let layout = buffer.format();
    let all = layout.columns().iter().map(|column| {
        let types: String = layout.scalars(column).iter().map(|scalar| scalar.code()).collect();
        let word = column.semantic.word();
        json!({ "semantic": text(buffer.word(column)), "ctype": types, "known_as": word })
    });
    all.collect()
}

/// Tells whether a surface's vertices are those of the one before it.
pub fn shares(system: &Mesh<Data>, surface: usize) -> bool {
    system
        .section(surface)
        .is_ok_and(|section| !section.has_own_vertices() && surface > section.mesh().section_range().start)
}

/// Tells in words what vertices are made of, mesh by mesh.
pub fn composition(system: &Mesh<Data>) -> Vec<String> {
    let meshes = system.view().meshes().take(MOST_TOLD).filter_map(|mesh| {
        let own = || mesh.sections().next()?.vertex_buffer().ok();
        let buffer = mesh.vertex_buffer().ok().flatten().or_else(own)?;
        let words = buffer.format().columns().iter().map(|column| buffer.word(column).to_string());
        Some(format!("{}: {}", mesh.name().ok()?, words.collect::<Vec<_>>().join(", ")))
    });
    meshes.collect()
}

/// What only the format's surfaces have.
pub fn of_surface(system: &Mesh<Data>, surface: usize) -> meshpeek::Result<Value> {
    let section = system.section(surface)?;
    let mesh = section.mesh();
    let buffer = section.vertex_buffer().ok().filter(|_| section.has_own_vertices());
    Ok(json!({
        "mesh": mesh.index(),
        "section": surface.saturating_sub(mesh.section_range().start),
        "own_vertices": section.has_own_vertices(),
        "attributes": buffer.map(|buffer| attributes(&buffer)),
        "declared_bounds": declared(section.declared_bounds()),
        "info": section.info()?.map(text),
    }))
}

/// A box that a file declares; nothing where it does not, or where it is damaged, which the findings tell.
fn declared(read: meshpeek::Result<Option<meshpeek::Bounds>>) -> Value {
    read.ok().flatten().map_or(Value::Null, |bounds| Value::Object(output::bounds(&bounds)))
}

fn list(items: impl Iterator<Item = meshpeek::Result<Value>>) -> meshpeek::Result<Value> {
    items.collect::<meshpeek::Result<Vec<_>>>().map(Value::Array)
}

fn text(name: meshpeek::Name<'_>) -> String {
    name.to_string_lossy()
}

/// How to open such a file.
pub const fn options(limits: Limits, strict: bool) -> meshpeek::ezmesh::Options {
    meshpeek::ezmesh::Options { strict, watched: true, limits }
}
