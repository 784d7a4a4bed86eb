//! Creates the JSON objects `properties` of Unreal meshes and of their surfaces.

use std::path::Path;

use meshpeek::unreal::companions::Pair;
use meshpeek::unreal::{Mesh, Placement};
use serde_json::{Value, json};

use super::script_properties::{meshes_json, text};
use crate::render::json::numbers;

/// Returns the JSON object `properties` of an Unreal mesh.
pub fn properties<D: AsRef<[u8]> + Send + Sync>(mesh: &Mesh<D>, pair: Option<&Pair>) -> meshpeek::Result<Value> {
    let files = pair.map(|pair| {
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
        "script": mesh.whole_script().map(|script| meshes_json(script, mesh.script().into_iter())),
    }))
}

/// Returns the attachment points of the mesh in vertex frame 0 as JSON. The position of an
/// attachment point is in the units of the file, without conversion. The axes of an attachment
/// point are computed after the positions are converted to units with the same scale along x, y and
/// z.
fn attachments<D: AsRef<[u8]> + Send + Sync>(mesh: &Mesh<D>) -> Value {
    if mesh.frame_count() == 0 {
        return json!([]);
    }
    let author = Placement::author(mesh.variant());
    let all = (0..mesh.attachment_count()).map(|index| {
        // An attachment point whose vertices do not exist is `null` in JSON, and `validate` reports
        // a finding for it.
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

/// Returns a JSON object with the fields of a surface that only Unreal meshes have.
pub fn surface_properties<D: AsRef<[u8]> + Send + Sync>(mesh: &Mesh<D>, index: usize) -> meshpeek::Result<Value> {
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
pub fn drawing_style<D: AsRef<[u8]> + Send + Sync>(mesh: &Mesh<D>, index: usize) -> meshpeek::Result<String> {
    let view = mesh.surface(index)?;
    let mut words = vec![view.kind().style().name()];
    words.extend(view.kind().flags());
    if !view.is_drawn() {
        words.push("not drawn");
    }
    Ok(words.join(", "))
}
