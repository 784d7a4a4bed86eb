//! What `info` tells of one format only: the `properties` of a file, and the fields of a surface beyond every format's.

use std::path::Path;

use meshpeek::unreal::script::{MeshScript, Script, Sequence, Texture};
use meshpeek::unreal::{Mesh, Placement};
use meshpeek::{Limits, Model, Name};
use serde_json::{Value, json};

use crate::expand::has_extension;
use crate::opened::{Absent, Data, Opened};
use crate::output::{self, numbers};
use crate::unigine;

/// The most sequences and calls of a script that are listed.
const MOST_TOLD: usize = 100_000;

/// What only the format has.
pub fn properties(opened: &Opened) -> meshpeek::Result<Value> {
    match &opened.model {
        Model::Unigine(mesh) => Ok(unigine::properties(mesh)),
        Model::UnigineAnimation(file) => unigine::of_animation(file),
        Model::Unreal(mesh) => unreal(mesh, opened),
        // Told with what was inflated.
        Model::SecondLife(_) => Ok(Value::Null),
        Model::EzMesh(system) => crate::ezmesh::properties(system),
        _ => Ok(json!({})),
    }
}

/// What only the format's surfaces have.
pub fn of_surface(model: &Model<Data>, index: usize) -> meshpeek::Result<Value> {
    let mesh = match model {
        Model::Unreal(mesh) => mesh,
        Model::Unigine(mesh) => return Ok(unigine::of_surface(mesh, index)),
        Model::EzMesh(system) => return crate::ezmesh::of_surface(system, index),
        _ => return Ok(json!({})),
    };
    let view = mesh.surface(index)?;
    let texture = mesh.script().and_then(|script| script.texture(view.texture().into()));
    let file = texture.and_then(|texture| texture.import).map(|import| text(import.file));
    Ok(json!({
        "texture": view.texture(),
        "texture_file": file,
        "type": view.kind().0,
        "style": view.kind().style().name(),
        "type_flags": view.kind().flags().collect::<Vec<_>>(),
    }))
}

/// Tells in words how a surface is drawn, where the format says so.
pub fn draws(model: &Model<Data>, index: usize) -> meshpeek::Result<String> {
    let Model::Unreal(mesh) = model else { return Ok(String::new()) };
    let view = mesh.surface(index)?;
    let mut words = vec![view.kind().style().name()];
    words.extend(view.kind().flags());
    if !view.is_drawn() {
        words.push("not drawn");
    }
    Ok(words.join(", "))
}

