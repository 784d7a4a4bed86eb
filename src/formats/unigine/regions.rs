//! Splits a mesh file or an animation file into named regions: one [`Region`] for each field or
//! array.
//!
//! The regions are in file order, and they cover all bytes of the file without gaps.

use super::animation::reader::AnimationReader;
use super::layout::BYTE;
use super::reader::fields::{FieldReader, RegionSink};
use super::reader::mesh_reader::MeshReader;
use crate::error::{Field, Result};
use crate::parse::Region;

/// Calls `visit` once for each named region of a mesh file. The regions cover all bytes of the file
/// without gaps.
pub(crate) fn of_mesh(mesh: MeshReader<'_>, visit: &mut dyn FnMut(Region)) -> Result<()> {
    let generation = mesh.generation();
    let mut fields = FieldReader { cursor: mesh.file().cursor(), sink: |region| visit(region) };
    fields.header(generation, mesh.limits())?;
    for index in 0..mesh.file().animation_count() {
        mesh.read_animation(&mut fields, index)?;
    }
    if generation.is_compressed() {
        mesh.block_regions(&mut fields)?;
    } else {
        for index in 0..mesh.surface_count() {
            let cursor = mesh.file().cursor().at(fields.cursor.offset())?;
            let mut arrays = mesh.arrays(index, FieldReader { cursor, sink: &mut fields.sink })?;
            while arrays.next()?.is_some() {}
            fields.cursor = arrays.reader.cursor;
        }
    }
    fields.set_place(Field::new(""));
    fields.magic(generation.magic(), "closing_magic")?;
    rest(&mut fields)
}

/// Calls `visit` once for each named region of an animation file. The regions cover all bytes of
/// the file without gaps.
pub(crate) fn of_animation_file(file: AnimationReader<'_>, visit: &mut dyn FnMut(Region)) -> Result<()> {
    let mut fields = FieldReader { cursor: file.file().cursor(), sink: |region| visit(region) };
    let options = &file.state.file.context.options;
    fields.animation_header(file.state.header.generation, &options.limits)?;
    for index in 0..file.file().animation_count() {
        file.read_animation(&mut fields, index)?;
    }
    file.closing_magic(&mut fields)?;
    rest(&mut fields)
}

/// Reports the bytes after the closing magic number as one region with the name `end`, if the file
/// has such bytes.
fn rest<S: RegionSink>(fields: &mut FieldReader<'_, S>) -> Result<()> {
    let left = fields.cursor.left();
    if left > 0 {
        let start = fields.cursor.offset();
        fields.cursor.lend(left, 1, "end")?;
        fields.report("end", start, BYTE, left);
    }
    Ok(())
}
