//! Writes the contents of an EZ-Mesh file (a mesh system) as XML text.

use std::io::Write;

use super::elements::{Collision, Hull, Representation, TetraMesh};
use super::line::{Lines, float, spelled};
use super::mesh::Mesh;
use super::parts::{Animation, MeshElement, Section, Skeleton};
use super::stream::{MeshOutput, MeshStart, MeshStream, SectionStart};
use super::vertices::{Values, Vertices, with_columns};
use crate::array::Bounds;
use crate::error::Result;
use crate::formats::ezmesh::semantic::Semantic;
use crate::model::Transform;

/// The row length for which [`Lines::row`] starts a new line after every row.
const WHOLE_LINE: usize = usize::MAX;

/// Writes the mesh system to `out` as XML text. `streamed` are its meshes if it has none itself.
///
/// The caller must first run `Mesh::check` and `Mesh::check_text` on the mesh system.
pub(super) fn write(system: &Mesh, streamed: Option<&dyn MeshStream>, out: &mut dyn Write) -> Result<()> {
    let mut lines = Lines::new(out);
    lines.line(br#"<?xml version="1.0"?>"#)?;
    let root = lines.tag("MeshSystem").text("asset_name", &system.asset_name).text("asset_info", &system.asset_info);
    root.number("mesh_system_version", system.system_version);
    root.number("mesh_system_asset_version", system.asset_version).open()?;
    bounds(&mut lines, system.bounds)?;
    if system.meshes.is_empty() {
        system.tetra_meshes.iter().try_for_each(|tetra| tetra_mesh(&mut lines, tetra))?;
    }
    list(&mut lines, "Skeletons", &system.skeletons, skeleton)?;
    list(&mut lines, "Animations", &system.animations, animation)?;
    list(&mut lines, "Materials", &system.materials, |lines, material| {
        lines.tag("Material").text("name", &material.name).text("meta_data", &material.meta_data).empty()
    })?;
    let mut tetra_meshes = system.tetra_meshes.as_slice();
    list(&mut lines, "Meshes", &system.meshes, |lines, one| mesh(lines, one, std::mem::take(&mut tetra_meshes)))?;
    if let Some(meshes) = streamed.filter(|meshes| meshes.count() > 0) {
        lines.tag("Meshes").count(meshes.count()).open()?;
        meshes.write(&mut TextMeshOutput { lines: &mut lines, types: None })?;
        lines.close("Meshes")?;
    }
    list(&mut lines, "MeshInstances", &system.instances, |lines, instance| {
        let Transform { position, rotation, scale } = &instance.transform;
        let tag = lines.tag("MeshInstance").text("mesh", &instance.mesh);
        tag.floats("position", position, b',').floats("rotation", rotation, b',').floats("scale", scale, b',').empty()
    })?;
    list(&mut lines, "MeshCollisionRepresentations", &system.representations, representation)?;
    lines.close("MeshSystem")?;
    lines.finish()
}

/// Writes an XML element that contains all items of `items`, with the number of items as the
/// attribute `count`. Writes nothing if `items` is empty.
fn list<T>(
    lines: &mut Lines<'_>,
    name: &str,
    items: &[T],
    mut write: impl FnMut(&mut Lines<'_>, &T) -> Result<()>,
) -> Result<()> {
    if items.is_empty() {
        return Ok(());
    }
    lines.tag(name).count(items.len()).open()?;
    items.iter().try_for_each(|item| write(lines, item))?;
    lines.close(name)
}

fn bounds(lines: &mut Lines<'_>, bounds: Option<Bounds>) -> Result<()> {
    match bounds {
        Some(Bounds { min, max }) => lines.tag("MeshAABB").floats("min", &min, b',').floats("max", &max, b',').empty(),
        None => Ok(()),
    }
}

fn skeleton(lines: &mut Lines<'_>, skeleton: &Skeleton) -> Result<()> {
    lines.tag("Skeleton").text("name", &skeleton.name).count(skeleton.bones.len()).open()?;
    for bone in &skeleton.bones {
        lines.tag("Bone").text("name", &bone.name);
        let parent = bone.parent.and_then(|parent| skeleton.bones.get(usize::try_from(parent).ok()?));
        if let Some(parent) = parent {
            lines.text("parent", &parent.name);
        }
        let Transform { position, rotation, scale } = &bone.bind;
        lines
            .floats("orientation", rotation, b' ')
            .floats("position", position, b' ')
            .floats("scale", scale, b' ')
            .empty()?;
    }
    lines.close("Skeleton")
}

fn animation(lines: &mut Lines<'_>, animation: &Animation) -> Result<()> {
    let whole = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let tag = lines.tag("Animation").text("name", &animation.name).number("trackcount", whole(animation.tracks.len()));
    tag.number("framecount", animation.frames.unwrap_or_else(|| whole(animation.longest())));
    for (name, seconds) in [("duration", animation.duration), ("dtime", animation.dtime)] {
        if let Some(seconds) = seconds {
            tag.floats(name, &[seconds], b' ');
        }
    }
    tag.open()?;
    for track in &animation.tracks {
        lines.tag("AnimTrack").text("name", &track.name).count(track.keys.len()).text("has_scale", b"true").open()?;
        for Transform { position, rotation, scale } in &track.keys {
            floats(lines, position)?;
            floats(lines, rotation)?;
            floats(lines, scale)?;
            lines.row(WHOLE_LINE)?;
        }
        lines.close("AnimTrack")?;
    }
    lines.close("Animation")
}

fn floats(lines: &mut Lines<'_>, floats: &[f32]) -> Result<()> {
    floats.iter().try_for_each(|one| lines.token(float(*one).bytes()))
}

fn mesh(lines: &mut Lines<'_>, mesh: &MeshElement, tetra_meshes: &[TetraMesh]) -> Result<()> {
    let sections = u32::try_from(mesh.sections.len()).unwrap_or(u32::MAX);
    let tag = lines.tag("Mesh").text("name", &mesh.name).text("skeleton", &mesh.skeleton);
    tag.number("submesh_count", sections).open()?;
    bounds(lines, mesh.bounds)?;
    let types = with_columns(mesh.vertices.as_ref()).map(ColumnTypes::of);
    vertex_buffer(lines, mesh.vertices.as_ref(), types.as_ref())?;
    mesh.sections.iter().try_for_each(|one| section(lines, one, types.as_ref()))?;
    tetra_meshes.iter().try_for_each(|tetra| tetra_mesh(lines, tetra))?;
    lines.close("Mesh")
}

fn section(lines: &mut Lines<'_>, section: &Section, shared: Option<&ColumnTypes>) -> Result<()> {
    lines.tag("MeshSection").text("material", &section.material);
    let own = with_columns(section.vertices.as_ref()).map(ColumnTypes::of);
    if let (Some(types), None) = (shared, &own) {
        lines.text("ctype", types.ctype.as_bytes()).text("semantic", &types.semantic);
    }
    if let Some(info) = &section.info {
        lines.text("info", info);
    }
    lines.open()?;
    bounds(lines, section.bounds)?;
    vertex_buffer(lines, section.vertices.as_ref(), own.as_ref())?;
    index_buffer(lines, &section.triangles)?;
    lines.close("MeshSection")
}

/// The values of the attributes `ctype` and `semantic`, which describe the vertex columns in a text
/// file.
struct ColumnTypes {
    ctype: String,
    semantic: Vec<u8>,
}

impl ColumnTypes {
    fn of(vertices: &Vertices) -> Self {
        let [ctype, _] = vertices.raw_types();
        Self { ctype, semantic: vertices.standard_words().join(&b' ') }
    }
}

fn vertex_buffer(lines: &mut Lines<'_>, vertices: Option<&Vertices>, types: Option<&ColumnTypes>) -> Result<()> {
    let (Some(vertices), Some(types)) = (vertices, types) else { return Ok(()) };
    open_vertex_buffer(lines, vertices.len(), types)?;
    rows(lines, vertices)?;
    lines.close("vertexbuffer")
}

fn open_vertex_buffer(lines: &mut Lines<'_>, count: usize, types: &ColumnTypes) -> Result<()> {
    lines.tag("vertexbuffer").count(count).text("ctype", types.ctype.as_bytes());
    lines.text("semantic", &types.semantic).open()
}

fn rows(lines: &mut Lines<'_>, vertices: &Vertices) -> Result<()> {
    let parts: Vec<&Values> = vertices.columns.iter().flat_map(|column| column.values.parts()).collect();
    for row in 0..vertices.len() {
        parts.iter().try_for_each(|part| numbers(lines, part, row))?;
        lines.row(WHOLE_LINE)?;
    }
    Ok(())
}

/// Writes the numbers that the column `values` stores for the vertex with the index `row`.
fn numbers(lines: &mut Lines<'_>, values: &Values, row: usize) -> Result<()> {
    fn each<T>(all: &[T], width: u8, row: usize, write: impl FnMut(&T) -> Result<()>) -> Result<()> {
        let width = usize::from(width);
        let start = row.saturating_mul(width);
        all.get(start..start.saturating_add(width)).unwrap_or_default().iter().try_for_each(write)
    }
    match values {
        Values::F32(width, all) => each(all, *width, row, |one| lines.token(float(*one).bytes())),
        Values::I32(width, all) => each(all, *width, row, |one| lines.token(spelled(format_args!("{one}")).bytes())),
        Values::U16(width, all) => each(all, *width, row, |one| lines.token(spelled(format_args!("{one}")).bytes())),
        Values::U8(width, all) => each(all, *width, row, |one| lines.token(spelled(format_args!("{one}")).bytes())),
        Values::Characters(width, all) => each(all, *width, row, |one| lines.token(&[*one])),
        Values::Hex8(width, all) => {
            each(all, *width, row, |one| lines.token(spelled(format_args!("{one:02X}")).bytes()))
        }
        Values::Hex16(width, all) => {
            each(all, *width, row, |one| lines.token(spelled(format_args!("{one:04X}")).bytes()))
        }
        Values::Hex32(width, all) => {
            each(all, *width, row, |one| lines.token(spelled(format_args!("{one:08X}")).bytes()))
        }
        Values::Words(width, all) => each(all, *width, row, |one| lines.token(one)),
        Values::Mixed(_) => Ok(()),
    }
}

fn index_buffer(lines: &mut Lines<'_>, triangles: &[[u32; 3]]) -> Result<()> {
    open_index_buffer(lines, triangles.len())?;
    triangles.iter().try_for_each(|triangle| triangle_row(lines, triangle))?;
    close_index_buffer(lines)
}

fn open_index_buffer(lines: &mut Lines<'_>, triangles: usize) -> Result<()> {
    let count = u32::try_from(triangles).unwrap_or(u32::MAX);
    lines.tag("indexbuffer").number("triangle_count", count).open()
}

fn triangle_row(lines: &mut Lines<'_>, triangle: &[u32; 3]) -> Result<()> {
    let mut length = 1_usize;
    for index in triangle {
        let index = spelled(format_args!("{index}"));
        length = length.saturating_add(index.bytes().len()).saturating_add(1);
        lines.token(index.bytes())?;
    }
    // `length` is the text length of the current triangle in bytes. The text of the next triangle
    // usually has the same length as the text of the current triangle.
    lines.row(length)
}

fn close_index_buffer(lines: &mut Lines<'_>) -> Result<()> {
    lines.end_rows()?;
    lines.close("indexbuffer")
}

/// Writes meshes that are made while they are written.
struct TextMeshOutput<'l, 'o> {
    lines: &'l mut Lines<'o>,
    /// The columns of the current mesh.
    types: Option<ColumnTypes>,
}

impl MeshOutput for TextMeshOutput<'_, '_> {
    fn start(&mut self, mesh: &MeshStart<'_>) -> Result<()> {
        self.types = Some(ColumnTypes::of(mesh.columns));
        let sections = u32::try_from(mesh.sections).unwrap_or(u32::MAX);
        let tag = self.lines.tag("Mesh").text("name", mesh.name).text("skeleton", mesh.skeleton);
        tag.number("submesh_count", sections).open()
    }

    fn start_vertices(&mut self, count: usize) -> Result<()> {
        self.types.as_ref().map_or(Ok(()), |types| open_vertex_buffer(self.lines, count, types))
    }

    fn rows(&mut self, vertices: &Vertices) -> Result<()> {
        rows(self.lines, vertices)
    }

    fn end_vertices(&mut self) -> Result<()> {
        self.lines.close("vertexbuffer")
    }

    fn start_section(&mut self, section: &SectionStart<'_>) -> Result<()> {
        self.lines.tag("MeshSection").text("material", section.material);
        if let Some(types) = &self.types {
            self.lines.text("ctype", types.ctype.as_bytes()).text("semantic", &types.semantic);
        }
        self.lines.open()?;
        open_index_buffer(self.lines, section.triangles)
    }

    fn triangle(&mut self, triangle: [u32; 3]) -> Result<()> {
        triangle_row(self.lines, &triangle)
    }

    fn end_section(&mut self) -> Result<()> {
        close_index_buffer(self.lines)?;
        self.lines.close("MeshSection")
    }

    fn end(&mut self) -> Result<()> {
        self.lines.close("Mesh")
    }
}

fn tetra_mesh(lines: &mut Lines<'_>, tetra: &TetraMesh) -> Result<()> {
    let word = Semantic::Position.word().unwrap_or_default();
    lines.tag("TetraMesh").count(tetra.corners.len()).text("ctype", b"fff fff fff fff");
    lines.text("semantic", [word; 4].join(" ").as_bytes()).open()?;
    for corners in &tetra.corners {
        floats(lines, corners.as_flattened())?;
        lines.row(WHOLE_LINE)?;
    }
    lines.close("TetraMesh")
}

fn representation(lines: &mut Lines<'_>, representation: &Representation) -> Result<()> {
    let name = "MeshCollisionRepresentation";
    let tag = lines.tag(name).text("name", &representation.name).text("info", &representation.info);
    tag.count(representation.collisions.len()).open()?;
    representation.collisions.iter().try_for_each(|one| collision(lines, one))?;
    lines.close(name)
}

fn collision(lines: &mut Lines<'_>, collision: &Collision) -> Result<()> {
    let tag = lines.tag("MeshCollision").text("name", &collision.name).text("type", &collision.kind);
    if let Some(transform) = &collision.transform {
        tag.floats("transform", transform, b' ');
    }
    tag.open()?;
    let is = |kind: &str| collision.kind.eq_ignore_ascii_case(kind.as_bytes());
    let shapes = [("BOX", "MeshCollisionBox"), ("SPHERE", "MeshCollisionSphere"), ("CAPSULE", "MeshCollisionCapsule")];
    match (&collision.hull, shapes.iter().find(|(kind, _)| is(kind))) {
        (Some(Hull { points, triangles }), _) => {
            lines.tag("MeshCollisionConvex").open()?;
            let types = points.as_ref().filter(|points| !points.columns.is_empty()).map(ColumnTypes::of);
            vertex_buffer(lines, points.as_ref(), types.as_ref())?;
            index_buffer(lines, triangles)?;
            lines.close("MeshCollisionConvex")?;
        }
        (None, Some((_, element))) => lines.tag(element).empty()?,
        (None, None) if is("CONVEX") => lines.tag("MeshCollisionConvex").empty()?,
        (None, None) => {}
    }
    lines.close("MeshCollision")
}
