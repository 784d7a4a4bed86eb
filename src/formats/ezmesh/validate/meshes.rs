//! Checks the validation rules about meshes and their sections, vertices and triangles.

use super::{report_surplus, rules};
use crate::error::{ErrorKind, Field, Result};
use crate::formats::ezmesh::element_index::ElementKind;
use crate::formats::ezmesh::elements::buffers::{IndexBuffer, VertexBuffer};
use crate::formats::ezmesh::elements::reader::ElementReader;
use crate::formats::ezmesh::elements::{MeshElement, Section};
use crate::formats::ezmesh::layout::Semantic;
use crate::formats::ezmesh::view::View;
use crate::math::as_index;
use crate::parse::Severity;
use crate::validate::Report;

pub(super) fn check(view: View<'_>, report: &mut Report<'_>) -> Result<()> {
    report.read(view.declared_bounds())?;
    report_several(report, Field::new("MeshAABB"), view.state.elements.root, view.count(ElementKind::SystemBox));
    for mesh in view.meshes() {
        check_mesh(view, mesh, report)?;
    }
    for section in view.sections() {
        check_section(view, section, report)?;
    }
    for tetra in view.tetra_meshes() {
        let Some(count) = report.read(tetra.count())? else { continue };
        if report.read(tetra.corners())?.is_some() {
            let place = (tetra.element.place.named("corners"), tetra.offset()?);
            report_surplus(report, &tetra.element, place, as_index(count));
        }
    }
    for instance in view.instances() {
        report.read(instance.transform())?;
        let (field, start) = instance.element.located();
        let mesh = instance.mesh_name()?;
        if view.find(ElementKind::Mesh, mesh).is_none() {
            let text = format_args!("expected the name of a mesh, found \"{mesh}\"");
            report.add(rules::UNKNOWN_INSTANCE_MESH, field.named("mesh"), start, text);
        }
    }
    for representation in view.representations() {
        report.read(representation.declared_count())?;
    }
    for collision in view.collisions() {
        report.read(collision.transform())?;
        let field = collision.element.place;
        check_single(report, &collision.element, "vertexbuffer", ElementKind::HullVertices);
        check_single(report, &collision.element, "indexbuffer", ElementKind::HullTriangles);
        if let Some(Some(points)) = report.read(collision.hull_points())? {
            check_vertices(&points, report)?;
        }
        if let Some(Some(triangles)) = report.read(collision.hull_triangles())? {
            check_indices(&triangles, field, report)?;
        }
    }
    Ok(())
}

fn check_mesh(view: View<'_>, mesh: MeshElement<'_>, report: &mut Report<'_>) -> Result<()> {
    let (place, start) = mesh.element.located();
    report.read(mesh.declared_section_count())?;
    report.read(mesh.declared_bounds())?;
    let skeleton = mesh.skeleton_name()?;
    let is_none = ["", "null", "(null)"].iter().any(|none| skeleton.as_bytes().eq_ignore_ascii_case(none.as_bytes()));
    if !is_none && view.find(ElementKind::Skeleton, skeleton).is_none() {
        let text = format_args!("expected the name of a skeleton, found \"{skeleton}\"");
        report.add(rules::UNKNOWN_SKELETON, place.named("skeleton"), start, text);
    }
    let count = view.count(ElementKind::Skeleton);
    let is_unsaid = is_none && mesh.own_skeleton().is_none() && count > 1;
    if is_unsaid && mesh.sections().any(|section| section.has_weights()) {
        let text = format_args!(
            "expected the name of one of {count} skeletons, found \"{skeleton}\"; the first skeleton is used"
        );
        report.add(rules::UNKNOWN_SKELETON, place.named("skeleton"), start, text);
    }
    if mesh.section_range().is_empty() {
        let text = "expected a section, found none: the mesh cannot be drawn";
        report.add(rules::MESH_STRUCTURE.with(Severity::Error), place, start, text);
    }
    check_single(report, &mesh.element, "MeshAABB", ElementKind::MeshBox);
    check_single(report, &mesh.element, "vertexbuffer", ElementKind::MeshVertices);
    if let Some(Some(buffer)) = report.read(mesh.vertex_buffer())? {
        check_vertices(&buffer, report)?;
    }
    Ok(())
}

