//! What `check` and `validate` go through, in order.

use super::rules::RULES;
use super::{animations, meshes, skeletons, values, xml};
use crate::error::Result;
use crate::formats::ezmesh::view::View;
use crate::parse::{Finding, Report};

/// Walks the whole structure: every element, attribute and count, and the types of every block; reads no block.
///
/// # Errors
///
/// The first fault, by field and offset.
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

/// Reports what the structure shows, and which blocks of vertices and triangles cannot be read: those of text are parsed to
/// know it, and their values not judged.
///
/// # Errors
///
/// Where the owner's bytes are no longer those that were opened.
pub(crate) fn validate_structure(view: View<'_>, report: &mut dyn FnMut(Finding)) -> Result<()> {
    let mut report = Report::new(RULES, report);
    report_structure(view, &mut report)
}

/// Reports every breach of the rules: the structure's, and those of every value.
///
/// # Errors
///
/// As [`validate_structure`].
pub(crate) fn validate(view: View<'_>, report: &mut dyn FnMut(Finding)) -> Result<()> {
    let mut report = Report::new(RULES, report);
    report_structure(view, &mut report)?;
    skeletons::check_values(view, &mut report)?;
    animations::check_values(view, &mut report)?;
    values::check(view, &mut report)
}

fn report_structure(view: View<'_>, report: &mut Report<'_>) -> Result<()> {
    xml::check(view, report)?;
    skeletons::check(view, report)?;
    animations::check(view, report)?;
    meshes::check(view, report)
}
