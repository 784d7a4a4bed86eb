//! Writes the contents of an EZ-Mesh file (a mesh system) as a binary file.

use std::io::Write;

use super::merge::{MergedVertices, flags, mesh_bounds, or_nothing, ordered, section_bounds, system_bounds};
use super::mesh::Mesh;
use super::parts::{Animation, MeshElement, Skeleton};
use super::refusal::{failed, mesh_place};
use super::stream::{MeshOutput, MeshStart, MeshStream, SectionStart};
use super::vertices::{Values, Vertices};
use crate::array::Bounds;
use crate::decode::ByteOrder;
use crate::error::Result;
use crate::formats::ezmesh::layout::TAG;
use crate::model::Transform;

/// Size of the output buffer, in bytes. The buffered bytes are written to the output when the
/// buffer holds at least 65,536 bytes.
const PIECE: usize = 64 << 10;

/// Writes the mesh system to `out` as a binary file, and `streamed` after its meshes.
///
/// The caller must first run `Mesh::check` and `Mesh::check_binary` on the mesh system.
pub(super) fn write(
    system: &Mesh,
    streamed: Option<&dyn MeshStream>,
    order: ByteOrder,
    version: u32,
    out: &mut dyn Write,
) -> Result<()> {
    let mut fields = FieldWriter { out, order, piece: Vec::new() };
    fields.u32(version);
    fields.text(TAG)?;
    fields.text(&system.asset_name)?;
    fields.text(&system.asset_info)?;
    fields.u32(system.system_version.cast_unsigned());
    fields.u32(system.asset_version.cast_unsigned());
    let bounds = || streamed.map_or_else(|| system_bounds(system), |meshes| or_nothing(meshes.bounds()));
    fields.bounds(system.bounds.unwrap_or_else(bounds));
    fields.count(system.textures.len());
    for texture in &system.textures {
        fields.text(&texture.name)?;
        for number in [texture.width, texture.height, texture.pixel_size] {
            fields.u32(number);
        }
        fields.text(&texture.pixels)?;
    }
    // The number of tetrahedral meshes: always 0, because no version of the binary file format
    // stores tetrahedral meshes.
    fields.u32(0);
    fields.count(system.skeletons.len());
    system.skeletons.iter().try_for_each(|skeleton| fields.skeleton(skeleton))?;
    fields.count(system.animations.len());
    system.animations.iter().try_for_each(|animation| fields.animation(animation))?;
    fields.count(system.materials.len());
    for material in &system.materials {
        fields.text(&material.name)?;
        fields.text(&material.meta_data)?;
    }
    fields.count(system.user_data.len());
    for data in &system.user_data {
        fields.text(&data.key)?;
        fields.text(&data.value)?;
    }
    fields.count(system.user_binary_data.len());
    for data in &system.user_binary_data {
        fields.text(&data.name)?;
        fields.text(&data.bytes)?;
    }
    fields.count(system.meshes.len().saturating_add(streamed.map_or(0, MeshStream::count)));
    for (index, mesh) in (0..).zip(&system.meshes) {
        fields.mesh(mesh, &MergedVertices::new(mesh, mesh_place(index))?)?;
    }
    if let Some(meshes) = streamed {
        meshes.write(&mut BinaryMeshOutput { fields: &mut fields, flags: 0 })?;
    }
    fields.count(system.instances.len());
    for instance in &system.instances {
        fields.text(&instance.mesh)?;
        fields.transform(&instance.transform)?;
    }
    // The number of collision shapes: always 0, because no version of the binary file format stores
    // collision shapes.
    fields.u32(0);
    fields.floats(&system.plane);
    fields.finish()
}

/// Writes the fields of a binary file one after another, in the byte order `order`.
struct FieldWriter<'o> {
    out: &'o mut dyn Write,
    order: ByteOrder,
    piece: Vec<u8>,
}