fn check_section(view: View<'_>, section: Section<'_>, report: &mut Report<'_>) -> Result<()> {
    let (place, start) = section.element.located();
    report.read(section.declared_bounds())?;
    let material = section.material_name()?;
    if view.count(ElementKind::Material) > 0
        && !material.as_bytes().is_empty()
        && view.find(ElementKind::Material, material).is_none()
    {
        let text = format_args!("expected the name of a material, found \"{material}\"");
        report.add(rules::UNKNOWN_MATERIAL, place.named("material"), start, text);
    }
    check_single(report, &section.element, "MeshAABB", ElementKind::SectionBox);
    check_single(report, &section.element, "vertexbuffer", ElementKind::SectionVertices);
    // An error in the shared vertices of a mesh has already been reported for the mesh.
    let fault_of_mesh =
        !section.has_own_vertices() && !section.mesh().element.inside(ElementKind::MeshVertices).is_empty();
    let vertices = if fault_of_mesh { section.vertex_buffer().ok() } else { reported_vertices(report, section)? };
    if let Some(buffer) = vertices.filter(|_| section.has_own_vertices()) {
        check_vertices(&buffer, report)?;
    }
    if let Some(buffer) = vertices {
        check_repeated(section, &buffer, report)?;
    }
    check_single(report, &section.element, "indexbuffer", ElementKind::Triangles);
    match report.read(section.index_buffer())? {
        Some(None) => {
            let text = "expected an indexbuffer, found none: the section cannot be drawn";
            report.add(rules::MESH_STRUCTURE, place, start, text);
        }
        Some(Some(triangles)) => check_indices(&triangles, place, report)?,
        None => {}
    }
    Ok(())
}

/// Checks that all indices of an element can be parsed, and that there are no more of them.
fn check_indices(triangles: &IndexBuffer<'_>, place: Field, report: &mut Report<'_>) -> Result<()> {
    if report.read(triangles.indices())?.is_some() {
        let place = (place.named("indexbuffer"), triangles.offset()?);
        report_surplus(report, &triangles.element, place, triangles.index_count() / 3);
    }
    Ok(())
}

/// Returns the vertices of a section. If the section has no vertices, an error is added to the
/// report.
fn reported_vertices<'a>(report: &mut Report<'_>, section: Section<'a>) -> Result<Option<VertexBuffer<'a>>> {
    match section.vertex_buffer() {
        Err(error) if error.kind() == ErrorKind::Missing => {
            let at = error.offset().unwrap_or_default();
            report.add(rules::MESH_STRUCTURE.with(Severity::Error), error.field(), at, error.cause());
            Ok(None)
        }
        found => report.read(found),
    }
}

/// Checks the declared columns of a vertex buffer, and checks that all vertices of the buffer can
/// be parsed.
fn check_vertices(buffer: &VertexBuffer<'_>, report: &mut Report<'_>) -> Result<()> {
    let field = buffer.element.place.named("vertexbuffer");
    let start = buffer.offset()?;
    for column in buffer.format().columns().iter().filter(|column| column.semantic == Semantic::Other) {
        let (word, types) = (buffer.word(column), buffer.format().codes(column));
        let text = format_args!(
            "expected a known semantic with its number types, found \"{word}\" with {types}; kept without a meaning"
        );
        report.add(rules::INVALID_SEMANTIC, buffer.element.place.named("semantic"), buffer.types_at()?, text);
    }
    if let Some(found) = buffer.interp_width() {
        let text = format_args!("expected the number of interp floats that ctype declares, found {found}");
        report.add(rules::INTERPOLATED_FLOATS, buffer.element.place.named("vertexbuffer"), start, text);
    }
    if buffer.format().column(Semantic::Position).is_none() {
        let text = "expected positions, found none: the vertices cannot be drawn";
        report.add(rules::MESH_STRUCTURE, field, start, text);
    }
    if report.read(buffer.vertices())?.is_some() {
        report_surplus(report, &buffer.element, (field, start), as_index(buffer.count()));
    }
    Ok(())
}

/// Checks that the vertex flags or column types that a section repeats are equal to the declaration
/// of the vertices that the section uses.
fn check_repeated(section: Section<'_>, buffer: &VertexBuffer<'_>, report: &mut Report<'_>) -> Result<()> {
    let (place, start) = section.element.located();
    if let (Some(said), Some(flags)) = (section.flags()?, buffer.format().flags())
        && said != flags
    {
        let text = format_args!("expected the flags of the mesh, {flags:#x}, found {said:#x}");
        report.add(rules::SECTION_VERTEX_TYPES, place.named("flags"), start, text);
    }
    for ((said, name), types) in section.repeated_types()?.into_iter().zip(["ctype", "semantic"]).zip(buffer.types()) {
        if let Some(said) = said.filter(|said| *said != types) {
            let text = format_args!("expected the types of the vertices, \"{types}\", found \"{said}\"");
            report.add(rules::SECTION_VERTEX_TYPES, place.named(name), start, text);
        }
    }
    Ok(())
}

fn check_single(report: &mut Report<'_>, element: &ElementReader<'_>, name: &'static str, kind: ElementKind) {
    let (place, start) = element.located();
    report_several(report, place.named(name), start, element.inside(kind).len());
}

/// Reports that an element has several blocks of one kind, if `count`, the number of these blocks,
/// is above 1.
fn report_several(report: &mut Report<'_>, field: Field, start: u64, count: usize) {
    if count > 1 {
        let text = format_args!("expected one block, found {count}; only the first is read");
        report.add(rules::SURPLUS_BLOCK, field, start, text);
    }
}
