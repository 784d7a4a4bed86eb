//! Validates an EZ-Mesh file: finds the first error in its structure, or reports every violation of
//! the validation rules. The checks run in a fixed order.

use super::elements::reader::ElementReader;
use super::view::View;
use crate::error::{Field, Result, counted};
use crate::parse::Finding;
use crate::validate::Report;

mod bones;
mod meshes;
pub(super) mod rules;
mod values;
mod xml;

pub use rules::RULES;

use rules::SURPLUS_NUMBERS;

/// Checks the whole structure of the file: every element, attribute and declared count, and the
/// declared types of vertices.
///
/// The numbers in vertices, triangles and key frames are not read.
pub(crate) fn check(view: View<'_>) -> Result<()> {
    view.versions()?;
    view.declared_bounds()?;
    for bone in 0..view.bone_count() {
        view.bone(bone)?;
    }
    for animation in view.animations() {
        animation.timing()?;
        animation.frame_count()?;
    }
    for mesh in view.meshes() {
        mesh.declared_section_count()?;
        mesh.declared_bounds()?;
        mesh.vertex_buffer()?;
    }
    for section in view.sections() {
        section.declared_bounds()?;
        section.vertex_buffer()?;
        section.index_buffer()?;
    }
    for tetra in view.tetra_meshes() {
        tetra.count()?;
    }
    for instance in view.instances() {
        instance.transform()?;
    }
    for collision in view.collisions() {
        collision.transform()?;
        collision.hull_points()?;
        collision.hull_triangles()?;
    }
    Ok(())
}

/// Reports all violations of the validation rules in the structure of the file, and all vertices
/// and triangles that cannot be parsed.
///
/// The numbers of a text file are parsed, but the values of these numbers are not checked.
pub(crate) fn validate_structure(view: View<'_>, report: &mut dyn FnMut(Finding)) -> Result<()> {
    let mut report = Report::new(RULES, report);
    report_structure(view, &mut report)
}

/// Reports every violation of the validation rules, in the structure of the file and in the values
/// of its numbers.
pub(crate) fn validate(view: View<'_>, report: &mut dyn FnMut(Finding)) -> Result<()> {
    let mut report = Report::new(RULES, report);
    report_structure(view, &mut report)?;
    bones::check_values(view, &mut report)?;
    values::check(view, &mut report)
}

fn report_structure(view: View<'_>, report: &mut Report<'_>) -> Result<()> {
    xml::check(view, report)?;
    bones::check_bones(view, report)?;
    bones::check_animations(view, report)?;
    meshes::check(view, report)
}

/// Adds a finding to the report if the text of an element has more numbers than declared.
pub(super) fn report_surplus(report: &mut Report<'_>, element: &ElementReader<'_>, place: (Field, u64), count: usize) {
    if element.known_block().is_some_and(|parsed| parsed.has_more) {
        let text = format_args!("expected numbers for {}, as declared, found more numbers", counted(count, "item"));
        report.add(SURPLUS_NUMBERS, place.0, place.1, text);
    }
}
