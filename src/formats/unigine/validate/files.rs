//! Validates whole mesh files and animation files.

use super::rules::report;
use super::{animations, skeleton, structure, surfaces};
use crate::error::{Error, Field, Result};
use crate::formats::unigine::animation::reader::AnimationReader;
use crate::formats::unigine::blocks::buffer::InflateBuffer;
use crate::formats::unigine::header::BOUNDS_AT;
use crate::formats::unigine::reader::mesh_reader::MeshReader;
use crate::formats::unigine::regions;
use crate::parse::Finding;

/// Checks the rules about the structure of a mesh (counts, strings, parent indices), and passes the
/// findings to `sink`.
///
/// Compressed geometry is inflated, one surface after another, to read the array lengths in the
/// geometry. If the block of one surface cannot be read, the blocks of the other surfaces are still
/// checked.
pub(crate) fn mesh_structure(mesh: MeshReader<'_>, sink: &mut dyn FnMut(Finding)) -> Result<()> {
    let mut report = report(sink);
    let checked = structure::check(mesh, &mut report);
    if !mesh.generation().is_compressed() {
        checked.as_ref().map_err(Error::clone)?;
    }
    skeleton::check_structure(mesh.file(), &mut report)?;
    checked
}

/// Checks all rules for a mesh, and passes every finding to `sink`.
pub(crate) fn mesh(mesh: MeshReader<'_>, sink: &mut dyn FnMut(Finding)) -> Result<()> {
    let structure = mesh_structure(mesh, sink);
    if !mesh.generation().is_compressed() {
        structure.as_ref().map_err(Error::clone)?;
    }
    let (mut report, file) = (report(sink), mesh.file());
    skeleton::check_values(file, &mut report)?;
    animations::check(file, |index| mesh.animation(index), &mut report)?;
    let mut buffer = InflateBuffer::default();
    for index in 0..mesh.surface_count() {
        surfaces::check_surface(mesh, index, &mut buffer, &mut report)?;
    }
    surfaces::check_mesh(mesh, &mut report)?;
    structure
}

/// Checks the rules about the structure of an animation file (counts, strings, parent indices, key
/// flags), and passes the findings to `sink`.
pub(crate) fn animation_file_structure(file: AnimationReader<'_>, sink: &mut dyn FnMut(Finding)) -> Result<()> {
    let mut report = report(sink);
    let walked = regions::of_animation_file(file, &mut |region| {
        structure::check_region(file.bytes, &region, &mut report);
    });
    walked.inspect_err(|error| {
        report.add_error(error);
    })?;
    animations::check_tail(file, &mut report)?;
    skeleton::check_structure(file.file(), &mut report)
}

/// Checks all rules for an animation file, and passes every finding to `sink`.
pub(crate) fn animation_file(file: AnimationReader<'_>, sink: &mut dyn FnMut(Finding)) -> Result<()> {
    animation_file_structure(file, sink)?;
    let mut report = report(sink);
    if let Some(bounds) = file.raw_bounds()? {
        surfaces::check_finite_bounds(bounds, Field::new(""), BOUNDS_AT, &mut report);
    }
    skeleton::check_values(file.file(), &mut report)?;
    animations::check(file.file(), |index| file.animation(index), &mut report)
}