impl FieldWriter<'_> {
    fn u32(&mut self, number: u32) {
        self.piece.extend_from_slice(&self.order.put(number));
    }

    /// Writes the number of items of an array as a 32-bit integer.
    ///
    /// `Mesh::check` ensures that the number of items fits in 32 bits.
    fn count(&mut self, count: usize) {
        self.u32(u32::try_from(count).unwrap_or(u32::MAX));
    }

    fn floats(&mut self, floats: &[f32]) {
        for float in floats {
            self.u32(float.to_bits());
        }
    }

    fn bounds(&mut self, bounds: Bounds) {
        self.floats(&bounds.min);
        self.floats(&bounds.max);
    }

    fn transform(&mut self, transform: &Transform) -> Result<()> {
        self.floats(&transform.position);
        self.floats(&transform.rotation);
        self.floats(&transform.scale);
        self.pass()
    }

    /// Writes the length of a byte string in bytes, and then the bytes of the string.
    fn text(&mut self, bytes: &[u8]) -> Result<()> {
        self.count(bytes.len());
        if bytes.len() < PIECE {
            self.piece.extend_from_slice(bytes);
            return self.pass();
        }
        self.flush()?;
        self.out.write_all(bytes).map_err(failed)
    }

    /// Writes the buffered bytes to the output if the buffer holds at least 65,536 bytes.
    fn pass(&mut self) -> Result<()> {
        if self.piece.len() < PIECE { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<()> {
        let written = self.out.write_all(&self.piece).map_err(failed);
        self.piece.clear();
        written
    }

    fn finish(mut self) -> Result<()> {
        self.flush()?;
        self.out.flush().map_err(failed)
    }

    fn skeleton(&mut self, skeleton: &Skeleton) -> Result<()> {
        self.text(&skeleton.name)?;
        self.count(skeleton.bones.len());
        for bone in &skeleton.bones {
            self.text(&bone.name)?;
            // A bone without a parent is stored with the parent index -1.
            self.u32(bone.parent.unwrap_or(u32::MAX));
            self.transform(&bone.bind)?;
        }
        Ok(())
    }

    fn animation(&mut self, animation: &Animation) -> Result<()> {
        let seconds = [animation.duration, animation.dtime].map(Option::unwrap_or_default);
        self.text(&animation.name)?;
        self.count(animation.tracks.len());
        match animation.frames {
            Some(frames) => self.u32(frames),
            None => self.count(animation.longest()),
        }
        self.floats(&seconds);
        for track in &animation.tracks {
            self.text(&track.name)?;
            self.count(track.keys.len());
            self.floats(&track.seconds.unwrap_or(seconds));
            track.keys.iter().try_for_each(|key| self.transform(key))?;
        }
        Ok(())
    }

    fn mesh(&mut self, mesh: &MeshElement, merged: &MergedVertices<'_>) -> Result<()> {
        self.text(&mesh.name)?;
        self.text(&mesh.skeleton)?;
        self.bounds(mesh.bounds.unwrap_or_else(|| mesh_bounds(mesh)));
        self.count(mesh.sections.len());
        for (section, first) in mesh.sections.iter().zip(&merged.firsts) {
            self.text(&section.material)?;
            self.bounds(section.bounds.unwrap_or_else(|| section_bounds(section, mesh.vertices.as_ref())));
            self.u32(section.flags.unwrap_or(merged.flags));
            self.count(section.triangles.len());
            for triangle in &section.triangles {
                for index in triangle {
                    // Every vertex index in the merged vertex array is less than the total number
                    // of vertices of the mesh, which fits in 32 bits, hence the sum of `index` and
                    // `first` fits in 32 bits.
                    self.u32(index.saturating_add(*first));
                }
                self.pass()?;
            }
        }
        self.u32(merged.flags);
        self.u32(merged.count);
        merged.buffers.iter().try_for_each(|vertices| self.rows(vertices, merged.flags))
    }

    /// Writes vertices with the given vertex flags.
    fn rows(&mut self, vertices: &Vertices, flags: u32) -> Result<()> {
        let columns = ordered(vertices, flags);
        for row in 0..vertices.len() {
            for values in &columns {
                self.numbers(values, row);
            }
            self.pass()?;
        }
        Ok(())
    }

    /// Writes the numbers that the column `values` stores for the vertex with the index `row`.
    fn numbers(&mut self, values: &Values, row: usize) {
        fn of<T>(all: &[T], width: u8, row: usize) -> &[T] {
            let start = row.saturating_mul(width.into());
            all.get(start..start.saturating_add(width.into())).unwrap_or_default()
        }
        match values {
            Values::F32(width, all) => self.floats(of(all, *width, row)),
            Values::Hex32(width, all) => of(all, *width, row).iter().for_each(|number| self.u32(*number)),
            Values::U16(width, all) => {
                for number in of(all, *width, row) {
                    self.piece.extend_from_slice(&self.order.put_u16(*number));
                }
            }
            // Binary files store only columns of the number types `F32`, `Hex32` and `U16`.
            _ => {}
        }
    }
}

/// Writes meshes that are made while they are written.
struct BinaryMeshOutput<'f, 'o> {
    fields: &'f mut FieldWriter<'o>,
    /// The vertex flags of the current mesh.
    flags: u32,
}

impl MeshOutput for BinaryMeshOutput<'_, '_> {
    fn start(&mut self, mesh: &MeshStart<'_>) -> Result<()> {
        self.flags = flags(mesh.columns, mesh_place(0))?;
        self.fields.text(mesh.name)?;
        self.fields.text(mesh.skeleton)?;
        self.fields.bounds(or_nothing(mesh.bounds));
        self.fields.count(mesh.sections);
        Ok(())
    }

    fn start_vertices(&mut self, count: usize) -> Result<()> {
        self.fields.u32(self.flags);
        self.fields.count(count);
        Ok(())
    }

    fn rows(&mut self, vertices: &Vertices) -> Result<()> {
        self.fields.rows(vertices, self.flags)
    }

    fn end_vertices(&mut self) -> Result<()> {
        Ok(())
    }

    fn start_section(&mut self, section: &SectionStart<'_>) -> Result<()> {
        self.fields.text(section.material)?;
        self.fields.bounds(or_nothing(section.bounds));
        self.fields.u32(self.flags);
        self.fields.count(section.triangles);
        Ok(())
    }

    fn triangle(&mut self, triangle: [u32; 3]) -> Result<()> {
        for index in triangle {
            self.fields.u32(index);
        }
        self.fields.pass()
    }

    fn end_section(&mut self) -> Result<()> {
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        Ok(())
    }
}
