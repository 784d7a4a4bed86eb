//! Writes the JSON objects `properties` of Unreal meshes and of their surfaces.

use std::io;
use std::path::Path;

use crate::formats::unreal::companions::Pair;
use crate::formats::unreal::{Mesh, Placement};
use serde_json::{Value, json};

use super::script_properties::{text, write_meshes};
use crate::program::render::json::numbers;
use crate::program::render::json_writer::JsonWriter;

/// Writes the JSON fields `properties` of an Unreal mesh.
pub fn write_properties<D: AsRef<[u8]> + Send + Sync>(
    mesh: &Mesh<D>,
    pair: Option<&Pair>,
    out: &mut JsonWriter<'_>,
) -> io::Result<()> {
    let files = pair.map(|pair| {
        let shown = |path: &Path| path.to_string_lossy().into_owned();
        let script = pair.script.as_deref().map(shown);
        json!({ "data": shown(&pair.data), "aniv": shown(&pair.aniv), "script": script })
    });
    out.field("files", files)?;
    out.field("polygons", mesh.polygon_count())?;
    out.field("vertices", mesh.vertex_count())?;
    out.field("frames", mesh.frame_count())?;
    out.field_or_fault("frame_size", mesh.aniv_header().map(|header| header.frame_size.get()))?;
    out.field("vertex_bytes", mesh.variant().vertex_size())?;
    out.field_items("attachments", attachments(mesh))?;
    match mesh.whole_script() {
        Some(script) => out.field_object("script", |out| write_meshes(script, mesh.script().into_iter(), out)),
        None => out.field("script", Value::Null),
    }
}

/// Returns the attachment points of the mesh in vertex frame 0 as JSON. The position of an
/// attachment point is in the units of the file, without conversion. The axes of an attachment
/// point are computed after the positions are converted to units with the same scale along x, y and
/// z.
fn attachments<D: AsRef<[u8]> + Send + Sync>(mesh: &Mesh<D>) -> impl Iterator<Item = Value> {
    let author = Placement::author(mesh.variant());
    let count = if mesh.frame_count() == 0 { 0 } else { mesh.attachment_count() };
    (0..count).map(move |index| {
        // An attachment point whose vertices do not exist is `null` in JSON, and `validate` reports
        // a finding for it.
        let (Ok(stored), Ok(even)) =
            (mesh.attachment(index, 0, &Placement::STORED), mesh.attachment(index, 0, &author))
        else {
            return json!(null);
        };
        let axes = even.axes.map(|axes| axes.iter().map(|axis| numbers(axis)).collect::<Value>());
        json!({ "position": numbers(&stored.position), "axes": axes })
    })
}

/// Returns a JSON object with the fields of a surface that only Unreal meshes have.
pub fn surface_properties<D: AsRef<[u8]> + Send + Sync>(mesh: &Mesh<D>, index: usize) -> crate::Result<Value> {
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

/// Returns a text that describes how the game draws a surface.
pub fn drawing_style<D: AsRef<[u8]> + Send + Sync>(mesh: &Mesh<D>, index: usize) -> crate::Result<String> {
    let view = mesh.surface(index)?;
    let mut words = vec![view.kind().style().name()];
    words.extend(view.kind().flags());
    if !view.is_drawn() {
        words.push("not drawn");
    }
    Ok(words.join(", "))
}
