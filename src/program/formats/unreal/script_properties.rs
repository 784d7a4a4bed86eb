//! Writes the content of Unreal scripts as JSON.

use std::io;
use std::path::Path;

use crate::formats::unreal::script::{MeshScript, Script, Sequence, Texture};
use crate::{Limits, Name};
use serde_json::{Value, json};

use super::script_file::MissingMesh;
use crate::program::formats::names::has_extension;
use crate::program::render::json::{number, numbers};
use crate::program::render::json_writer::JsonWriter;

/// The maximum total number of meshes, animation sequences and notifications in the JSON output for
/// a script.
const MAX_LISTED: usize = 100_000;

/// Writes the field `properties` with the content of a script, if the meshes of the script could
/// not be opened. For any other file, writes nothing.
pub fn write_unopened_script(path: &Path, out: &mut JsonWriter<'_>) -> io::Result<()> {
    let is_script = has_extension(path, "uc");
    let limits = Limits::default();
    // A file of more bytes than the limit is not opened, so it is not read to its end.
    let most = limits.script.saturating_add(1);
    let script = is_script.then(|| crate::io::read_start(path, most).ok()).flatten();
    let script = script.and_then(|bytes| Script::open_with(bytes, &limits).ok());
    let Some(script) = script else { return Ok(()) };
    let all = script.select_all();
    out.field_object("properties", |out| {
        out.field_object("script", |out| write_meshes(&script, all.iter().map(|selected| script.mesh(selected)), out))
    })
}

/// Writes an item of a list: a mesh whose files do not exist, with the commands of the script about
/// the mesh.
pub fn write_missing<D: AsRef<[u8]>>(missing: &MissingMesh<D>, out: &mut JsonWriter<'_>) -> io::Result<()> {
    let file = &missing.script;
    out.item_object(|out| {
        out.fields(&missing.json())?;
        out.field_object("properties", |out| match file.mesh(&missing.mesh) {
            Some(mesh) => out.field_object("script", |out| write_meshes(&file.script, std::iter::once(mesh), out)),
            None => out.field("script", Value::Null),
        })
    })
}

/// Writes the fields of a JSON object with the commands of a script about each of the given meshes.
pub fn write_meshes<'a, D: AsRef<[u8]>>(
    script: &Script<D>,
    meshes: impl Iterator<Item = MeshScript<'a>>,
    out: &mut JsonWriter<'_>,
) -> io::Result<()> {
    // If a script imports the same mesh name n times, each of these n meshes lists all script
    // commands with this mesh name. The number of entries in the JSON output is limited, because
    // the output for a script of n commands could otherwise contain n * n entries.
    let mut left = MAX_LISTED;
    out.field("commands", script.command_count())?;
    out.field_list("meshes", |out| {
        for mesh in meshes {
            if left == 0 {
                break;
            }
            out.item_object(|out| write_mesh(&mesh, &mut left, out))?;
        }
        Ok(())
    })?;
    out.field("complete", left > 0)
}

fn write_mesh(mesh: &MeshScript<'_>, left: &mut usize, out: &mut JsonWriter<'_>) -> io::Result<()> {
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
    out.field("name", text(mesh.name()))?;
    out.field("data_file", import.map(|import| text(import.data_file)))?;
    out.field("aniv_file", import.map(|import| text(import.aniv_file)))?;
    out.field("unmirror", import.is_some_and(|import| import.unmirror))?;
    out.field("zero_tex", import.is_some_and(|import| import.zero_tex))?;
    out.field("scale", mesh.scale().map(|scale| numbers(&scale)))?;
    out.field("origin", origin)?;
    out.field_items("textures", mesh.textures().take(*left).map(|texture| texture_json(&texture)))?;
    let mut listed = mesh.sequences().take(*left).enumerate();
    out.field_list("sequences", |out| {
        listed.try_for_each(|(number, one)| out.item_object(|out| write_sequence(mesh, number, &one, left, out)))
    })?;
    out.field("lod_params", lod)?;
    out.field("drop_frames", mesh.drop_frames().map(|drop| json!({ "start": drop.start, "frames": drop.frames })))
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

fn write_sequence(
    mesh: &MeshScript<'_>,
    index: usize,
    sequence: &Sequence<'_>,
    left: &mut usize,
    out: &mut JsonWriter<'_>,
) -> io::Result<()> {
    *left = left.saturating_sub(1);
    out.field("name", text(sequence.name))?;
    out.field("start", sequence.start)?;
    out.field("frames", sequence.frames)?;
    out.field("rate", sequence.rate.map(number))?;
    out.field("group", sequence.group.map(text))?;
    let notifies = mesh.notifies(index).take(*left);
    let notifies = notifies.inspect(|_| *left = left.saturating_sub(1));
    out.field_items("notifies", notifies.map(|one| json!({ "time": number(one.time), "function": text(one.function) })))
}

/// Converts a name in a script to a `String`.
pub fn text(name: Name<'_>) -> String {
    name.to_string_lossy()
}
