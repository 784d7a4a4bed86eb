//! Validation of UNIGINE meshes and animations: the rules that `validate` checks.
//!
//! Rules UG01 to UG24 hold for thousands of real game files. Rules UG25 to UG27 follow from the
//! 16-bit indices in the engine, and from the requirements of morph target blending and animation
//! playback. A finding reports the violation of one rule at one offset in the file. If many items
//! of one array violate the same rule, a single finding reports the number of violations and the
//! offset of the first violation. For each file, at most 1,001 findings per rule are reported.
//!
//! Non-finite floats (NaN or infinite) in positions, in the first UV set and in bounds are
//! warnings, because these are finite in thousands of real game files. Those in the second UV set,
//! in bind transforms and in animation keys have the severity info. For the second UV set, bind
//! transforms and keys, real game files were not searched for non-finite floats, and a mesh can be
//! drawn without these three types of values.

mod animations;
pub(super) mod rules;
mod structure;
mod surfaces;
mod trees;

use crate::error::{Error, Field, Result};
use crate::formats::unigine::animation::reader::AnimationReader;
use crate::formats::unigine::blocks::inflated::InflateBuffer;
use crate::formats::unigine::header::BOUNDS_AT;
use crate::formats::unigine::reader::mesh_reader::MeshReader;
use crate::formats::unigine::regions;
use crate::parse::Finding;
use rules::report;

pub use rules::RULES;

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
    structure::check_bones(mesh.file(), &mut report)?;
    checked
}

/// Checks all rules for a mesh, and passes every finding to `sink`.
pub(crate) fn mesh(mesh: MeshReader<'_>, sink: &mut dyn FnMut(Finding)) -> Result<()> {
    let structure = mesh_structure(mesh, sink);
    if !mesh.generation().is_compressed() {
        structure.as_ref().map_err(Error::clone)?;
    }
    let (mut report, file) = (report(sink), mesh.file());
    structure::check_bind_transforms(file, &mut report)?;
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
    structure::check_bones(file.file(), &mut report)
}

/// Checks all rules for an animation file, and passes every finding to `sink`.
pub(crate) fn animation_file(file: AnimationReader<'_>, sink: &mut dyn FnMut(Finding)) -> Result<()> {
    animation_file_structure(file, sink)?;
    let mut report = report(sink);
    if let Some(bounds) = file.raw_bounds()? {
        surfaces::check_finite_bounds(bounds, Field::new(""), BOUNDS_AT, &mut report);
    }
    structure::check_bind_transforms(file.file(), &mut report)?;
    animations::check(file.file(), |index| file.animation(index), &mut report)
}
