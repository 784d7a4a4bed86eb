//! Passes the properties of meshes and of their surfaces.

use std::io;

use super::file::Mesh;
use super::script::properties::pass_meshes;
use super::transform::Placement;
use crate::error::Result;
use crate::model::Properties;
use crate::parse::{Value, record};

/// Passes the counts of a mesh, its attachment points and the content of its script.
pub(super) fn of_mesh<D: AsRef<[u8]> + Send + Sync>(mesh: &Mesh<D>, out: &mut Properties<'_>) -> io::Result<()> {
    out.field("polygons", mesh.polygon_count())?;
    out.field("vertices", mesh.vertex_count())?;
    out.field("frames", mesh.frame_count())?;
    out.field_or_fault("frame_size", mesh.aniv_header().map(|header| header.frame_size.get()))?;
    out.field("vertex_bytes", mesh.variant().vertex_size())?;
    out.items("attachments", attachments(mesh))?;
    match mesh.whole_script() {
        Some(script) => out.record("script", |out| pass_meshes(script, mesh.script().into_iter(), out)),
        None => out.field("script", Value::Missing),
    }
}

/// Returns the attachment points of the mesh in vertex frame 0. The position of an attachment point
/// is in the units of the file, without conversion. The axes of an attachment point are computed
/// after the positions are converted to units with the same scale along x, y and z.
fn attachments<D: AsRef<[u8]> + Send + Sync>(mesh: &Mesh<D>) -> impl Iterator<Item = Value> {
    let author = Placement::author(mesh.variant());
    let count = if mesh.frame_count() == 0 { 0 } else { mesh.attachment_count() };
    (0..count).map(move |index| {
        // `validate` reports a finding for an attachment point whose vertices do not exist.
        let (Ok(stored), Ok(even)) =
            (mesh.attachment(index, 0, &Placement::STORED), mesh.attachment(index, 0, &author))
        else {
            return Value::Missing;
        };
        record! { "position": stored.position, "axes": even.axes.map(|axes| axes.map(Value::from)) }
    })
}

/// Passes the properties of a surface.
pub(super) fn of_surface<D: AsRef<[u8]> + Send + Sync>(
    mesh: &Mesh<D>,
    index: usize,
    out: &mut Properties<'_>,
) -> Result<io::Result<()>> {
    let view = mesh.surface(index)?;
    let texture = mesh.script().and_then(|script| script.texture(view.texture().into()));
    Ok(out.fields(record! {
        "texture": view.texture(),
        "texture_file": texture.and_then(|texture| texture.import).map(|import| import.file),
        "type": view.kind().0,
        "style": view.kind().style().name(),
        "type_flags": view.kind().flags().map(Value::from).collect::<Vec<_>>(),
    }))
}

/// Describes how the game draws a surface.
pub(super) fn drawing_style<D: AsRef<[u8]> + Send + Sync>(mesh: &Mesh<D>, index: usize) -> Result<String> {
    let view = mesh.surface(index)?;
    let mut words = vec![view.kind().style().name()];
    words.extend(view.kind().flags());
    if !view.is_drawn() {
        words.push("not drawn");
    }
    Ok(words.join(", "))
}