/// Returns what else is worth a line of words.
pub fn remarks(model: &Model<Data>) -> Vec<(&'static str, String)> {
    match model {
        Model::EzMesh(system) => crate::ezmesh::composition(system).into_iter().map(|mesh| ("mesh", mesh)).collect(),
        Model::Unigine(mesh) => unigine::blocks_in_words(mesh).map(|blocks| ("blocks", blocks)).into_iter().collect(),
        Model::UnigineAnimation(file) => {
            let skeleton = file.skeleton().ok().flatten();
            let shown = skeleton.map(|[guid, path]| ("skeleton", format!("{path}, GUID {guid}")));
            shown.into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Returns how many vertex frames there are, and of how many vertices.
pub fn vertex_frames(model: &Model<Data>) -> Option<(usize, usize)> {
    let Model::Unreal(mesh) = model else { return None };
    Some((mesh.frame_count(), mesh.vertex_count()))
}

/// Adds what a script says, to the entry of a script whose meshes could not be read.
pub fn with_script(entry: Value, path: &Path) -> Value {
    let is_script = has_extension(path, "uc");
    let script = is_script.then(|| meshpeek::read(path).ok()).flatten();
    let script = script.and_then(|bytes| Script::open_with(bytes, &Limits::default()).ok());
    match script {
        Some(script) => output::with(entry, "properties", json!({ "script": told(&script) })),
        None => entry,
    }
}

fn unreal(mesh: &Mesh<Data>, opened: &Opened) -> meshpeek::Result<Value> {
    let files = opened.pair.as_ref().map(|pair| {
        let shown = |path: &Path| path.to_string_lossy().into_owned();
        let script = pair.script.as_deref().map(shown);
        json!({ "data": shown(&pair.data), "aniv": shown(&pair.aniv), "script": script })
    });
    Ok(json!({
        "files": files,
        "polygons": mesh.polygon_count(),
        "vertices": mesh.vertex_count(),
        "frames": mesh.frame_count(),
        "frame_size": mesh.aniv_header()?.frame_size.get(),
        "vertex_bytes": mesh.variant().vertex_size(),
        "attachments": attachments(mesh),
        "script": mesh.whole_script().map(|script| told_of(script, mesh.script().into_iter())),
    }))
}

/// Where weapons hang in frame 0: places in stored units, directions in units that do not differ by axis.
fn attachments(mesh: &Mesh<Data>) -> Value {
    if mesh.frame_count() == 0 {
        return json!([]);
    }
    let author = Placement::author(mesh.variant());
    let all = (0..mesh.attachment_count()).map(|index| {
        // A weapon triangle whose vertices are missing is told by the findings.
        let (Ok(stored), Ok(even)) =
            (mesh.attachment(index, 0, &Placement::STORED), mesh.attachment(index, 0, &author))
        else {
            return json!(null);
        };
        let axes = even.axes.map(|axes| axes.iter().map(|axis| numbers(axis)).collect::<Value>());
        json!({ "position": numbers(&stored.position), "axes": axes })
    });
    all.collect()
}

/// What a script says, mesh by mesh.
fn told<D: AsRef<[u8]>>(script: &Script<D>) -> Value {
    let all = script.select_all();
    told_of(script, all.iter().map(|selected| script.mesh(selected)))
}

/// What a script says of some of its meshes.
fn told_of<'a, D: AsRef<[u8]>>(script: &Script<D>, meshes: impl Iterator<Item = MeshScript<'a>>) -> Value {
    // Equal names make a script of n lines say n times n things: of what is listed, there is an end.
    let mut left = MOST_TOLD;
    let meshes: Value = meshes.map_while(|mesh| (left > 0).then(|| mesh_told(&mesh, &mut left))).collect();
    json!({ "commands": script.command_count(), "meshes": meshes, "complete": left > 0 })
}

/// A mesh of a script whose files are not there, and what the script says of it.
pub fn unresolved(absent: &Absent) -> Value {
    let file = &absent.script;
    let facts = file.mesh(&absent.mesh).map(|mesh| told_of(&file.script, std::iter::once(mesh)));
    output::with(output::absent(absent), "properties", json!({ "script": facts }))
}

fn mesh_told(mesh: &MeshScript<'_>, left: &mut usize) -> Value {
    *left = left.saturating_sub(1);
    let import = mesh.import();
    let origin = mesh.origin().map(|origin| {
        json!({
            "position": numbers(&origin.position),
            "yaw": output::number(origin.yaw),
            "pitch": output::number(origin.pitch),
            "roll": output::number(origin.roll),
        })
    });
    let lod = mesh.lod_params().map(|lod| {
        let number = |value: Option<f32>| value.map(output::number);
        json!({
            "min_verts": number(lod.min_verts),
            "strength": number(lod.strength),
            "morph": number(lod.morph),
            "hysteresis": number(lod.hysteresis),
            "z_displace": number(lod.z_displace),
        })
    });
    let textures: Value = mesh.textures().take(*left).map(|texture| texture_told(&texture)).collect();
    let listed = mesh.sequences().take(*left).enumerate();
    let sequences: Value = listed.map(|(number, one)| sequence_told(mesh, number, &one, left)).collect();
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

fn texture_told(texture: &Texture<'_>) -> Value {
    let import = texture.import;
    json!({
        "number": texture.number,
        "name": text(texture.name),
        "file": import.map(|import| text(import.file)),
        "group": import.and_then(|import| import.group).map(text),
        "flags": import.and_then(|import| import.flags),
    })
}

fn sequence_told(mesh: &MeshScript<'_>, number: usize, sequence: &Sequence<'_>, left: &mut usize) -> Value {
    *left = left.saturating_sub(1);
    let notifies = mesh.notifies(number).take(*left);
    let notifies = notifies.inspect(|_| *left = left.saturating_sub(1));
    let notifies = notifies.map(|one| json!({ "time": output::number(one.time), "function": text(one.function) }));
    json!({
        "name": text(sequence.name),
        "start": sequence.start,
        "frames": sequence.frames,
        "rate": sequence.rate.map(output::number),
        "group": sequence.group.map(text),
        "notifies": notifies.collect::<Value>(),
    })
}

fn text(name: Name<'_>) -> String {
    name.to_string_lossy()
}
