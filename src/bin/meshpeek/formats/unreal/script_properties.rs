//! Converts the content of Unreal scripts to JSON.

use std::path::Path;

use meshpeek::unreal::script::{MeshScript, Script, Sequence, Texture};
use meshpeek::{Limits, Name};
use serde_json::{Value, json};

use super::script_file::MissingMesh;
use crate::formats::names::has_extension;
use crate::render::json::{number, numbers, with};

/// The maximum total number of meshes, animation sequences and notifications in the JSON output for
/// a script.
const MAX_LISTED: usize = 100_000;

/// Adds the content of a script to its JSON entry, if the meshes of the script could not be opened.
pub fn with_script(entry: Value, path: &Path) -> Value {
    let is_script = has_extension(path, "uc");
    let script = is_script.then(|| meshpeek::read(path).ok()).flatten();
    let script = script.and_then(|bytes| Script::open_with(bytes, &Limits::default()).ok());
    match script {
        Some(script) => with(entry, "properties", json!({ "script": script_json(&script) })),
        None => entry,
    }
}

/// Returns a JSON object that describes a mesh whose files do not exist, with the commands of the
/// script about the mesh.
pub fn missing_json<D: AsRef<[u8]>>(missing: &MissingMesh<D>) -> Value {
    let file = &missing.script;
    let said = file.mesh(&missing.mesh).map(|mesh| meshes_json(&file.script, std::iter::once(mesh)));
    with(missing.json(), "properties", json!({ "script": said }))
}

/// Returns the commands of a script as JSON, grouped by mesh.
fn script_json<D: AsRef<[u8]>>(script: &Script<D>) -> Value {
    let all = script.select_all();
    meshes_json(script, all.iter().map(|selected| script.mesh(selected)))
}

/// Returns a JSON object with the commands of a script about each of the given meshes.
pub fn meshes_json<'a, D: AsRef<[u8]>>(script: &Script<D>, meshes: impl Iterator<Item = MeshScript<'a>>) -> Value {
    // If a script imports the same mesh name n times, each of these n meshes lists all script
    // commands with this mesh name. The number of entries in the JSON output is limited, because
    // the output for a script of n commands could otherwise contain n * n entries.
    let mut left = MAX_LISTED;
    let meshes: Value = meshes.map_while(|mesh| (left > 0).then(|| mesh_json(&mesh, &mut left))).collect();
    json!({ "commands": script.command_count(), "meshes": meshes, "complete": left > 0 })
}

fn mesh_json(mesh: &MeshScript<'_>, left: &mut usize) -> Value {
    *left = left.saturating_sub(1);
    let import = mesh.import();
    let origin = mesh.origin().map(|origin| {
        json!({
            "position": numbers(&origin.position),
            "yaw": number(origin.yaw),
            "pitch": number(origin.pitch),
            "roll": number(origin.roll),
        })
    });
    let lod = mesh.lod_params().map(|lod| {
        let float = |value: Option<f32>| value.map(number);
        json!({
            "min_verts": float(lod.min_verts),
            "strength": float(lod.strength),
            "morph": float(lod.morph),
            "hysteresis": float(lod.hysteresis),
            "z_displace": float(lod.z_displace),
        })
    });
    let textures: Value = mesh.textures().take(*left).map(|texture| texture_json(&texture)).collect();
    let listed = mesh.sequences().take(*left).enumerate();
    let sequences: Value = listed.map(|(number, one)| sequence_json(mesh, number, &one, left)).collect();
    json!({
        "name": text(mesh.name()),
        "data_file": import.map(|import| text(import.data_file)),
        "aniv_file": import.map(|import| text(import.aniv_file)),
        "unmirror": import.is_some_and(|import| import.unmirror),
        "zero_tex": import.is_some_and(|import| import.zero_tex),
        "scale": mesh.scale().map(|scale| numbers(&scale)),
        "origin": origin,
        "textures": textures,
        "sequences": sequences,
        "lod_params": lod,
        "drop_frames": mesh.drop_frames().map(|drop| json!({ "start": drop.start, "frames": drop.frames })),
    })
}

fn texture_json(texture: &Texture<'_>) -> Value {
    let import = texture.import;
    json!({
        "number": texture.number,
        "name": text(texture.name),
        "file": import.map(|import| text(import.file)),
        "group": import.and_then(|import| import.group).map(text),
        "flags": import.and_then(|import| import.flags),
    })
}

fn sequence_json(mesh: &MeshScript<'_>, index: usize, sequence: &Sequence<'_>, left: &mut usize) -> Value {
    *left = left.saturating_sub(1);
    let notifies = mesh.notifies(index).take(*left);
    let notifies = notifies.inspect(|_| *left = left.saturating_sub(1));
    let notifies = notifies.map(|one| json!({ "time": number(one.time), "function": text(one.function) }));
    json!({
        "name": text(sequence.name),
        "start": sequence.start,
        "frames": sequence.frames,
        "rate": sequence.rate.map(number),
        "group": sequence.group.map(text),
        "notifies": notifies.collect::<Value>(),
    })
}

/// Converts a name in a script to a `String`.
pub fn text(name: Name<'_>) -> String {
    name.to_string_lossy()
}
